"""Clotho: five captions of a sound on each line."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "Clotho",
    has("file_name", *(f"caption_{number}" for number in range(1, 6))),
    called(
        image="file_name", reference="caption_1 caption_2 caption_3 caption_4 caption_5"
    ),
)
