"""Where compiled code and data are kept, in processes of their own: they are imported anew."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCORE = """
from tercet.metrics import count_documents, read_documents, score
from tercet.metrics.core import jit
from tercet.metrics.corpora import document_frequencies

jit._FEW = 0
given = {"references": [["a dog runs"], ["cats"]], "candidates": ["a dog", "cats"]}
print(score(**given, metrics="ROUGE-L").captions["ROUGE-L"].tolist())

small = count_documents([["a dog"], ["cats"]])
document_frequencies.unpacked = lambda path: small
print(read_documents("coco-val2014").images)
"""
EXPECTED = "[0.7721518987341772, 1.0]\n2\n"


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """A path below a file, where nobody can make a folder, whatever their rights are."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "folder"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy of the library beside whose files no compiled code can be written."""
    folder = tmp_path / "library"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tercet", folder / "tercet", ignore=ignored)

    for module in (folder / "tercet" / "metrics").rglob("__init__.py"):
        (module.parent / "__pycache__").touch()

    return folder


IN_WORKERS = """
import sys

from joblib import parallel_config

from tercet.analysis import Options, evaluate, load
from tercet.analysis.evaluation import scoring

scoring.COMPARISONS = 256
options = Options(metrics=("ROUGE-L", "length"), draws=1, resamples=20, flips=19)
with parallel_config(n_jobs=2):
    print(evaluate(load(sys.argv[1]), options).metrics)
"""


def run(library: Path, home: Path, script: str = SCORE, **more: str) -> tuple[str, str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
    }
    done = subprocess.run(
        [sys.executable, "-c", script, ROOT / "examples" / "demo"],
        cwd=library,
        env=environment | more,
        capture_output=True,
        text=True,
        check=False,
    )

    return done.stdout, done.stderr


def test_where_nothing_can_be_written_scoring_works_with_one_warning(
    library: Path, nothing: Path
) -> None:
    output, errors = run(library, nothing)
    assert output == EXPECTED
    assert errors.count("Warning: nothing can be kept in") == 1

    assert len(errors.splitlines()) == 1
    assert "Not a directory" in errors
    assert "set TERCET_CACHE to a folder that can be written" in errors


def test_workers_do_not_repeat_that_nothing_can_be_written(
    library: Path, nothing: Path
) -> None:
    # What is to be said about compiled code does not depend on what it is compiled to.
    output, errors = run(library, nothing, IN_WORKERS, NUMBA_DISABLE_JIT="1")
    assert output == "['ROUGE-L', 'length']\n"
    assert errors.count("Warning: nothing can be kept in") == 1


def test_compiled_code_and_data_are_kept_where_the_environment_says(
    library: Path, nothing: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    output, errors = run(library, nothing, TERCET_CACHE=str(cache))

    assert (output, errors) == (EXPECTED, "")
    assert list(cache.glob("compiled/*/*.nbc"))
    assert list(cache.glob("coco-val2014-*.bin"))


KERNEL = """
import names
from tercet.metrics.core.jit import jit

@jit
def area(sides):
    return sides.width * sides.height

print(area(names.current(2, 3)))
"""
NAMES = """
from typing import NamedTuple

class {name}(NamedTuple):
    width: int
    height: int

current = {name}
"""


def test_code_compiled_by_a_version_with_other_names_is_compiled_anew(
    tmp_path: Path,
) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}

    for name in ("Sides", "Lengths"):
        (tmp_path / "names.py").write_text(NAMES.format(name=name))
        command = [sys.executable, "-B", "kernel.py"]
        printed = subprocess.check_output(command, cwd=tmp_path, env=environment)

        assert printed == b"6\n"
