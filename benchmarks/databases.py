"""Databases of one turn of a benchmark."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg


@contextmanager
def own_database() -> Iterator[dict[str, str]]:
    """Yield the DATABASE_URL of an empty database on the server, if there is one."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        yield {}
        return

    drop = "DROP DATABASE IF EXISTS turn WITH (FORCE)"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(drop)
        server.execute("CREATE DATABASE turn")
        try:
            yield {"DATABASE_URL": urlsplit(url)._replace(path="/turn").geturl()}
        finally:
            os.environ["DATABASE_URL"] = url
            server.execute(drop)
