"""How many threads the products of matrices take."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

P = ParamSpec("P")
R = TypeVar("R")


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function to multiply matrices with one thread.

    On a busy machine, further threads spend most of their time waiting for each other.
    """
    limited: Callable[P, R] = threadpool_limits.wrap(limits=1, user_api="blas")(
        function
    )

    return limited
