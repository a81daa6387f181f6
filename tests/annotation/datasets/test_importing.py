"""Imports, wholly or not at all: on SQLite and on PostgreSQL."""

import signal
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import Max

from tercet.analysis.dataset.folder import copy_images, load
from tercet.analysis.progress import Progress, silent
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets import importing
from tercet.annotation.datasets.hidden_rows import delete_leftovers
from tercet.annotation.datasets.importing import (
    NAME_LENGTH,
    NameTaken,
    dataset_name,
    import_dataset,
)
from tercet.annotation.models import (
    Annotator,
    Answer,
    Candidate,
    Dataset,
    Image,
    Pair,
    Question,
    Reference,
    Study,
    bulk,
)
from tercet.annotation.models.answer import Purpose, Status
from tercet.annotation.quality.exclusion import readmit_annotator
from tests.annotation.full import STUDY, SVG, full_folder, write_json
from tests.annotation.judging.children import child
from tests.support.folders import PAIRS, REFERENCES, contents, dataset_folder, write_csv

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

MODELS = (
    Dataset,
    Image,
    Reference,
    Candidate,
    Pair,
    Study,
    Question,
    Annotator,
    Answer,
)
QUESTIONS = ("Images", "References", "Candidates", "Pairs", "Questions")
STEPS = (*QUESTIONS, "Annotators", "Votes", "Decisions")
KILLED = """
import os, signal, sys
from pathlib import Path
import django
django.setup()
from tercet.analysis.dataset.folder import load
from tercet.annotation.models import bulk
from tercet.annotation.datasets.importing import import_dataset

def die(share: float, doing: str) -> None:
    if doing.startswith(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

bulk.BATCH = 2
folder = Path(sys.argv[1])
import_dataset(load(folder), "small", folder, progress=die)
"""


class PowerCut(BaseException):
    pass


def cut_at(step: str) -> Progress:
    def report(share: float, doing: str) -> None:
        if doing.startswith(step):
            raise PowerCut

    return report


def rows() -> dict[str, int]:
    return {model.__name__: model._default_manager.count() for model in MODELS}


def imported(folder: Path, name: str = "small", progress: Progress = silent) -> Dataset:
    return import_dataset(
        load(folder), name, folder, progress=progress, collecting=True
    )


def question_votes(study: Study) -> dict[tuple[str, int | None], tuple[int, int]]:
    """The votes that each question of a study has and needs, by pair and reference."""
    found = study.questions.values_list(
        "pair__name", "reference__number", "answers", "needed"
    )
    return {(pair, number): (votes, needed) for pair, number, votes, needed in found}


def test_every_row_of_a_dataset_is_written(tmp_path: Path) -> None:
    imported(full_folder(tmp_path / "full"))
    assert rows() == {
        "Dataset": 1,
        "Image": 3,
        "Reference": 6,
        "Candidate": 4 + 4,
        "Pair": 4,
        "Study": 1,
        "Question": 10,
        "Annotator": 6,
        "Answer": 13,
    }


@pytest.mark.parametrize("step", STEPS)
def test_an_import_that_fails_in_the_middle_leaves_nothing(
    tmp_path: Path, data_dir: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "BATCH", 2)
    with pytest.raises(PowerCut):
        imported(full_folder(tmp_path / "full"), progress=cut_at(step))
    assert set(rows().values()) == {0}
    assert contents(data_dir) == {}


def test_an_import_that_fails_at_its_image_files_leaves_nothing(
    tmp_path: Path, data_dir: Path
) -> None:
    folder = full_folder(tmp_path / "full")
    source = load(folder)
    (folder / "pictures" / "hill.svg").unlink()

    with pytest.raises(FileNotFoundError):
        import_dataset(source, "small", folder)
    assert set(rows().values()) == {0}
    assert contents(data_dir) == {}


def test_an_import_that_fails_after_its_image_files_takes_them_back(
    tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: Frames, files: Path, target: Path) -> None:
        copy_images(source, files, target)
        assert contents(data_dir)

        raise PowerCut

    monkeypatch.setattr(importing, "copy_images", fail)
    with pytest.raises(PowerCut):
        imported(full_folder(tmp_path / "full"))
    assert set(rows().values()) == {0}
    assert contents(data_dir) == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("step", ["References", "Votes"])
def test_an_import_that_is_killed_leaves_nothing(tmp_path: Path, step: str) -> None:
    folder = full_folder(tmp_path / "full")
    done = child("-c", KILLED, str(folder), step)

    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not Dataset.objects.exists()
    assert not Study.objects.exists()

    if connection.vendor == "sqlite":
        delete_leftovers()

    assert set(rows().values()) == {0}

    imported(folder)
    assert Answer.objects.count() == 13


def test_what_a_killed_import_left_in_the_folder_is_cleared(
    tmp_path: Path, data_dir: Path
) -> None:
    left = data_dir / "media" / "datasets" / "small" / "left.svg"
    left.parent.mkdir(parents=True)
    left.write_text(SVG)

    row = imported(full_folder(tmp_path / "full"))
    assert contents(row.folder) == {"pictures/hill.svg": SVG.encode()}


def test_a_name_that_is_taken_meanwhile_harms_neither_dataset(tmp_path: Path) -> None:
    folder = full_folder(tmp_path / "full")
    first = imported(folder)
    before = rows()

    with pytest.raises(NameTaken, match="a dataset named small"):
        imported(folder)
    assert rows() == before
    assert contents(first.folder) == {"pictures/hill.svg": SVG.encode()}


@pytest.mark.parametrize("name", ["small", "Small", " small!"])
def test_a_taken_name_is_refused(dataset: Dataset, name: str) -> None:
    with pytest.raises(NameTaken, match="another name"):
        dataset_name(name)


def test_the_name_of_a_page_is_refused() -> None:
    with pytest.raises(NameTaken):
        dataset_name("upload")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Été 2026", "ete-2026"),
        ("丘", "dataset"),
        ("a" * 200, "a" * NAME_LENGTH),
        ("..", "dataset"),
    ],
)
def test_a_name_is_fit_for_addresses(text: str, name: str) -> None:
    assert dataset_name(text) == name


def test_a_dataset_without_a_title_is_called_by_its_name(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_json(folder / "dataset.json", {"title": ""})
    assert imported(folder, "hills").title == "hills"


def test_a_dataset_without_votes_makes_no_study(dataset: Dataset) -> None:
    assert not dataset.studies.exists()


def test_settings_without_votes_make_a_study_to_vote_in(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_json(folder / "study.json", {"title": "", "votes": 5})
    study = imported(folder).studies.get()

    assert study.title == "a, triplet"
    assert study.questions.progress() == {
        "triplets": 12,
        "finished": 0,
        "votes": 0,
        "needed": 60,
    }


def test_votes_without_settings_make_a_study_that_collects_three_votes(
    tmp_path: Path,
) -> None:
    study = imported(
        dataset_folder(tmp_path / "a", votes=[("p1", 1, "kim", "B")])
    ).studies.get()

    assert (study.protocol, study.votes, study.references) == ("triplet", 3, None)
    assert study.questions.progress() == {
        "triplets": 12,
        "finished": 0,
        "votes": 1,
        "needed": 36,
    }


def test_a_study_asks_for_as_many_votes_as_a_question_has(tmp_path: Path) -> None:
    votes = [("p1", 1, f"person {number}", "B") for number in range(5)]
    study = imported(dataset_folder(tmp_path / "a", votes=votes)).studies.get()
    assert study.votes == 5


def test_votes_without_references_make_a_pairwise_study(tmp_path: Path) -> None:
    votes = [("p1", "", "kim", "B"), ("p1", "", "jo", "C"), ("p3", "", "kim", "tie")]
    study = imported(dataset_folder(tmp_path / "a", votes=votes)).studies.get()

    assert study.protocol == "pairwise"
    assert question_votes(study) == {
        ("p1", None): (2, 3),
        ("p2", None): (0, 3),
        ("p3", None): (1, 3),
        ("p4", None): (0, 3),
    }


def test_only_votes_that_count_fill_the_places_of_a_question(tmp_path: Path) -> None:
    study = imported(full_folder(tmp_path / "full")).studies.get()
    asked = question_votes(study)

    assert asked["p1", 1] == (4, 4)
    assert asked["p1", 2] == (1, 3)
    assert asked["p2", 3] == (0, 3)

    assert asked["p3", 1] == (1, 3)
    assert asked["p4", 3] == (1, 3)
    assert (asked["p2", 1], asked["p4", 2]) == ((0, 5), (0, 4))

    assert sum(votes for votes, _ in asked.values()) == Answer.objects.counted().count()
    assert set(study.questions.values_list("leases", flat=True)) == {0}


def test_questions_with_votes_are_kept_though_the_seed_did_not_draw_them(
    tmp_path: Path,
) -> None:
    folder = full_folder(tmp_path / "full")
    study = imported(folder).studies.get()
    for file in ("votes.csv", "gold.csv"):
        (folder / file).unlink()

    drawn = imported(folder, "without-votes").studies.get()

    def places(study: Study) -> dict[tuple[str, int | None], int]:
        found = study.questions.values_list(
            "pair__name", "reference__number", "position"
        )
        return {(pair, number): position for pair, number, position in found}

    assert len(places(drawn)) == 4 * 2
    assert places(drawn).items() < places(study).items()

    voted = set(
        Answer.objects.values_list(
            "question__pair__name", "question__reference__number"
        )
    )

    assert voted - set(places(drawn)), (
        "all voted triplets were drawn: the seed tests nothing"
    )
    assert voted <= set(places(study))

    positions = study.questions.aggregate(last=Max("position"))
    assert positions["last"] == study.questions.count() - 1


def test_an_unknown_annotator_is_nobody(tmp_path: Path) -> None:
    imported(full_folder(tmp_path / "full"))
    assert Answer.objects.filter(annotator=None).count() == 2


def test_imported_people_keep_their_names(tmp_path: Path) -> None:
    imported(full_folder(tmp_path / "full"))
    voted = Annotator.objects.filter(answers__isnull=False).values_list(
        "name", flat=True
    )
    assert set(voted) == {"kim", "jo", "-jo", "ж, too"}


def test_the_kinds_of_votes_are_kept(tmp_path: Path) -> None:
    imported(full_folder(tmp_path / "full"))
    kinds = list(Answer.objects.order_by("pk").values_list("status", "purpose"))
    valid, study = Status.VALID, Purpose.STUDY

    assert kinds == [
        *[(valid, study)] * 4,
        (valid, Purpose.REPEAT),
        (Status.SUPERSEDED, study),
        (valid, study),
        *[(Status.EXCLUDED, study)] * 2,
        (valid, study),
        (valid, Purpose.GOLD),
        (Status.SURPLUS, study),
        (valid, study),
    ]


def test_an_excluded_annotator_can_be_readmitted_with_the_votes_of_then(
    tmp_path: Path,
) -> None:
    imported(full_folder(tmp_path / "full"))
    person = Annotator.objects.get(name="-jo")
    vote = person.answers.get()

    assert (vote.status_at, vote.status_reason) == (person.excluded_at, "=too, fast")
    assert readmit_annotator(person, None) == (1, 0)


def test_people_without_votes_and_how_it_ended_for_them_are_kept(
    tmp_path: Path,
) -> None:
    imported(full_folder(tmp_path / "full"))
    ways = Annotator.objects.order_by("pk").values_list(
        "name", "step", "outcome", "judged"
    )

    assert list(ways) == [
        ("nobody yet", "consent", "", 0),
        ("kim", "judging", "done", 4),
        ("jo", "judging", "", 3),
        ("declined", "consent", "screened_out", 0),
        ("-jo", "judging", "", 1),
        ("ж, too", "judging", "no_work", 2),
    ]
    assert Annotator.objects.get(name="jo").created_at is None


def test_people_who_only_voted_come_after_those_of_the_list(tmp_path: Path) -> None:
    folder = dataset_folder(
        tmp_path / "a", votes=[("p1", 1, "kim", "B"), ("p1", 1, "jo", "B")]
    )
    write_csv(folder / "annotators.csv", ("annotator", "label"), [("jo", "Jo's link")])
    imported(folder)

    first, second = Annotator.objects.order_by("pk")
    assert (first.name, first.label, second.name) == ("jo", "Jo's link", "kim")
    assert len(first.token) > 20
    assert second.token == ""


def test_gold_questions_keep_their_answers(tmp_path: Path) -> None:
    study = imported(full_folder(tmp_path / "full")).studies.get()
    gold = study.questions.exclude(gold="").order_by("pair", "reference__number")
    known = gold.values_list("pair__name", "reference__number", "gold")

    assert list(known) == [("p1", 3, "C"), ("p3", 2, "C")]


def test_every_setting_comes_along(tmp_path: Path) -> None:
    study = imported(full_folder(tmp_path / "full")).studies.get()
    told = dict(STUDY)
    exits = told.pop("exits")

    assert {name: getattr(study, name) for name in told} == told
    assert {
        e.outcome: {"code": e.code, "url": e.url} for e in study.exits.all()
    } == exits


def test_a_pair_that_was_certain_is_stopped_again(tmp_path: Path) -> None:
    votes = [
        ("p1", reference, f"a{number}", "B")
        for reference in (1, 2)
        for number in range(2)
    ]
    folder = dataset_folder(tmp_path / "a", votes=votes)
    write_json(folder / "study.json", {"stop_early": True})

    study = imported(folder).studies.get()
    assert set(
        study.questions.filter(stopped=True).values_list("pair__name", flat=True)
    ) == {"p1"}


@pytest.mark.parametrize("step", ["comprehension", "practice"])
def test_questions_that_cannot_be_asked_are_refused(tmp_path: Path, step: str) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_json(folder / "study.json", {step: "What?\n- [x] This\n"})

    with pytest.raises(FaultyDataset, match=f"study.json, column {step}: Line 1: give"):
        imported(folder)
    assert not Dataset.objects.exists()


def test_image_files_come_along(tmp_path: Path) -> None:
    row = imported(full_folder(tmp_path / "full"))
    assert contents(row.folder) == {"pictures/hill.svg": SVG.encode()}


def test_a_questionnaire_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    folder = dataset_folder(tmp_path / "a")
    write_json(folder / "study.json", {"questionnaire_after": "Why?\n[why]"})
    problem = "study.json, column questionnaire_after: Line 2: write a field as"

    with pytest.raises(FaultyDataset, match=problem):
        imported(folder)
    assert not Dataset.objects.exists()


def test_progress_tells_every_step_and_never_more_than_all(tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    imported(full_folder(tmp_path / "full"), progress=lambda *step: told.append(step))

    assert [doing.partition(":")[0] for _, doing in told] == list(STEPS)
    assert all(0 < share <= 1 for share, _ in told)


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_the_size_of_batches_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(bulk, "BATCH", batch)
    row = imported(dataset_folder(tmp_path / "a", votes=[("p2", 2, "kim", "B")]))
    captions = row.images.order_by("pk", "references__number")

    assert list(captions.values_list("name", "references__caption")) == list(REFERENCES)

    pairs = row.pairs.order_by("pk")
    assert list(
        pairs.values_list("name", "image__name", "b__caption", "c__caption", "category")
    ) == list(PAIRS)

    vote = Answer.objects.get()
    assert str(vote.question.reference) == REFERENCES[1][1]


def test_one_caption_in_several_pairs_is_one_candidate(tmp_path: Path) -> None:
    pairs = [
        ("p1", "dog", "x", "y", "HC"),
        ("p2", "dog", "z", "x", "HC"),
        ("p3", "cat", "x", "y", "HC"),
    ]
    imported(dataset_folder(tmp_path / "a", pairs=pairs))

    assert Candidate.objects.count() == 3 + 2
