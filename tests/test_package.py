"""The wheel: its metadata, and what is installed from it used outside the checkout."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from email import message_from_string
from email.message import Message
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from scripts.licences import licence_of
from tercet import __version__
from tests.support.databases import copy_database
from tests.support.folders import DEMO, ROOT

FLOORS = ("metrics", "analysis", "annotation", "config")
NOT_IN_THE_BASE = ("pandas", "matplotlib", "scipy", "jinja2", "joblib", "django")


def run(command: Sequence[str | Path], folder: Path, **variables: str) -> str:
    """The output of a command that must succeed."""
    environment = {
        name: os.environ[name]
        for name in ("HOME", "PATH", "LANG", "OPENBLAS_NUM_THREADS")
        if name in os.environ
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr

    return done.stdout


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel, built of this checkout, is installed."""
    folder = tmp_path_factory.mktemp("package")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]

    run(
        [*pip, "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder], folder
    )
    (wheel,) = folder.glob("tercet-*.whl")

    target = folder / "installed"
    run([*pip, "install", wheel, "--no-deps", "--target", target], folder)
    copy_kernels(target)

    return target


def copy_kernels(installed: Path) -> None:
    """Copy what the checkout has compiled: numba takes it if the source is the same."""
    for compiled in (ROOT / "tercet" / "metrics").rglob("__pycache__/*.nb[ic]"):
        target = installed / compiled.relative_to(ROOT)
        if target.parent.is_dir():  # not what was compiled of a module that is gone
            shutil.copy(compiled, target)


@pytest.fixture
def python(installed: Path, tmp_path: Path) -> "Python":
    return Python(installed, tmp_path)


class Python:
    """Python and console commands with the installed wheel, in an empty folder."""

    def __init__(self, installed: Path, folder: Path) -> None:
        self.installed = installed
        self.folder = folder
        self.variables = {
            "PYTHONPATH": str(installed),
            "DATA_DIR": str(folder / "var"),
            "SECRET_KEY": "p" * 50,
            "DJANGO_SETTINGS_MODULE": "tercet.config.settings",
        }

    def run(self, code: str, without: Sequence[str] = ()) -> str:
        """Run code in which the modules `without` cannot be imported."""
        blocked = f"import sys; sys.modules.update(dict.fromkeys({tuple(without)!r}))\n"
        return run(
            [sys.executable, "-c", blocked + code], self.folder, **self.variables
        )

    def command(self, name: str, *arguments: str | Path) -> str:
        script = self.installed / "bin" / name
        return run([sys.executable, script, *arguments], self.folder, **self.variables)


@pytest.fixture(scope="session")
def metadata(installed: Path) -> Message:
    (folder,) = installed.glob("*.dist-info")
    return message_from_string((folder / "METADATA").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def required(metadata: Message) -> list[Requirement]:
    return [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]


def test_the_version_is_that_of_the_code(metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("tercet", __version__)


def test_the_base_installation_needs_no_table_plot_or_site_library(
    metadata: Message, required: list[Requirement]
) -> None:
    base = {each.name.lower() for each in required if "extra" not in str(each.marker)}
    assert {"numpy", "numba", "pystemmer"} <= base
    assert "pycocoevalcap" not in base
    assert base.isdisjoint(NOT_IN_THE_BASE)

    extras = {
        "meteor",
        "analysis",
        "site",
        "sentry",
        "oidc",
        "cluster",
        "ray",
        "parquet",
        "tuples",
        "vectors",
        "embed",
    }

    assert set(metadata.get_all("Provides-Extra", [])) == extras


def test_a_stemmer_that_gives_other_stems_is_not_installed(
    required: list[Requirement],
) -> None:
    (stemmer,) = (each for each in required if each.name.lower() == "pystemmer")
    assert stemmer.specifier.contains("2.2.0.3")
    assert not stemmer.specifier.contains("3.1.0")


def test_every_package_is_marked_as_typed(installed: Path) -> None:
    assert all((installed / "tercet" / name / "py.typed").is_file() for name in FLOORS)


def test_every_migration_is_in_the_wheel(installed: Path) -> None:
    packages = (ROOT, installed / "tercet")
    here, there = (folder / "annotation" / "migrations" for folder in packages)
    names = {path.name for path in here.glob("*.py")}

    assert names == {path.name for path in there.glob("*.py")}


def test_scores_need_the_base_only_and_come_from_the_wheel(python: Python) -> None:
    code = (
        "from tercet import score; from tercet import metrics; print(metrics.__file__)\n"
        "captions = {'references': [['a dog']], 'candidates': ['a dog']}\n"
        "print(score(**captions, metrics=['BLEU-1']))"
    )

    assert str(python.installed) in python.run(code, without=NOT_IN_THE_BASE)


@pytest.fixture(scope="session")
def alone(
    installed: Path,
    required: list[Requirement],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A folder with the wheel and what it requires without extras, as an empty environment has."""
    folder = tmp_path_factory.mktemp("alone")
    shutil.copytree(installed, folder, dirs_exist_ok=True)
    for each in needed(required).values():
        for file in each.files or []:
            source = Path(str(each.locate_file(file)))
            target = folder / file
            if folder in target.resolve().parents and source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    return folder


def needed(required: Iterable[Requirement]) -> dict[str, Distribution]:
    """The distributions that requirements without extras bring."""
    found: dict[str, Distribution] = {}
    left = list(required)
    while left:
        each = left.pop()
        if each.name not in found and not (
            each.marker and not each.marker.evaluate({"extra": ""})
        ):
            found[each.name] = distribution(each.name)
            left += map(Requirement, found[each.name].requires or [])

    return found


def test_the_wheel_alone_brings_no_java_and_nothing_under_the_gpl(alone: Path) -> None:
    licences = {
        each.name: licence_of(each.metadata)
        for each in distributions(path=[str(alone)])
    }
    assert licences.keys() >= {"tercet", "numpy", "numba", "llvmlite", "PyStemmer"}
    assert [name for name, licence in licences.items() if "GPL" in licence] == []

    files = [path for path in alone.rglob("*") if path.is_file()]
    assert [path for path in files if path.suffix in {".jar", ".class"}] == []

    # numpy's wheel has the compiler's runtime libraries, which are under the GPL with its exception
    libraries = {
        path.name.partition("-")[0] for path in files if path.parent.suffix == ".libs"
    }
    assert libraries <= {"libgfortran", "libquadmath", "libscipy_openblas64_"}
    assert sum(path.stat().st_size for path in files) <= 310_000_000


def test_the_wheel_alone_scores_all_but_meteor_and_says_what_it_needs(
    alone: Path, tmp_path: Path
) -> None:
    code = (
        "from tercet import score\n"
        "captions = {'references': [['a dog runs'], ['cats']], 'candidates': ['a dog', 'cats']}\n"
        "print(*score(**captions).corpus)\n"
        "try:\n    score(**captions, metrics='METEOR')\n"
        "except ValueError as error:\n    print(error)"
    )
    # without the site, none of this environment's packages is found
    printed = run(
        [sys.executable, "-S", "-W", "ignore", "-c", code],
        tmp_path,
        PYTHONPATH=str(alone),
        TERCET_CACHE=str(tmp_path / "cache"),
    )

    metrics, message = printed.splitlines()
    assert metrics == "BLEU-1 BLEU-2 BLEU-3 BLEU-4 ROUGE-L CIDEr-D"
    assert "pip install 'tercet[meteor]'" in message


def test_an_evaluation_without_its_libraries_names_the_extra(python: Python) -> None:
    code = (
        "try:\n    from tercet import evaluate\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    printed = python.run(code, without=["pandas"])

    assert (
        printed == "tercet.evaluate needs pandas: run pip install 'tercet[analysis]'\n"
    )


@pytest.mark.parametrize(
    ("command", "library", "extra"),
    [
        ("analyse", "pandas", "analysis"),
        ("train", "scipy", "analysis"),
        ("site", "django", "site"),
    ],
)
def test_a_command_without_its_libraries_names_the_extra(
    python: Python, command: str, library: str, extra: str
) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['tercet', '{command}']\n"
        "from tercet.commands import main\n"
        "try:\n    main()\n"
        "except SystemExit as error:\n    print(error)"
    )
    printed = python.run(code, without=[library])

    assert (
        printed
        == f"tercet {command} needs {library}: run pip install 'tercet[{extra}]'\n"
    )


def test_an_evaluation_is_imported_from_the_same_face(python: Python) -> None:
    assert "analysis" in python.run(
        "from tercet import evaluate; print(evaluate.__module__)"
    )


def test_the_metrics_command_scores_files(python: Python) -> None:
    given = (
        "--references",
        DEMO / "references.csv",
        "--candidates",
        DEMO / "candidates.csv",
    )
    printed = python.command(
        "tercet-metrics",
        *given,
        "--several",
        "--metrics",
        "BLEU-1",
        "--out",
        "scores.csv",
    )

    assert "BLEU-1" in printed
    assert (python.folder / "scores.csv").is_file()


def test_the_site_runs_from_the_wheel_with_its_pages_styles_and_german(
    python: Python, db: None
) -> None:
    copy_database(python.folder / "var")
    python.command("tercet-site", "collectstatic", "--noinput", "-v0")

    assert (python.folder / "var" / "static" / "tercet.css").is_file()

    code = (
        "import django; django.setup()\n"
        "from django.core.management import call_command\n"
        "call_command('migrate', verbosity=0, check_unapplied=True)\n"
        "from django.test import Client\n"
        "page = Client(headers={'accept-language': 'de'}, SERVER_NAME='localhost').get('/login/')\n"
        "print(page.content.decode())"
    )

    assert "Passwort" in python.run(code)


def test_own_modules_beside_a_script_are_left_alone(python: Python) -> None:
    for name in ("metrics", "analysis", "annotation", "config"):
        (python.folder / f"{name}.py").write_text("raise RuntimeError('not yours')\n")

    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tercet import evaluate, score\n"
        "import django; django.setup()\n"
        "import tercet.config.urls\n"
        "print(score(references=[['a dog']], candidates=['a dog'], metrics=['BLEU-1']))"
    )

    assert "BLEU-1" in python.run(code)


def test_one_command_scores_analyses_and_trains(python: Python) -> None:
    assert python.command("tercet", "--version") == f"tercet {__version__}\n"
    for name, option in (
        ("score", "--several"),
        ("analyse", "--counts"),
        ("train", "--target"),
    ):
        assert option in python.command("tercet", name, "--help")


def test_the_site_has_the_documentation(python: Python) -> None:
    code = """
import django
django.setup()
from tercet.annotation.documentation.rendering import rendered
print(rendered("studies", "choose-a-protocol")[:80])
"""
    assert "Choose a protocol" in python.run(code)
