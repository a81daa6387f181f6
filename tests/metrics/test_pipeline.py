"""The programs of docs/pipeline.md give the same bytes, also when they are killed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tercet.metrics import score
from tests.support.environment import clean_environment
from tests.support.folders import ROOT
from tests.support.network import PATIENCE

PARTS, IMAGES = 6, 20
PAGE = ROOT / "docs" / "pipeline.md"


def images_of(part: int) -> list[tuple[list[str], str]]:
    """Return three references and a candidate for each image of a part."""
    images = []
    for image in range(IMAGES):
        words = ("dog", "cat", "bird")
        references = [f"the {word} number {image % 7} of part {part}" for word in words]
        images.append((references, f"a dog of part {part} beside bird {image % 11}"))
    return images


def make_parts(folder: Path) -> None:
    """Write the programs of the page, and parts for them."""
    programs = re.findall(
        r"^```python[ a-z]*\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    for name, program in zip(("program", "dask_program"), programs, strict=True):
        (folder / f"{name}.py").write_text(program)
    (folder / "parts").mkdir()
    for part in range(PARTS):
        rows = [
            {"references": references, "candidate": candidate}
            for references, candidate in images_of(part)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "parts" / f"{part:02}.jsonl").write_text(text)


def start(folder: Path, name: str = "program") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, f"{name}.py"],
        cwd=folder,
        env=clean_environment(folder / "data"),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def finish(folder: Path) -> dict[str, bytes]:
    """Run the program to its end, and return what it wrote."""
    assert start(folder).wait(PATIENCE) == 0
    results = [*folder.glob("parts/*.csv"), folder / "figures.json"]
    return {path.name: path.read_bytes() for path in results}


def child_of(process: subprocess.Popen[bytes]) -> int:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return int(children.read_text().split()[0])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    make_parts(folder)
    return finish(folder)


def test_parts_give_the_figures_of_one_process(whole: dict[str, bytes]) -> None:
    assert len(whole) == PARTS + 1
    images = [image for part in range(PARTS) for image in images_of(part)]
    references, candidates = zip(*images, strict=True)
    together = score(references=references, candidates=candidates)
    assert json.loads(whole["figures.json"]) == together.corpus


def test_dask_gives_the_same_figures(tmp_path: Path) -> None:
    make_parts(tmp_path)
    finish(tmp_path)
    assert start(tmp_path, "dask_program").wait(PATIENCE) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers in /proc")
@pytest.mark.parametrize(
    ("victim", "phase"),
    [
        ("worker", "01.documents"),
        ("all processes", "05.documents"),
        ("worker", "01.sums"),
        ("all processes", "02.sums"),
    ],
)
def test_what_is_killed_in_a_phase_goes_on_to_the_same_bytes(
    victim: str, phase: str, whole: dict[str, bytes], tmp_path: Path
) -> None:
    make_parts(tmp_path)
    process = start(tmp_path)
    deadline = time.monotonic() + PATIENCE
    while not (tmp_path / "parts" / phase).exists():
        assert time.monotonic() < deadline
        assert process.poll() is None

    if victim == "worker":
        os.kill(child_of(process), signal.SIGKILL)
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(PATIENCE)
    assert finish(tmp_path) == whole
