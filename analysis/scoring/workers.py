"""Where the parts of an analysis are worked on: processes, clusters, and threads."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import joblib
from joblib.parallel import ParallelBackendBase
from threadpoolctl import threadpool_limits

PATIENCE_SECONDS = 30
_RAY = "ray://"
"""How addresses of Ray begin; all others are of Dask."""

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
    """Use all processors of this machine, or the workers of the Dask or Ray cluster at an address.

    Raises RuntimeError with what to do where Dask or Ray is not installed, or none answers.
    """
    if cluster is None:
        with joblib.parallel_config(n_jobs=-1):
            yield
        return

    if cluster.startswith(_RAY):
        with _connected_to_ray(cluster), joblib.parallel_config(_RayBackend()):
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


@contextmanager
def _connected_to_ray(cluster: str) -> Iterator[None]:
    try:
        import ray
    except ImportError:
        raise RuntimeError(
            "--cluster ray:// needs Ray: pip install -r requirements-ray.txt"
        ) from None
    try:
        client = ray.init(cluster, log_to_driver=False)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"No Ray cluster answers at {cluster}: {error}") from error

    with client:
        yield


class _RayBackend(ParallelBackendBase):  # type: ignore[misc]
    """Jobs of joblib as tasks of Ray, which repeats those of a worker that is lost.

    Ray's own backend runs them in actors, which it does not repeat, and cannot yield results one
    by one.
    """

    supports_retrieve_callback = True
    default_n_jobs = -1

    def __init__(self) -> None:
        super().__init__()
        # joblib submits further jobs from the callback, which Ray's own thread may not do
        self._waiting = ThreadPoolExecutor()

    def effective_n_jobs(self, n_jobs: int) -> int:
        import ray

        processors = ray.cluster_resources().get("CPU", 1)
        return int(processors)

    def submit(
        self, func: Callable[[], Any], callback: Callable[[Any], None]
    ) -> "Future[Any]":
        import ray

        task = ray.remote(max_retries=-1)(_call)
        result = task.remote(func)
        future = self._waiting.submit(ray.get, result)
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: "Future[Any]") -> Any:
        return out.result()


def _call(job: Callable[[], Any]) -> Any:
    return job()
