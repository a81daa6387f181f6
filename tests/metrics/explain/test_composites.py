"""What each metric adds to a combination or a learned metric."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import Combination, Model
from tercet.metrics.composed.learned import Layer
from tercet.metrics.explain.composites import explain_composite, is_explainable
from tests.metrics.composed.test_learned import SUM, written
from tests.metrics.explain.test_text import Run, run

__all__ = ["run"]

scores = st.floats(0, 20)


def with_bias(bias: float) -> Model:
    weights = np.array([[0.5], [2.0]])
    return Model(
        "learned",
        "rating",
        ("METEOR", "length"),
        np.array([0.0, 5.0]),
        np.array([1.0, 15.0]),
        (Layer(weights, np.array([bias])),),
    )


@given(meteor=scores, length=scores)
def test_weighted_and_standardized_scores_add_up_to_a_combination(
    meteor: float, length: float
) -> None:
    formula = Combination.read("mine = 0.5 METEOR - 2 z(METEOR) + 0.1 z(length)")
    fitted = formula.fitted(
        {"METEOR": np.array([0.0, 1.0]), "length": np.array([3.0, 9.0])}
    )
    why = explain_composite(fitted, {"METEOR": meteor, "length": length})

    assert {part.text for part in why.matched} == {"METEOR", "length"}
    assert why.total == pytest.approx(why.score, abs=1e-12)


@given(meteor=scores, length=scores, bias=st.floats(-5, 5))
def test_weighted_scores_and_a_constant_add_up_to_a_learned_metric(
    meteor: float, length: float, bias: float
) -> None:
    why = explain_composite(with_bias(bias), {"METEOR": meteor, "length": length})
    assert why.form == "sum"
    assert why.total == pytest.approx(why.score, abs=1e-12)


def test_a_model_without_an_intercept_has_no_constant() -> None:
    # 0.5 (2 x - 1) + 2 (2 (y - 5) / 10 - 1) + 4.5 = x + 0.4 y
    why = explain_composite(with_bias(4.5), {"METEOR": 0.25, "length": 10})

    assert why.score == pytest.approx(4.25)
    assert [(part.text, part.details["score"]) for part in why.matched] == [
        ("length", 10),
        ("METEOR", 0.25),
    ]


def test_networks_and_chance_are_not_explained() -> None:
    hidden = Layer(np.ones((2, 3)), np.zeros(3))
    last = Layer(np.ones((3, 2)), np.zeros(2))
    limits = np.zeros(2), np.ones(2)

    network = Model(
        "net", "human-or-machine", ("METEOR", "length"), *limits, (hidden, last)
    )

    assert is_explainable(with_bias(0))
    assert not is_explainable(network)
    assert not is_explainable(Combination.read("mine = 1 METEOR + 1 random"))


def test_the_command_explains_combinations_and_models(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = written(tmp_path, SUM)
    more = ["--combine", "mine = 1 z(ROUGE-1) + 0.5 length", "--model", str(model)]

    out = str(tmp_path / "s.csv")
    assert run("--metrics", "random,ROUGE-1", *more, "--out", out) == 0

    capsys.readouterr()
    assert run("--explain", "1", "--metrics", "random,ROUGE-1", *more) == 0

    shown, noted = capsys.readouterr()

    assert noted == "Note: random has no explanation.\n"

    text = (tmp_path / "s.csv").read_text()
    rows = [row.split(",") for row in text.splitlines()]
    expected = [f"{row[2]} {float(row[4]):.4f}" for row in rows if row[0] == "1"]
    lines = shown.splitlines()

    assert all(line in lines for line in expected if not line.startswith("random"))
    assert "  contribution  metric   score" in lines
