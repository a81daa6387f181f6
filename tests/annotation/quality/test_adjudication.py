"""Decisions of single persons on pairs, beside the votes."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError

from tercet.analysis.dataset.winners import pair_winners
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.models import Adjudication, Pair, Study
from tercet.annotation.models.answer import Choice
from tercet.annotation.quality.adjudication import adjudicate, withdraw_adjudication
from tercet.annotation.quality.erasure import erase_annotator
from tercet.annotation.results.digests import digest_of, is_current

pytestmark = pytest.mark.django_db

FEW = Options(metrics=("length",), draws=1, resamples=10, flips=19)


def pair_of(study: Study, name: str = "p1") -> Pair:
    return study.dataset.pairs.get(name=name)


def decided(
    study: Study, decision: Choice, by: User, name: str = "p1", why: str = "clear"
) -> None:
    adjudicate(study, pair_of(study, name), decision, why, by)


def rows(study: Study) -> list[tuple[str, str, bool]]:
    """The decisions, the first made first: pair, decision, and whether it is in force."""
    made = study.adjudications.order_by("pk")
    return [
        (each.pair.name, each.decision, each.superseded_at is None) for each in made
    ]


def test_another_decision_supersedes_the_one_before(
    voted: Study, administrator: User
) -> None:
    for decision in (Choice.B, Choice.C, Choice.C):
        decided(voted, decision, administrator)

    assert rows(voted) == [("p1", "B", False), ("p1", "C", True)]

    details = [event.details for event in voted.events.filter(what="adjudicated")]
    assert details[0] == {"pair": "p1", "reason": "clear", "was": "B", "now": "C"}
    assert len(details) == 2


def test_a_withdrawn_decision_is_kept_and_logged(
    voted: Study, administrator: User
) -> None:
    decided(voted, Choice.TIE, administrator)
    for _ in range(2):
        withdraw_adjudication(voted, pair_of(voted), administrator)

    assert rows(voted) == [("p1", "tie", False)]
    assert voted.events.filter(what="withdrew adjudication").count() == 1


def test_a_pair_has_one_decision_in_force(voted: Study) -> None:
    Adjudication.objects.create(study=voted, pair=pair_of(voted), decision=Choice.B)
    with pytest.raises(IntegrityError):
        Adjudication.objects.create(study=voted, pair=pair_of(voted), decision=Choice.C)


def test_adjudicators_have_pseudonyms(
    voted: Study, administrator: User, person: User
) -> None:
    decided(voted, Choice.B, administrator)
    decided(voted, Choice.B, person, "p2")
    decided(voted, Choice.C, administrator, "p3")

    names = voted.adjudications.order_by("pk").values_list("adjudicator", flat=True)
    assert list(names) == ["adjudicator-1", "adjudicator-2", "adjudicator-1"]


def test_only_results_that_ask_for_decisions_use_them(
    voted: Study, administrator: User
) -> None:
    before = pair_winners(study_frames(voted))
    decided(voted, Choice.C, administrator)
    frames = study_frames(voted)

    assert pair_winners(frames).equals(before)

    by_votes = evaluate(frames, FEW)
    assert by_votes.winners["winner"].tolist() == ["B"] * 4
    assert "pairs_adjudicated" not in by_votes.provenance

    found = evaluate(frames, Options(**vars(FEW) | {"winners": "decisions"}))
    assert found.winners["winner"].tolist() == ["C", "B", "B", "B"]
    assert found.winners["decided_by"].tolist() == [
        "adjudicator",
        "votes",
        "votes",
        "votes",
    ]

    assert found.winners["votes"].tolist() == by_votes.winners["votes"].tolist()
    assert found.provenance["pairs_adjudicated"] == 1


def test_superseded_decisions_decide_nothing(voted: Study, administrator: User) -> None:
    decided(voted, Choice.C, administrator)
    withdraw_adjudication(voted, pair_of(voted), administrator)
    found = evaluate(
        study_frames(voted), Options(**vars(FEW) | {"winners": "decisions"})
    )

    assert found.winners["winner"].tolist() == ["B"] * 4


def test_results_are_outdated_once_decisions_that_count_change(
    evaluated: Study, administrator: User
) -> None:
    done = evaluated.evaluations.get()
    decided(evaluated, Choice.C, administrator)
    assert is_current(done, 36)

    evaluated.winners = "decisions"
    evaluated.save()
    assert not is_current(evaluated.evaluations.get(), 36)

    evaluated.evaluations.update(digest=digest_of(evaluated))
    assert is_current(evaluated.evaluations.get(), 36)

    withdraw_adjudication(evaluated, pair_of(evaluated), administrator)
    assert not is_current(evaluated.evaluations.get(), 36)


def test_an_erased_person_is_not_named_in_a_reason(
    study: Study, administrator: User
) -> None:
    person = new_annotator(study)
    decided(study, Choice.B, administrator, why=f"{person.name} saw it first")
    successor = erase_annotator(person, None)

    assert study.adjudications.get().reason == f"{successor.name} saw it first"
