"""Which metrics an evaluation scores, and the scores of captions in the order of the file.

Arrays: N candidates.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from tercet import metrics
from tercet.analysis.dataset.checks import RESERVED_METRICS
from tercet.analysis.scoring.options import Options
from tercet.analysis.texts import gettext as _
from tercet.metrics import Combination, Composite, FloatArray, Inputs, read_model
from tercet.metrics.scoring import totals_of
from tercet.metrics.selection import Selection, select

RANDOM = "random"
"""A baseline whose accuracy is known without any score."""
NO_PARSER = _(
    "Captions cannot be parsed: install the extra tuples "
    "(pip install -r requirements-tuples.txt) and leave TERCET_SPACY_MODEL unset."
)
"""Why what takes a parser is left out, and what to install."""


def wanted(options: Options, supplied: Collection[str]) -> Selection:
    """Find the wanted metrics by name, without regard to case.

    Parameters
    ----------
    options : Options
        Names of metrics, all if there are none or "all" is among them; combinations; and models.
    supplied : collection of str
        The metrics of `scores.csv`, which come after the built-in ones of other names.

    Returns
    -------
    Selection

    Raises
    ------
    ValueError
        If a name is that of no metric, or a combination or a model cannot be used.
    """
    names: Sequence[str] = options.metrics
    if not names or metrics.ALL in names:
        built_in = [name for name in metrics.names() if name not in supplied]
        names = (*built_in, *supplied)

    composites: list[Composite] = [*map(Combination.read, options.combine)]
    composites += map(read_model, options.models)
    return select(names, composites, supplied, RESERVED_METRICS)


def metrics_left_out(options: Options) -> list[str]:
    """Say which of all metrics are missing, and what to install for them; none of chosen ones."""
    if options.metrics and metrics.ALL not in options.metrics:
        return []

    return metrics.left_out()


def to_score(options: Options, supplied: Collection[str]) -> Selection:
    """Return the wanted metrics without `random`, whose accuracy is known without any score.

    Raises ValueError where no other is wanted.
    """
    chosen = wanted(options, supplied)
    names = tuple(name for name in chosen.names if name != RANDOM or name in supplied)
    if not names:
        raise ValueError("random is a baseline: name a metric besides it.")

    return replace(chosen, names=names)


def score_captions(
    captions: Inputs,
    names: Sequence[str],
    options: Options,
    documents: metrics.Documents | None = None,
    count: int | None = None,
) -> dict[str, FloatArray]:
    """Score candidates by built-in metrics.

    Parameters
    ----------
    captions : Inputs
        The candidates and references.
    names : sequence of str
        The metrics.
    options : Options
        Tokenizer and documents.
    documents : DocumentFrequencies, optional
        Those that CIDEr weighs n-grams by; without them, as the options say.
    count : int, optional
        Score with so many references, the first ones of each image, which must have them; with
        all of them if not given.

    Returns
    -------
    dict of str to (N,) float array
        By metric.
    """
    documents = documents or documents_of_all(options)
    tokenize = metrics.TOKENIZERS[options.tokenizer]

    [totals] = totals_of(captions, names, tokenize, documents, (count,))
    return dict(totals.scores)


def documents_of_all(options: Options) -> metrics.Documents:
    """Return where document frequencies are counted with all references at once."""
    if options.documents == metrics.COCO:
        return metrics.read_documents(metrics.COCO)

    return "rows" if options.documents == "rows" else "pool"
