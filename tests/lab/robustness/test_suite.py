from pathlib import Path

import numpy as np
import pytest

from tercet.analysis.dataset.folder import load, read, write
from tercet.analysis.tables.schema import Dataset
from tercet.lab.robustness import pool, tasks
from tercet.lab.robustness.__main__ import main
from tercet.lab.robustness.phrases import Phrase, ScenePhrases
from tercet.lab.robustness.pool import contains
from tercet.lab.robustness.suite import make_suite
from tercet.lab.robustness.tasks import BY_NAME, CORRECT, INVARIANT, TASKS, Task
from tercet.lab.tuples import parser
from tercet.metrics import plain
from tercet.metrics.meteor.lookup import ParaphraseTable
from tests.analysis.frames import dataset, rows_with
from tests.support.folders import DEMO, contents

WITHOUT_PARSER = [task for task in TASKS if not task.needs_parser]
FORMAL = [task for task in INVARIANT if task.name != "paraphrase"]
CAPTIONS = {
    "beach": [
        "A boy runs on the beach .",
        "A boy plays near the sea",
        "someone at the shore",
    ],
    "street": [
        "A woman walks down the street .",
        "a lady on the road",
        "A woman in a city",
    ],
    "park": ["A boy sits in the park .", "a kid on a lawn", "a boy in the grass"],
}


def captions(texts: dict[str, list[str]]) -> Dataset:
    return dataset(
        [(image, text) for image, each in texts.items() for text in each], ()
    )


def phrases_by_hand(correct: str) -> ScenePhrases:
    """Take the first two words, and the last two before the full stop."""
    words = correct.split()
    person = Phrase(0, len(" ".join(words[:2])), " ".join(words[:2]), words[1], False)
    text = " ".join(words[-3:-1])
    start = correct.index(text)
    scene = Phrase(start, start + len(text), text, words[-2], False)

    return ScenePhrases(correct, person, scene)


@pytest.fixture(scope="module")
def demo() -> Dataset:
    return load(DEMO)


@pytest.fixture(scope="module")
def suite(demo: Dataset) -> Dataset:
    return make_suite(demo, [*WITHOUT_PARSER, *FORMAL])


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.lab.tuples.parser.read", iter)
    monkeypatch.setattr(pool, "phrases_of", phrases_by_hand)


def distractors(made: Dataset) -> dict[str, str]:
    """The distractor of each image."""
    lost = made.pairs["candidate_c"].where(
        made.pairs["winner"] == "B", made.pairs["candidate_b"]
    )
    return dict(zip(made.pairs["image"], lost, strict=True))


def of_task(name: str) -> dict[str, str]:
    return distractors(make_suite(captions(CAPTIONS), [BY_NAME[name]]))


def test_a_suite_loads_without_a_warning(suite: Dataset, tmp_path: Path) -> None:
    write(suite, tmp_path / "suite")
    reading = read(tmp_path / "suite")

    assert not reading.problems
    assert not reading.warnings


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("one", "3"), ("two", "3"), ("three", "4")):
        options = ["--seed", seed, "--tasks", "shuffle,drop 40,spelling"]
        assert main([str(DEMO), "--out", str(tmp_path / name), *options]) == 0

    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two
    assert one["pairs.csv"] != three["pairs.csv"]


def test_every_task_has_pairs_and_the_winner_is_the_correct_caption(
    suite: Dataset, demo: Dataset
) -> None:
    pairs = suite.pairs
    assert set(pairs["category"]) == {task.name for task in WITHOUT_PARSER}
    assert set(pairs["winner"]) == {"B", "C"}

    is_b = pairs["winner"] == "B"
    winner = pairs["source_b"].where(is_b, pairs["source_c"])
    assert set(winner[pairs["category"] != "wrong noun"]) == {CORRECT}

    first = demo.references.drop_duplicates("image").set_index("image")["caption"]
    assert (suite.candidates["source"] == CORRECT).sum() == len(first)

    correct = rows_with(suite.candidates, source=CORRECT)
    assert (
        dict(zip(correct["image"], correct["caption"], strict=True)) == first.to_dict()
    )


def test_no_distractor_has_a_reference_in_it_nor_the_correct_caption_among_them(
    suite: Dataset,
) -> None:
    references = suite.references.groupby("image")["caption"].agg(list)

    for pair in suite.pairs.itertuples():
        for side in (pair.candidate_b, pair.candidate_c):
            for reference in references[str(pair.image)]:
                assert not contains(plain(str(side)), plain(reference))


@pytest.mark.usefixtures("parsed")
def test_a_replaced_person_is_somebody_else_whom_no_caption_names() -> None:
    assert of_task("replace person") == {
        "beach": "A woman runs on the beach .",
        "street": "A boy walks down the street .",
        "park": "A woman sits in the park .",
    }


@pytest.mark.usefixtures("parsed")
def test_a_replaced_scene_is_of_another_kind() -> None:
    assert of_task("replace scene")["street"] in (
        "A woman walks down the beach .",
        "A woman walks down the park .",
    )


@pytest.mark.usefixtures("parsed")
def test_a_shared_person_does_something_else() -> None:
    made = of_task("share person")
    assert set(made) == {"beach", "park"}
    assert made["beach"] in CAPTIONS["park"]


@pytest.mark.usefixtures("parsed")
def test_just_a_phrase() -> None:
    assert of_task("just person")["street"] == "A woman ."
    assert of_task("just scene")["street"] == "The street ."


@pytest.mark.usefixtures("parsed")
def test_a_phrase_that_is_a_reference_is_no_distractor() -> None:
    given = CAPTIONS | {"park": ["A boy sits in the park .", "a boy"]}
    made = distractors(make_suite(captions(given), [BY_NAME["just person"]]))
    assert set(made) == {"beach", "street"}


def test_the_tail_has_the_most_frequent_words() -> None:
    padding = of_task("pad")["beach"].split()[-6:-2]
    assert padding == ["a", "the", "boy", "on"]


def test_the_phrase_of_most_references_is_repeated() -> None:
    given = {
        "one": ["a big dog runs home", "the big dog", "a big dog"],
        "two": ["x y", "y"],
    }
    made = distractors(make_suite(captions(given), [BY_NAME["repeat"]]))

    assert "one" not in made

    given["one"][2] = "that big dog"
    made = distractors(make_suite(captions(given), [BY_NAME["repeat"]]))

    assert made["one"] == "a big dog runs home big dog big dog big"


def test_a_wrong_noun_competes_with_a_general_one() -> None:
    [pair] = make_suite(
        captions({"one": ["a dog", "the dog"], "two": ["it", "it rains"]}),
        [BY_NAME["wrong noun"]],
    ).pairs.to_dict("records")
    sides = {
        pair["source_b"]: pair["candidate_b"],
        pair["source_c"]: pair["candidate_c"],
    }

    assert sides["hypernym"] == "an animal"
    assert sides["wrong noun"] not in ("an animal", "a dog")


@pytest.mark.parametrize(
    ("name", "changed"),
    [("case", "A DOG, RUNNING!"), ("punctuation", "A dog running!")],
)
def test_formal_changes(name: str, changed: str) -> None:
    given = captions({"one": ["A dog, running.", "a dog"], "two": ["a cat", "the cat"]})
    made = make_suite(given, [BY_NAME[name]]).candidates
    own = rows_with(made, image="one", source=name)

    assert own["caption"].tolist() == [changed.replace("RUNNING!", "RUNNING.")]


def test_a_paraphrase_is_one_of_the_table() -> None:
    given = captions({"one": ["a man", "he"], "two": ["it", "it rains"]})
    made = make_suite(given, [BY_NAME["paraphrase"]]).candidates
    own = made.query("image == 'one' and source == 'paraphrase'")

    entries = {
        *(" ".join(entry) for entry in ParaphraseTable().of(["a", "man"])),
        *(f"a {' '.join(entry)}" for entry in ParaphraseTable().of(["man"])),
    }

    assert {"a male", "a men"} <= entries
    assert own["caption"].item() in entries - {"a men"}


def test_captions_like_the_correct_one_are_no_references() -> None:
    given = captions({"one": ["A dog.", "a dog", "a hound"], "two": ["x", "X."]})
    made = make_suite(given, WITHOUT_PARSER)
    assert made.references["caption"].tolist() == ["a hound"]


@pytest.mark.parametrize("seed", range(10))
def test_odd_captions_make_a_sound_suite(seed: int, tmp_path: Path) -> None:
    chance = np.random.default_rng(seed)
    odd = [
        "a",
        "dogs",
        "!!!",
        "=1+1",
        "@me",
        "\u72d7\u5728\u8dd1",
        "\U0001f600",
        "A.",
        "x" * 300,
    ]
    given = {
        f"image {number}": [
            " ".join(
                chance.choice([*odd, "boy", "on", "it's"], size=chance.integers(1, 6))
            )
            for _ in range(4)
        ]
        for number in range(6)
    }
    made = make_suite(captions(given), [*WITHOUT_PARSER, *FORMAL], seed)
    write(made, tmp_path / "suite")

    reading = read(tmp_path / "suite")
    assert not reading.problems
    assert not reading.warnings
    assert reading.dataset.sha256 == made.sha256


def test_a_dataset_with_one_caption_an_image_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = captions({"one": ["a dog"], "two": ["a cat"]})
    with pytest.raises(ValueError, match="No image has two different captions"):
        make_suite(given, WITHOUT_PARSER)

    assert main([str(tmp_path), "--out", str(tmp_path / "suite")]) == 2
    assert "has nothing to judge" in capsys.readouterr().err


def test_without_a_parser_the_other_tasks_are_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite"
    assert (
        main([str(DEMO), "--out", str(out), "--tasks", "just person,share scene,pad"])
        == 0
    )

    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert "left out just person, share scene" in shown.err
    assert "pad: 24" in shown.out


def test_an_unknown_task_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(DEMO), "--out", str(tmp_path), "--tasks", "pad,sing"])
    assert "there is no task sing" in capsys.readouterr().err


def test_a_folder_with_files_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main([str(DEMO), "--out", str(tmp_path), "--tasks", "pad"]) == 2
    assert "not empty" in capsys.readouterr().err


def test_names_of_tasks_can_be_categories_and_files() -> None:
    for task in (*tasks.TASKS, *tasks.INVARIANT):
        assert isinstance(task, Task)
        assert task.name.replace(" ", "").isalnum()


@pytest.mark.usefixtures("parsed")
def test_the_parser_is_asked_for_correct_captions_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        parser, "read", lambda texts: pytest.fail("captions were parsed")
    )

    pairs = make_suite(captions(CAPTIONS), WITHOUT_PARSER).pairs
    assert pairs["image"].nunique() == 3
