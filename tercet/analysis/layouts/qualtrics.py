"""Qualtrics: responses under three header rows."""

from tercet.analysis.layouts.layout import Layout, called, has

_OWN = (
    "StartDate EndDate IPAddress Progress Finished RecordedDate RecipientLastName "
    "RecipientFirstName RecipientEmail ExternalReference LocationLatitude LocationLongitude "
    "DistributionChannel UserLanguage"
)

LAYOUT = Layout(
    "Qualtrics",
    has("ResponseId"),
    called(
        annotator="ResponseId",
        seconds=["Duration (in seconds)"],
        leave_out="Status",
        not_used=_OWN,
    ),
    is_noise=lambda name: name in _OWN.split(),
)
