"""Tercet as a metric of Hugging Face `evaluate`: `evaluate.load("tercet_metric")`, by path."""

from typing import Any

import datasets
import evaluate

import tercet

_DESCRIPTION = "Caption metrics of Tercet: BLEU, METEOR, ROUGE, CIDEr and others."
_CITATION = "See CITATION.cff of Tercet."
_INPUTS = """
predictions: list of str. The captions.
references: list of lists of str, or list of str. The references of each caption.
metrics: str or list of str. Names as tercet.names() lists them; without, the seven of COCO.
per_caption: bool. Whether to return the scores of each caption as well.
options: further arguments of tercet.score: tokenize, documents.
"""


# `evaluate` takes the first subclass of Metric in this module: no other may be imported by name.
class TercetMetric(evaluate.Metric):
    """The corpus score of each metric, and the scores of captions if wanted."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        several = {"predictions": text, "references": datasets.Sequence(text)}
        one = {"predictions": text, "references": text}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[datasets.Features(several), datasets.Features(one)],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[str] | list[list[str]],
        metrics: str | list[str] | None = None,
        per_caption: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        named = self.config_name.split("+")
        if metrics is None and self.config_name != "default":
            metrics = named

        listed = [[each] if isinstance(each, str) else each for each in references]
        scores = tercet.score(
            references=listed, candidates=predictions, metrics=metrics, **options
        )
        found: dict[str, Any] = dict(scores.corpus)
        if per_caption:
            by_name = scores.captions.items()
            found["per_caption"] = {name: each.tolist() for name, each in by_name}
        return found
