"""`tercet.torch.TercetMetric`, in one process and in two."""

import os
import subprocess
import sys

import pytest

import tercet
from tests.support.folders import ROOT
from tests.support.network import PATIENCE, free_port

pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")

from tercet.torch import TercetMetric

REFERENCES = [["A dog runs.", "A dog is running."], ["Two cats!"], ["Ein Hund läuft"]]
CANDIDATES = ["a dog runs", "cats", "der Hund läuft"]
METRICS = ("ROUGE-L", "METEOR")
EXPECTED = tercet.score(
    references=REFERENCES, candidates=CANDIDATES, metrics=METRICS
).corpus
MEANT = pytest.approx(EXPECTED["METEOR"])
FIRST = (CANDIDATES[:1], REFERENCES[:1])
REST = (CANDIDATES[1:], REFERENCES[1:])

PROCESS = f"""
import sys
import torch.distributed as distributed
from tercet.torch import TercetMetric

rank, port = map(int, sys.argv[1:])
address = f"tcp://127.0.0.1:{{port}}"
distributed.init_process_group("gloo", address, rank=rank, world_size=2)
metric = TercetMetric({METRICS!r})
if rank == 0:
    metric.update({CANDIDATES!r}, {REFERENCES!r})
print(float(metric.compute()["METEOR"]))
distributed.destroy_process_group()
"""


def test_scores_are_those_of_tercet() -> None:
    metric = TercetMetric(METRICS)

    metric.update(*FIRST)
    metric.update(*REST)

    found = metric.compute()
    assert float(found["ROUGE-L"]) == pytest.approx(EXPECTED["ROUGE-L"])
    assert float(found["METEOR"]) == MEANT


def test_forward_scores_the_batch_and_keeps_it() -> None:
    metric = TercetMetric("METEOR")
    metric.update(*REST)

    batch = metric(*FIRST)

    whole = metric.compute()
    assert batch["METEOR"] == 1
    assert float(whole["METEOR"]) == MEANT


def test_states_merge() -> None:
    one = TercetMetric("METEOR")
    one.update(*FIRST)
    other = TercetMetric("METEOR")
    other.update(*REST)

    one.merge_state(other)

    found = one.compute()
    assert float(found["METEOR"]) == MEANT


def test_captions_and_references_must_be_as_many() -> None:
    metric = TercetMetric("METEOR")

    with pytest.raises(ValueError, match="3 captions, but references of 1"):
        metric.update(CANDIDATES, REFERENCES[:1])


def test_two_processes_of_which_one_is_empty_agree() -> None:
    port = str(free_port())
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "PYTHONPATH": str(ROOT)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", PROCESS, str(rank), port],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    printed = [each.communicate(timeout=PATIENCE)[0] for each in processes]

    for line in printed:
        assert float(line) == MEANT
