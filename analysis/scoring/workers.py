"""Where the parts of an analysis are worked on: processes, clusters, and threads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import joblib
from threadpoolctl import threadpool_limits

PATIENCE_SECONDS = 30

P = ParamSpec("P")
R = TypeVar("R")


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to multiply matrices with one thread.

    On a busy machine, further threads spend most of their time waiting for each other.
    """
    limits = threadpool_limits.wrap(limits=1, user_api="blas")
    limited: Callable[P, R] = limits(function)

    return limited


@contextmanager
def workers(cluster: str | None) -> Iterator[None]:
    """Use all processors of this machine, or the workers of the Dask scheduler at `cluster`.

    Raises RuntimeError with what to do where there is no Dask, or no scheduler that answers.
    """
    if cluster is None:
        with joblib.parallel_config(n_jobs=-1):
            yield
        return

    with (
        _connected(cluster),
        joblib.parallel_config("dask", wait_for_workers_timeout=PATIENCE_SECONDS),
    ):
        yield


@contextmanager
def _connected(cluster: str) -> Iterator[None]:
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
