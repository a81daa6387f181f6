"""`python -m scripts.image_rehearsal`: build and try the image without Docker, as root.

Runs the steps of the Dockerfile in plain folders by chroot: `FROM debian` is a system made by
debootstrap, a further stage a copy of an earlier one. Then it sets up a site in the result, starts
the image's command as the image's user, and asks its health check. What only an engine does, such
as a read-only root, limits and networks, is not tried.
"""

import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from json import loads
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
OF_THIS_MACHINE = (
    *("etc/resolv.conf", "etc/hosts"),
    *("etc/apt/sources.list", "etc/apt/sources.list.d"),
    *("etc/apt/apt.conf.d", "etc/pip.conf", "usr/share/keyrings"),
)
"""How this machine reaches its package indexes, which an engine would give to a build, too."""
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
TRUSTED = "etc/ssl/machine.pem"
"""Whom this machine trusts, where the installation of Debian's certificates does not replace it."""
PATIENCE = 600
"""Seconds after which a site is taken for hanging."""


@dataclass
class Stage:
    """The folder of a stage, and what holds for its commands."""

    root: Path
    workdir: str = "/"
    user: str = "root"
    environment: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    def command(self, arguments: list[str], **environment: str) -> list[str]:
        """Return the command that runs another one in this stage, as its user."""
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}
        variables |= self.environment | environment
        given = [f"{name}={value}" for name, value in variables.items()]
        inside = ["/bin/sh", "-c", f'cd {self.workdir} && exec "$@"', "sh"]

        outside = ["chroot", f"--userspec={self.user}", str(self.root)]
        return [*outside, "/usr/bin/env", "-i", *given, *inside, *arguments]


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if os.geteuid() or not shutil.which("debootstrap"):
        sys.exit("This needs root and debootstrap: nothing was tried.")

    with TemporaryDirectory(prefix="tercet-image-") as folder:
        image = build(Path(folder))
        size = subprocess.check_output(["du", "-sm", image.root], text=True)
        print(f"Built an image of {size.split()[0]} MB.", flush=True)
        try_out(image)


def build(folder: Path) -> Stage:
    """Run the steps of the Dockerfile; return the last stage."""
    stages: dict[str, Stage] = {}
    stage = Stage(folder)

    for name, rest in instructions():
        print(f"{name} {rest}"[:110], flush=True)
        if name == "FROM":
            source, _, alias = rest.partition(" AS ")
            root = folder / f"stage{len(stages)}"
            stage = Stage(root)
            stages[alias or "image"] = stage
            _start(root, stages.get(source))
        else:
            _step(stage, stages, name, rest)

    return stage


def instructions() -> Iterator[tuple[str, str]]:
    """Yield the instructions of the Dockerfile, each of which is one line."""
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition(" ")
            yield name, rest


def _start(root: Path, source: Stage | None) -> None:
    """Make the root of a stage: a copy of another one, or a new Debian."""
    if source:
        _run("cp", "-a", str(source.root), str(root))
        return

    _run("debootstrap", "--variant=minbase", "bookworm", str(root))
    (root / "dev" / "shm").mkdir(mode=0o1777, exist_ok=True)
    (root / TRUSTED).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path("/", CERTIFICATES), root / TRUSTED)
    for name in OF_THIS_MACHINE:
        given, target = Path("/", name), root / name
        if given.is_dir():
            shutil.copytree(given, target, symlinks=True, dirs_exist_ok=True)
        elif given.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(given, target)


def _step(stage: Stage, stages: dict[str, Stage], name: str, rest: str) -> None:
    if name == "RUN":
        command = stage.command(["sh", "-ec", rest], PIP_CERT=f"/{TRUSTED}")
        _run(*command)
    elif name == "COPY":
        _copy(stage, stages, rest)
    elif name == "WORKDIR":
        stage.workdir = rest
        (stage.root / rest[1:]).mkdir(parents=True, exist_ok=True)
    elif name == "USER":
        stage.user = rest
    elif name == "ENV":
        pairs = (pair.partition("=") for pair in rest.split())
        stage.environment |= {key: value for key, _, value in pairs}
    else:
        stage.settings[name] = rest


def _copy(stage: Stage, stages: dict[str, Stage], rest: str) -> None:
    """Copy files of the checkout or of another stage."""
    found = re.fullmatch(r"--from=(\w+) (\S+) (\S+)", rest)
    if found:
        source = stages[found[1]].root / found[2][1:]
        target = stage.root / found[3][1:]
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        return

    what, _, where = rest.rpartition(" ")
    target = stage.root / stage.workdir[1:] / where
    for name in _context() if what == "." else [what]:
        path = target / name if what == "." else target
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, path)


def _context() -> Iterator[str]:
    """Yield the files that an engine is given: those of the project but for .dockerignore's."""
    ignored = (ROOT / ".dockerignore").read_text().split()
    options = ["--cached", "--others", "--exclude-standard"]
    command = ["git", "ls-files", *options]
    listed = subprocess.check_output(command, cwd=ROOT, text=True)

    for name in listed.splitlines():
        is_ignored = any(
            fnmatch(name, pattern) or name.startswith(f"{pattern}/")
            for pattern in ignored
        )
        if not is_ignored and (ROOT / name).is_file():
            yield name


def try_out(image: Stage) -> None:
    """Set up a site in the image, start it, and ask its health check."""
    environment = {
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": "tercet.example.org",
        "HTTPS": "1",
        "WEB_CONCURRENCY": "1",
    }
    whoami = image.command(["id", "-un"])
    user = subprocess.check_output(whoami, text=True).strip()
    _check(user == "tercet", f"the image runs as {user}")
    touched = subprocess.run(
        image.command(["touch", "manage.py"]), capture_output=True, check=False
    )
    _check(touched.returncode != 0, "its user cannot change the program")

    for command in ("migrate", "collectstatic --noinput"):
        words = ["python", "manage.py", *command.split()]
        _run(*image.command(words, **environment))

    start = loads(image.settings["CMD"])
    health = image.settings["HEALTHCHECK"].partition("CMD ")[2]
    with subprocess.Popen(image.command(start, **environment)) as site:
        try:
            _wait_for(image.command(loads(health), **environment), site)
        finally:
            site.terminate()
    _check(site.returncode == 0, "the site is healthy, and ends when it is told to")


def _wait_for(probe: list[str], site: "subprocess.Popen[bytes]") -> None:
    """Ask a health check until it succeeds."""
    end = time.monotonic() + PATIENCE
    while subprocess.run(probe, capture_output=True, check=False).returncode:
        if site.poll() is not None or time.monotonic() > end:
            sys.exit("FAILED: the site does not answer its health check")
        time.sleep(0.5)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(command)}\n{done.stdout}\n{done.stderr}")


def _check(holds: bool, what: str) -> None:
    """Say that something works, or end with an error."""
    if not holds:
        sys.exit(f"FAILED: {what}")

    print(f"ok: {what}", flush=True)


if __name__ == "__main__":
    main()
