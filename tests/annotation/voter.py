"""What a process does that judges through the real code until its input ends.

It prints a line when it begins, and then the key of each vote after the call that stored it has
returned, never before.
"""

import random
import sys
import time
from select import select

from annotation.judging.annotators import new_annotator
from annotation.judging.leases import LEASES_AT_FIRST, top_up_leases
from annotation.judging.votes import undo, vote
from annotation.models import Annotator, Lease, Study
from annotation.models.vote import Side

UNDO_RATE = 0.1


def judge(name: str) -> None:
    """Somebody new takes the place of whoever finds no question."""
    person = somebody(name)
    print("begins", flush=True)
    while not is_told_to_stop():
        held = top_up_leases(person, LEASES_AT_FIRST)
        for lease in held:
            answer(lease)
        if not held:
            time.sleep(0.1)
            person = somebody(name)


def somebody(name: str) -> Annotator:
    return new_annotator(Study.objects.get(name=name))


def answer(lease: Lease) -> None:
    vote(lease.key, random.choice(Side.values))
    print(lease.key, flush=True)
    if random.random() < UNDO_RATE:
        undo(lease.key)


def is_told_to_stop() -> bool:
    return bool(select([sys.stdin], [], [], 0)[0])
