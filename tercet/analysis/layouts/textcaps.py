"""TextCaps: a caption in each entry, or the references of an image."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "TextCaps",
    has("image_id", "caption_str"),
    called(
        image="image_id",
        reference="caption_str",
        not_used="reference_strs caption_tokens",
    ),
)
