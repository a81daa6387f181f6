"""AudioCaps: a caption on each line, with the clip of a video."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "AudioCaps",
    has("audiocap_id", "youtube_id", "caption"),
    called(image="youtube_id", reference="caption", not_used="audiocap_id"),
)
