"""Small programs that are metrics, written into a folder for a test."""

import sys
from pathlib import Path

_LOOP = """
import json, os, sys, time
ABOUT = {"tercet": 1, "name": "overlap", "version": "1", "batch": 4}

def score(item):
    said, meant = set(item["candidate"].split()), set(item["references"][0].split())
    return len(said & meant) / max(len(said | meant), 1)

def answer(asked):
    return {"id": asked["id"], "scores": [score(item) for item in asked["items"]]}

def log(text):
    with open(__file__ + ".log", "a") as file:
        file.write(text + "\\n")

def logged():
    return open(__file__ + ".log").read().split() if os.path.exists(__file__ + ".log") else []

@CHANGES@

for line in sys.stdin:
    asked = json.loads(line)
    given = ABOUT if asked.get("ask") == "about" else answer(asked)
    print(given if isinstance(given, str) else json.dumps(given), flush=True)
"""


def program(folder: Path, changes: str = "", name: str = "mine.py") -> list[str]:
    """Write a program that scores the overlap of words, with changes; return its command."""
    path = folder / name
    path.write_text(_LOOP.replace("@CHANGES@", changes), encoding="utf-8")
    return [sys.executable, str(path)]


def logged(words: list[str]) -> list[str]:
    """Return what a program has logged."""
    log = Path(words[1] + ".log")
    return log.read_text(encoding="utf-8").split() if log.exists() else []
