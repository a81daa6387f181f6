"""Explanations as text, and the command that prints them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tercet.metrics import Explanation, Part, score
from tercet.metrics.__main__ import main
from tercet.metrics.explain.text import as_text, in_ranges

REFERENCES = "image,caption\n1,A dog runs.\n1,the dog is running\n2,two cats\n"
CANDIDATES = "image,caption\n2,two cats\n1,a dog\n1,a cat\n"
Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command over two images, one of which has two candidates."""
    (tmp_path / "r.csv").write_text(REFERENCES)
    (tmp_path / "c.csv").write_text(CANDIDATES)
    references = str(tmp_path / "r.csv")
    files = ["--references", references, "--candidates", str(tmp_path / "c.csv")]

    def start(*more: str) -> int:
        return main([*files, "--several", *more])

    return start


def titles(shown: str) -> list[str]:
    """The lines with a metric and its score."""
    return [line for line in shown.splitlines() if line.startswith(("ROUGE", "CIDEr"))]


def explanation(parts: int) -> Explanation:
    matched = tuple(
        Part("1-gram", f"word{number}", (0, 1, 2, 7), 0.5, {"count": 1})
        for number in range(parts)
    )
    return Explanation("CIDEr-D", 0.5 * parts, "sum", {"references": 8}, matched)


def test_an_explanation_is_a_table_with_its_score_above() -> None:
    assert as_text(explanation(1), 80).splitlines() == [
        "CIDEr-D 0.5000",
        "  The score is the sum of the contributions.",
        "  references 8",
        "  contribution  in common  count  references",
        "  0.5000        word0      1      1-3, 8",
    ]


def test_kinds_are_named_where_there_are_several() -> None:
    parts = Part("exact", "a dog", (0,), 0.5), Part("stem", "runs → run", (0,), 0.25)
    explained = Explanation("METEOR", 0.75, "shares", {}, parts)
    assert as_text(explained, 80).splitlines()[-3:] == [
        "  contribution  in common   kind   references",
        "  0.5000        a dog       exact  1",
        "  0.2500        runs → run  stem   1",
    ]


def test_matches_without_contributions_have_no_column_for_them() -> None:
    parts = tuple(Part("1-gram", f"word{number}", (0,)) for number in range(13))
    shown = as_text(Explanation("BLEU-1", 1.0, "matches", {}, parts), 80)

    assert "contribution" not in shown
    assert shown.splitlines()[-1].strip() == "1 more"


def test_many_parts_end_in_a_row_with_their_sum() -> None:
    last = as_text(explanation(15), 80).splitlines()[-1]
    assert last.split() == ["1.5000", "3", "more"]


@pytest.mark.parametrize("width", [32, 45, 80, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    long = Part("4-gram", "a very long text of words " * 5, tuple(range(0, 48, 2)), 1.0)
    why = Explanation("CIDEr-D", 1.0, "sum", {}, (long,), (long,), (long,))
    assert max(map(len, as_text(why, width).splitlines())) <= width


def test_an_explanation_without_matches_says_so() -> None:
    assert "Nothing in common with the references." in as_text(explanation(0), 80)


def test_neighbours_are_joined_to_ranges() -> None:
    assert in_ranges([6, 0, 1, 2]) == "1-3, 7"


def test_the_command_explains_each_candidate_of_an_image(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--explain", "1", "--metrics", "ROUGE-1,CIDEr-D") == 0

    shown = capsys.readouterr().out
    assert "Image 1, 2 references:" in shown
    assert "   2 the dog is running" in shown

    assert "Candidate: a dog" in shown
    assert "Candidate: a cat" in shown

    references = [["A dog runs.", "the dog is running"], ["two cats"]]
    expected = score(
        references=references,
        candidates=["a dog", "a cat"],
        images=[0, 0],
        metrics=["ROUGE-1", "CIDEr-D"],
    )

    assert titles(shown) == [
        f"{name} {expected.captions[name][candidate]:.4f}"
        for candidate in (0, 1)
        for name in ("ROUGE-1", "CIDEr-D")
    ]
    assert "two cats" not in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("documents", ["pool", "k", "rows"])
def test_document_frequencies_are_those_of_the_whole_run(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], documents: str
) -> None:
    scores = tmp_path / "scores.csv"
    chosen = ["--metrics", "CIDEr-D,CIDEr-stem", "--documents", documents]

    assert run("--out", str(scores), *chosen) == 0

    capsys.readouterr()
    assert run("--explain", "1", *chosen) == 0

    lines = scores.read_text().splitlines()
    rows = [row.split(",") for row in lines]
    expected = [f"{row[2]} {float(row[4]):.4f}" for row in rows if row[0] == "1"]

    assert titles(capsys.readouterr().out) == expected


def test_long_details_have_lines_of_their_own() -> None:
    moves = "sleeping → kite 0.27; sleeping → flying 0.20"
    parts = tuple(
        Part("similarity", f"reference {number}", (number - 1,), 0.1, {"moves": moves})
        for number in (1, 2, 3, 4)
    )

    assert as_text(Explanation("WMD", 0.4, "sum", {}, parts), 80).splitlines()[2:] == [
        "  contribution  in common",
        "  0.1000        reference 1",
        "  0.1000        reference 2",
        "  0.1000        reference 3",
        "  0.1000        reference 4",
        f"  reference 1, moves: {moves}",
        f"  reference 2, moves: {moves}",
        f"  reference 3, moves: {moves}",
    ]


def test_an_unknown_image_is_answered_with_those_like_it(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.csv").write_text("image,caption\nscene-12,a dog\nscene-31,a cat\n")
    (tmp_path / "c.csv").write_text("image,caption\nscene-12,a dog\nscene-31,a cat\n")

    assert run("--explain", "scene-13") == 2

    said = capsys.readouterr().err
    assert (
        "--explain scene-13: no candidate is of this image; did you mean scene-" in said
    )


def test_an_image_unlike_all_is_answered_too(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--explain", "zebra") == 2
    assert "zebra: no candidate is of this image." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--counts", "1"], "leave out --counts"),
        (["--out", "scores.csv"], "leave out --out"),
        (["--write-documents", "table.npz"], "leave out --write-documents"),
        (["--metrics", "random"], "random has no explanation"),
    ],
)
def test_what_does_not_go_with_an_explanation_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert run("--explain", "1", *more) == 2
    assert message in capsys.readouterr().err
