from itertools import product

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.scoring.sources import scores_of_captions, scores_of_pairs
from tercet.analysis.tables.schema import CAPTION_SCORE, PAIR_SCORE, SCORES
from tercet.metrics import FloatArray
from tests.analysis.frames import frame
from tests.support.folders import Rows

Scores = FloatArray | list[list[float]]
NAN = float("nan")
PAIRS = pd.DataFrame(
    [
        ("p1", "dog", "a dog", "a cat"),
        ("p2", "dog", "a cat", "a bus"),
        ("p3", "cat", "a cat", "a roof"),
    ],
    columns=["pair", "image", "candidate_b", "candidate_c"],
    index=pd.Index([7, 3, 5]),
)
COUNTS = 3


def of_captions(rows: Rows, *more: str) -> pd.DataFrame:
    return frame(SCORES, rows, ("metric", *CAPTION_SCORE, *more))


def of_pairs(rows: Rows, *more: str) -> pd.DataFrame:
    return frame(SCORES, rows, ("metric", *PAIR_SCORE, *more))


def assert_scores(found: FloatArray, b: Scores, c: Scores) -> None:
    np.testing.assert_array_equal(found[0], b)
    np.testing.assert_array_equal(found[1], c)


def test_a_caption_is_scored_in_every_pair_of_its_image() -> None:
    rows = [
        ("SPICE", "dog", "a dog", 1),
        ("SPICE", "dog", "a cat", 2),
        ("SPICE", "cat", "a roof", 3),
    ]
    found = scores_of_pairs(of_captions(rows), PAIRS, 1)
    assert_scores(found["SPICE"], [[1], [2], [NAN]], [[2], [NAN], [3]])


def test_without_a_reference_count_a_score_holds_for_every_one() -> None:
    found = scores_of_pairs(of_pairs([("SPICE", "p2", 0.5, -1)]), PAIRS, 2)
    assert_scores(
        found["SPICE"],
        [[NAN, NAN], [0.5, 0.5], [NAN, NAN]],
        [[NAN, NAN], [-1, -1], [NAN, NAN]],
    )


def test_the_score_of_a_reference_count_counts_before_that_of_every_one() -> None:
    rows = [
        ("SPICE", "p1", 9, 9, 2),
        ("SPICE", "p1", 1, 2, ""),
        ("SPICE", "p2", 3, 4, 3),
    ]
    scores = scores_of_pairs(of_pairs(rows, "reference_count"), PAIRS, 3)
    b, c = scores["SPICE"]
    np.testing.assert_array_equal(b[:2], [[1, 9, 1], [NAN, NAN, 3]])
    np.testing.assert_array_equal(c[:2], [[2, 9, 2], [NAN, NAN, 4]])


def test_the_score_of_a_pair_counts_before_that_of_its_caption() -> None:
    rows = pd.concat(
        [
            of_pairs([("SPICE", "p1", 1, 2, "")], "reference_count"),
            of_captions([("SPICE", "dog", "a cat", 5, 1)], "reference_count"),
        ]
    )

    assert_scores(
        scores_of_pairs(rows, PAIRS, 2)["SPICE"],
        [[1, 1], [5, NAN], [NAN, NAN]],
        [[2, 2], [NAN, NAN], [NAN, NAN]],
    )


def test_metrics_stand_in_order_of_appearance() -> None:
    rows = [(name, "p1", 1, 2) for name in ("SPICE", "CLIP", "SPICE", "A")]
    assert list(scores_of_pairs(of_pairs(rows), PAIRS, 1)) == ["SPICE", "CLIP", "A"]


def test_without_lines_there_are_no_metrics() -> None:
    assert scores_of_pairs(SCORES.empty(), PAIRS, 2) == {}


def test_what_no_pair_shows_is_left_out() -> None:
    rows = pd.concat(
        [
            of_captions(
                [("SPICE", "cat", "a dog", 1, ""), ("SPICE", "dog", "a dog", 2, 4)],
                "reference_count",
            ),
            of_pairs([("SPICE", "p9", 1, 2)]),
        ]
    )
    scores = scores_of_pairs(rows, PAIRS, 3)
    b, c = scores["SPICE"]
    assert b.shape == c.shape == (3, 3)
    assert np.isnan(b).all()
    assert np.isnan(c).all()


def test_captions_are_scored_as_often_as_they_are_asked_for() -> None:
    rows = of_captions([("SPICE", "dog", "a dog", 0.5)])
    asked = pd.DataFrame(
        {"image": ["dog", "cat", "dog"], "caption": "a dog", "rating": [1, 2, 3]},
        index=[4, 2, 0],
    )
    found = scores_of_captions(rows, asked, 2)
    np.testing.assert_array_equal(found["SPICE"], [[0.5], [NAN], [0.5]])


NAME = st.sampled_from(["SPICE", "CLIP"])
SCORE = st.integers(-3, 3)
COUNT = st.sampled_from(["", 1, 2, 3, 4])
CAPTION = st.sampled_from(["a dog", "a cat", "a bus", "a roof"])
OF_CAPTIONS = st.dictionaries(
    st.tuples(NAME, st.sampled_from(["dog", "cat"]), CAPTION, COUNT), SCORE, max_size=25
)
OF_PAIRS = st.dictionaries(
    st.tuples(NAME, st.sampled_from(["p1", "p2", "p3"]), COUNT), st.tuples(SCORE, SCORE)
)


@given(OF_CAPTIONS, OF_PAIRS)
def test_the_scores_are_those_of_a_search_line_by_line(
    captions: dict[tuple[object, ...], int],
    pairs: dict[tuple[object, ...], tuple[int, int]],
) -> None:
    def score(metric: str, side: int, row: tuple[str, ...], count: int) -> float:
        pair, image, *shown = row
        for asked in (count, ""):
            if (metric, pair, asked) in pairs:
                return pairs[metric, pair, asked][side]

        usual = captions.get((metric, image, shown[side], ""), NAN)
        return captions.get((metric, image, shown[side], count), usual)

    by_caption = [(*key[:3], value, key[3]) for key, value in captions.items()]
    by_pair = [(*key[:2], *value, key[2]) for key, value in pairs.items()]
    lines = [
        of_captions(by_caption, "reference_count"),
        of_pairs(by_pair, "reference_count"),
    ]
    found = scores_of_pairs(pd.concat(lines), PAIRS, COUNTS)
    assert set(found) == {metric for metric, *_ in (*captions, *pairs)}

    for metric, both in found.items():
        expected = [
            [
                [score(metric, side, row, count) for count in range(1, COUNTS + 1)]
                for row in PAIRS.itertuples(index=False, name=None)
            ]
            for side in (0, 1)
        ]
        np.testing.assert_array_equal(both, expected)


SHOWN = [
    ("dog", "a dog"),
    ("dog", "a cat"),
    ("dog", "a bus"),
    ("cat", "a cat"),
    ("cat", "a roof"),
]


@given(
    st.lists(COUNT, min_size=1, unique=True), st.lists(SCORE, min_size=25, max_size=25)
)
def test_scores_of_captions_and_of_pairs_that_say_the_same_are_the_same(
    counts: list[object], scores: list[int]
) -> None:
    score = dict(zip(product(SHOWN, counts), scores, strict=False))
    captions = [
        ("SPICE", *shown, value, count) for (shown, count), value in score.items()
    ]
    pairs = [
        ("SPICE", pair, score[(image, b), count], score[(image, c), count], count)
        for pair, image, b, c in PAIRS.itertuples(index=False, name=None)
        for count in counts
    ]
    by_caption = of_captions(captions, "reference_count")
    by_pair = of_pairs(pairs, "reference_count")
    expected = scores_of_pairs(by_caption, PAIRS, COUNTS)["SPICE"]
    found = scores_of_pairs(by_pair, PAIRS, COUNTS)
    assert_scores(found["SPICE"], *expected)
    assert_scores(
        scores_of_pairs(pd.concat([by_caption, by_pair]), PAIRS, COUNTS)["SPICE"],
        *expected,
    )
