"""Annotators that are not people: for demos, tests and planning.

A simulated annotator believes the candidate that it was told to believe, or else the one that
shares more words with A; it answers so with the probability of its reliability, and the other
way otherwise. It asks and votes through the same code as a person's browser.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from analysis.dataset.schema import SIMULATED
from analysis.dataset.simulation import shared_words
from annotation.judging.leases import claim
from annotation.judging.votes import Answer, record
from annotation.models import Annotator, Lease, Pair, Study, Triplet
from annotation.models.vote import Side

OTHER = {"B": "C", "C": "B"}
SECONDS = (1.8, 0.4)
"""How long they would have taken: mean and deviation of its logarithm. About 6 s, 2.7 to 13."""
Beliefs = Mapping[str, str]
"""The candidate to believe, B or C, by the name of the pair."""


@dataclass
class Simulated:
    """An annotator of stated reliability (0..1), with chance of its own."""

    annotator: Annotator
    reliability: float
    beliefs: Beliefs
    chance: Random

    def answer(self) -> bool:
        """Claim a triplet and vote on it; False where there is none left."""
        lease = claim(self.annotator)
        if lease is None:
            return False
        belief = self.belief(lease)
        reliable = self.chance.random() < self.reliability
        side = side_of(belief if reliable else OTHER[belief], lease)
        seconds = self.chance.lognormvariate(*SECONDS)
        record(Answer(lease.key, side, active_seconds=seconds, waited=seconds))
        return True

    def belief(self, lease: Lease) -> str:
        triplet = Triplet.objects.select_related("pair__b", "pair__c", "reference").get(
            pk=lease.triplet_id
        )
        told = self.beliefs.get(triplet.pair.name)
        return (
            told or closer(triplet.pair, str(triplet.reference or "")) or self.chance.choice("BC")
        )


def side_of(choice: str, lease: Lease) -> str:
    other = Side.RIGHT if lease.b_side == Side.LEFT else Side.LEFT
    return lease.b_side if choice == "B" else other


def closer(pair: Pair, a: str) -> str | None:
    """The candidate that shares more words with A, None where they share as many."""
    b, c = shared_words(pair.b.caption, a), shared_words(pair.c.caption, a)
    return None if b == c else "B" if b > c else "C"


def simulate(
    study: Study, numbers: Iterable[int], reliability: float, beliefs: Beliefs, seed: int
) -> Iterator[Annotator]:
    """The annotators of these numbers vote in turn until none finds a triplet; gives each voter."""
    group = [simulated(study, number, reliability, beliefs, seed) for number in numbers]
    while group:
        for one in list(group):
            if one.answer():
                yield one.annotator
            else:
                group.remove(one)


def simulated(
    study: Study, number: int, reliability: float, beliefs: Beliefs, seed: int
) -> Simulated:
    name = f"{SIMULATED}{number:02}"
    annotator, _ = Annotator.objects.get_or_create(study=study, name=name)
    return Simulated(annotator, reliability, beliefs, Random(f"{seed} {name}"))
