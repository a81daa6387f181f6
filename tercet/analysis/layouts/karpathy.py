"""The splits of Karpathy: images with their sentences."""

from tercet.analysis.layouts.layout import Layout, called, has

LAYOUT = Layout(
    "Karpathy splits",
    has("sentences.raw"),
    called(image="filename file_name cocoid imgid", reference="sentences.raw"),
)
