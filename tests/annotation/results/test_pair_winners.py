"""The winners of pairs by the votes so far."""

import numpy as np
import pytest
from django.contrib.auth.models import User

from tercet.analysis.dataset.winners import margins, pair_winners, with_decisions
from tercet.annotation.datasets.exporting import study_frames
from tercet.annotation.judging.quotas import recount
from tercet.annotation.models import Answer, Pair, Study
from tercet.annotation.models.answer import Choice, Status
from tercet.annotation.quality.adjudication import adjudicate
from tercet.annotation.results.pair_winners import Winner, winners_of

pytestmark = pytest.mark.django_db


def pair_of(study: Study, name: str = "p1") -> Pair:
    return study.dataset.pairs.get(name=name)


def winner_of(study: Study, name: str = "p1") -> Winner:
    return winners_of(study)[pair_of(study, name).pk]


def change_votes(study: Study, generator: np.random.Generator) -> None:
    """Give each vote another choice, and exclude a few."""
    for vote in Answer.objects.filter(question__study=study):
        vote.choice = generator.choice(Choice.values)
        vote.status = Status.EXCLUDED if generator.random() < 0.1 else Status.VALID
        vote.save()

    recount(study.questions.all())


@pytest.mark.parametrize("seed", range(4))
def test_winners_are_those_of_the_results(
    voted: Study, administrator: User, seed: int
) -> None:
    voted.winners, voted.collected_elsewhere = "decisions", seed == 0
    voted.save()
    change_votes(voted, np.random.default_rng(seed))
    adjudicate(voted, pair_of(voted, "p2"), Choice.C, "clear", administrator)

    frames = study_frames(voted)
    table = with_decisions(pair_winners(frames), frames.decisions)
    found = {
        pair.name: winners_of(voted)[pair.pk] for pair in voted.dataset.pairs.all()
    }

    assert [found[name].winner for name in table["pair"]] == table["winner"].tolist()
    assert [found[name].votes for name in table["pair"]] == table["votes"].tolist()
    assert [found[name].margin for name in table["pair"]] == pytest.approx(
        margins(table)
    )

    unfinished = [found[name].is_unfinished for name in table["pair"]]
    assert unfinished == (table["state"] == "unfinished").tolist()


def test_a_pair_that_misses_votes_is_not_disputed(voted: Study) -> None:
    assert winner_of(voted).is_disputed  # two votes in three, on each of its questions

    voted.questions.filter(pair=pair_of(voted)).update(needed=4)
    voted.collected_elsewhere = False

    assert winner_of(voted).is_unfinished
    assert not winner_of(voted).is_disputed


def test_a_pair_with_clear_votes_is_not_disputed(voted: Study) -> None:
    Answer.objects.filter(question__pair=pair_of(voted)).update(choice=Choice.B)
    recount(voted.questions.all())
    assert not winner_of(voted).is_disputed


def test_a_disputed_pair_stays_disputed_once_it_is_decided(
    voted: Study, administrator: User
) -> None:
    voted.winners = "decisions"
    adjudicate(voted, pair_of(voted), Choice.C, "clear", administrator)

    assert winner_of(voted).winner == "C"
    assert winner_of(voted).is_disputed


def test_published_winners_hold_where_nobody_has_voted(study: Study) -> None:
    assert winner_of(study) == Winner(0, "", None, is_complete=False)

    study.dataset.pairs.filter(name="p2").update(winner="C")
    assert winner_of(study, "p2").winner == "C"
    assert winner_of(study).winner == "tie"
    assert not winner_of(study).is_disputed


def test_winners_of_some_pairs_are_those_of_all(voted: Study) -> None:
    keys = [pair_of(voted, name).pk for name in ("p1", "p3")]
    everything = winners_of(voted)
    assert winners_of(voted, keys) == {key: everything[key] for key in keys}
