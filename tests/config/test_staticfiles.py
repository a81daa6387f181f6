"""Static files under hashed names."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import StaticFilesStorage

from tercet.config.staticfiles import ModuleStorage
from tests.support.folders import ROOT

IMPORT = re.compile(r'from "\./(.+?)";')


@pytest.fixture
def collected(tmp_path: Path) -> Path:
    """The folder of static files as `collectstatic` leaves it."""
    source = StaticFilesStorage(location=ROOT / "static", base_url="/static/")
    paths = [
        path.relative_to(ROOT / "static").as_posix() for path in files(ROOT / "static")
    ]

    for path in paths:
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / "static" / path).read_bytes())

    storage = ModuleStorage(location=tmp_path, base_url="/static/")
    outcomes = list(storage.post_process({path: (source, path) for path in paths}))

    assert all(not isinstance(outcome, Exception) for *_names, outcome in outcomes)

    return tmp_path


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_modules_import_one_another_by_their_hashed_names(collected: Path) -> None:
    hashed = re.compile(r"\.[0-9a-f]{12}\.js$")
    modules = [path for path in files(collected) if hashed.search(path.name)]
    imports = {
        (module.name, name)
        for module in modules
        for name in IMPORT.findall(module.read_text())
    }

    assert imports
    for module, name in imports:
        assert hashed.search(name), f"{module} imports {name}"
        assert list(collected.rglob(name)), f"{module} imports {name}, which is missing"


def test_every_module_of_the_judging_page_is_preloaded() -> None:
    page = (ROOT / "templates" / "participation" / "flow.html").read_text()
    preloaded = set(
        re.findall(r"rel=\"modulepreload\" href=\"{% static '(.+?)' %}", page)
    )
    folder = ROOT / "static" / "judging"
    modules = {f"judging/{path.name}" for path in folder.glob("*.js")}

    assert preloaded | {"judging/main.js"} == modules
    assert 'rel="modulepreload" href="{% static kind.script %}"' in page
