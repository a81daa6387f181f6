"""The files of `deploy/`, `compose.yaml` and the Dockerfile, as far as they can be checked here."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.folders import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
DOCUMENTATION = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")


def test_systemd_understands_all_units(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        reason = "systemd-analyze is not installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)

    for unit in UNITS:
        here = unit.read_text().replace("/opt/tercet/.venv", str(ROOT / ".venv"))
        (tmp_path / unit.name).write_text(here)
    command = ["systemd-analyze", "verify", *sorted(map(str, tmp_path.iterdir()))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_may_write_to_its_own_folders_only(unit: Path) -> None:
    lines = unit.read_text().splitlines()
    assert {"User=tercet", "ProtectSystem=strict", "NoNewPrivileges=yes"} <= set(lines)


def test_every_timer_starts_a_service() -> None:
    timers = {unit.stem for unit in UNITS if unit.suffix == ".timer"}
    assert timers == {"tercet-backup", "tercet-cleanup"}
    assert timers < {unit.stem for unit in SERVICES}


def test_settings_are_those_that_exist() -> None:
    text = (ROOT / "deploy" / "tercet.env").read_text()
    names = re.findall(r"^(\w+)=", text, re.MULTILINE)
    assert {"SECRET_KEY", "DATABASE_URL", "ALLOWED_HOSTS", "HTTPS"} <= set(names)
    assert [name for name in names if f"| `{name}` |" not in DOCUMENTATION] == []


def instructions() -> Iterator[tuple[str, str]]:
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            yield name, rest


def test_the_image_has_no_build_tools_runs_as_nobody_special_and_knows_its_health() -> None:
    last: dict[str, str] = {}
    for name, rest in instructions():
        last = {} if name == "FROM" else last | {name: rest}
    assert last["USER"] == "tercet"
    assert "pip" not in last["RUN"]
    assert "scripts/healthcheck.py" in last["HEALTHCHECK"]
    assert (ROOT / "scripts" / "healthcheck.py").is_file()


def test_the_site_is_composed_of_services_that_wait_for_each_other() -> None:
    composed: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    services = composed["services"]
    assert set(services) == {"db", "setup", "site", "worker", "proxy"}
    for name in ("site", "worker"):
        needed = services[name]["depends_on"]["setup"]
        assert needed == {"condition": "service_completed_successfully"}
        assert services[name]["cap_drop"] == ["ALL"]
    mounted = {
        volume.partition(":")[0] for each in services.values() for volume in each.get("volumes", [])
    }
    assert {name for name in mounted if not name.startswith("./")} == set(composed["volumes"])


def test_documented_commands_work_from_any_folder_and_in_their_order() -> None:
    """`systemd-run` does not look for commands in the working directory that it is given."""
    commands = DOCUMENTATION.partition("## A server with systemd")[2].partition("## Containers")[0]
    assert "/opt/tercet/.venv/bin/python manage.py" in commands
    assert " .venv/bin" not in commands

    steps = [
        "createdb",
        "tercet migrate",
        "tercet collectstatic",
        "systemctl enable",
        "reload caddy",
    ]
    places = [commands.index(step) for step in steps]
    assert places == sorted(places)
