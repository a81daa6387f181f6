"""Metrics of installed packages."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tercet.metrics import names, score
from tercet.metrics.outside import entry_points
from tercet.metrics.registry import built_in_names, resolve

MODULE = """
from tercet import metric

@metric(name="overlap", version="1")
def overlap(candidate, reference):
    said, meant = set(candidate.split()), set(reference.split())
    return len(said & meant) / max(len(said | meant), 1)

def no_metric(candidate, reference):
    return 1.0
"""
CAPTIONS: dict[str, Any] = {
    "references": [["a dog runs"], ["two cats"]],
    "candidates": ["a dog", "cats"],
}


def install(folder: Path, package: str, points: str) -> None:
    """Put a package with entry points into a folder, as an installer leaves it."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(MODULE)
    info = folder / f"{module}-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.5\n"
    )
    (info / "RECORD").write_text(f"{module}.py,,\n{info.name}/METADATA,,\n")
    lines = [f"{line} = {module}:{line}" for line in points.split()]
    text = "\n".join(["[tercet.metrics]", *lines])
    (info / "entry_points.txt").write_text(text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    entry_points.loaded.cache_clear()
    yield tmp_path
    entry_points.loaded.cache_clear()


def test_a_metric_of_a_package_scores_by_its_name(folder: Path) -> None:
    install(folder, "own-overlap", "overlap")

    assert "overlap" in names()
    assert score(**CAPTIONS, metrics="Overlap").corpus["overlap"] == pytest.approx(
        7 / 12
    )


def test_installing_a_package_changes_no_table(folder: Path) -> None:
    before = resolve("all")
    install(folder, "own-overlap", "overlap")

    assert resolve("all") == before == built_in_names()


def test_its_signature_states_package_version_and_digest(folder: Path) -> None:
    install(folder, "own-overlap", "overlap")
    made = entry_points.by_name("overlap")

    assert made is not None
    assert "|origin:own-overlap 2.5, sha256 " in made.signature


def test_two_packages_with_a_metric_of_one_name_are_refused(folder: Path) -> None:
    install(folder, "own-overlap", "overlap")
    install(folder, "other-overlap", "overlap")

    assert names().count("overlap") == 1
    with pytest.raises(ValueError, match="other-overlap and own-overlap have a metric"):
        score(**CAPTIONS, metrics="overlap")


def test_what_is_no_metric_is_refused(folder: Path) -> None:
    install(folder, "own-overlap", "no_metric")

    with pytest.raises(ValueError, match=r"must name what tercet\.metric returned"):
        score(**CAPTIONS, metrics="no_metric")


def test_a_package_that_cannot_be_imported_is_told(folder: Path) -> None:
    install(folder, "own-overlap", "missing")

    with pytest.raises(
        ValueError, match="of the package own-overlap cannot be imported"
    ):
        score(**CAPTIONS, metrics="missing")


def test_the_name_of_a_built_in_metric_stays_its_own(folder: Path) -> None:
    install(folder, "own-overlap", "overlap")
    points = folder / "own_overlap-2.5.dist-info" / "entry_points.txt"
    points.write_text("[tercet.metrics]\nCIDEr = own_overlap:overlap\n")

    assert names().count("CIDEr") == 1
    assert score(**CAPTIONS, metrics="CIDEr").corpus["CIDEr"] > 1


def test_importing_the_package_imports_no_entry_point_and_nothing_heavy() -> None:
    code = (
        "import sys, tercet, tercet.metrics\n"
        "heavy = {'torch', 'evaluate', 'tokenizers', 'onnxruntime', 'pandas', 'scipy'}\n"
        "print(heavy & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
