"""The result of scoring: corpus figures and caption scores."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.metrics.core.arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

    from tercet.metrics.corpus_scores import Sums

_SHOWN = 7


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores of candidates by several metrics; made by :func:`metrics.score`.

    BLEU, ROUGE and METEOR range from 0 to 1, CIDEr from 0 to 10.

    Attributes
    ----------
    corpus : mapping of str to float
        One figure for all candidates together, by metric, as the COCO caption evaluation reports
        it: BLEU and METEOR from counts summed over the candidates, other metrics as the mean of
        the caption scores.
    captions : mapping of str to (candidates,) float array
        The score of each candidate, by metric, in the order of the candidates.
    sums : Sums
        What the corpus figures are made of; the sums of parts add up to those of the whole.
    keys : sequence, optional
        Of captions that were given by key, the key of each score.

    Examples
    --------
    >>> from tercet.metrics import score
    >>> score(references=[["a dog"], ["a cat"]], candidates=["a dog", "cats"], metrics="BLEU-1")
    Scores(2 captions: BLEU-1 0.478)
    """

    corpus: Mapping[str, float]
    captions: Mapping[str, FloatArray]
    sums: "Sums"
    keys: Sequence[Hashable] | None = None

    def to_frame(self) -> "pd.DataFrame":
        """Return the caption scores as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each candidate, by its key if it has one, and a column for each metric.

        Raises
        ------
        ModuleNotFoundError
            If pandas is not installed.

        Examples
        --------
        >>> from tercet.metrics import score
        >>> captions = {"references": [["a dog"], ["a cat"]], "candidates": ["a dog", "cats"]}
        >>> score(**captions, metrics=["ROUGE-1", "ROUGE-L"]).to_frame()
           ROUGE-1  ROUGE-L
        0      1.0      1.0
        1      0.0      0.0
        """
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            message = "to_frame needs pandas: run pip install 'tercet[analysis]'"
            raise ModuleNotFoundError(message, name="pandas") from error

        index = None if self.keys is None else list(self.keys)

        return pd.DataFrame(dict(self.captions), index=index)

    def __repr__(self) -> str:
        figures = [f"{name} {figure:.3f}" for name, figure in self.corpus.items()]
        if len(figures) > _SHOWN:
            figures[_SHOWN:] = [f"… {len(figures) - _SHOWN} more"]

        captions = len(next(iter(self.captions.values()), ()))

        return f"Scores({captions:,} captions: {', '.join(figures)})"
