"""Metrics that are programs, with real ones."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from tercet.metrics import Limits, MetricFailed, TextMetric, command, score
from tests.metrics.outside.own_metrics import overlap
from tests.metrics.outside.programs import logged, program
from tests.support.folders import ROOT

CAPTIONS: dict[str, Any] = {
    "references": [["a dog runs", "a dog"], ["two cats", "cats sleep on a bed"]] * 5,
    "candidates": [f"a dog and {number} cats" for number in range(10)],
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for kept scores."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TERCET_CACHE", str(folder))
    return folder


def scores_by(metric: TextMetric) -> list[float]:
    made: list[float] = (
        score(**CAPTIONS, metrics=[metric]).captions[metric.name].tolist()
    )
    return made


def message(words: list[str], **given: Any) -> str:
    """Return the message of a program that fails: one line."""
    with pytest.raises(MetricFailed) as raised:
        scores_by(command(words, **given))

    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("combine", ["mean", "max", "set", "none"])
def test_a_program_scores_as_the_same_function_does(
    combine: str, tmp_path: Path
) -> None:
    own = command(program(tmp_path, f"ABOUT['combine'] = '{combine}'\n{_SIZES}"))
    made = scores_by(own)

    sizes = [len(each) for each in CAPTIONS["references"]]
    told = {"mean": 1.0, "max": 1.0, "set": 2.0, "none": 0.0}
    assert made == [told[combine]] * len(sizes)


_SIZES = "def score(item): return len(item.get('references', []))"


def test_a_program_has_equal_bytes_of_scores_as_a_function(tmp_path: Path) -> None:
    own = command(program(tmp_path))

    assert own.name == "overlap"
    assert scores_by(own) == scores_by(overlap)


def test_what_a_program_declares_is_that_of_the_metric(tmp_path: Path) -> None:
    declared = (
        "ABOUT.update(bounds=[0, 1], trained_on=['coco'], higher_is_better=False)"
    )
    own = command(program(tmp_path, declared))

    assert own.bounds == (0, 1)
    assert own.trained_on == ("coco",)
    assert own.sign == -1
    assert "mine.py" in own.signature


def test_two_batches_are_under_way_at_most(tmp_path: Path) -> None:
    """The program reads what is there, after a while, and logs how many lines that is."""
    changes = (
        "import select, threading, queue\n"
        "lines = queue.Queue()\n"
        "def read(stream=sys.stdin):\n"
        "    for line in iter(stream.readline, ''): lines.put(line)\n"
        "class Slow:\n"
        "    def __iter__(self):\n"
        "        while True:\n"
        "            line = lines.get()\n"
        "            time.sleep(0.02)\n"
        "            log(str(lines.qsize()))\n"
        "            yield line\n"
        "threading.Thread(target=read, daemon=True).start()\n"
        "sys.stdin = Slow()"
    )
    words = program(tmp_path, changes)
    scores_by(command(words))

    assert set(logged(words)) <= {"0", "1"}


def test_a_second_run_makes_no_call(tmp_path: Path) -> None:
    words = program(
        tmp_path, "def answer(asked, own=answer): log('x'); return own(asked)"
    )
    first = scores_by(command(words))
    calls = len(logged(words))

    assert scores_by(command(words)) == first
    assert len(logged(words)) == calls > 0
    assert scores_by(command(words, cache=False)) == first
    assert len(logged(words)) == 2 * calls


@pytest.mark.parametrize("change", ["'2'", "'1'; ABOUT['combine'] = 'max'", "''"])
def test_another_version_is_scored_anew(change: str, tmp_path: Path) -> None:
    counted = "def answer(asked, own=answer): log('x'); return own(asked)\n"
    words = program(tmp_path, counted)
    scores_by(command(words))
    before = len(logged(words))

    program(tmp_path, f"{counted}ABOUT['version'] = {change}")
    scores_by(command(words))
    assert len(logged(words)) == 2 * before


def test_without_a_version_scores_are_kept_for_one_run(tmp_path: Path) -> None:
    counted = "def answer(asked, own=answer): log('x'); return own(asked)\n"
    words = program(tmp_path, f"{counted}del ABOUT['version']")
    own = command(words)
    scores_by(own)
    calls = len(logged(words))

    scores_by(own)
    assert len(logged(words)) == calls
    assert "version:undeclared" in own.signature

    scores_by(command(words))
    assert len(logged(words)) == 2 * calls


def test_scores_are_the_same_after_crashes(tmp_path: Path) -> None:
    crashing = (
        "def answer(asked, own=answer):\n"
        "    log('x')\n"
        "    if len(logged()) % 3 == 0: sys.exit(1)\n"
        "    return own(asked)"
    )
    assert scores_by(command(program(tmp_path, crashing))) == scores_by(overlap)


def test_a_batch_that_is_too_large_is_halved(tmp_path: Path) -> None:
    changes = (
        "def answer(asked, own=answer):\n"
        "    log(str(len(asked['items'])))\n"
        "    if len(asked['items']) > 2: return dict(id=asked['id'], error='too large')\n"
        "    return own(asked)"
    )
    words = program(tmp_path, changes)

    assert scores_by(command(words)) == scores_by(overlap)
    assert logged(words)[:4] == ["4", "4", "4", "4"]
    assert logged(words).count("2") > 1


def test_a_batch_that_takes_too_long_is_halved_at_once(tmp_path: Path) -> None:
    changes = (
        "def answer(asked):\n    log(str(len(asked['items'])))\n    time.sleep(60)"
    )
    words = program(tmp_path, changes)
    said = message(words, limits=Limits(batch_seconds=2))

    assert logged(words) == ["4", "2", "1", "1", "1"]
    assert "candidate 'a dog and 0 cats'" in said


@pytest.mark.parametrize(
    "death",
    [
        "raise ZeroDivisionError('by nothing')",
        "return dict(id=asked['id'], error='Traceback\\nZeroDivisionError: by nothing')",
    ],
)
def test_an_item_that_cannot_be_scored_ends_the_run_with_its_text(
    death: str, tmp_path: Path
) -> None:
    changes = (
        "def answer(asked, own=answer):\n"
        "    numbers = [item['candidate'].split()[-2] for item in asked['items']]\n"
        "    log(','.join(numbers))\n"
        "    if '7' in numbers:\n"
        f"        {death}\n"
        "    return own(asked)"
    )
    words = program(tmp_path, changes)
    said = message(words)

    assert "metric overlap: candidate 'a dog and 7 cats', reference 'two cats'" in said
    assert "ZeroDivisionError: by nothing" in said
    assert "run again: scores so far are kept" in said
    assert logged(words)[-3:] == ["7", "7", "7"]

    program(tmp_path, changes.replace("'7'", "'none'"))
    before = len(logged(words))
    assert scores_by(command(words)) == scores_by(overlap)
    assert logged(words)[before].startswith("7")


ANSWERS = {
    "'Loading the model'": "answered 'Loading the model', which is no JSON object",
    "[0.5]": "which is no JSON object",
    "dict(id=0, scores=[0.5])": "4 comparisons: return one for each",
    "dict(id=0, scores=['0.5'] * 4)": "'0.5' is no score: return a finite number",
    "dict(id=0, scores=[True, 0.5, 0.5, 0.5])": "'True' is no score",
    "dict(id=0, scores=[float('nan')] * 4)": "'nan' is no score",
    "dict(id=0, scores=None)": "scores for 4 comparisons",
    "dict(id=77, scores=[1] * 4)": "id 77 is unknown",
    "dict(id='0', scores=[1] * 4)": "id '0' is unknown",
    "dict(id=1, scores=[1] * 4)": "id 1 comes before 0",
    "dict(id=0)": 'must have "scores" or "error"',
    "dict(id=0, scores=[1] * 4) if asked['id'] == 0 else dict(id=0, scores=[1] * 4)": (
        "id 0 is repeated or late: answer each question once"
    ),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_is_refused_in_a_line(
    answer: str, tmp_path: Path
) -> None:
    said = message(program(tmp_path, f"def answer(asked): return {answer}"))

    assert said.startswith("metric overlap: candidate 'a dog and ")
    assert ANSWERS[answer] in said


ABOUTS = {
    "ABOUT = 'ready'": "which is no JSON object: print everything else to standard error",
    "ABOUT['tercet'] = 2": '"tercet": 1',
    "del ABOUT['name']": 'must have the "name" of the metric',
    "ABOUT['name'] = 'a|b'": "the name 'a|b' cannot be used",
    "ABOUT['speed'] = 3": "'speed' cannot be declared: the names are name, combine",
    "ABOUT['version'] = 3": "version must be text, not 3",
    "ABOUT['ordered'] = 'no'": "ordered must be true or false, not 'no'",
    "ABOUT['batch'] = True": "batch must be a whole number, not True",
    "ABOUT['batch'] = 0": "batch must be a whole number from 1",
    "ABOUT['needs'] = [1]": "needs must be a list of texts",
    "ABOUT['bounds'] = [1, 0]": "bounds must be two numbers, the lower first",
    "ABOUT['combine'] = 'sum'": "combine must be one of mean, max, set, none",
    "ABOUT['weights_sha256'] = 'abc'": "weights_sha256 must be 64 hexadecimal digits",
    "sys.exit('no model')": "ended with status 1 (no model) before its first answer",
}


@pytest.mark.parametrize("about", ABOUTS)
def test_what_is_no_metric_is_refused_in_a_line(about: str, tmp_path: Path) -> None:
    said = message(program(tmp_path, about))

    assert said.startswith("command ")
    assert "mine.py" in said
    assert ABOUTS[about] in said


@pytest.mark.parametrize("key", ["name", "version"])
def test_another_metric_after_a_restart_is_refused(key: str, tmp_path: Path) -> None:
    changes = (
        f"ABOUT['{key}'] = 'n' + str(len(logged()))\n"
        "def answer(asked): log('x'); sys.exit(1)"
    )
    said = message(program(tmp_path, changes))

    assert f"its {key} is 'n1' after a restart and was 'n0'" in said


def test_a_program_that_cannot_be_started_is_named() -> None:
    said = message(["no-such-program", "x y"])
    assert "command no-such-program 'x y': it cannot be started (No such file" in said


def test_a_command_is_a_list_of_words() -> None:
    with pytest.raises(TypeError, match="give a list of words"):
        command("python my.py")


def test_half_a_line_is_no_answer(tmp_path: Path) -> None:
    changes = (
        "def answer(asked):\n    print('{\"id\"', end='', flush=True)\n    sys.exit(0)"
    )
    said = message(program(tmp_path, f"ABOUT['batch'] = 1\n{changes}"))
    assert "the program ended with status 0 in the middle of a line" in said


def test_limits_hold(tmp_path: Path) -> None:
    slow = program(tmp_path, "time.sleep(60)")
    said = message(slow, limits=Limits(start_seconds=0.2))
    assert "gave no answer in 0.2 s before its first answer" in said

    hung = program(tmp_path, "ABOUT['batch'] = 1\ndef answer(asked): time.sleep(60)")
    said = message(hung, limits=Limits(batch_seconds=0.2))
    assert "candidate 'a dog and 0 cats'" in said
    assert "gave no answer in 0.2 s: repair" in said

    long = program(tmp_path, "def answer(asked): return 'x' * 100_000")
    said = message(long, limits=Limits(line_bytes=1_000))
    assert "a line of more than 1,000 bytes: declare a smaller batch" in said


def test_a_question_longer_than_what_a_pipe_holds_is_no_deadlock(
    tmp_path: Path,
) -> None:
    """The program writes much before it reads on."""
    changes = (
        "def answer(asked, own=answer):\n"
        "    return json.dumps(own(asked)) + ' ' * 1_000_000"
    )
    own = command(program(tmp_path, changes))
    long = ["a " * 200_000 + str(number) for number in range(20)]

    assert own.compare(long, ["a"] * 20) == [0.5] * 20


def test_a_file_that_keeps_no_scores_is_named(tmp_path: Path, cache: Path) -> None:
    cache.mkdir()
    kept = cache / "commands.sqlite"
    kept.write_bytes(b"no database" * 1_000)
    said = message(program(tmp_path))
    assert f"metric overlap: {kept} cannot be used to keep scores" in said
    assert "delete it, or set TERCET_CACHE to another folder" in said

    kept.unlink()
    with sqlite3.connect(kept) as other:
        other.execute("CREATE TABLE scores (key, score)")
    other.close()
    assert "it was made by another program" in message(program(tmp_path))


def test_kept_scores_that_are_damaged_are_named(tmp_path: Path, cache: Path) -> None:
    own = command(program(tmp_path))
    scores_by(own)
    del own
    kept = cache / "commands.sqlite"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))

    assert "cannot be used to keep scores" in message(program(tmp_path))


def test_what_goes_to_standard_error_is_in_a_log_of_limited_size(
    tmp_path: Path, cache: Path
) -> None:
    changes = (
        "def answer(asked, own=answer):\n"
        "    sys.stderr.write('loading\\n' * 500_000)\n"
        "    return own(asked)"
    )
    scores_by(command(program(tmp_path, changes)))

    [log] = cache.glob("command-*.log")
    assert log.read_text().startswith("loading")
    assert log.stat().st_size <= 10_000_000


def test_an_image_is_given_as_a_path_and_counts_by_its_content(tmp_path: Path) -> None:
    changes = (
        "ABOUT.update(needs=['image'], combine='none')\n"
        "def score(item): log('x'); return len(open(item['image']).read())"
    )
    words = program(tmp_path, changes)
    file = tmp_path / "1.png"

    def scored() -> float:
        given = {"references": [["a"]], "candidates": ["a"], "files": [file]}
        made = score(**given, metrics=[command(words)])  # type: ignore[arg-type]
        return made.corpus["overlap"]

    file.write_text("one")
    assert [scored(), scored()] == [3, 3]
    file.write_text("three")
    assert scored() == 5


RUN = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tercet.metrics import command
own = command(sys.argv[1:])
print(own.compare([f"a dog {{number}}" for number in range(400)], ["a dog"] * 400))
"""


def test_scores_are_the_same_after_kills_at_random_moments(tmp_path: Path) -> None:
    slow = "def answer(asked, own=answer): time.sleep(0.002); return own(asked)"
    words = program(tmp_path, f"log(str(os.getpid()))\n{slow}")
    generator = np.random.default_rng(28)
    own = command(words)
    finished = Event()

    def kill() -> None:
        for pause in generator.uniform(0.05, 0.3, 12):
            while not (logged(words) or finished.wait(0.01)):
                continue
            finished.wait(pause)
            with suppress(ProcessLookupError):  # while it starts again
                os.kill(int(logged(words)[-1]), signal.SIGKILL)

    killing = Thread(target=kill)
    killing.start()
    candidates = [f"a dog {number}" for number in range(6_000)]
    made = own.compare(candidates, ["a dog"] * len(candidates))
    finished.set()
    killing.join()

    assert len(logged(words)) > 1
    assert made == [2 / 3] * len(candidates)


def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    slow = (
        "def answer(asked, own=answer):\n"
        "    time.sleep(0.02)\n"
        "    log(str(len(asked['items'])))\n"
        "    return own(asked)"
    )
    words = program(tmp_path, slow)
    run = [sys.executable, "-c", RUN, *words]

    with subprocess.Popen(run, stdout=subprocess.DEVNULL) as process:
        while len(logged(words)) < 20:
            time.sleep(0.01)
        process.kill()
    after = subprocess.run(run, capture_output=True, check=True).stdout

    assert after.decode().strip() == str([2 / 3] * 400)
    assert (
        400 <= sum(map(int, logged(words))) <= 412
    )  # what was under way is asked again


def test_no_process_is_left(tmp_path: Path) -> None:
    """Neither the program nor what it has started."""
    changes = (
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "log(f'{os.getpid()} {child.pid}')"
    )
    words = program(tmp_path, changes)
    subprocess.run([sys.executable, "-c", RUN, *words], check=True, capture_output=True)

    for pid in logged(words):
        state = ["ps", "-o", "stat=", "-p", pid]
        left = subprocess.run(state, capture_output=True, text=True, check=False).stdout
        assert left.strip()[:1] in (
            "",
            "Z",
        )  # a zombie waits for the init of a container
