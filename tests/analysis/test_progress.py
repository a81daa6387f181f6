import sys
from io import StringIO

import pytest

from tercet.analysis.progress import ProgressBar


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def work(progress: ProgressBar) -> None:
    for share in (0.0, 0.5, 1.0, 0.0, 0.25, 1.0):
        progress(share, f"Doing {share:.0%}")


def watch(progress: ProgressBar) -> None:
    """Show the bar at once, and every step."""
    progress.bar.delay = 0
    progress.bar.mininterval = 0


def test_no_terminal_sees_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar() as progress:
        watch(progress)
        work(progress)

    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_what_is_being_done_and_keeps_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with ProgressBar() as progress:
        watch(progress)
        work(progress)
        assert "Doing 50%" in terminal.getvalue()

    assert terminal.getvalue().rpartition("\r")[0].rpartition("\r")[2].strip() == ""


def test_the_bar_goes_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    progress = ProgressBar()

    with pytest.raises(KeyError), progress:
        raise KeyError
    assert progress.bar.disable
