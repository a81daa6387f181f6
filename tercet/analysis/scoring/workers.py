"""Where the parts of an analysis are worked on: processes, clusters, and threads."""

import multiprocessing
import pickle
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, ParamSpec, TypeVar

import joblib
from joblib.parallel import ParallelBackendBase
from threadpoolctl import threadpool_limits

PATIENCE_SECONDS = 30
_RAY = "ray://"
"""How addresses of Ray begin; all others are of Dask."""

P = ParamSpec("P")
R = TypeVar("R")

Make = Callable[[int], R]
"""Make the part of a work that has a number."""
_FIRST, _LAST = range(2)
_THREADED = ("onnxruntime", "torch")
"""Packages with threads of their own, which a copy of a process does not have but waits for."""
_may_fork: ContextVar[bool] = ContextVar("may_fork", default=False)


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
        # elsewhere a copy of a process is not safe, or not to be had
        token = _may_fork.set(sys.platform == "linux" and joblib.cpu_count() > 1)
        try:
            with joblib.parallel_config(n_jobs=-1):
                yield
        finally:
            _may_fork.reset(token)
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


def make_parts(
    make: Make[R], count: int, tell: Callable[[int, float], None], may_help: bool
) -> list[R]:
    """Make the parts of a work, with the help of a second process where `workers` says so.

    Parameters
    ----------
    make : callable
        Makes a part from its number. What it returns must not depend on other parts.
    count : int
        How many parts there are. This process begins with the first, a copy of it with the last.
    tell : callable
        Called in this process with the number of a part, and the share that is taken (0..1).
    may_help : bool
        Whether parts may be made in a copy of this process.

    Returns
    -------
    list
        The parts in their order. One that its process could not send is made again by this one.
    """
    made: dict[int, R] = {}
    may_help &= count > 1 and _may_fork.get()
    if not may_help or not sys.modules.keys().isdisjoint(_THREADED):
        for number in range(count):
            tell(number, number / count)
            made[number] = make(number)
        return list(made.values())

    taken = multiprocessing.Array("i", 2)
    with _helped(partial(_help, make, count, taken)) as receive:
        for number, share in _taken(taken, _FIRST, count):
            tell(number, share)
            made[number] = make(number)
        made |= receive()

    return [made[n] if n in made else make(n) for n in range(count)]


@contextmanager
def _helped(help_with: Callable[[Any], None]) -> Iterator[Callable[[], dict[int, Any]]]:
    """Let a copy of this process help, which ends at the latest where the context does.

    Yields what waits for its parts, by number; without any where it has died.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    helper = context.Process(target=help_with, args=(sender,))
    with warnings.catch_warnings():  # the copy needs no other thread of this process
        warnings.simplefilter("ignore", DeprecationWarning)
        helper.start()
    sender.close()

    def receive() -> dict[int, Any]:
        with suppress(EOFError):
            return {number: pickle.loads(part) for number, part in receiver.recv()}
        return {}

    try:
        yield receive
    finally:
        helper.kill()
        helper.join()
        receiver.close()


def _help(make: Make[R], count: int, taken: Any, sender: Any) -> None:
    """Make parts and send them; what goes wrong here, the process that waits meets by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parts = []

    with suppress(Exception):
        for number, _share in _taken(taken, _LAST, count):
            part = make(number)
            with suppress(pickle.PicklingError, AttributeError, TypeError):
                parts.append((number, pickle.dumps(part)))
        sender.send(parts)


def _taken(taken: Any, end: int, count: int) -> Iterator[tuple[int, float]]:
    """Take parts from the `_FIRST` or the `_LAST` on, each with the share that is taken."""
    while True:
        with taken.get_lock():
            share = sum(taken) / count
            if share == 1:
                return
            own = taken[end]
            taken[end] += 1

        number = own if end == _FIRST else count - 1 - own
        yield number, share


@contextmanager
def _connected(cluster: str) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise RuntimeError(
            "--cluster needs Dask: pip install 'tercet[cluster]'"
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
            "--cluster ray:// needs Ray: pip install 'tercet[ray]'"
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
