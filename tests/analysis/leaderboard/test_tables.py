"""A board as JSON, CSV, LaTeX and Markdown."""

from dataclasses import replace
from io import StringIO

import pandas as pd
import pytest

from tercet.analysis.leaderboard.board import Board, leaderboard, ranked
from tercet.analysis.leaderboard.people import WinFraction
from tercet.analysis.leaderboard.rules import Rules
from tercet.analysis.leaderboard.scores import SystemScores
from tercet.analysis.leaderboard.scoring import score_held_out
from tercet.analysis.leaderboard.tables import (
    COLUMNS,
    count_of,
    label,
    read_json,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
)

ODD = "=1+1 | a_b & 100%\nä"


@pytest.fixture(scope="module")
def board(
    rules: Rules, systems: dict[str, SystemScores], references: list[list[str]]
) -> Board:
    renamed = {"good": systems["good"], ODD: systems["bad"]}
    people = {"good": WinFraction(4, 1, 0.75, None, None)}
    return leaderboard(rules, renamed, score_held_out(references, rules), people=people)


def test_json_gives_the_board_back(board: Board) -> None:
    text = to_json(board)
    assert read_json(text) == board
    assert to_json(read_json(text)) == text


def test_csv_has_a_row_for_each_figure(board: Board) -> None:
    frame = pd.read_csv(StringIO(to_csv(board)), dtype={"reference_count": str})
    assert tuple(frame) == COLUMNS
    assert len(frame) == 3 * 2 * 5
    assert set(frame["system"]) == {"good", f"'{ODD}", "human"}

    rows = frame.query(
        "system == 'good' and reference_count == '5' and metric == 'BLEU-4'"
    )
    [row] = rows.to_dict("records")
    cells = board.rows[0].cells
    cell = cells[5]["BLEU-4"]

    assert row["figure"] == cell.figure
    assert (row["rank"], row["letters"], row["human_fraction"]) == (1, "a", 0.75)


def test_markdown_and_latex_are_sorted_and_escaped(board: Board) -> None:
    figure = board.rows[0].cells[5]["BLEU-1"].figure
    markdown = to_markdown(board, "CIDEr-D", 5).splitlines()
    names = [line.split(" | ")[0] for line in markdown]

    assert names[2:] == [
        "| human (4 references)",
        "| good",
        "| =1+1 \\| a\\_b \\& 100% ä",
    ]
    assert markdown[3].endswith("| 0.750 |")
    assert f"{figure:.3f} a" in markdown[3]

    latex = to_latex(board, "CIDEr-D", 5)
    assert latex.startswith("\\begin{tabular}{lrrrrrr}\n\\toprule\nSystem & BLEU-1 &")
    assert "=1+1 | a\\_b \\& 100\\% ä & " in latex


def test_files_say_which_system_does_not_count(board: Board) -> None:
    good, *others = board.rows
    chosen = ranked(replace(board, rows=(replace(good, counts=False), *others)))
    assert read_json(to_json(chosen)) == chosen

    text = StringIO(to_csv(chosen))
    rows = pd.read_csv(text, dtype=str, keep_default_na=False)
    first = rows.drop_duplicates("system")
    assert first["counts"].tolist() == ["no", "yes", ""]
    assert first["rank"].tolist() == ["", "1", ""]

    assert "| good (not ranked) |" in to_markdown(chosen, "CIDEr-D", 5)
    assert "(not ranked)" not in to_markdown(board, "CIDEr-D", 5)


def test_figures_are_rounded_as_on_pages(board: Board) -> None:
    row = board.rows[0]
    cells = dict(row.cells[5])
    cells["BLEU-1"] = replace(cells["BLEU-1"], figure=0.4255)
    changed = replace(row, cells={5: cells})
    markdown = to_markdown(replace(board, rows=(changed,)), "CIDEr-D", 5)
    assert "0.426 a" in markdown


def test_reference_counts_have_labels() -> None:
    assert [label(5), label(None)] == ["5", "all"]
    assert [count_of("5"), count_of("all")] == [5, None]
    with pytest.raises(ValueError, match="invalid"):
        count_of("five")
