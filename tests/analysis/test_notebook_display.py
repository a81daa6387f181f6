"""What notebooks show of results and findings, and how objects print."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from tercet import metrics
from tercet.analysis import Finding, Options, Results, evaluate, load
from tests.analysis.frames import find_one
from tests.support.folders import DEMO

FEW = Options(metrics=("METEOR", "BLEU-1"), draws=1, resamples=20, flips=19)
LARGEST = 10_000
"""Characters of what a notebook shows of one object."""


@pytest.fixture(scope="module")
def results() -> Results:
    return evaluate(load(DEMO), FEW)


def test_results_show_their_best_metrics(results: Results) -> None:
    html = results._repr_html_()

    assert html.index("METEOR") < html.index("BLEU-1")
    assert len(html) < LARGEST


def test_a_finding_shows_its_sentence_and_the_first_rows_of_a_table(
    results: Results,
) -> None:
    html = find_one(results, "accuracy")._repr_html_()

    assert "On 96 pairs, METEOR agrees with people" in html
    assert html.count("<tr>") == 10
    assert len(html) < LARGEST


def test_what_a_notebook_shows_is_escaped() -> None:
    table = pd.DataFrame({"caption": ["<script>"]})
    finding = Finding(
        name="x", title="<b>", source="", sentence="a & b", tables={"x": table}
    )

    html = finding._repr_html_()

    assert "<b>&lt;b&gt;</b> a &amp; b" in html
    assert "&lt;script&gt;" in html
    assert "<script" not in html


def test_a_finding_draws_its_plot(results: Results) -> None:
    finding = find_one(results, "accuracy")

    assert isinstance(finding.figure(), Figure)
    assert isinstance(finding.figure("accuracy"), Figure)


def test_a_plot_that_is_not_there_is_named(results: Results) -> None:
    with pytest.raises(
        ValueError, match=r"has no plot 'x'; its plots: accuracy, group-1"
    ):
        find_one(results, "accuracy").figure("x")

    with pytest.raises(ValueError, match=r"plots: none\. The dataset has no ratings"):
        find_one(results, "ratings").figure()


CORPUS = metrics.corpus(references=[["a dog", "the dog runs"]], candidates=["a dog"])
PAIR = metrics.explain_pair(references=["a dog"], b="a dog", c="a cat", metric="METEOR")
LIMIT = np.zeros(1)
MODEL = metrics.Model("mine", "winners", ("METEOR",), LIMIT, LIMIT, ())


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: load(DEMO), "Dataset('Tercet demo: 24 drawn scenes': 24 images, 331"),
        (Options, "Options()"),
        (lambda: FEW, "Options(metrics=('METEOR', 'BLEU-1'), draws=1, resamples=20"),
        (lambda: PAIR, "Difference(METEOR 1.000 - 0."),
        (
            lambda: PAIR.b,
            "Explanation(METEOR 1.000: 2 matched, 0 unmatched, 0 missing)",
        ),
        (lambda: MODEL, "Model('mine' predicts winners from 1 metrics, trained on 0"),
        (
            lambda: metrics.Combination.read("mine = 1 METEOR"),
            "Combination('mine = 1 METEOR')",
        ),
        (lambda: CORPUS, "Corpus(1 images: 2 references, 1 candidates)"),
        (lambda: metrics.compare(CORPUS, "ROUGE-L"), "Compared(Corpus(1 images: 2"),
        (lambda: metrics.file_order(CORPUS), "Order(2 references)"),
    ],
)
def test_objects_print_on_one_short_line(made: Callable[[], object], text: str) -> None:
    printed = repr(made())

    assert printed.startswith(text)
    assert "\n" not in printed
    assert len(printed) < 200
