"""`python -m benchmarks.voting`: many people judge at once, through the site's own pages.

200 annotators come one after the other within 10 seconds; then, for 20 seconds, each votes every
0.66 seconds: it sends its vote and is given its next question in one request, as the judging page
does. The study has 200,000 questions, of which 90 % are done.

`--saturate` lets 24 annotators vote without a pause, so that the machine decides how many votes a
second there are. Processor time per vote is printed for site, database and clients apart.

With `--old CHECKOUT`, people vote at an earlier version and at this one in turns, `--rounds` times;
the ratios of the medians are printed.

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
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import psycopg

from benchmarks.processor import parent_of, processor_seconds

HERE = Path(__file__).resolve().parents[1]
PORT = 8765
ARRIVAL = 10
SATURATING = 24
"""Annotators who vote without a pause keep every process of the site busy."""
FILL = """
import json
import sys

import django
from django.core.management import call_command

django.setup()
call_command("migrate", verbosity=0)
from benchmarks.crowd import filled_study, people_of

questions, people = map(int, sys.argv[1:])
study = filled_study(questions, 50, 0.9, 1_000, 3)
print(json.dumps([study.name, people_of(study, people)]))
"""
"""Fills a database: 50 references per pair, 90 % done by 1,000 people, three votes per question."""
CHECK = """
import json
import sys

import django

django.setup()
from benchmarks.crowd import check
from django.apps import apps

studies = apps.get_model("annotation", "Study")
check(studies._default_manager.get(), json.load(sys.stdin))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotators", type=int)
    parser.add_argument("--triplets", type=int, default=200_000)
    parser.add_argument(
        "--every", type=float, default=0.66, help="seconds between a person's votes"
    )
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--saturate", action="store_true", help="vote without a pause")
    parser.add_argument("--old", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--rounds", type=int, default=1, help="turns of each version")
    options = parser.parse_args()
    if options.saturate:
        options.every = 0.0
    if options.annotators is None:
        options.annotators = SATURATING if options.saturate else 200

    with ExitStack() as stack:
        sites = [Site("new", HERE, database("new"), PORT)]
        if options.old:
            old = options.old.resolve()
            sites.insert(0, Site("old", old, database("old"), PORT + 1))
        for site in sites:
            site.data = stack.enter_context(TemporaryDirectory())
            site.fill(options.triplets, options.annotators)
            stack.callback(site.stop)
            site.start()

        time.sleep(8)  # each worker loads the whole site before it answers
        judge_in_turns(sites, options)


def judge_in_turns(sites: "list[Site]", options: argparse.Namespace) -> None:
    for _ in range(options.rounds):
        for site in sites:
            crowd = Crowd(site, options.every, options.seconds)
            asyncio.run(crowd.judge())
            crowd.report()

    for site in sites:
        site.check()
    if len(sites) == 2:
        old, new = (site.medians() for site in sites)
        ratios = [f"{name} {new[name] / old[name]:.2f}" for name in new]
        print(f"new / old: {', '.join(ratios)}")


def database(name: str) -> str:
    """Return the URL of the database of a version; the old one has its own on the same server."""
    url = os.environ.get("DATABASE_URL", "")
    if name == "new" or not url:
        return url

    with psycopg.connect(url, autocommit=True) as server:
        server.execute("CREATE DATABASE old_voting")
    return urlsplit(url)._replace(path="/old_voting").geturl()


@dataclass
class Site:
    """A version of the site with a database of its own, and what was measured at it."""

    name: str
    checkout: Path
    database: str
    port: int
    data: str = ""
    people: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    measured: list[dict[str, float]] = field(default_factory=list)
    process: "subprocess.Popen[bytes] | None" = None

    @cached_property
    def package(self) -> str:
        """The prefix of the names of its modules."""
        in_package = (self.checkout / "tercet" / "config").exists()
        return "tercet." if in_package else ""

    @property
    def environment(self) -> dict[str, str]:
        given = {"DATABASE_URL": self.database} if self.database else {}
        return (
            os.environ
            | given
            | {
                "DATA_DIR": self.data,
                "READING_SPEED": "1000000",  # nobody is refused as too fast
                "DJANGO_SETTINGS_MODULE": f"{self.package}config.settings",
                "SECRET_KEY": "a-key-of-a-benchmark-that-signs-nothing-of-value",
                "PYTHONPATH": str(self.checkout),
            }
        )

    def fill(self, questions: int, people: int) -> None:
        began = time.perf_counter()
        Path(self.data, "static").mkdir()
        told = self.run("-c", FILL, str(questions), str(people))
        name, self.people = json.loads(told)
        self.path = f"/studies/{name}/sync/"
        seconds = time.perf_counter() - began
        print(f"{self.name}: {questions:,} questions, made in {seconds:.0f} s")

    def start(self) -> None:
        address = ["--bind", f"127.0.0.1:{self.port}", "--log-level", "error"]
        application = f"{self.package}config.wsgi"
        command = [sys.executable, "-m", "gunicorn", application, *address]
        processes = ["--workers", "4", "--threads", "2"]
        self.process = subprocess.Popen(
            [*command, *processes], cwd=self.checkout, env=self.environment
        )

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait()

    def check(self) -> None:
        """Say whether each vote that was confirmed is there, and the counters are right."""
        print(f"{self.name}: {self.run('-c', CHECK, said=json.dumps(self.confirmed))}")

    def run(self, *arguments: str, said: str = "") -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.checkout,
            env=self.environment,
            input=said,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def processor_times(self) -> dict[str, float]:
        """Return the seconds of each side until now."""
        assert self.process
        times = {"clients": time.process_time()}
        times["site"] = processor_seconds(self.process.pid)
        if self.database.startswith("postgres"):
            times["database"] = processor_seconds(self.server)
        return times

    @cached_property
    def server(self) -> int:
        """The process of the PostgreSQL server that started all its others."""
        with psycopg.connect(self.database) as session:
            return parent_of(session.info.backend_pid)

    def medians(self) -> dict[str, float]:
        """Return the median over the rounds of each figure."""
        first = self.measured[0]
        return {name: median(each[name] for each in self.measured) for name in first}


@dataclass
class Crowd:
    """Annotators at their pages, and what they saw."""

    site: Site
    every: float
    seconds: float
    latencies: list[float] = field(default_factory=list)
    processor: dict[str, float] = field(default_factory=dict)

    async def judge(self) -> None:
        began = time.perf_counter() + ARRIVAL
        people = self.site.people
        delays = np.linspace(0, ARRIVAL, len(people))
        await asyncio.gather(
            self.measure(), *map(self.one, people, delays, repeat(began))
        )

    async def measure(self) -> None:
        """Note the processor time of each side while the votes are counted."""
        await asyncio.sleep(ARRIVAL)
        before = self.site.processor_times()
        await asyncio.sleep(self.seconds)

        for side, after in self.site.processor_times().items():
            self.processor[side] = after - before[side]

    async def one(self, cookie: str, delay: float, began: float) -> None:
        chance = random.Random(cookie)
        await asyncio.sleep(delay)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.site.port)
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
                self.site.confirmed.append(question["key"])
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
            f"POST {self.site.path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
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
        per_vote = {
            side: 1000 * seconds / votes for side, seconds in self.processor.items()
        }
        sides = ", ".join(f"{side} {each:.2f} ms" for side, each in per_vote.items())
        figures = {"votes": votes / self.seconds, "median": p50, **per_vote}
        figures["processor"] = sum(per_vote.values())
        self.site.measured.append(figures)

        print(
            f"{self.site.name}, {len(self.site.people)} annotators: {votes:,} votes, "
            f"{figures['votes']:.0f} a second, vote and next question: "
            f"median {p50:.0f} ms, 95 % within {p95:.0f} ms, 99 % within {p99:.0f} ms; "
            f"processor time per vote: {sides}, together {figures['processor']:.2f} ms; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
