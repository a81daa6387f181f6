"""A program that answers in lines; it has its own process group, and none of it is left behind."""

import os
import signal
import subprocess
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from select import POLLIN, POLLOUT, poll
from threading import Thread
from time import monotonic
from typing import IO

_LOG_BYTES = 10_000_000
_TAIL_BYTES = 4_096
_PART_BYTES = 1 << 16
_ENDING_SECONDS = 5.0
"""How long a program has to end once its input has ended."""
_SHOWN = 200
"""Characters of a message of a program that are shown."""


class Stopped(RuntimeError):
    """A program ended, or gave no answer in time."""


class NoAnswer(Stopped):
    """A program gave no answer in time."""


class Program:
    """A program that is given lines, and answers in lines.

    Parameters
    ----------
    words : sequence of str
        The program and its arguments; no shell is involved.
    log : Path
        The file that keeps its standard error, of at most 10 MB: it begins anew when it is full.
    line_bytes : int
        The longest line that it may answer.
    environment : sequence of str, optional
        The names of the variables that it is given; without it, all of them.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(
        self,
        words: Sequence[str],
        log: Path,
        line_bytes: int,
        environment: Sequence[str] | None = None,
    ) -> None:
        given = dict(os.environ)
        if environment is not None:
            given = {name: given[name] for name in environment if name in given}
        self._process = subprocess.Popen(
            words,
            env=given,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._line_bytes = line_bytes
        self._unsent = bytearray()
        self._received = bytearray()
        self._input = _descriptor(self._process.stdin)
        self._output = _descriptor(self._process.stdout)
        os.set_blocking(self._input, False)

        self._log = _Log(log)
        errors = _descriptor(self._process.stderr)
        self._logging = Thread(target=self._log.copy, args=(errors,), daemon=True)
        self._logging.start()
        self._end = weakref.finalize(self, _end, self._process, self._logging)

    def send(self, line: bytes) -> None:
        """Send a line, at the latest when an answer is waited for."""
        self._unsent += line + b"\n"

    def receive(self, seconds: float) -> bytes:
        """Return the next line.

        Raises
        ------
        Stopped
            If the program ends, or answers no line in time; it is killed then.
        ValueError
            If the line is too long.
        """
        deadline = monotonic() + seconds
        searched = 0

        while (end := self._received.find(b"\n", searched)) < 0:
            searched = len(self._received)
            if searched > self._line_bytes:
                raise ValueError(
                    f"the program answered a line of more than {self._line_bytes:,} bytes: "
                    "declare a smaller batch"
                )
            if not self._move(deadline - monotonic()):
                self.kill()
                raise NoAnswer(f"the program gave no answer in {seconds:g} s")

        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def kill(self) -> None:
        """Kill the program and all that it has started."""
        _kill(self._process)
        self.end()

    def end(self) -> None:
        """End the program by the end of its input; kill what does not end."""
        self._end()

    def _move(self, seconds: float) -> bool:
        """Send and receive what can be at once, after a while at most; False if nothing can."""
        waiting = poll()
        waiting.register(self._output, POLLIN)
        if self._unsent:
            waiting.register(self._input, POLLOUT)
        ready = [each for each, _ in waiting.poll(max(seconds, 0) * 1_000)]

        if self._input in ready:
            self._write()
        if self._output in ready:
            part = os.read(self._output, _PART_BYTES)
            if not part:
                raise Stopped(self._ending())
            self._received += part

        return bool(ready)

    def _write(self) -> None:
        try:
            sent = os.write(self._input, self._unsent[:_PART_BYTES])
            del self._unsent[:sent]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # Its output ends, too, and may hold a last answer.
            self._unsent.clear()

    def _ending(self) -> str:
        """Say how the program ended, with the last line of its standard error."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        status = self._process.poll()
        self.kill()

        how = "closed its output" if status is None else f"ended with status {status}"
        if status is not None and status < 0:
            how = f"was killed by {signal.Signals(-status).name}"
        place = " in the middle of a line" if self._received else ""
        last = f" ({self._log.last_line})" if self._log.last_line else ""

        return f"the program {how}{place}{last}"


class _Log:
    """A file for the standard error of a program."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tail = b""

    @property
    def last_line(self) -> str:
        """The last line that is not empty."""
        lines = self._tail.decode(errors="replace").split("\n")
        written = [line.strip() for line in lines if line.strip()]
        return written[-1][:_SHOWN] if written else ""

    def copy(self, descriptor: int) -> None:
        """Copy all that comes; what the disk does not take is left out."""
        with self._path.open("ab", buffering=0) as file:
            while part := os.read(descriptor, _PART_BYTES):
                self._tail = (self._tail + part)[-_TAIL_BYTES:]
                with suppress(OSError):
                    if file.tell() + len(part) > _LOG_BYTES:
                        file.truncate(0)
                    file.write(part)


def _descriptor(stream: IO[bytes] | None) -> int:
    assert stream is not None
    return stream.fileno()


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], logging: Thread) -> None:
    """End the input of a program; then kill what is left of its process group."""
    _close(process.stdin)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING_SECONDS)

    _kill(process)
    process.wait()
    logging.join(1)
    _close(process.stdout)
    _close(process.stderr)


def _close(stream: IO[bytes] | None) -> None:
    if stream:
        stream.close()
