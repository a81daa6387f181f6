"""Google Forms: a column for each question, after the time of the response."""

from tercet.analysis.layouts.layout import Layout, called

LAYOUT = Layout(
    "Google Forms",
    lambda table: table.header[:1] in (("Timestamp",), ("Zeitstempel",)),
    called(date="Timestamp Zeitstempel", annotator="Username"),
)
