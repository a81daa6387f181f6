"""Qualtrics: responses under three header rows."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "Qualtrics",
    has("ResponseId"),
    called(annotator="ResponseId", seconds="Duration", leave_out="Status"),
)
