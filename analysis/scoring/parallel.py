"""Where the parts of an analysis are worked on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib

PATIENCE_SECONDS = 30


@contextmanager
def workers(cluster: str | None) -> Iterator[None]:
    """All processors of this machine, or the workers of the Dask scheduler at `cluster`.

    Raises RuntimeError with what to do where there is no Dask, or no scheduler that answers.
    """
    if cluster is None:
        with joblib.parallel_config(n_jobs=-1):
            yield
        return
    with (
        connected(cluster),
        joblib.parallel_config("dask", wait_for_workers_timeout=PATIENCE_SECONDS),
    ):
        yield


@contextmanager
def connected(cluster: str) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise RuntimeError(
            "--cluster needs Dask: pip install -r requirements-cluster.txt"
        ) from None
    try:
        client: Any = Client(cluster, timeout=PATIENCE_SECONDS)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise RuntimeError(
            f"No Dask scheduler answers at {cluster}: {error}"
        ) from error
    with client:
        yield
