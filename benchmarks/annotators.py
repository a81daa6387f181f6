"""Simulated annotators of mixed quality at the site's own pages, as a browser would load them.

Each opens the shared link, goes through consent, instructions, questions and practice, and
judges; what kind of annotator they are decides how. They see nothing but captions.
"""

import json
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from http.client import HTTPConnection
from random import Random
from urllib.parse import urlencode, urlsplit

KINDS = {"good": 0.92, "average": 0.8, "random": 0.5, "left-only": 0.5, "quitter": 0.92}
"""How often each kind chooses as it believes."""
QUITS_AFTER = 40
PATIENCE = 20
"""How often somebody looks again before they leave, where others hold what is left."""

Beliefs = Mapping[frozenset[str], str]
"""The caption to believe of two."""


@dataclass
class Visitor:
    """Somebody with a browser: a connection and cookies."""

    site: str
    cookies: dict[str, str] = field(default_factory=dict)
    page: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        self.connection = HTTPConnection(urlsplit(self.site).netloc, timeout=120)

    def request(self, method: str, path: str, body: str = "", kind: str = "") -> str:
        headers = {
            "Cookie": "; ".join(
                f"{name}={value}" for name, value in self.cookies.items()
            )
        }
        if kind:
            headers["Content-Type"] = kind
        self.connection.request(method, path, body.encode(), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name] = value
        if answer.status == 302:
            return self.open(answer.headers["Location"])
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status}")
        return text

    def open(self, path: str) -> str:
        self.path = path
        self.page = self.request("GET", path)
        return self.page

    def send(self, path: str, **fields: str) -> None:
        """Fill in the form of the page and send it."""
        (form,) = re.findall(
            r'<main.*?(<form method="post".*?</form>)', self.page, re.S
        )[:1]
        hidden = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form))
        kind = "application/x-www-form-urlencoded"
        self.page = self.request("POST", path, urlencode(hidden | fields), kind)

    def find(self, pattern: str) -> str:
        found = re.search(pattern, self.page)
        return unescape(found[1]) if found else ""


@dataclass
class Visit:
    """What one person did: their votes and completion code, and the cookies they keep."""

    kind: str
    cookies: dict[str, str]
    votes: int = 0
    code: str = ""

    @property
    def key(self) -> str:
        """The annotator's key, as their cookie says it."""
        (value,) = (
            text for name, text in self.cookies.items() if name.startswith("annotator-")
        )
        return value.strip('"').split(":")[0]


@dataclass
class Person:
    """An annotator of one kind, with chance and beliefs of their own."""

    kind: str
    chance: Random
    beliefs: Beliefs

    def side(self, left: str, right: str) -> str:
        if self.kind == "left-only":
            return "left"
        believed = self.beliefs.get(frozenset({left, right}))
        if believed is None or self.kind == "random":
            return self.chance.choice(["left", "right"])
        is_left = (believed == left) == (self.chance.random() < KINDS[self.kind])
        return "left" if is_left else "right"

    def seconds(self) -> float:
        return self.chance.lognormvariate(1.5, 0.4)


def judge(site: str, link: str, person: Person, before: Visit | None = None) -> Visit:
    """One person's visit, from the link to the end; they may have been there before."""
    visitor = Visitor(site, before.cookies if before else {})
    visit = Visit(person.kind, visitor.cookies)
    visitor.open(link)
    if not before:
        arrive(visitor, link)
    patience = PATIENCE
    while patience:
        given = judge_on(visitor, person)
        visit.votes, patience = (
            visit.votes + given,
            PATIENCE if given else patience - 1,
        )
        visit.code = visitor.find(r'id="code">([^<]+)')
        if visit.code or (person.kind == "quitter" and visit.votes >= QUITS_AFTER):
            break
        if not given and not rest(visitor):
            time.sleep(0.5)
            visitor.open(visitor.path)
    return visit


def arrive(visitor: Visitor, link: str) -> None:
    """Everything before the first question."""
    visitor.send(link, agree="yes")
    path = visitor.path
    step = path.replace("/judge/", "/step/")
    visitor.send(step)
    visitor.send(step, **understood(visitor.page))
    while number := visitor.find(r"Practice (\d+) of"):
        visitor.send(step, chosen="0")
        visitor.send(step, read=number)


def understood(page: str) -> dict[str, str]:
    """What a person who has read the instructions answers: the right options of the usual text."""
    right = (
        "The one whose meaning is closer",
        "The one that describes",
        "Go with my first",
    )
    options = re.findall(r'name="(question-\d+)" value="(\d+)"[^>]*> *([^<]+)', page)
    return {name: value for name, value, text in options if text.startswith(right)}


def judge_on(visitor: Visitor, person: Person) -> int:
    """Judge by the page's own messages until it leads elsewhere; gives the votes."""
    found = re.search(
        r'id="questions" type="application/json">(.*?)</script>', visitor.page, re.S
    )
    if not found:
        return 0
    path = visitor.path.replace("/judge/", "/sync/")
    held = json.loads(found[1])
    votes = 0
    while held:
        question, *held = held
        side = person.side(question["left"], question["right"])
        deed = {
            "do": "vote",
            "key": question["key"],
            "side": side,
            "active": person.seconds(),
        }
        message = {"deeds": [deed], "holding": [each["key"] for each in held]}
        told = json.loads(
            visitor.request("POST", path, json.dumps(message), "application/json")
        )
        votes += int(told["taken"] == ["saved"])
        known = {each["key"]: each for each in [*held, *told.get("questions", [])]}
        held = [known[key] for key in told.get("order", []) if key in known]
        if person.kind == "quitter" and votes >= QUITS_AFTER:
            return votes
    visitor.open(visitor.path)
    return votes


def rest(visitor: Visitor) -> bool:
    """Go on after a break, where one is offered."""
    is_offered = 'value="rest"' in visitor.page
    if is_offered:
        visitor.send(visitor.path.replace("/judge/", "/step/"))
    return is_offered


def judge_all(
    site: str,
    link: str,
    kinds: list[str],
    beliefs: Beliefs,
    seed: int,
    before: Sequence[Visit] = (),
) -> list[Visit]:
    """All of them at once, each in a thread; `before`: what they did when they were there."""
    people = [
        Person(kind, Random(f"{seed} {number}"), beliefs)
        for number, kind in enumerate(kinds)
    ]
    visits: Sequence[Visit | None] = before or [None] * len(people)
    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(partial(judge, site, link), people, visits))
