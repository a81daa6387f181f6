"""A walk names the modules that a value enters, and nothing that it does not reach."""

from pathlib import Path

import pytest

from scripts.walks import House, walk

FILES = {
    "tercet/analysis/start.py": """
from tercet.analysis import middle
from tercet.metrics.low import measure

def begin(value, other):
    doubled = middle.double(value)
    measure(doubled)
    middle.unused(other)
    return middle.finish(doubled)
""",
    "tercet/analysis/middle.py": """
def double(number):
    return number + number

def unused(number):
    return number

def finish(number):
    return number
""",
    "tercet/metrics/low.py": """
class Scale:
    def weigh(self, given):
        return given

def measure(given):
    return Scale().weigh(given)
""",
}


@pytest.fixture
def house(tmp_path: Path) -> House:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return House(tmp_path / "tercet")


def test_a_value_is_followed_through_calls_and_assignments(house: House) -> None:
    walked = walk(house, "tercet.analysis.start", "begin", "value", "")
    assert walked.entries == [
        "tercet.analysis.start",
        "tercet.analysis.middle",
        "tercet.metrics.low",
        "tercet.analysis.middle",
    ]
    assert (walked.stations, walked.returns, walked.climbs) == (3, 1, 0)


def test_a_walk_may_stay_in_a_layer(house: House) -> None:
    walked = walk(house, "tercet.analysis.start", "begin", "value", "analysis")
    assert walked.entries == ["tercet.analysis.start", "tercet.analysis.middle"]


def test_what_a_value_does_not_reach_is_no_station(house: House) -> None:
    walked = walk(house, "tercet.analysis.start", "begin", "other", "")
    assert walked.entries == ["tercet.analysis.start", "tercet.analysis.middle"]


def test_a_call_into_a_higher_layer_is_a_climb(house: House, tmp_path: Path) -> None:
    low = tmp_path / "tercet" / "metrics" / "low.py"
    low.write_text(
        "from tercet.analysis.middle import finish\n\n"
        "def measure(given):\n    return finish(given)\n",
        encoding="utf-8",
    )
    climbing = House(tmp_path / "tercet")
    assert walk(climbing, "tercet.metrics.low", "measure", "given", "").climbs == 1


def test_what_lists_can_do_is_no_call_into_the_package(
    house: House, tmp_path: Path
) -> None:
    low = tmp_path / "tercet/metrics/low.py"
    buffer = "class Buffer:\n    def append(self, given):\n        return given\n"
    low.write_text(f"{low.read_text()}\n{buffer}")
    start = tmp_path / "tercet/analysis/other.py"
    start.write_text("def begin(value):\n    [].append(value)\n")

    walked = walk(
        House(tmp_path / "tercet"), "tercet.analysis.other", "begin", "value", ""
    )
    assert walked.entries == ["tercet.analysis.other"]
