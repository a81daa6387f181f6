"""Votes that were collected elsewhere: site, command and archive give the same winners."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from tercet.analysis.dataset.folder import load
from tercet.analysis.dataset.winners import pair_winners
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Dataset, Study
from tercet.annotation.models.study import State
from tercet.annotation.results.downloads import study_zip
from tercet.annotation.studies.creation import copy_study
from tercet.annotation.studies.lifecycle import raise_votes
from tercet.annotation.zipfiles import dataset_folder
from tests.support.folders import PAIRS, three_votes
from tests.support.folders import dataset_folder as small_folder

pytestmark = pytest.mark.django_db

AT = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
RESULT = ["pair", "winner", "state", "votes", "triplets"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Votes by unknown annotators on some questions, in different numbers, without a study.json."""
    votes = [
        ("p1", 1, "", "B"),
        ("p1", 2, "", "C"),
        ("p2", 3, "", "C"),
        ("p2", 3, "", "C"),
    ]
    return small_folder(tmp_path / "votes", votes=[*votes, ("p4", 1, "", "tie")])


@pytest.fixture
def study(folder: Path) -> Study:
    return import_dataset(load(folder), "votes", folder).studies.get()


def result(folder: Path) -> pd.DataFrame:
    return pair_winners(load(folder))[RESULT]


@contextmanager
def archive(study: Study) -> Iterator[Path]:
    """The complete archive of a study, as it is imported again."""
    with TemporaryDirectory() as place:
        file = Path(place, "study.zip")
        file.write_bytes(b"".join(study_zip(study, AT)))
        with dataset_folder(file) as unpacked:
            yield unpacked


def assert_same_winners(folder: Path, study: Study) -> None:
    """The command line, the site, and the archive have the same winners."""
    expected = result(folder)
    pd.testing.assert_frame_equal(pair_winners(study_frames(study))[RESULT], expected)

    with archive(study) as unpacked:
        pd.testing.assert_frame_equal(result(unpacked), expected)
        listed = pd.read_csv(unpacked / "winners" / "pairs.csv", keep_default_na=False)

        assert listed[["pair", "winner", "state"]].equals(
            expected[["pair", "winner", "state"]]
        )


def test_the_study_is_closed_and_needs_the_votes_that_it_has(study: Study) -> None:
    assert (study.state, study.votes, study.collected_elsewhere) == (
        State.CLOSED,
        2,
        True,
    )

    given = study.questions.values_list(
        "pair__name", "reference__number", "answers", "needed"
    )

    assert sorted(given) == [
        ("p1", 1, 1, 1),
        ("p1", 2, 1, 1),
        ("p2", 3, 2, 2),
        ("p4", 1, 1, 1),
    ]

    progress = study.questions.progress()
    assert progress == {"triplets": 4, "finished": 4, "needed": 5, "votes": 5}


def test_site_command_and_archive_have_the_same_winners(
    folder: Path, study: Study
) -> None:
    assert_same_winners(folder, study)
    assert result(folder)["winner"].tolist() == ["tie", "C", "", "tie"]
    assert result(folder)["state"].tolist() == ["tie", "decided", "unfinished", "tie"]


def test_the_archive_is_imported_as_the_same_study(study: Study) -> None:
    with archive(study) as unpacked:
        again = import_dataset(load(unpacked), "again", unpacked).studies.get()

    frames, copies = study_frames(study), study_frames(again)
    assert frames.study == copies.study

    pd.testing.assert_frame_equal(frames.votes, copies.votes)
    assert study.questions.progress() == again.questions.progress()


def test_the_archive_says_that_texts_and_annotators_are_unknown(study: Study) -> None:
    with archive(study) as unpacked:
        text = (unpacked / "README.txt").read_text(encoding="utf-8")

    assert "Votes of unknown annotators: 5." in text
    assert "imported; texts and annotators unknown" in text
    assert "What people read" not in text
    assert "Taking part is voluntary" not in text


def test_named_annotators_are_counted(tmp_path: Path) -> None:
    folder = small_folder(tmp_path / "named", votes=three_votes())
    study = import_dataset(load(folder), "named", folder).studies.get()
    with archive(study) as unpacked:
        text = (unpacked / "README.txt").read_text(encoding="utf-8")

    assert "Annotators with a pseudonym: 3." in text
    assert "Votes of unknown annotators" not in text


def test_votes_that_are_asked_for_later_are_needed(study: Study) -> None:
    assert raise_votes(study, 3, None) == 7

    states = pair_winners(study_frames(study))["state"].tolist()
    assert states == ["unfinished"] * 4

    with archive(study) as unpacked:
        assert result(unpacked)["state"].tolist() == states


def test_a_copy_asks_all_questions(study: Study, administrator: User) -> None:
    copy = copy_study(study, administrator)
    assert not copy.collected_elsewhere
    assert copy.questions.count() == 3 * len(PAIRS)


def test_a_collection_that_goes_on_needs_more_votes(folder: Path) -> None:
    study = import_dataset(load(folder), "votes", folder, collecting=True).studies.get()
    assert (study.state, study.votes, study.collected_elsewhere) == (
        State.OPEN,
        3,
        False,
    )
    assert study.questions.progress()["needed"] == 3 * 3 * len(PAIRS)


def test_the_command_asks_whether_collection_is_finished(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_dataset", str(folder), "--dry-run")
    assert "Is collection finished?" in capsys.readouterr().out
    assert not Dataset.objects.exists()

    call_command("import_dataset", str(folder), "--name", "closed")
    call_command("import_dataset", str(folder), "--name", "open", "--collecting")

    assert "Collection is not finished" in capsys.readouterr().out

    states = Study.objects.values_list("dataset__name", "state")
    assert dict(states) == {"closed": State.CLOSED, "open": State.OPEN}


def test_abstract50s_has_the_same_winners_everywhere(abstract50s: Path) -> None:
    call_command("import_dataset", str(abstract50s))
    study = Study.objects.get()

    assert study.questions.progress() == {
        "triplets": 19_200,
        "finished": 19_200,
        "needed": 19_200,
        "votes": 19_200,
    }

    winners = pair_winners(study_frames(study))
    assert winners["winner"].value_counts().to_dict() == {"C": 201, "B": 187, "tie": 12}
    assert_same_winners(abstract50s, study)
