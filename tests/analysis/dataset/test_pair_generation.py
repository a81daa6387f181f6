from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.analysis.dataset.checks import check_pairs
from tercet.analysis.dataset.folder import load
from tercet.analysis.dataset.pair_generation import (
    TooFewCandidates,
    make_pairs,
    merged_captions,
    possible_pairs,
)
from tercet.analysis.tables.csv_tables import Problems
from tercet.analysis.tables.rules import RowChecks
from tercet.analysis.tables.schema import CANDIDATES, CATEGORIES, HUMAN, PAIRS
from tests.analysis.frames import dataset, frame, rows_with
from tests.support.examples import examples
from tests.support.folders import DEMO

Rows = list[tuple[str, str, str]]
ALL_OF_EACH = dict.fromkeys(CATEGORIES, 10**9)

candidate_rows = st.lists(
    st.tuples(
        st.sampled_from(["dog", "cat", "bird"]),
        st.sampled_from(["a", "b", "c", "d", "e"]),
        st.sampled_from([HUMAN, HUMAN, "one", "two", "three"]),
    ),
    max_size=16,
    unique=True,
)


def frame_of(rows: Iterable[tuple[str, str, str]]) -> pd.DataFrame:
    return frame(CANDIDATES, rows)


def make(rows: Rows, seed: int = 0, **counts: int) -> pd.DataFrame:
    return make_pairs(frame_of(rows), counts, np.random.default_rng(seed))


def possible(rows: Rows) -> dict[str, int]:
    with pytest.raises(TooFewCandidates) as error:
        make(rows, **ALL_OF_EACH)

    return error.value.possible


def key(image: str, one: str, other: str) -> tuple[str, frozenset[str]]:
    return image, frozenset((one, other))


def keys(pairs: pd.DataFrame) -> list[tuple[str, frozenset[str]]]:
    return list(map(key, pairs["image"], pairs["candidate_b"], pairs["candidate_c"]))


def by_hand(rows: Rows) -> dict[str, set[tuple[str, frozenset[str]]]]:
    """All pairs that section 6 of the paper allows, each caption pair in one category only."""
    found: dict[str, set[tuple[str, frozenset[str]]]] = {
        name: set() for name in CATEGORIES
    }

    for (image, a, source), (other, b, another) in combinations(rows, 2):
        if image != other or a == b:
            continue

        humans = (source == HUMAN) + (another == HUMAN)
        if humans or source != another:
            found[("MM", "HM", "HC")[humans]].add(key(image, a, b))

    found["HM"] -= found["HC"]
    found["MM"] -= found["HC"] | found["HM"]

    for image, a, source in rows:
        for _, foreign, another in rows:
            shown = {caption for place, caption, _ in rows if place == image}
            if source == another == HUMAN and foreign not in shown:
                found["HI"].add(key(image, a, foreign))

    return found


@given(candidate_rows)
def test_exactly_as_many_pairs_are_possible_as_there_are(rows: Rows) -> None:
    assert possible(rows) == {name: len(found) for name, found in by_hand(rows).items()}


@examples(30)
@given(candidate_rows, st.integers(0, 99))
def test_all_that_are_possible_can_be_made(rows: Rows, seed: int) -> None:
    pairs = make(rows, seed, **possible(rows))
    found = by_hand(rows)

    for category in CATEGORIES:
        made = keys(rows_with(pairs, category=category))
        assert set(made) == found[category]
        assert len(made) == len(found[category])


@examples(30)
@given(candidate_rows, st.integers(0, 99), st.data())
def test_pairs_are_those_of_section_6_of_the_paper(
    rows: Rows, seed: int, data: st.DataObject
) -> None:
    most = possible(rows)
    counts = {name: data.draw(st.integers(0, most[name])) for name in CATEGORIES}
    pairs = make(rows, seed, **counts)

    assert Counter(pairs["category"]) == Counter(counts)
    assert len(set(keys(pairs))) == len(pairs)

    for pair in pairs.to_dict("records"):
        b = (pair["image"], pair["candidate_b"], pair["source_b"])
        c = (pair["image"], pair["candidate_c"], pair["source_c"])
        sources = (pair["source_b"], pair["source_c"])

        if pair["category"] == "HI":
            assert sources == (HUMAN, HUMAN)

            [foreign] = {b, c} - set(rows)
            assert {
                (place, foreign[1], HUMAN) for place in ("dog", "cat", "bird")
            } & set(rows)
            assert not [row for row in rows if row[:2] == foreign[:2]]
        else:
            assert {b, c} <= set(rows)
            assert sources.count(HUMAN) == {"HC": 2, "HM": 1, "MM": 0}[pair["category"]]
            assert sources[0] != sources[1] or pair["category"] == "HC"


@examples(30)
@given(candidate_rows, st.integers(0, 99))
def test_pairs_pass_the_checks_of_an_import(rows: Rows, seed: int) -> None:
    pairs = make(rows, seed, **possible(rows)).astype("str").assign(line=0)
    images = [(image, "a reference") for image in ("dog", "cat", "bird")]
    problems = Problems()
    check = RowChecks(pairs, PAIRS, problems)
    check_pairs(replace(dataset(images), pairs=pairs), check)
    assert problems.kept == []


def people_and_systems(images: int, people: int = 3, systems: int = 5) -> Rows:
    return [
        (f"image {image}", f"{source} {number} on {image}", source)
        for image in range(images)
        for source, count in (
            (HUMAN, people),
            *((f"system {n}", 1) for n in range(systems)),
        )
        for number in range(count)
    ]


def test_pairs_have_the_columns_of_their_file_and_names() -> None:
    pairs = make(people_and_systems(4), HC=2, MM=11)
    assert tuple(pairs.columns) == PAIRS.columns

    names = pairs["pair"].tolist()
    assert names == [
        *("HC-0001", "HC-0002"),
        *(f"MM-{number:04}" for number in range(1, 12)),
    ]
    assert (pairs["winner"] == "").all()


def test_every_system_is_in_about_as_many_pairs() -> None:
    pairs = make(people_and_systems(40), HM=40, MM=50)
    for category, each in (("HM", 40 / 5), ("MM", 2 * 50 / 5)):
        chosen = rows_with(pairs, category=category)
        used = Counter([*chosen["source_b"], *chosen["source_c"]])
        del used[HUMAN]

        assert len(used) == 5
        assert all(abs(times - each) <= 1 for times in used.values())


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_image_is_in_about_as_many_pairs(category: str) -> None:
    pairs = make(people_and_systems(10), **{category: 25})
    used = Counter(pairs["image"])

    assert len(used) == 10
    assert max(used.values()) - min(used.values()) <= 2


@pytest.mark.parametrize("category", ["HI", "HM"])
def test_no_side_gives_away_which_candidate_is_which(category: str) -> None:
    rows = people_and_systems(50)
    own = set(rows)
    pairs = make(rows, **{category: 100})

    sides = pd.Series(
        [
            (image, b, source) in own and source == HUMAN
            for image, b, source in zip(
                pairs["image"], pairs["candidate_b"], pairs["source_b"], strict=True
            )
        ]
    )

    assert sides.sum() == 50

    is_other = sides != sides.shift()
    assert 30 < is_other.sum() < 70


def test_the_seed_decides() -> None:
    rows, counts = people_and_systems(10), {"HC": 5, "HI": 5, "HM": 5, "MM": 5}
    once = make(rows, 1, **counts)
    assert once.equals(make(rows, 1, **counts))

    one = make(rows, 1, **counts)
    assert not one.equals(make(rows, 2, **counts))


def test_a_candidate_given_twice_is_one() -> None:
    rows = people_and_systems(3)
    assert possible(rows + rows) == possible(rows)

    pairs = make(rows + rows, **possible(rows))
    assert len(set(keys(pairs))) == len(pairs)


def test_rows_may_have_any_index() -> None:
    rows = people_and_systems(6)
    whole = frame_of([("image 0", "left out", HUMAN), *rows])
    some = whole.iloc[1:]
    counts = {"HC": 3, "HM": 3, "MM": 3, "HI": 3}
    pairs = make_pairs(some, counts, np.random.default_rng(0))

    assert pairs.equals(make(rows, HC=3, HM=3, MM=3, HI=3))


def test_too_few_candidates_say_how_many_pairs_are_possible() -> None:
    rows: Rows = [("dog", "a", HUMAN), ("dog", "b", HUMAN), ("cat", "c", HUMAN)]
    with pytest.raises(TooFewCandidates) as error:
        make(rows, HC=2, HI=4, MM=1_000)
    assert str(error.value) == (
        "Too few candidates (HC: 2 wanted, 1 possible; MM: 1,000 wanted, 0 possible). "
        "Ask for fewer, or add some."
    )
    assert error.value.possible == {"HC": 1, "HI": 4, "HM": 0, "MM": 0}


def test_people_alone_make_pairs() -> None:
    pairs = make(people_and_systems(4, systems=0), HC=4, HI=4)
    assert set(pairs["source_b"]) | set(pairs["source_c"]) == {HUMAN}


def test_systems_alone_make_pairs() -> None:
    pairs = make(people_and_systems(4, people=0), MM=8)
    assert HUMAN not in set(pairs["source_b"]) | set(pairs["source_c"])


def test_no_candidates_make_no_pairs() -> None:
    assert make([]).empty


def test_a_sentence_of_many_images_is_foreign_to_none_of_them() -> None:
    rows: Rows = [("dog", "same", HUMAN), ("cat", "same", HUMAN), ("cat", "own", HUMAN)]
    [pair] = keys(make(rows, HI=1))
    assert pair == key("dog", "same", "own")


def test_a_sentence_that_a_system_wrote_of_the_image_is_not_foreign() -> None:
    rows: Rows = [
        ("dog", "a dog", HUMAN),
        ("dog", "a cat", "system"),
        ("cat", "a cat", HUMAN),
    ]

    assert possible(rows) == {"HC": 0, "HI": 1, "HM": 1, "MM": 0}


def test_foreign_sentences_are_found_however_rare_they_are() -> None:
    rows: Rows = [("dog", f"dog {number}", HUMAN) for number in range(300)]
    pairs = make([*rows, ("cat", "cat", HUMAN)], HI=600)
    assert len(set(keys(pairs))) == 600


def test_many_candidates_are_sampled() -> None:
    pairs = make(people_and_systems(300, people=2, systems=0), HI=200)
    assert len(set(keys(pairs))) == 200
    for b, c in zip(pairs["candidate_b"], pairs["candidate_c"], strict=True):
        assert b.rpartition(" ")[2] != c.rpartition(" ")[2]


def test_the_candidates_of_the_demo_make_pairs_of_every_category() -> None:
    candidates = load(DEMO).candidates
    counts = dict.fromkeys(CATEGORIES, 24)
    pairs = make_pairs(candidates, counts, np.random.default_rng(0))

    counted = pairs["category"].value_counts()
    assert counted.to_dict() == dict.fromkeys(CATEGORIES, 24)


@given(candidate_rows, st.integers(0, 3), st.integers(0, 3))
@examples(60)
def test_more_pairs_are_all_that_are_left(rows: Rows, first: int, seed: int) -> None:
    candidates = frame_of(rows)
    every = possible_pairs(candidates, PAIRS.empty())
    wanted = {name: min(first, every[name]) for name in CATEGORIES}
    known = make_pairs(candidates, wanted, np.random.default_rng(seed))

    left = possible_pairs(candidates, known)
    assert left == {name: every[name] - wanted[name] for name in CATEGORIES}

    more = make_pairs(candidates, left, np.random.default_rng(seed), known)
    together = pd.concat([known, more])
    assert len(set(keys(together))) == len(together) == sum(every.values())
    assert together["pair"].is_unique


def test_more_pairs_are_of_the_images_and_systems_that_have_fewest() -> None:
    candidates = frame_of(people_and_systems(8))
    known = make_pairs(candidates, {"HM": 4}, np.random.default_rng(0))
    more = make_pairs(candidates, {"HM": 4}, np.random.default_rng(0), known)

    together = pd.concat([known, more])
    assert together["image"].nunique() == 8
    systems = pd.concat([together["source_b"], together["source_c"]])
    uses = systems[systems != HUMAN].value_counts()
    assert uses.max() - uses.min() <= 1


def test_pairs_that_others_named_like_a_category_do_not_stop_the_numbers() -> None:
    candidates = frame_of(people_and_systems(4))
    known = make_pairs(candidates, {"MM": 1}, np.random.default_rng(0))
    renamed = known.assign(pair="HC-0007", category="mine")
    more = make_pairs(candidates, {"HC": 2}, np.random.default_rng(0), renamed)
    assert more["pair"].tolist() == ["HC-0008", "HC-0009"]


def test_equal_captions_of_several_systems_are_merged_under_one_of_them() -> None:
    rows = [
        ("dog", "a dog", "one"),
        ("dog", "a dog", "two"),
        ("dog", "a bird", "three"),
        ("dog", "the sea", "four"),
        ("cat", "a dog", "two"),
    ]
    pairs = frame(
        PAIRS,
        [("p1", "dog", "a bird", "a dog", "three", "one")],
        ("pair", "image", "candidate_b", "candidate_c", "source_b", "source_c"),
    )
    merged = merged_captions(frame_of(rows), pairs)
    assert merged.to_numpy().tolist() == [["dog", "a dog", "two"]]
    unnamed = pairs.assign(source_c="")
    assert merged_captions(frame_of(rows), unnamed).empty
