"""`python -m benchmarks.voting`: many people judge at once, through the site's own pages.

200 annotators come one after the other within 10 seconds; then, for 20 seconds, each votes every
0.66 seconds: it sends its vote and is given its next question in one request, as the judging page
does. The study has 200,000 questions, of which 90 % are done.

`--saturate` lets 24 annotators vote without a pause, so that the machine decides how many votes a
second there are. Processor time per vote is printed for site, database and clients apart.

The database is the one of DATABASE_URL, or a new SQLite file; it is filled, so use an empty one.
On a PostgreSQL of its own: `python -m tests.postgresql python -m benchmarks.voting`.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from itertools import repeat
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.processor import parent_of, processor_seconds

PORT = 8765
ARRIVAL = 10
REFERENCES = 50
DONE = 0.9
PAST_PEOPLE = 1_000
VOTES = 3
SATURATING = 24
"""Annotators who vote without a pause keep every process of the site busy."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int)
    parser.add_argument("--triplets", type=int, default=200_000)
    parser.add_argument(
        "--every", type=float, default=0.66, help="seconds between a person's votes"
    )
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--saturate", action="store_true", help="vote without a pause")
    options = parser.parse_args()
    if options.saturate:
        options.every = 0.0
    if options.annotators is None:
        options.annotators = SATURATING if options.saturate else 200

    with TemporaryDirectory() as folder:
        os.environ["DATA_DIR"] = folder
        os.environ["READING_SPEED"] = "1000000"  # nobody is refused as too fast
        os.environ.setdefault(
            "SECRET_KEY", "a-key-of-a-benchmark-that-signs-nothing-of-value"
        )
        os.environ["DJANGO_SETTINGS_MODULE"] = "tercet.config.settings"
        run(options)


def run(options: argparse.Namespace) -> None:
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    from benchmarks.crowd import check, filled_study, people_of

    began = time.perf_counter()
    study = filled_study(options.triplets, REFERENCES, DONE, PAST_PEOPLE, VOTES)
    people = people_of(study, options.annotators)
    print(
        f"{connection.vendor}: {options.triplets:,} triplets, {DONE:.0%} done, "
        f"made in {time.perf_counter() - began:.0f} s"
    )
    processes = {"clients": os.getpid()}
    if connection.vendor == "postgresql":
        processes["database"] = server_process()
    connection.close()

    site = serve()
    try:
        crowd = Crowd(
            f"/studies/{study.name}/sync/",
            people,
            options.every,
            options.seconds,
            processes | {"site": site.pid},
        )
        asyncio.run(crowd.judge())
    finally:
        site.terminate()
        site.wait()
    crowd.report()
    check(study, crowd.confirmed)


def server_process() -> int:
    """Return the process of the PostgreSQL server that started all its others."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    return parent_of(backend)


def serve() -> "subprocess.Popen[bytes]":
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "tercet.config.wsgi",
        "--bind",
        f"127.0.0.1:{PORT}",
    ]
    site = subprocess.Popen(
        [*command, "--workers", "4", "--threads", "2", "--log-level", "error"]
    )
    time.sleep(8)  # each worker loads the whole site before it answers
    return site


@dataclass
class Crowd:
    """Annotators at their pages: the cookie of each, and what they saw."""

    path: str
    people: list[str]
    every: float
    seconds: float
    processes: dict[str, int]
    latencies: list[float] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    processor: dict[str, float] = field(default_factory=dict)

    async def judge(self) -> None:
        began = time.perf_counter() + ARRIVAL
        delays = np.linspace(0, ARRIVAL, len(self.people))
        await asyncio.gather(
            self.measure(), *map(self.one, self.people, delays, repeat(began))
        )

    async def measure(self) -> None:
        """Note the processor time of each side while the votes are counted."""
        await asyncio.sleep(ARRIVAL)
        before = self.processor_times()
        await asyncio.sleep(self.seconds)

        for side, after in self.processor_times().items():
            self.processor[side] = after - before[side]

    def processor_times(self) -> dict[str, float]:
        """Return the seconds of each side; the clients started the site, which is not theirs."""
        times = {
            side: processor_seconds(process) for side, process in self.processes.items()
        }
        times["clients"] -= times["site"]
        return times

    async def one(self, cookie: str, delay: float, began: float) -> None:
        chance = random.Random(cookie)
        await asyncio.sleep(delay)
        reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        held = (await self.send(reader, writer, cookie, [], []))["questions"]
        await asyncio.sleep(chance.random() * self.every)
        while time.perf_counter() - began < self.seconds and held:
            asked = time.perf_counter()
            side = chance.choice(["left", "right"])
            question, *held = held
            deed = {"do": "vote", "key": question["key"], "side": side, "active": 1.0}
            answer = await self.send(reader, writer, cookie, [deed], held)
            if asked > began:
                self.latencies.append(time.perf_counter() - asked)
            if answer["taken"] == ["saved"]:
                self.confirmed.append(question["key"])
            known = {
                each["key"]: each for each in [*held, *answer.get("questions", [])]
            }
            held = [known[key] for key in answer.get("order", [])]
            await asyncio.sleep(max(0.0, asked + self.every - time.perf_counter()))
        writer.close()

    async def send(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        cookie: str,
        deeds: list[dict[str, object]],
        held: list[dict[str, str]],
    ) -> dict[str, Any]:
        body = json.dumps(
            {"deeds": deeds, "holding": [each["key"] for each in held]}
        ).encode()
        writer.write(
            f"POST {self.path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        status = await reader.readline()
        length = 0
        while (line := await reader.readline()) not in {b"\r\n", b""}:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        text = await reader.readexactly(length)
        if b" 200 " not in status:
            raise RuntimeError(f"{status!r}: {text[:200]!r}")
        told: dict[str, Any] = json.loads(text)
        return told

    def report(self) -> None:
        p50, p95, p99 = np.percentile(np.array(self.latencies) * 1000, [50, 95, 99])
        votes = len(self.latencies)
        print(
            f"{len(self.people)} annotators: {votes:,} votes, {votes / self.seconds:.0f} a second"
        )
        print(
            f"vote and next question: median {p50:.0f} ms, 95 % within {p95:.0f} ms, "
            f"99 % within {p99:.0f} ms"
        )
        per_vote = [
            f"{side} {1000 * seconds / votes:.2f} ms"
            for side, seconds in self.processor.items()
        ]
        print(f"processor time per vote: {', '.join(per_vote)}")


if __name__ == "__main__":
    main()
