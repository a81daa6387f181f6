"""`python -m benchmarks.chaos`: people vote while everything around them fails.

Web processes are killed and paused, the site is killed and restarted, its clock is stepped, its
disk is full (files may not grow), clients send a body a byte at a time, every third message is
sent twice, and each that fails is sent again; on PostgreSQL, sessions of the database server are
killed, too, from which it recovers.
At the end everything is counted again: confirmed votes that are lost, people with two votes on a
question, votes that count beyond what a question needs, and counters that are not what votes and
leases say. All of it happens on a new SQLite file and then on a PostgreSQL of its own, and ends
by itself; servers listen on the loopback address only.
"""

import argparse
import http.client
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.restarts import Crowd, start, stop, wait_for_votes
from benchmarks.slow_clients import SlowClients

if TYPE_CHECKING:
    from tercet.annotation.models import Study

PAUSE = 1.0
"""Seconds that a process is paused, or the disk full."""
STEPS = (-3600, -30, 0, 30, 3600)
"""Seconds by which the clock is wrong."""
LEASE_SECONDS = 5
PROCESSES = 2
SLOW_CLIENTS = 8
"""Clients for each process that send slowly at once: a process has four threads."""
SESSIONS = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="on each")
    parser.add_argument("--annotators", type=int, default=20)
    parser.add_argument("--triplets", type=int, default=20_000)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()

    if options.here:
        sys.exit(run_here(options))
    sys.exit(run_on_both(sys.argv[1:]))


def run_on_both(arguments: list[str]) -> int:
    """Run on a new SQLite file, and on a PostgreSQL server that is started for it."""
    chaos = [sys.executable, "-m", "benchmarks.chaos", "--here", *arguments]
    environment = {
        name: value for name, value in os.environ.items() if name != "DATABASE_URL"
    }
    server = [sys.executable, "-m", "tests.postgresql"]

    codes = [
        subprocess.run(command, env=environment, check=False).returncode
        for command in (chaos, server + chaos)
    ]
    return max(codes)


def run_here(options: argparse.Namespace) -> int:
    """Run on the database of DATABASE_URL, which is filled."""
    with TemporaryDirectory() as folder:
        Path(folder, "static").mkdir()
        os.environ |= {
            "DATA_DIR": folder,
            "SECRET_KEY": "a-key-of-a-benchmark-that-signs-nothing-of-value",
            "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        }
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0)
        from benchmarks.crowd import filled_study, people_of
        from tercet.annotation.judging.quotas import recount as set_counters

        study = filled_study(options.triplets, 50, 0.5, 100, votes=3)
        set_counters(study.questions.all())
        cookies = people_of(study, options.annotators)
        connection.close()

        crowd = StubbornCrowd(f"/studies/{study.name}/sync/", cookies)
        chaos = Chaos(crowd, Path(folder), os.environ)
        chaos.run(chaos.all_faults(), time.monotonic() + options.seconds)

        print(f"{connection.vendor}: {dict(chaos.done)}")
        statuses = [status for status in crowd.outcomes if status.isdigit()]
        answers = {status: crowd.outcomes[status] for status in statuses}
        print(f"answers: {answers}, sent twice: {crowd.sent_twice}")
        connection.close()
        count = recount(study, crowd)
        print(count)
        return int(not count.is_sound)


@dataclass
class StubbornCrowd(Crowd):
    """Annotators who send each message until it is answered, and some of them twice."""

    answer: Mapping[str, str] = field(default_factory=lambda: {"side": "left"})
    sent_twice: int = 0

    def _send(
        self, site: http.client.HTTPConnection, cookie: str, held: list[str]
    ) -> list[str]:
        """Send a vote, if there is a question, and return the questions held now."""
        answer = self._ask(site, cookie, held)
        if held and random.random() < 1 / 3:
            self.sent_twice += 1
            answer = self._ask(site, cookie, held)

        if answer["taken"] == ["saved"]:
            self.confirmed.append(held[0])
        if not answer.get("order"):
            time.sleep(0.1)
        return list(answer.get("order", []))

    def _ask(
        self, site: http.client.HTTPConnection, cookie: str, held: list[str]
    ) -> dict[str, Any]:
        vote = {"do": "vote", "active": 1.0, **self.answer}
        deeds = [vote | {"key": key} for key in held[:1]]
        body = json.dumps({"deeds": deeds, "holding": held[1:]})
        headers = {"Host": "localhost", "Cookie": cookie}
        headers["Content-Type"] = "application/json"

        site.request("POST", self.path, body, headers)
        answer = site.getresponse()
        text = answer.read()
        self.outcomes[str(answer.status)] += 1
        if answer.status != 200:
            time.sleep(0.2)
            raise ValueError(f"status {answer.status}")
        parsed: dict[str, Any] = json.loads(text)
        return parsed


@dataclass
class Chaos:
    """A site that people use, and what is done to it."""

    crowd: Crowd
    folder: Path
    environment: Mapping[str, str]
    done: Counter[str] = field(default_factory=Counter)

    def run(self, faults: list[Callable[[], None]], end: float) -> None:
        """Commit all faults at least once, by turns until `end`, while people vote."""
        self.clock = self.folder / "clock"
        self._step_clock_to(0)

        with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
            self.listener = listener
            self._start_site()
            try:
                with self.crowd.voting(listener.getsockname()[1]):
                    for number, fault in enumerate(cycle(faults)):
                        wait_for_votes(self.crowd, len(self.crowd.cookies))
                        if number >= len(faults) and time.monotonic() > end:
                            break
                        self._commit(fault)
            finally:
                stop(self.site)

    def _commit(self, fault: Callable[[], None]) -> None:
        try:
            fault()
        except PermissionError:  # the database belongs to another user
            self.done[f"{fault.__name__}: not permitted"] += 1
        else:
            self.done[fault.__name__] += 1

    def all_faults(self) -> list[Callable[[], None]]:
        """What can be done on this database, which belongs to nobody else."""
        from django.db import connection

        faults = [*self.faults(), self.fill_disk]
        if connection.vendor == "postgresql":
            faults.append(self.kill_database_session)
        return faults

    def faults(self) -> list[Callable[[], None]]:
        """What can be done on every database."""
        return [
            self.kill_process,
            self.pause_process,
            self.step_clock,
            self.kill_site,
            self.restart_site,
            self.send_slowly,
        ]

    def kill_process(self) -> None:
        """Kill one process of the site; another one takes its place."""
        _send_signal(self._process(), signal.SIGKILL)

    def pause_process(self) -> None:
        """Stop one process in the middle of whatever it does, and let it go on."""
        process = self._process()
        _send_signal(process, signal.SIGSTOP)
        time.sleep(PAUSE)
        _send_signal(process, signal.SIGCONT)

    def step_clock(self) -> None:
        """Set the clock of the site forward or back."""
        self._step_clock_to(random.choice(STEPS))

    def kill_site(self) -> None:
        """Kill the whole site at once, and start it again."""
        for process in [*children(self.site.pid), self.site.pid]:
            _send_signal(process, signal.SIGKILL)
        self.site.wait()
        self._start_site()

    def restart_site(self) -> None:
        """Restart the site as an administrator does."""
        stop(self.site)
        self._start_site()

    def send_slowly(self) -> None:
        """Send bodies a byte every few seconds over more connections than there are threads.

        People must be able to vote meanwhile.
        """
        attack = SlowClients(
            self.listener.getsockname()[1], count=SLOW_CLIENTS * PROCESSES
        )
        with attack.sending():
            wait_for_votes(self.crowd, 2 * len(self.crowd.cookies))

    def fill_disk(self) -> None:
        """Let no file of the database grow, for a moment."""
        processes = self._database_processes()
        for process in processes:
            _limit_files(process, 4_096)
        time.sleep(PAUSE)
        for process in processes:
            _limit_files(process, resource.RLIM_INFINITY)

    def kill_database_session(self) -> None:
        """Kill a process of the PostgreSQL server, which then recovers from its log."""
        sessions = self._database_processes()
        if sessions:
            _send_signal(random.choice(sessions), signal.SIGKILL)

    def _start_site(self) -> None:
        own = {
            "WEB_CONCURRENCY": str(PROCESSES),
            "LEASE_SECONDS": str(LEASE_SECONDS),
            "READING_SPEED": "1000000",  # nobody is refused as too fast
            "CHAOS_CLOCK": str(self.clock),
        }
        self.site = start(
            self.listener,
            {**self.environment, **own},
            "benchmarks.chaos_site",
            subprocess.DEVNULL,
        )

    def _step_clock_to(self, seconds: float) -> None:
        new = self.clock.with_suffix(".new")
        new.write_text(str(seconds))
        new.replace(self.clock)

    def _process(self) -> int:
        """One process of the site."""
        while not (processes := children(self.site.pid)):
            time.sleep(0.05)
        return random.choice(processes)

    def _database_processes(self) -> list[int]:
        """The processes that write the database: SQLite is within the site."""
        from django.db import DatabaseError, connection

        if connection.vendor == "sqlite":
            return children(self.site.pid)

        connection.close()  # it does not outlive a recovery
        try:
            with connection.cursor() as cursor:
                cursor.execute(SESSIONS)
                return [process for (process,) in cursor.fetchall()]
        except DatabaseError:
            return []


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(number) for number in listed.read_text().split()]


def _send_signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def _limit_files(process: int, size: int) -> None:
    """Limit the size of the files that a process may write."""
    with suppress(ProcessLookupError):
        _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, hard))


@dataclass(frozen=True)
class Recount:
    """What is wrong with the votes of a study after everything."""

    confirmed: int
    lost: int
    doubled: int
    surplus: int
    miscounted: int

    @property
    def is_sound(self) -> bool:
        return not (self.lost or self.doubled or self.surplus or self.miscounted)

    def __str__(self) -> str:
        counters = (
            f"{self.miscounted} counters differ from a recount"
            if self.miscounted
            else "counters equal to a recount"
        )
        return (
            f"{self.confirmed:,} votes confirmed: {self.lost} lost, {self.doubled} doubled, "
            f"{self.surplus} surplus counted, {counters}"
        )


def recount(study: "Study", crowd: Crowd) -> Recount:
    """Count everything again."""
    from django.db.models import Count, F, Q

    from tercet.annotation.judging.quotas import miscounted
    from tercet.annotation.models import Answer

    confirmed = set(crowd.confirmed)
    votes = Answer.objects.filter(question__study=study)
    stored = {str(key) for key in votes.values_list("key", flat=True)}

    counted = votes.counted()
    twice = (
        counted.exclude(annotator=None)
        .values("question", "annotator")
        .annotate(votes=Count("pk"))
        .filter(votes__gt=1)
    )
    is_counted = Q(all_answers__status="valid", all_answers__purpose="study")
    too_many = study.questions.annotate(
        counted=Count("all_answers", filter=is_counted)
    ).filter(counted__gt=F("needed"))

    return Recount(
        len(confirmed),
        len(confirmed - stored),
        twice.count(),
        too_many.count(),
        miscounted(study.questions.all()),
    )


if __name__ == "__main__":
    main()
