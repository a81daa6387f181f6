"""What lab adds comes by entry points, and packages of others come in the same way."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NoReturn

import pytest

import tercet.metrics
from tercet.analysis import Options, evaluate, load
from tercet.analysis.findings import choose, definitions, find
from tercet.metrics import left_out, names, resolve, score
from tercet.metrics.core import plug_ins
from tercet.metrics.outside import entry_points
from tests.support.folders import DEMO, ROOT

MODULE = """
from tercet import metric
from tercet.analysis.findings.finding import Content, finding

@metric(name="overlap", version="1")
def overlap(candidate, reference):
    said, meant = set(candidate.split()), set(reference.split())
    return len(said & meant) / max(len(said | meant), 1)

@finding(title="Pairs", source="None", meaning="How many pairs there are.", needs=(), place=85)
def pairs(results):
    return Content(sentence=f"There are {len(results.dataset.pairs)} pairs.")
"""
POINTS = """
[tercet.metrics]
overlap = stranger:overlap
[tercet.findings]
pairs = stranger:pairs
"""


def forget() -> None:
    entry_points.loaded.cache_clear()
    definitions.cache_clear()
    plug_ins.own_entries.cache_clear()
    plug_ins.own_plug_ins.cache_clear()
    sys.modules.pop("stranger", None)


@pytest.fixture
def forgetful() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgetful: None) -> Path:
    """A package with a metric and a finding, as an installer leaves it."""
    (tmp_path / "stranger.py").write_text(MODULE)
    info = tmp_path / "stranger-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: stranger\nVersion: 2.5\n"
    )
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return info


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, forgetful: None) -> None:
    """A copy of the files that is not installed."""

    def find_nothing(name: str) -> NoReturn:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(plug_ins, "distribution", find_nothing)


@pytest.mark.usefixtures("stranger")
def test_a_package_adds_a_metric_and_a_finding_as_lab_does() -> None:
    scores = score(references=[["a dog"]], candidates=["a dog"], metrics="overlap")
    options = Options(metrics=("BLEU-1",), draws=1, resamples=20, flips=19)
    [found] = find(evaluate(load(DEMO), options), ["pairs"])

    assert "overlap" in names()
    assert scores.corpus["overlap"] == 1
    assert found.sentence == "There are 96 pairs."
    order = list(definitions())
    place = order.index("pairs")
    assert order[place - 1 : place + 2] == ["gaming", "pairs", "captions"]


def test_a_finding_that_cannot_be_imported_names_its_package(stranger: Path) -> None:
    points = stranger / "entry_points.txt"
    points.write_text("[tercet.findings]\nmissing = stranger:missing\n")

    with pytest.raises(ValueError, match="missing of the package stranger cannot be"):
        choose(["missing"])


def test_what_is_no_finding_is_refused(stranger: Path) -> None:
    points = stranger / "entry_points.txt"
    points.write_text("[tercet.findings]\noverlap = stranger:overlap\n")

    with pytest.raises(ValueError, match="must name what @finding returned"):
        choose(["overlap"])


def test_a_finding_with_the_name_of_another_is_refused(stranger: Path) -> None:
    module = stranger.parent / "stranger.py"
    module.write_text(MODULE.replace("def pairs", "def table"))
    points = stranger / "entry_points.txt"
    points.write_text("[tercet.findings]\ntable = stranger:table\n")

    with pytest.raises(ValueError, match="two findings have the name table"):
        choose([])


def test_findings_are_in_the_order_of_the_report() -> None:
    order = list(definitions())

    assert order[7:12] == ["systems", "robustness", "gaming", "captions", "humans"]
    assert order[13:17] == ["ranking", "words", "profile", "agreement"]


@pytest.mark.usefixtures("bare")
def test_without_an_installation_an_error_says_how_to_install() -> None:
    with pytest.raises(ValueError, match=r"no finding 'gaming'.* pip install -e \."):
        choose(["gaming"])
    with pytest.raises(ValueError, match=r"unknown metric tuple-F.* pip install -e \."):
        resolve("tuple-F")

    assert left_out()[-1] == plug_ins.NOT_INSTALLED
    assert resolve("cider") == ("CIDEr",)


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("tercet.metrics.tuples", "tercet.lab.tuples"),
        ("tercet.metrics.vectors", "tercet.lab.vectors"),
        ("tercet.metrics.outside.embedding", "tercet.lab.embedding"),
        ("tercet.analysis.distractors", "tercet.lab.robustness"),
    ],
)
def test_former_modules_stay_for_one_version(former: str, now: str) -> None:
    assert import_module(former) is import_module(now)


@pytest.mark.parametrize("name", ["BAGS", "SemanticTuple", "bast", "read_grounding"])
def test_former_names_stay_for_one_version(name: str) -> None:
    assert getattr(tercet.metrics, name)


@pytest.mark.parametrize("module", ["tercet.lab.tuples.bast", "tercet.lab.robustness"])
def test_lab_can_be_imported_first(module: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"import {module}"], cwd=ROOT)
    assert done.returncode == 0


def test_the_former_command_of_distractors_runs() -> None:
    command = [sys.executable, "-m", "tercet.analysis.distractors", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.startswith("usage: ")
