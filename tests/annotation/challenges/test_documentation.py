"""The examples of docs/challenges.md and docs/api.md work."""

import os
import shlex
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django.live_server_helper import LiveServer

from tercet.annotation.challenges.leaderboard import board_of
from tercet.annotation.models import Challenge, Submission
from tercet.annotation.studies.tokens import create_token
from tests.annotation.challenges.conftest import results, score
from tests.support.folders import ROOT
from tests.test_documents import blocks

PAUSE = 0.2


def block(document: str, kind: str) -> str:
    (text,) = [text for each, text in blocks(ROOT / "docs" / document) if each == kind]
    return text


def say(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_challenge_of_the_documentation_can_be_hosted(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.create_user("researcher", is_staff=True)
    subprocess.run(
        [sys.executable, "-c", block("challenges.md", "python challenge")],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    monkeypatch.chdir(tmp_path)
    for line in block("challenges.md", "sh challenge").replace("\\\n", "").splitlines():
        say(*shlex.split(line)[2:])

    with pytest.raises(CommandError, match="no caption for 10 images"):
        say("submit", "coco-captions", "broken.json", "--system", "broken")

    for submission in Submission.objects.all():
        score(submission)

    board = board_of(Challenge.objects.get(), "hidden")
    assert board is not None
    order = [row.name for row in board.sorted_rows("CIDEr-D", 4)]

    assert order[:2] == ["human", "1"]
    assert set(order[2:]) == {"2", "random caption", "most frequent caption"}
    assert board.rows[0].images == {4: 1000}


@pytest.mark.django_db(transaction=True)
def test_the_program_of_the_documentation_submits(
    live_server: LiveServer, challenge: Challenge, person: User, tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_bytes(results())
    environment = {
        "TERCET_SITE": live_server.url,
        "TERCET_CHALLENGE": challenge.name,
        "TERCET_TOKEN": create_token(challenge, person),
    }

    with subprocess.Popen(
        [sys.executable, "-c", block("api.md", "python submit")],
        cwd=tmp_path,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        _score_the_first()
        said, _ = program.communicate()

    assert program.returncode == 0
    assert said.startswith("done {'hidden': {'2': {'BLEU-1': ")


def _score_the_first() -> None:
    """Be the worker of the first submission."""
    while not Submission.objects.exists():
        time.sleep(PAUSE)

    score(Submission.objects.get())
