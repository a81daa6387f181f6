"""STAIR: Japanese captions of the images of COCO."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "STAIR Captions",
    has("image_id", "tokenized_caption"),
    called(image="image_id", reference="caption", not_used="tokenized_caption id key"),
)
