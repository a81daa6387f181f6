"""Kernels: compiled, or as Python for the first comparisons of a process, with the same result."""

import os
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given

from tercet.metrics import score
from tercet.metrics.core import jit
from tercet.metrics.core.jit import Kernel, compiles, first_calls, much_work
from tests.metrics.strategies import Set, sets
from tests.support.examples import examples
from tests.support.folders import DEMO

ROOT = DEMO.parent.parent
FIRST = """
import sys
from tercet import score
from tercet.metrics.core import jit

jit._FEW = {few}
for _ in range(2):
    score(references=[["a dog runs"], ["a cat", "the cat sits"]], candidates=["a dog", "cats"])
    print("numba" in sys.modules)
"""


def as_python(self: Kernel[..., object], *arguments: object) -> object:
    with np.errstate(over="ignore"):
        return self.function(*arguments)


def digest(captions: Set) -> str:
    made = score(**captions._asdict(), metrics="all", documents="coco-val2014")
    scores = [each.tobytes() for each in made.captions.values()]
    return sha256(b"".join(scores)).hexdigest()


@examples(25)
@given(sets())
def test_kernels_give_the_same_bytes_uncompiled(captions: Set) -> None:
    compiled = digest(captions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kernel, "__call__", as_python)
        assert digest(captions) == compiled


def test_kernels_give_the_same_bytes_of_sentences_uncompiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = (DEMO / "references.csv").read_text(encoding="utf-8").splitlines()[1:121]
    captions = [line.split(",", 1)[1].split() for line in lines]
    references = [captions[number : number + 4] for number in range(0, 120, 4)]
    given = Set(references, captions[-30:], list(range(30)))

    compiled = digest(given)
    monkeypatch.setattr(Kernel, "__call__", as_python)
    assert digest(given) == compiled


@pytest.mark.parametrize(
    ("few", "imported"),
    [(1_000, ["False", "False"]), (4, ["False", "True"]), (0, ["True", "True"])],
)
def test_the_first_comparisons_of_a_process_compile_nothing(
    few: int, imported: list[str]
) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", FIRST.format(few=few)]
    output = subprocess.check_output(command, env=environment, text=True)
    assert output.split() == imported


def test_what_is_compiled_stays_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_FEW", sys.maxsize)
    kernel = jit.jit(lambda number: number + 1)
    with first_calls(1):
        assert kernel(1) == 2
        assert kernel._compiled is None

    assert kernel(1) == 2
    assert kernel._compiled is not None
    with first_calls(1):
        assert kernel(2) == 3


def test_much_work_is_compiled_among_the_first_comparisons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jit, "_FEW", sys.maxsize)
    with first_calls(1):
        assert not compiles()
        with much_work():
            assert compiles()
        assert not compiles()
