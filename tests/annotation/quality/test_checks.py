"""The votes of a study as the checks see them, and what the pages show of it."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from tercet.analysis.dataset.folder import load
from tercet.analysis.stats.people.annotator_quality import changes
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import annotators
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Study
from tercet.annotation.quality.checks import (
    changed_pairs,
    checked_annotators,
    disputed_questions,
    quality_content,
    rules_of,
    votes_of,
    with_pairs,
    with_questions,
)
from tercet.annotation.quality.exclusion import exclude_annotator
from tercet.annotation.studies.creation import create_study
from tests.annotation.judging.ballots import crowd, put
from tests.support.folders import dataset_folder
from tests.support.pages import squeeze

pytestmark = pytest.mark.django_db


@pytest.fixture
def large(tmp_path: Path) -> Study:
    """Forty questions, enough for flags."""
    references = [("dog", f"a dog, seen {number} times") for number in range(10)]
    pairs = [(f"p{n}", "dog", f"{n} dogs", f"no {n} dogs", "HC") for n in range(4)]
    folder = dataset_folder(tmp_path / "dogs", references, pairs)

    return create_study(
        Study(dataset=import_dataset(load(folder), "dogs", folder), steps=[])
    )


def test_all_valid_votes_are_seen_with_their_checks(study: Study) -> None:
    person, gold = new_annotator(study), study.questions.order_by("position")[1]
    gold.gold = "C"
    gold.save()
    put(person, study.questions.order_by("position")[0])
    put(person, gold, "C", purpose="gold")
    put(None, gold, "B", b_side="", seconds=None)

    votes = votes_of(study)
    assert votes["annotator"].tolist() == [person.name, person.name, ""]
    assert votes["purpose"].tolist() == ["study", "gold", "study"]

    assert votes["answer"].tolist() == ["", "C", "C"]
    assert votes["seconds"].tolist()[:2] == [5, 5]
    assert votes["seconds"].isna().tolist() == [False, False, True]


def test_trials_and_votes_that_do_not_count_are_not_seen(study: Study) -> None:
    first = study.questions.all()[0]
    put(annotators.test_annotator(study), first, purpose="test")
    for status in ("superseded", "surplus", "excluded"):
        put(new_annotator(study), first, status=status)

    assert not len(votes_of(study))


def test_a_study_without_votes_has_nobody_to_check(study: Study) -> None:
    votes = votes_of(study)
    assert checked_annotators(study, quality_content(study)) == []
    assert not len(disputed_questions(votes))
    assert not len(changed_pairs(study, votes, []))


def test_the_flagged_come_first_with_the_figures_in_words(large: Study) -> None:
    group = crowd(large, ["good"] * 6 + ["left", "fast", "contrary"])
    rows = checked_annotators(large, quality_content(large))
    left, fast, contrary = (person.name for person in group[-3:])

    assert {row.name for row in rows[:3]} == {left, fast, contrary}

    told = {row.name: row.flags for row in rows}
    assert "one-sided: left in 100\N{NO-BREAK SPACE}% of 40 votes" in told[left]
    assert told[fast] == [
        "fast: median 0.2 s, 100\N{NO-BREAK SPACE}% of votes under 1 s"
    ]

    assert told[contrary][0].startswith("disagrees: 0\N{NO-BREAK SPACE}%, expected ")
    assert not any(row.flags for row in rows[3:])
    assert {row.key for row in rows} == {person.pk for person in group}


def test_failed_checks_are_told_with_their_counts(large: Study) -> None:
    (person,) = crowd(large, ["good"])
    for vote in person.answers.select_related("question").order_by("pk")[:20]:
        put(person, vote.question, "C" if vote.choice == "B" else "B", purpose="repeat")

    for vote in (
        person.answers.counted().select_related("question").order_by("-pk")[:20]
    ):
        large.questions.filter(pk=vote.question_id).update(gold="B")
        put(person, vote.question, "C", purpose="gold")
        vote.delete()

    (row,) = checked_annotators(large, quality_content(large))
    assert row.flags == ["gold: 0 of 20 right", "repeats: 0 of 20 the same"]


def test_the_speed_floor_is_the_studys(large: Study) -> None:
    large.min_seconds = 0.1
    crowd(large, ["good", "fast"])

    assert rules_of(large).fastest == 0.1
    assert not any(
        row.flags for row in checked_annotators(large, quality_content(large))
    )


def test_the_excluded_are_not_checked_any_more(large: Study) -> None:
    good, left = crowd(large, ["good", "left"])
    exclude_annotator(left, None, "one-sided")

    assert [row.name for row in checked_annotators(large, quality_content(large))] == [
        good.name
    ]


def test_a_disputed_question_comes_with_its_captions(large: Study) -> None:
    question = large.questions.order_by("position")[7]
    for person in crowd(large, ["good"] * 4 + ["left", "left"])[:3]:
        person.answers.filter(question=question).delete()

    rows = with_questions(quality_content(large)["disputed"])
    assert [row["question"] for row in rows] == [question]
    assert (rows[0]["winner"], rows[0]["model_winner"]) == ("C", "B")


def test_neither_ties_nor_gold_questions_are_disputed(large: Study) -> None:
    tied, otherwise = (
        large.questions.order_by("position")[7],
        large.questions.order_by("position")[9],
    )
    group = crowd(large, ["good"] * 4 + ["left", "left"])
    for person in group[:3]:
        person.answers.filter(question__in=[tied, otherwise]).delete()

    group[-1].answers.filter(question=tied).delete()
    rows = disputed_questions(votes_of(large))

    assert rows["reference"].tolist() == [otherwise.pk]

    large.questions.filter(pk=otherwise.pk).update(gold="C")
    assert disputed_questions(votes_of(large)).empty


@pytest.mark.parametrize("protocol", ["triplet", "pairwise"])
def test_winners_change_as_they_would_in_the_exported_study(
    study: Study, protocol: str
) -> None:
    study.protocol = protocol
    if protocol == "pairwise":
        for questions in (
            study.questions.filter(pair=pair) for pair in study.dataset.pairs.all()
        ):
            questions.exclude(pk=questions[0].pk).delete()
        study.questions.update(reference=None)

    crowd(study, ["good"])
    contrary = [person.name for person in crowd(study, ["contrary", "contrary"])]
    expected = changes(study_frames(study), contrary)

    rows = with_pairs(changed_pairs(study, votes_of(study), contrary))
    assert (
        [row["pair"].name for row in rows]
        == expected["pair"].tolist()
        == ["p1", "p2", "p3", "p4"]
    )

    columns = [
        "category",
        "winner",
        "winner_without",
        "vote_share",
        "vote_share_without",
    ]

    assert [[row[name] for name in columns] for row in rows] == expected[
        columns
    ].to_numpy().tolist()


def test_checks_decide_no_winner(study: Study) -> None:
    crowd(study, ["good"])
    person = new_annotator(study)
    for question in study.questions.all():
        put(person, question, "C", purpose="gold")

    assert not len(changed_pairs(study, votes_of(study), [person.name]))


def test_gold_that_most_careful_people_miss_is_named_and_flags_nobody(
    large: Study, office: Client
) -> None:
    people = [new_annotator(large) for _ in range(4)]
    questions = list(large.questions.order_by("position")[:6])
    wrong = questions[0]
    large.questions.filter(pk__in=[each.pk for each in questions]).update(gold="B")
    for person in people:
        for question in questions:
            choice = "C" if question == wrong else "B"
            put(person, question, choice, purpose="gold")

    content = quality_content(large)
    (missed,) = content["missed"]
    assert (missed["reference"], missed["careful"], missed["missed"]) == (
        wrong.pk,
        4,
        4,
    )
    assert [row["gold"] for row in content["people"]] == [5, 5, 5, 5]

    for page in ("study_quality", "study_gold"):
        text = squeeze(office.get(reverse(page, args=[large.name])).text)
        assert "Most careful people miss a gold question:" in text
        assert "(4 of 4)" in text
