"""MSR-VTT: sentences of videos."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "MSR-VTT",
    has("video_id", "sen_id", "caption"),
    called(image="video_id", reference="caption", not_used="key sen_id"),
)
