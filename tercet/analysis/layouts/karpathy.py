"""The splits of Karpathy: images with their sentences."""

from tercet.analysis.layouts.layout import Layout, called, has

_OWN = (
    "filepath sentids filename imgid split cocoid dataset sentences.tokens sentences.imgid "
    "sentences.sentid"
)
LAYOUT = Layout(
    "Karpathy splits",
    has("sentences.raw"),
    called(image="filename file_name cocoid imgid", reference="sentences.raw"),
    is_noise=_OWN.split().__contains__,
)
