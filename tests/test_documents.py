"""Every command and every line of Python in the README works."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.network import free_port, page
from tests.postgresql import postgresql

README = (ROOT / "README.md").read_text(encoding="utf-8")
SERVERS = ("gunicorn ", "python manage.py db_worker")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A clean environment: this Python first on the path, data in a folder of its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    return kept | {"PATH": path, "DATA_DIR": str(tmp_path / "var"), "SECRET_KEY": "r" * 50}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of the project, as a folder where commands may leave things."""
    folder = tmp_path / "tercet"
    folder.mkdir()
    for name in ("manage.py", "config", "annotation", "analysis", "metrics"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("templates", "static", "examples"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def run(command: str, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@contextmanager
def running(command: str, folder: Path, environment: dict[str, str]) -> Iterator[None]:
    server = subprocess.Popen(command.split(), cwd=folder, env=environment)
    try:
        yield
        assert server.poll() is None, f"{command} ended with {server.returncode}"
    finally:
        server.terminate()
        server.wait(20)


def test_the_commands_work_in_their_order(checkout: Path, environment: dict[str, str]) -> None:
    run("python manage.py migrate -v0", checkout, environment)
    commands = "".join(blocks("sh")).splitlines()
    assert len(commands) > 10
    for command in commands:
        run(command, checkout, environment)
    assert (checkout / "report" / "accuracy.pdf").is_file()
    assert (checkout / "report-of-the-study" / "accuracy.csv").is_file()
    assert (checkout / "exported" / "votes.csv").is_file()
    assert (checkout / "scores.csv").read_text().startswith("image,caption,metric")


def test_the_python_works(checkout: Path, environment: dict[str, str]) -> None:
    for number, block in enumerate(blocks("python")):
        script = checkout / f"block_{number}.py"
        script.write_text(block)
        run(f"python {script.name}", checkout, environment)


def test_the_deployment_works_on_postgresql(checkout: Path, environment: dict[str, str]) -> None:
    commands = "".join(blocks("sh deploy")).splitlines()
    settings = [line for line in commands if line.startswith("export ")]
    servers = [line for line in commands if line.startswith(SERVERS)]
    once = [line for line in commands if line not in (*settings, *servers)]
    assert (len(settings), len(once), len(servers)) == (4, 3, 2)
    environment |= {name: value for name, _, value in (s[7:].partition("=") for s in settings)}
    environment |= {"DJANGO_SUPERUSER_USERNAME": "a", "DJANGO_SUPERUSER_PASSWORD": "b"}
    port = free_port()
    with postgresql() as url:
        environment["DATABASE_URL"] = url
        for command in once:
            command = command.replace("superuser", "superuser --noinput --email a@example.org")
            run(command, checkout, environment)
        web, worker = (command.replace(":8000", f":{port}") for command in servers)
        with running(web, checkout, environment), running(worker, checkout, environment):
            headers = {"Host": "tercet.example.org", "X-Forwarded-Proto": "https"}
            assert "How far can a caption metric" in page(port, headers=headers)
