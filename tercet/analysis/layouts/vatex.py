"""VATEX: videos with captions in English and Chinese."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "VATEX",
    has("videoID", "enCap"),
    called(image="videoID", reference="enCap", not_used="chCap"),
)
