"""What a process does that judges through the real code until it is told to stop.

It writes a line when it begins, and then the key of each vote after the call that stored it has
returned, never before.
"""

import os
import random
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tercet.annotation.judging.annotators import new_annotator
from tercet.annotation.judging.answers import AnswerMessage, record, undo
from tercet.annotation.judging.leases import LEASES_AT_FIRST, top_up_leases
from tercet.annotation.judging.networks import note_network
from tercet.annotation.models import Annotator, Lease, Study
from tests.annotation.kinds import simulated

UNDO_RATE = 0.1


def judge(name: str, output: Path, telling: Connection, network: str = "") -> None:
    """Somebody new takes the place of whoever finds no question.

    Parameters
    ----------
    name
        Of the study.
    output
        The file to write to; errors go into a file beside it.
    telling
        Its other end is closed when the process is to stop.
    network
        From which all of them come; empty: unknown.
    """
    with output.open("w") as file, output.with_suffix(".err").open("w") as errors:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(errors.fileno(), sys.stderr.fileno())

    person = somebody(name, network)
    print("begins", flush=True)

    while not telling.poll():
        held = top_up_leases(person, LEASES_AT_FIRST)
        for lease in held:
            answer(lease)

        if not held:
            time.sleep(0.1)
            person = somebody(name, network)


def somebody(name: str, network: str) -> Annotator:
    person = new_annotator(Study.objects.get(name=name))
    if network:
        note_network(person, network)

    return person


def answer(lease: Lease) -> None:
    """Send an answer twice, and perhaps take it back."""
    for _twice in range(2):
        record(AnswerMessage(lease.key, simulated(lease)))
    print(lease.key, flush=True)
    if random.random() < UNDO_RATE:
        undo(lease.key)
