"""Prolific: submissions of a study."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "Prolific",
    has("Submission id", "Participant id"),
    called(annotator="Participant", leave_out="Status"),
)
