"""Published sets become dataset folders, and are compared with the releases that are known."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tercet.analysis import doctor
from tercet.analysis.bench import __main__ as command
from tercet.analysis.bench.adding import add, check
from tercet.analysis.bench.sets import SETS, set_of
from tercet.analysis.dataset.folder import load, read
from tests.support.published import FILES, write_set

SAMPLES = Path(__file__).parents[5] / "shared" / "bench" / "samples"


@pytest.mark.parametrize("name", [*FILES, "abstract50s"])
def test_every_set_reads_back_as_it_was_added(tmp_path: Path, name: str) -> None:
    (source := tmp_path / "source").mkdir()
    write_set(source, name)
    add(name.partition(" ")[0], [source], tmp_path / "out")

    added, back = read(source).sound(), load(tmp_path / "out")
    assert back.sha256 == added.sha256
    assert back.info["title"] == SETS[name.partition(" ")[0]].title


def test_other_counts_and_other_files_are_told(tmp_path: Path) -> None:
    folder = write_set(tmp_path, "thumb")
    told = add("thumb", sorted(folder.iterdir()), tmp_path / "out")

    assert any(
        "THumB has 6 ratings here, and 7,500 as published" in each for each in told
    )
    assert any("mscoco_THumB-1.0.jsonl is no release" in each for each in told)
    assert set(check(tmp_path / "out")) <= set(told)


def test_the_release_that_is_most_alike_is_compared() -> None:
    counts = [release["ratings"] for release in SETS["flickr8k-expert"].releases]
    assert counts == [17_466, 16_992]


def test_files_of_another_set_are_refused(tmp_path: Path) -> None:
    (source := tmp_path / "source").mkdir()
    write_set(source, "nebula")
    with pytest.raises(ValueError, match="those of Nebula, not of Polaris"):
        add("polaris", [source], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_without_set_json_is_a_set_of_its_own(tmp_path: Path) -> None:
    found = set_of(tmp_path)
    assert (found.name, found.preset) == (tmp_path.name, "tercet")
    with pytest.raises(ValueError, match=r"has no set\.json"):
        check(tmp_path)


def test_a_set_json_of_no_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(json.dumps({"name": "unheard"}))
    with pytest.raises(ValueError, match="names no set"):
        set_of(tmp_path)


def test_the_command_lists_adds_and_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source := tmp_path / "source").mkdir()
    write_set(source, "docent")
    out = str(tmp_path / "out")

    assert command.main(["list"]) == 0
    assert "flickr8k-cf   Flickr8k-CF" in capsys.readouterr().out
    assert command.main(["add", "docent", str(source), "--out", out]) == 0
    assert command.main(["check", out]) == 0
    assert "As published" in capsys.readouterr().out


def test_the_columns_of_foil_are_numbers_of_references(tmp_path: Path) -> None:
    coco = json.loads(FILES["foil"]["captions_val2014.json"])
    more = [{"image_id": 7, "id": 90 + n, "caption": f"A cat, {n}."} for n in range(3)]
    coco["annotations"] += more
    (source := tmp_path / "source").mkdir()
    write_set(source, "foil", {"captions_val2014.json": json.dumps(coco).encode()})
    add("foil", [source], tmp_path / "foil")

    arguments = (tmp_path / "foil", "--metrics", "BLEU-1", "--out", tmp_path / "out")
    assert command.main([*map(str, arguments), "--quiet"]) == 0
    rows = (tmp_path / "out" / "bench.csv").read_text().splitlines()
    assert {"foil,1", "foil,4"} <= {",".join(row.split(",")[:2]) for row in rows}


def _samples() -> Iterator[tuple[Path, str]]:
    titles = {name: known.title for name, known in SETS.items()}
    titles |= {"alttest": "AltTest", "alttest-labels": "AltTest"}
    titles |= {"flickr8k-json": "Flickr8k", "flickr8k-text": "Flickr8k"}
    for name, title in titles.items():
        yield SAMPLES / name, title


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples of the sets are not here")
def test_doctor_names_nine_of_ten_samples(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [each for each in _samples() if each[0].is_dir()]
    named = 0
    for folder, title in folders:
        monkeypatch.setattr("sys.argv", ["doctor", str(folder)])
        doctor.main()
        kinds = capsys.readouterr().out.splitlines()
        named += any(f"   {title}" in line for line in kinds)
    assert named >= 0.9 * len(folders)
