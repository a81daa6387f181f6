import numpy as np
import pytest

from metrics import METRICS, compare, corpus, file_order, names, select


def test_names_are_in_table_order() -> None:
    assert names() == (
        "BLEU-1",
        "BLEU-2",
        "BLEU-3",
        "BLEU-4",
        "ROUGE-1",
        "ROUGE-L",
        "CIDEr",
        "CIDEr-D",
    )


def test_only_the_families_needed_are_selected() -> None:
    assert [family.names[0] for family in select(["CIDEr-D", "BLEU-2", "CIDEr"])] == [
        "BLEU-1",
        "CIDEr",
    ]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown metric SPICE: there are BLEU-1, .*, CIDEr-D"):
        select(["BLEU-1", "SPICE"])


def test_scores_come_in_the_order_asked_for_and_each_once() -> None:
    made = corpus([["a"]], ["a"])
    curves = compare(made, ["CIDEr", "BLEU-1", "CIDEr"]).accumulate(file_order(made))
    assert list(curves) == ["CIDEr", "BLEU-1"]


def test_every_family_gives_the_scores_it_names() -> None:
    made = corpus([["a b", "a"], ["b"]], ["a", "b"])
    for family in METRICS:
        assert tuple(family.compare(made).accumulate(file_order(made))) == family.names


def test_what_is_no_order_is_refused() -> None:
    made = corpus([["a", "b"]], ["a"])
    with pytest.raises(ValueError, match="order"):
        compare(made).accumulate(np.array([0, 0]))
