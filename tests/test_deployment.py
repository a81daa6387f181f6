"""The files of `deploy/`, `compose.yaml` and the Dockerfile, as far as they can be checked here."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.folders import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
CADDYFILE = str(ROOT / "deploy" / "Caddyfile")
DOCUMENTATION = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")


def test_systemd_understands_all_units(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        reason = "systemd-analyze is not installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)

    for unit in UNITS:
        here = unit.read_text().replace("/opt/tercet/.venv", str(ROOT / ".venv"))
        (tmp_path / unit.name).write_text(here)

    units = sorted(map(str, tmp_path.iterdir()))
    command = ["systemd-analyze", "verify", *units]
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


def test_the_image_has_no_build_tools_runs_as_nobody_special_and_knows_its_health() -> (
    None
):
    last: dict[str, str] = {}
    for name, rest in instructions():
        last = {} if name == "FROM" else last | {name: rest}

    assert last["USER"] == "tercet"
    assert "pip" not in last["RUN"]
    assert "scripts/healthcheck.py" in last["HEALTHCHECK"]
    assert (ROOT / "scripts" / "healthcheck.py").is_file()


def test_the_site_is_composed_of_services_that_wait_for_each_other() -> None:
    text = (ROOT / "compose.yaml").read_text()
    composed: dict[str, Any] = yaml.safe_load(text)
    services = composed["services"]

    assert set(services) == {"db", "setup", "site", "worker", "proxy"}

    for name in ("site", "worker"):
        needed = services[name]["depends_on"]["setup"]
        assert needed == {"condition": "service_completed_successfully"}
        assert services[name]["cap_drop"] == ["ALL"]

    mounted = {
        volume.partition(":")[0]
        for each in services.values()
        for volume in each.get("volumes", [])
    }

    assert {name for name in mounted if not name.startswith("./")} == set(
        composed["volumes"]
    )


@pytest.fixture
def caddy() -> str:
    """Debian's Caddy, which tests run with the shipped file."""
    if not shutil.which("caddy"):
        pytest.skip("caddy is not installed")

    return "caddy"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def wait_until_open(port: int) -> None:
    end = time.monotonic() + 600
    while time.monotonic() < end:
        with (
            suppress(ConnectionRefusedError),
            socket.create_connection(("127.0.0.1", port)),
        ):
            return
        time.sleep(0.05)


@contextmanager
def proxy_before(caddy: str, site: socket.socket, folder: Path) -> Iterator[int]:
    """Run the shipped proxy before a site; give its port."""
    port = free_port()
    environment = os.environ | {
        "HOST": f"http://127.0.0.1:{port}",
        "SITE": f"127.0.0.1:{site.getsockname()[1]}",
        "CADDY_ADMIN": f"127.0.0.1:{free_port()}",
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
    }
    command = [caddy, "run", "--adapter", "caddyfile", "--config", CADDYFILE]

    with subprocess.Popen(
        command, env=environment, stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_until_open(port)
            yield port
        finally:
            process.terminate()


def test_the_shipped_proxy_gives_the_site_a_body_once_it_has_all_of_it(
    caddy: str, tmp_path: Path
) -> None:
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n"
    with (
        socket.create_server(("127.0.0.1", 0)) as site,
        proxy_before(caddy, site, tmp_path) as port,
        socket.create_connection(("127.0.0.1", port)) as client,
    ):
        client.sendall(head)
        site.settimeout(2)

        for letter in b"slow bod":
            client.sendall(bytes([letter]))
            time.sleep(0.1)

        with pytest.raises(TimeoutError):
            site.accept()

        client.sendall(b"y!")
        site.settimeout(600)
        connection = site.accept()[0]

        with connection, connection.makefile("rb") as received:
            while received.readline().strip():
                pass
            assert received.read(10) == b"slow body!"


def test_the_shipped_proxy_limits_how_long_it_reads(caddy: str) -> None:
    command = [caddy, "adapt", "--config", CADDYFILE, "--adapter", "caddyfile"]
    done = subprocess.run(command, capture_output=True, check=True)
    (server,) = json.loads(done.stdout)["apps"]["http"]["servers"].values()

    assert server["read_header_timeout"] == 10 * 10**9
    assert server["read_timeout"] == 3_600 * 10**9


def test_documented_commands_work_from_any_folder_and_in_their_order() -> None:
    """`systemd-run` does not look for commands in the working directory that it is given."""
    section = DOCUMENTATION.partition("## A server with systemd")[2]
    commands = section.partition("## Containers")[0]

    assert "/opt/tercet/.venv/bin/python manage.py" in commands
    assert " .venv/bin/python" not in commands

    steps = [
        "createdb",
        "tercet migrate",
        "tercet collectstatic",
        "systemctl enable",
        "reload caddy",
    ]
    places = [commands.index(step) for step in steps]

    assert places == sorted(places)
