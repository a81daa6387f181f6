from dataclasses import asdict

import pytest

from tercet.analysis.report.unusual_options import are_usual, said_of, unusual_options
from tercet.analysis.scoring.options import Options


def said(options: Options) -> str:
    return str(said_of(unusual_options(asdict(options))))


def test_nothing_is_said_of_the_usual_options() -> None:
    assert said(Options()) == ""
    assert said(Options(winners="decisions")) == ""  # the pairs are counted instead


def test_what_differs_is_named_with_its_numbers() -> None:
    quick = Options(metrics=("CIDEr", "METEOR"), resamples=1_000, flips=999, draws=1)
    assert said(quick) == (
        "Computed with non-default options: 2 metrics, 1 order of references, "
        "1,000 resamples, 999 sign flips."
    )


def test_metrics_from_outside_are_usual_and_named() -> None:
    chosen = {"metrics": ["all", "mine"], "counts": [1]}
    assert are_usual(chosen)
    assert str(said_of(unusual_options(chosen))) == (
        "Computed with non-default options: mine besides the metrics of Tercet, "
        "reference counts 1."
    )

    assert not are_usual({"metrics": ["mine"]})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(counts=(1, 2, 12)), "reference counts 1, 2, 12"),
        (Options(learn=True), "--learn"),
        (Options(human_ties="coin"), "--human-ties coin"),
        (Options(rank_by=("CIDEr", "METEOR")), "--rank-by CIDEr,METEOR"),
        (Options(seed=7), "--seed 7"),
    ],
)
def test_other_options_are_named_as_the_command_takes_them(
    options: Options, words: str
) -> None:
    assert said(options) == f"Computed with non-default options: {words}."


def test_lists_of_a_stored_report_are_the_same_as_tuples() -> None:
    stored = asdict(Options()) | {"metrics": [], "counts": [1, 2]}
    assert list(unusual_options(stored)) == ["counts"]


def test_options_that_an_older_report_lacks_are_the_usual_ones() -> None:
    assert unusual_options({}) == {}
    assert not said_of({})
