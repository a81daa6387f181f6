"""References ranked by metrics."""

from dataclasses import replace

import pytest

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import PAIRS, REFERENCES, with_numbers
from tests.analysis.frames import dataset, find_one, frame

OPTIONS = Options(metrics=("BLEU-1",), rank_by=("BLEU-1", "ROUGE-L"), resamples=20)


@pytest.mark.parametrize(
    ("captions", "marks"),
    [
        (
            ["a red dog", "a red cat", "one big green boat"],
            ["", "", "least consensual"],
        ),
        (["a dog runs"] * 4, [""] * 4),
    ],
)
def test_no_reference_is_marked_that_ties_with_one_that_is_not(
    captions: list[str], marks: list[str]
) -> None:
    rows = [("i1", text) for text in captions]
    rows += [("i2", text) for text in ("a cat sits", "a cat sat", "a boat")]
    references = with_numbers(frame(REFERENCES, rows))
    made = replace(dataset(), references=references, pairs=frame(PAIRS, []))
    found = find_one(evaluate(made, OPTIONS, scored=False), "ranking")
    assert found.tables["ranking_example"]["consensus"].tolist() == marks
