"""A view that was stored is the view that was shown."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.report.files import VIEW
from tercet.analysis.report.folder import write_report
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import SCORES, Dataset
from tests.analysis.frames import even_dataset
from tests.support.drawing import draw_nothing

FEW = Options(draws=2, resamples=100, flips=99, metrics=("BLEU-1", "class"))


def scored_by_class() -> Dataset:
    """A dataset with the scores of a metric that is named as a key of the stored view."""
    made = even_dataset(5, images=8, references=3)
    made.pairs.loc[:1, "category"] = ""
    sides = [
        made.pairs[["image", column]].set_axis(["image", "caption"], axis=1)
        for column in ("candidate_b", "candidate_c")
    ]
    captions = sides[0].merge(sides[1], how="outer").drop_duplicates()
    scores = np.random.default_rng(0).random(len(captions)).astype(str)
    lines = captions.assign(metric="class", score=scores)

    return replace(made, scores=lines.reindex(columns=[*SCORES.columns], fill_value=""))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("view")
    results = evaluate(scored_by_class(), FEW)
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        write_report(results, folder)

    return (folder / VIEW).read_text(encoding="utf-8")


def test_a_stored_view_is_restored_whole(stored: str) -> None:
    view = ReportView.from_json(stored)

    assert json.loads(view.as_json()) == json.loads(stored)

    assert view.lead is not None
    assert view.sentence.startswith("On 24 pairs, with 3 references per image")


def test_a_metric_may_have_the_name_of_a_key(stored: str) -> None:
    rows = ReportView.from_json(stored).by_category
    assert rows is not None
    assert {"BLEU-1", "class"} <= set(rows.rows)


def test_pairs_of_no_category_are_counted_last(stored: str) -> None:
    winners = ReportView.from_json(stored).winners

    assert [str(each.category) for each in winners][-2:] == ["MM", "no category"]
    assert (winners[-1].pairs, sum(each.pairs for each in winners)) == (2, 24)


@pytest.mark.parametrize(
    "text",
    [
        *("{}", "[]", '"report"', '{"findings": []}'),
        *('{"class": "Text", "template": "a"}', '{"class": "Winners", "more": 1}'),
    ],
)
def test_other_json_and_parts_of_other_versions_are_no_view(text: str) -> None:
    with pytest.raises(ValueError, match="no report"):
        ReportView.from_json(text)
