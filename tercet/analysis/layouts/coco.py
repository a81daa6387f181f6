"""COCO: captions in annotations, or in a list of results."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "COCO captions",
    has("image_id", "caption"),
    called(image="image_id", not_used="id key"),
)
