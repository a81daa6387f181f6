"""`tercet bench`: sets in, tables out; what is refused; and that a stopped bench goes on."""

import html
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from tercet.analysis.bench import __main__ as command
from tercet.analysis.bench import columns
from tests.analysis.test_flickr8k import PUBLISHED
from tests.support.folders import DEMO

COLUMNS = (
    *("set", "column", "metric", "value", "low", "high", "rows", "images"),
    *("group", "rank", "chance", "ceiling", "published", "verdict", "note"),
)
REFERENCES = "image,caption\n" + "".join(
    f"i{n},a {colour} dog runs\ni{n},one {colour} dog\n"
    for n, colour in enumerate(("red", "green", "blue", "grey", "pink", "black"))
)
RATINGS = "image,caption,rating,annotator,source\n" + "".join(
    f"i{n},{caption},{rating + (n + shift) % 2},{person},{source}\n"
    for n, colour in enumerate(("red", "green", "blue", "grey", "pink", "black"))
    for source, caption, rating in (
        ("good", f"a {colour} dog is running", 4),
        ("fair", f"the {colour} dog", 2),
        ("bad", "a man sits on a bench in the park", 1),
    )
    for shift, person in enumerate(("ann", "bob"))
)


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    folder = tmp_path / "rated"
    folder.mkdir()
    (folder / "references.csv").write_text(REFERENCES)
    (folder / "ratings.csv").write_text(RATINGS)
    return folder


def bench(*arguments: object) -> int:
    return command.main(
        [*map(str, arguments), "--metrics", "BLEU-1,ROUGE-L", "--quiet"]
    )


def table(out: Path) -> pd.DataFrame:
    return pd.read_csv(out / "bench.csv")


def test_people_length_and_chance_stand_beside_the_metrics(
    rated: Path, tmp_path: Path
) -> None:
    assert bench(rated, "--out", tmp_path / "out") == 0

    found = table(tmp_path / "out")
    assert tuple(found.columns) == COLUMNS
    of_tau = found[found["column"] == "tau_c"]
    assert of_tau["metric"].iloc[0] == "people"
    assert of_tau["metric"].iloc[-1] == "chance"
    assert {"BLEU-1", "ROUGE-L", "length"} < set(of_tau["metric"])
    assert {"tau_c", "tau_b", "tau_a", "acc_eq", "ties as people", "SPA"} <= set(
        found["column"]
    )


def test_the_same_bench_has_the_same_bytes(rated: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        bench(rated, "--out", tmp_path / name)

    for file in (tmp_path / "one").iterdir():
        if file.is_file():
            assert file.read_bytes() == (tmp_path / "other" / file.name).read_bytes()


def test_without_a_set_the_rows_of_the_others_are_the_same(
    rated: Path, tmp_path: Path
) -> None:
    bench(rated, DEMO, "--out", tmp_path / "both")
    bench(rated, "--out", tmp_path / "one")

    both = (tmp_path / "both" / "bench.csv").read_text().splitlines()
    one = (tmp_path / "one" / "bench.csv").read_text().splitlines()
    assert [line for line in both if not line.startswith(f"{DEMO.name},")] == one


def test_a_stopped_bench_goes_on_where_it_was(
    rated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated: list[str] = []

    def stopped_at_the_second(name: str, *others: object) -> object:
        evaluated.append(name)
        if evaluated == ["rated", DEMO.name]:
            raise KeyboardInterrupt
        return columns.evaluate_set(name, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(command, "evaluate_set", stopped_at_the_second)
    assert bench(rated, DEMO, "--out", tmp_path / "out") == 130
    assert bench(rated, DEMO, "--out", tmp_path / "out") == 0
    assert evaluated == ["rated", DEMO.name, DEMO.name]


def test_a_set_that_changed_is_evaluated_again(rated: Path, tmp_path: Path) -> None:
    bench(rated, "--out", tmp_path / "out")
    before = table(tmp_path / "out")
    ratings = (rated / "ratings.csv").read_text()
    (rated / "ratings.csv").write_text(ratings.replace("dog,2", "dog,5"))
    bench(rated, "--out", tmp_path / "out")

    assert not before.equals(table(tmp_path / "out"))


def test_one_signature_a_set_says_what_made_it(rated: Path, tmp_path: Path) -> None:
    bench(rated, "--out", tmp_path / "out", "--ties", "fitted-here")

    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert "ties fitted here" in report["sets"]["rated"]["signature"]


def test_two_sets_of_one_name_are_refused(
    rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "elsewhere" / "rated"
    other.mkdir(parents=True)

    assert bench(rated, other, "--out", tmp_path / "out") == 2
    assert "both sets of the name rated: name one of them" in capsys.readouterr().err


def test_a_set_that_is_not_there_is_refused(
    rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(rated, "--out", tmp_path / "out", "--only", "foil") == 2
    assert "There is no set foil" in capsys.readouterr().err


def test_the_page_has_every_column_and_sentence(rated: Path, tmp_path: Path) -> None:
    bench(rated, "--out", tmp_path / "out")

    page = (tmp_path / "out" / "index.html").read_text()
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    for column in table(tmp_path / "out")["column"].unique():
        assert f">{column}</th>" in page
    assert report["sets"]["rated"]["sentences"][0].startswith("By tau_c, ")
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_the_advice_says_what_the_tables_say_and_where_no_data_answer(
    rated: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    bench(rated, DEMO, "--out", out)

    page = html.unescape(re.sub("</?span[^>]*>", "", (out / "advice.html").read_text()))
    uses = pd.read_csv(out / "uses.csv").to_dict("records")
    assert all(row["sentence"] in page for row in uses)
    by_column = {(row["set"], row["column"]): row for row in uses}
    assert by_column["rated", "acc_eq"]["references"] == 2
    assert by_column["rated", "acc_eq"]["words"] == 5
    assert by_column["rated", "SPA"]["use"] == "rank systems"
    assert by_column[DEMO.name, "mean"]["use"].startswith("choose between")
    detect = page.split("Detect a wrong word</h2>")[1]
    assert "No data answer this" in detect.split("</section>")[0]
    assert 'href="advice.html"' in (out / "index.html").read_text()


def test_a_folder_without_judgments_is_refused_by_its_name(
    rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (rated / "ratings.csv").unlink()
    (rated / "pairs.csv").write_text(
        "pair,image,candidate_b,candidate_c\np,i0,a dog,a cat\n"
    )

    assert bench(rated, "--out", tmp_path / "out") == 2
    message = capsys.readouterr().err
    assert f"{rated}: No pair has a winner yet. Add votes" in message


def test_scores_of_half_of_the_captions_are_left_out_with_counts(
    rated: Path, tmp_path: Path
) -> None:
    ratings = pd.read_csv(rated / "ratings.csv")
    captions = ratings[["image", "caption"]].drop_duplicates()
    scores = captions.iloc[:9].assign(metric="mine", score=range(9))
    scores.to_csv(tmp_path / "half.csv", index=False)
    arguments = ["--scores", f"rated={tmp_path / 'half.csv'}", "--quiet"]
    out = tmp_path / "out"
    assert command.main([str(rated), "--out", str(out), *arguments]) == 0

    mine = table(out).query("metric == 'mine'")
    assert mine["value"].isna().all()
    assert set(mine["note"]) == {"It scores 9 of 18 captions: left out."}
    assert "mine: It scores 9 of 18 captions" in (out / "index.html").read_text()


def test_a_metric_that_one_set_has_scores_of_is_empty_in_the_others(
    rated: Path, tmp_path: Path
) -> None:
    ratings = pd.read_csv(rated / "ratings.csv")
    captions = ratings[["image", "caption"]].drop_duplicates()
    scores = captions.assign(metric="mine", score=range(len(captions)))
    scores.to_csv(tmp_path / "mine.csv", index=False)
    given = ["--scores", f"rated={tmp_path / 'mine.csv'}", "--metrics", "ROUGE-L,MINE"]
    out = tmp_path / "out"
    assert command.main([str(rated), str(DEMO), "--out", str(out), *given]) == 0

    mine = table(out).query("metric == 'mine'")
    assert mine[mine["set"] == "rated"]["value"].notna().all()
    others = mine[mine["set"] == DEMO.name]
    assert others["value"].isna().all()
    assert set(others["note"]) == {"The set has no scores of it."}
    assert "MINE" not in set(table(out)["metric"])


def test_a_metric_that_no_set_has_is_refused_before_any_is_evaluated(
    rated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--out", str(tmp_path / "out"), "--metrics", "ROUGE-L,mine"]
    assert command.main([str(rated), str(DEMO), *given]) == 2
    assert "unknown metric mine" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_computed_has_a_reason(rated: Path, tmp_path: Path) -> None:
    ratings = pd.read_csv(rated / "ratings.csv").query("source == 'fair'")
    ratings.assign(rating=3).drop(columns="source").to_csv(
        rated / "ratings.csv", index=False
    )
    assert bench(rated, "--out", tmp_path / "out") == 0

    of_tau = table(tmp_path / "out").query("column == 'tau_c' and metric == 'BLEU-1'")
    assert of_tau["note"].item() == "All ratings are the same."
    page = (tmp_path / "out" / "index.html").read_text()
    assert "There is no acc_eq: no image has two captions." in page
    assert "There is no SPA: no two systems are compared." in page


def test_flickr8k_expert_has_its_ten_printed_figures_without_an_option(
    flickr8k: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for name in ("ratings.csv", "references.csv"):
        (folder / name).symlink_to(flickr8k / name)
    (folder / "set.json").write_text('{"name": "flickr8k-expert", "files": {}}')
    assert command.main([str(folder), "--out", str(tmp_path / "out"), "--quiet"]) == 0

    found = table(tmp_path / "out").set_index(["column", "metric"])["value"]
    for metric, printed in PUBLISHED.items():
        of_metric = [found[each, metric] for each in ("tau_b", "tau_c")]
        assert [round(100 * value, 3) for value in of_metric] == [*printed]
