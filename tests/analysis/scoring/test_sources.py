"""Sources give the scores of both sides of pairs, each from what is known before it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tercet.analysis.evaluation.scoring import orders
from tercet.analysis.scoring.learned import WINNER_MODEL
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.pairs import Pairs, arrange_pairs, decide
from tercet.analysis.scoring.sources import Known, collect, collect_sources
from tercet.analysis.tables.schema import SCORES, Dataset, shown_captions
from tests.analysis.frames import even_dataset, random_dataset

RAGGED = (1, 4, 2, 4, 3, 4)
METRICS = ("BLEU-1", "ROUGE-L")


def gathered(made: Dataset, options: Options) -> Pairs:
    return arrange_pairs(made, decide(made, options), options)


def known_scores(pairs: Pairs) -> Known:
    generator = np.random.default_rng(0)
    return {name: generator.random((2, *pairs.sides.shape)) for name in METRICS}


def test_a_combination_is_made_of_known_scores() -> None:
    options = Options(metrics=METRICS, combine=("both = 1 BLEU-1 + 2 ROUGE-L",))
    made = random_dataset(1, RAGGED)
    pairs = gathered(made, options)
    known = known_scores(pairs)

    complete = collect_sources(made, pairs, options).complete(known)

    assert list(complete) == [*METRICS, "both"]

    expected = known["BLEU-1"] + 2 * known["ROUGE-L"]
    both = complete["both"]
    np.testing.assert_allclose(both, expected)


def test_supplied_scores_end_where_references_do() -> None:
    made = random_dataset(2, RAGGED)
    shown = shown_captions(made.pairs)
    lines = shown.drop_duplicates().assign(metric="mine", score="0.5")
    columns = list(SCORES.columns)
    made = replace(made, scores=lines.reindex(columns=columns, fill_value=""))
    options = Options(metrics=("mine",))
    pairs = gathered(made, options)
    sources = collect_sources(made, pairs, options)

    draw = partial(orders, pairs=pairs, options=options, draws=1)
    table = next(collect(pairs, sources, options, "pool", draw))

    for side in table.scores["mine"]:
        has_reference = np.arange(side.shape[1] - 1) < pairs.reference_counts[:, None]
        np.testing.assert_array_equal(np.isfinite(side[:, :-1]), has_reference)
        assert np.isfinite(side[:, -1]).all()


def test_the_learned_metric_comes_last_and_follows_its_rows() -> None:
    options = Options(metrics=METRICS, learn=True, draws=2)
    made = even_dataset(3, images=24, references=3)
    pairs = gathered(made, options)
    known = known_scores(pairs)
    sources = collect_sources(made, pairs, options)

    whole = sources.complete(known)
    rows = slice(2, 7)
    part = {name: each[:, rows] for name, each in known.items()}

    assert list(whole) == [*METRICS, WINNER_MODEL]
    found = sources.of(rows, pairs.captions).complete(part)[WINNER_MODEL]
    np.testing.assert_array_equal(found, whole[WINNER_MODEL][:, rows])


def test_too_few_images_to_learn_from_are_refused() -> None:
    options = Options(metrics=METRICS, learn=True)
    made = random_dataset(4, RAGGED)
    pairs = gathered(made, options)
    with pytest.raises(ValueError, match="pairs of 20 images"):
        collect_sources(made, pairs, options)
