"""Tercet as a metric of torchmetrics 1.9; needs `pip install torchmetrics`."""

from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric

from tercet.metrics import resolve, score
from tercet.metrics.registry import Named


class TercetMetric(Metric):
    """Corpus scores of captions by metrics of Tercet, over batches and processes.

    Parameters
    ----------
    metrics : str, TextMetric, or sequence of them, optional
        As for :func:`tercet.score`.
    **options
        Further arguments of :func:`tercet.score` (``tokenize``, ``documents``), or of
        :class:`torchmetrics.Metric`.

    Notes
    -----
    Texts are kept as float32 tensors of UTF-8 bytes, because torchmetrics synchronizes tensors
    only, and a process without captions adds an empty float32 tensor.
    """

    is_differentiable = False
    full_state_update = False
    text: list[torch.Tensor]
    sizes: list[torch.Tensor]

    def __init__(
        self, metrics: Named | Sequence[Named] | None = None, **options: Any
    ) -> None:
        own = {
            name: options.pop(name)
            for name in ("tokenize", "documents")
            if name in options
        }
        super().__init__(**options)
        self.names = resolve(metrics)
        self.options = own
        self.add_state("text", [], dist_reduce_fx="cat")
        self.add_state("sizes", [], dist_reduce_fx="cat")

    def update(self, preds: Sequence[str], target: Sequence[Sequence[str]]) -> None:
        """Add captions and the references of each."""
        if len(preds) != len(target):
            raise ValueError(f"{len(preds)} captions, but references of {len(target)}")

        for caption, references in zip(preds, target, strict=True):
            texts = [each.encode() for each in (caption, *references)]
            sizes = [len(texts), *map(len, texts)]
            self.text.append(self._tensor(list(b"".join(texts))))
            self.sizes.append(self._tensor(sizes))

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the corpus score of each metric."""
        candidates, references = self._captions()
        if not candidates:
            raise ValueError("There are no captions: call update first.")

        scores = score(
            references=references,
            candidates=candidates,
            metrics=self.names,
            **self.options,
        )
        return {name: self._tensor(value) for name, value in scores.corpus.items()}

    def _tensor(self, values: float | list[int]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.float32, device=self.device)

    def _captions(self) -> tuple[list[str], list[list[str]]]:
        """Return the captions and their references as text."""
        content = bytes(_numbers(self.text))
        sizes = iter(_numbers(self.sizes))
        candidates, references = [], []
        start = 0

        for count in sizes:
            texts = []
            for _number in range(count):
                end = start + next(sizes)
                texts.append(content[start:end].decode())
                start = end
            candidates.append(texts[0])
            references.append(texts[1:])

        return candidates, references


def _numbers(state: torch.Tensor | list[torch.Tensor]) -> list[int]:
    """Return the whole numbers of a state: a list of tensors, or one after synchronizing."""
    parts = [state] if isinstance(state, torch.Tensor) else state
    return [int(value) for part in parts for value in part.tolist()]
