"""Prolific: the submissions of a study."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "Prolific",
    has("Submission id", "Participant id"),
    called(annotator=["Participant id"], leave_out="Status", seconds=["Time taken"]),
    is_noise=lambda name: name not in ("Participant id", "Status"),
)
