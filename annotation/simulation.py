"""Simulated annotators for demos, tests and planning.

A simulated annotator prefers a given candidate, or else the one that shares more words with A. It
answers accordingly with the probability of its reliability, and the other way otherwise. It
claims leases and votes through the same code as a person's browser.
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
"""Mean and standard deviation of the logarithm of the time per vote: about 6 s, 2.7 to 13."""
Beliefs = Mapping[str, str]
"""The preferred candidate, B or C, by the name of the pair."""


@dataclass
class Simulated:
    """An annotator of stated reliability (0..1), with its own random generator."""

    annotator: Annotator
    reliability: float
    beliefs: Beliefs
    random: Random

    def answer(self) -> bool:
        """Claim a lease and vote on its triplet; False where there is none left."""
        lease = claim(self.annotator)
        if lease is None:
            return False

        choice = self._belief(lease)
        if self.random.random() >= self.reliability:
            choice = OTHER[choice]

        side = side_of(choice, lease)
        seconds = self.random.lognormvariate(*SECONDS)
        record(Answer(lease.key, side, active_seconds=seconds, waited=seconds))
        return True

    def _belief(self, lease: Lease) -> str:
        """Return the candidate that the annotator prefers, B or C."""
        triplets = Triplet.objects.select_related(
            "pair__b", "pair__c", "reference"
        )
        triplet = triplets.get(pk=lease.triplet_id)

        given = self.beliefs.get(triplet.pair.name)
        similar = more_similar(triplet.pair, str(triplet.reference or ""))
        return given or similar or self.random.choice("BC")


def side_of(choice: str, lease: Lease) -> str:
    """Return the side on which a candidate, B or C, is shown."""
    other = Side.RIGHT if lease.b_side == Side.LEFT else Side.LEFT
    return lease.b_side if choice == "B" else other


def more_similar(pair: Pair, a: str) -> str | None:
    """Return the candidate that shares more words with A, None where they share equally many."""
    b, c = shared_words(pair.b.caption, a), shared_words(pair.c.caption, a)
    if b == c:
        return None

    return "B" if b > c else "C"


def simulate(
    study: Study,
    numbers: Iterable[int],
    reliability: float,
    beliefs: Beliefs,
    seed: int,
) -> Iterator[Annotator]:
    """Let annotators, by their numbers, vote in turn until no triplet is left; yield each voter."""
    group = [
        _simulated(study, number, reliability, beliefs, seed)
        for number in numbers
    ]

    while group:
        for one in list(group):
            if one.answer():
                yield one.annotator
            else:
                group.remove(one)


def _simulated(
    study: Study, number: int, reliability: float, beliefs: Beliefs, seed: int
) -> Simulated:
    name = f"{SIMULATED}{number:02}"
    annotator, _ = Annotator.objects.get_or_create(study=study, name=name)
    return Simulated(annotator, reliability, beliefs, Random(f"{seed} {name}"))
