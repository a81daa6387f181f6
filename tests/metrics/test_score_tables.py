from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import metrics
from tercet.metrics import __main__ as command
from tercet.metrics import compare, file_order, names, plain
from tercet.metrics import score_tables as tables
from tercet.metrics.corpora.corpus import gather
from tercet.metrics.corpus_scores import Totals, corpus_scores
from tercet.metrics.score_tables import score_tables, split
from tercet.metrics.text.inputs import BATCH, Batches, Inputs, check
from tests.metrics.strategies import Set, sets

WITHOUT_METEOR = [name for name in names() if name != "METEOR"]


@given(sets(), st.integers(1, 12))
def test_parts_hold_every_image_and_candidate_once(
    drawn: Set, comparisons: int
) -> None:
    references, candidates, images = drawn
    made = split(check(*drawn), "pool", comparisons)

    assert [image for part in made for image in part.references] == references

    numbers = np.concatenate([part.candidate_number for part in made])
    assert sorted(numbers.tolist()) == list(range(len(candidates)))
    for part in made:
        for row, number in enumerate(part.candidate_number.tolist()):
            candidate = part.candidates[row]
            assert candidate == candidates[number]
            assert part.first_image + part.candidate_image[row] == images[number]


@given(sets(), st.integers(1, 12), st.sampled_from(["pool", "k", "rows"]))
def test_scores_and_figures_in_parts_are_those_of_the_whole(
    drawn: Set, comparisons: int, documents: metrics.DocumentsMode
) -> None:
    whole = metrics.corpus(**drawn._asdict(), documents=documents)
    compared = compare(whole, WITHOUT_METEOR)
    curves = compared.accumulate(file_order(whole))
    tables = list(
        score_tables(
            check(*drawn), WITHOUT_METEOR, plain, documents, comparisons=comparisons
        )
    )

    for k in (None, 2):
        totals = Totals(len(drawn.candidates), WITHOUT_METEOR, k)
        for table in tables:
            totals.add(table)

        figures = corpus_scores(compared, file_order(whole), k)
        assert totals.figures() == pytest.approx(figures, rel=1e-12, nan_ok=True)

        used = totals.used > 0
        for name, curve in curves.items():
            expected = curve[used, totals.used[used] - 1]
            np.testing.assert_allclose(totals.scores[name][used], expected, rtol=1e-12)


def test_a_wrong_token_is_named_by_its_place_in_the_whole() -> None:
    captions = check([[["a"]], [["b"], ["c", 3]]], [["a"], ["b"]])  # type: ignore[list-item]
    last = split(captions, "pool", 1)[-1]

    with pytest.raises(TypeError, match="reference 1 of image 1 is not a string"):
        gather(last)


def _limited(given: Inputs, _comparisons: int, *, limit: int) -> Batches:
    return Batches(given, limit)


@pytest.mark.parametrize("counts", [[], ["--counts", "1-3"]])
def test_the_command_in_parts_writes_what_it_writes_at_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    counts: list[str],
) -> None:
    demo = Path(__file__).parents[2] / "examples" / "demo"
    lines = (demo / "references.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "candidates.csv").write_text(
        "\n".join([lines[0], *lines[:0:-7]]), encoding="utf-8"
    )
    references = str(demo / "references.csv")
    given = ["--references", references, "--several"]
    given += ["--candidates", str(tmp_path / "candidates.csv"), "--subset", *counts]
    given += ["--metrics", "BLEU-4,CIDEr-D,CIDEr-stem,METEOR,random"]
    written = []

    for limit in (BATCH, 10):
        limited = partial(_limited, limit=limit)
        monkeypatch.setattr(tables, "Batches", limited)
        out = tmp_path / f"{limit}.csv"

        assert command.main([*given, "--out", str(out)]) == 0

        table = pd.read_csv(out)
        written.append(
            (table.drop(columns="score"), table["score"], capsys.readouterr().out)
        )

    pd.testing.assert_frame_equal(written[0][0], written[1][0])
    np.testing.assert_allclose(written[0][1], written[1][1], rtol=1e-12)
    assert written[0][2] == written[1][2]
