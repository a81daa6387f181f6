import numpy as np
import pytest

from tercet.metrics import Combination, combine, weighed
from tercet.metrics.selection import select


@pytest.mark.parametrize(
    "formula",
    ["m = 0.5 METEOR + 0.5 CIDEr-D", "m = 2 z(METEOR) - 0.1 length", "m = -1 length"],
)
def test_a_formula_is_written_as_it_was_read(formula: str) -> None:
    assert str(Combination.read(formula)) == formula


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("0.5 METEOR", "write it as"),
        ("m =", "write it as"),
        ("m = METEOR", 'm: "METEOR" has no weight; write 0.5 METEOR'),
        ("m = 1 METEOR + BLEU-1", '"BLEU-1" has no weight'),
        ("m = 1e999 METEOR", "has no weight"),
    ],
)
def test_a_faulty_formula_is_refused(formula: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Combination.read(formula)


def test_scores_are_summed_with_their_weights() -> None:
    scores = {"a": np.array([1.0, 2.0]), "b": np.array([10.0, 30.0])}
    np.testing.assert_allclose(combine("m = 2 a - 0.1 b", scores), [1, 1])
    np.testing.assert_allclose(combine("m = 1 a + 3 z(b)", scores), [-2, 5])


def test_what_cannot_be_combined_is_named() -> None:
    with pytest.raises(ValueError, match="m: there are no scores of b, only of a"):
        combine("m = 1 b", {"a": np.zeros(2)})
    with pytest.raises(ValueError, match=r"z\(a\): the scores do not vary"):
        combine("m = 1 z(a)", {"a": np.zeros(2)})


def test_spider_t_weighs_by_document_frequencies_as_its_parts_do() -> None:
    assert weighed(["SPIDEr-T", "METEOR"]) == ["CIDEr-D"]


def test_metrics_are_found_in_any_case() -> None:
    selection = select(
        ["meteor"], [Combination.read("m = 1 cider-d + 1 Spice")], ["SPICE"]
    )

    assert selection.names == ("METEOR", "m")
    assert selection.scored == ("METEOR", "CIDEr-D")


@pytest.mark.parametrize(
    ("formulas", "message"),
    [
        (["m = 1 METEER"], "combination m: unknown metric METEER: did you mean METEOR"),
        (["METEOR = 1 BLEU-1"], "the name METEOR is taken"),
        (["SPIDEr-T = 1 METEOR"], "the name SPIDEr-T is taken"),
        (["m = 1 METEOR", "M = 1 BLEU-1"], "the name M is taken"),
    ],
)
def test_unknown_metrics_and_taken_names_are_refused(
    formulas: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        select([], [Combination.read(formula) for formula in formulas])
