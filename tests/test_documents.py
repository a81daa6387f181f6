"""Every command and every line of Python in the README and in docs/ works.

Blocks marked `sh` and `python` are run, page by page, in the order in which they stand. These
kinds are not run here:

- `sh make`, `sh install`: run by test_make.py and test_package.py
- `sh benchmark`: takes minutes
- `python client`, `python draft`: run against a site by annotation/api/test_api.py
- `python submit`, `python challenge`, `sh challenge`: run by annotation/challenges/
- `python dask`: run by metrics/test_pipeline.py
- `python evaluate`, `python torchmetrics`: what they show is tested by outward/
- `sh tools`, `sh gettext`: for developers; `make test` runs the tools
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tercet import __version__
from tercet.config.settings import EXAMPLE_KEY
from tests.postgresql import CLIENT, postgresql
from tests.support import notebooks
from tests.support.databases import copy_database
from tests.support.environment import clean_environment
from tests.support.folders import ROOT
from tests.support.forks import Forks, forks
from tests.support.network import PATIENCE, free_port, page

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
SERVERS = ("gunicorn ", "python manage.py db_worker")

RUN = {"sh", "python", "sh deploy"}
NOT_RUN = {
    *(
        "sh make",
        "sh install",
        "sh benchmark",
        "sh tools",
        "sh gettext",
        "sh challenge",
    ),
    *("python client", "python draft"),
    *("python submit", "python challenge"),
    *("python dask", "python evaluate", "python torchmetrics"),
}
OTHER_LANGUAGES = {
    "toml",
    "text",
    "latex",
    "json",
    "{toctree}",
    "{include}",
    "{eval-rst}",
}

NEEDED = ("manage.py", "tercet", *("templates", "static", "locale", "examples"))
WRITTEN = {
    "README.md": ["report/accuracy.pdf", "report/index.html", "scores.csv"],
    "tutorial.md": ["report/table.tex", "my-figure.pdf", "same-report/accuracy.csv"],
    "bench.md": ["bench-report/index.html", "bench-report/bench.tex"],
    "commands.md": [
        "curves/accuracy.csv",
        "tables/table.tex",
        "tables-again/report.json",
    ],
    "dataset.md": ["exported/votes.csv", "lines/votes.jsonl", "hub/README.md"],
    "learned.md": ["model.json", "learned/table.csv", "scores.csv"],
}


def blocks(document: Path) -> list[tuple[str, str]]:
    """Return the kind and the text of each code block of a document."""
    text = document.read_text(encoding="utf-8")
    return re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


RUNNABLE = [
    document
    for document in DOCUMENTS
    if {"sh", "python"} & {kind for kind, _ in blocks(document)}
]


@pytest.fixture
def environment(tmp_path: Path, db: None) -> dict[str, str]:
    """That of a site without any dataset."""
    data = tmp_path / "var"
    copy_database(data)
    return clean_environment(data)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of the project, as a folder where commands may leave things."""
    folder = tmp_path / "tercet"
    folder.mkdir()
    for name in NEEDED:
        (folder / name).symlink_to(ROOT / name)

    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    environment = clean_environment(tmp_path_factory.mktemp("no-site"))
    with forks(environment | {"MPLBACKEND": "agg"}) as started:
        yield started


@contextmanager
def running(
    command: str, folder: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    server = subprocess.Popen(command.split(), cwd=folder, env=environment)
    try:
        yield server
        assert server.poll() is None, f"{command} ended with {server.returncode}"
    finally:
        server.terminate()
        server.wait(PATIENCE)


@pytest.mark.parametrize("document", RUNNABLE, ids=lambda document: document.name)
def test_the_blocks_of_a_document_work_in_their_order(
    document: Path, python: Forks, checkout: Path, environment: dict[str, str]
) -> None:
    commands: list[str] = []

    for number, (kind, text) in enumerate(blocks(document)):
        if kind == "sh":
            commands += text.replace("\\\n", "").splitlines()
        elif kind == "python":
            script = checkout / f"block_{number}.py"
            script.write_text(text)
            commands.append(f"python {script.name}")

    # Plots are tested one by one, with their findings; `make run` draws those of the demo.
    python.run(commands, checkout, environment)

    for file in WRITTEN.get(document.name, []):
        assert (checkout / file).is_file()


def test_every_block_is_of_a_known_kind() -> None:
    for document in DOCUMENTS:
        kinds = {kind.split(" ../")[0] for kind, _ in blocks(document)}
        assert kinds <= RUN | NOT_RUN | OTHER_LANGUAGES, document.name


def test_links_to_files_lead_somewhere() -> None:
    missing = []
    for document in DOCUMENTS:
        links = re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8"))
        inner = [link for link in links if not link.startswith("https://")]
        missing += [link for link in inner if not (document.parent / link).exists()]

    assert not missing


def test_lines_of_documents_are_short() -> None:
    """Tables, links, and blocks of other languages apart, which have lines of their own."""
    long = []
    for document in DOCUMENTS:
        if document.name == "CHANGELOG.md":
            continue
        text = re.sub(
            r"^```(?!sh).*?^```$", "", document.read_text(), flags=re.M | re.S
        )
        lines = [line for line in text.splitlines() if len(line) > 100]
        long += [line for line in lines if line[0] != "|" and "](" not in line]

    assert not long


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


def test_the_citation_has_the_version_of_the_code() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_site_of_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    build: list[str | Path] = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        tmp_path / "cache",
    ]
    done = subprocess.run(
        [*build, ROOT / "docs", tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "reference.html").is_file()


def test_the_notebook_gives_the_outputs_that_it_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notebook = json.loads((ROOT / "docs" / "notebook.ipynb").read_text("utf-8"))
    shown = [cell["outputs"] for cell in notebook["cells"] if "outputs" in cell]
    monkeypatch.chdir(ROOT)

    made = notebooks.run(notebook)

    assert _without_pictures(made) == _without_pictures(shown)


def _without_pictures(cells: list[list[notebooks.Output]]) -> list[notebooks.Output]:
    """All outputs; of a picture, which depends on the system's fonts, only that it is there."""
    picture = {"image/png": ""}
    return [
        output | {"data": data | picture} if "image/png" in data else output
        for outputs in cells
        for output in outputs
        for data in [output.get("data", {})]
    ]


def test_the_deployment_works_on_postgresql(
    python: Forks, checkout: Path, environment: dict[str, str]
) -> None:
    found = blocks(ROOT / "docs" / "deploying.md")
    lines = "".join(text for kind, text in found if kind == "sh deploy").splitlines()
    settings = [line for line in lines if line.startswith("export ")]
    servers = [line for line in lines if line.startswith(SERVERS)]

    once = [line for line in lines if line not in (*settings, *servers)]
    assert (len(settings), len(once), len(servers)) == (4, 5, 2)

    environment |= {
        name: value for name, _, value in (s[7:].partition("=") for s in settings)
    }

    assert environment["SECRET_KEY"].startswith(EXAMPLE_KEY)

    environment["SECRET_KEY"] = "r" * 50
    environment |= {"DJANGO_SUPERUSER_USERNAME": "a", "DJANGO_SUPERUSER_PASSWORD": "b"}
    environment["PATH"] = f"{CLIENT}:{environment['PATH']}"
    port = free_port()

    with postgresql() as url:
        environment["DATABASE_URL"] = url
        unattended = "superuser --noinput --email a@example.org"
        commands = [command.replace("superuser", unattended) for command in once]
        python.run(commands, checkout, environment)

        web, worker = (command.replace(":8000", f":{port}") for command in servers)
        with (
            running(web, checkout, environment) as site,
            running(worker, checkout, environment),
        ):
            headers = {"Host": "tercet.example.org", "X-Forwarded-Proto": "https"}
            assert "How far can a caption metric" in page(
                port, headers=headers, server=site
            )
