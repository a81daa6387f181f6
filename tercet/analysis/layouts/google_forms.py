"""Google Forms: a column for each question, after the time of the response."""

from tercet.analysis.layouts.layout import Layout, called

_TIMES = ("Timestamp", "Zeitstempel", "Horodateur", "Marca temporal")

LAYOUT = Layout(
    "Google Forms",
    lambda table: any(table.header[:1] == (each,) for each in _TIMES),
    called(
        date=_TIMES,
        annotator=["Username", "Email Address", "Nutzername", "E-Mail-Adresse"],
    ),
)
