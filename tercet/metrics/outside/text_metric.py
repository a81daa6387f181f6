"""Metrics that are no part of this package: what one is, and what its author declares."""

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    Unpack,
    get_args,
    overload,
    runtime_checkable,
)

from numpy.typing import NDArray

from tercet.metrics.core.arrays import FloatArray

if TYPE_CHECKING:
    from tercet.metrics.explain.explanation import Explanation

Encoded: TypeAlias = Sequence[Any] | NDArray[Any]
"""Something for each text."""
Combine: TypeAlias = Literal["mean", "max", "set", "none", "min"]
_NEEDS = ("references", "image")
_LONGEST_NAME = 60
_NAME = re.compile(r"[\w(][\w .+/()-]*")
_SHA256 = re.compile("[0-9a-f]{64}")
_SHOWN_DIGITS = 12
"""Hexadecimal digits of a digest that a signature gives."""
_OF_WORST = {
    ("max", False): (
        'combine="max" takes the largest distance, that of the worst reference: give '
        'combine="min"'
    ),
    ("min", True): (
        'combine="min" takes the smallest score, that of the worst reference: give '
        'combine="max", or higher_is_better=False for a distance'
    ),
}
"""Faults by `combine` and `higher_is_better`."""
_SIGNED = (
    "combine",
    "batched",
    "ordered",
    "needs",
    "higher_is_better",
    "bounds",
    "language",
    "resolution",
    "deterministic",
    "family",
    "variants_tried",
    "weights_sha256",
)
"""What a signature states besides the version and the training data, in this order."""


@runtime_checkable
class Stream(Protocol):
    """A `compare` that takes batches one after the other, and knows earlier scores."""

    def stream(
        self, batches: Iterable[Sequence[Any]], run: int = 0
    ) -> Iterator[FloatArray]:
        """Yield the scores of batches of items; another run scores equal items anew."""


@dataclass(frozen=True)
class TextFamily:
    """Metrics of a plug-in of Tercet that are functions of texts; see `TextMetric`.

    They are computed only where they are named.

    Attributes
    ----------
    names : tuple of str
        In the order of the tables.
    missing : callable
        Says what is not installed and how to install it; empty if nothing is missing.
    make : callable
        Returns the metric of a name, in any case.
    has : callable
        Returns whether a metric is one of these.
    """

    names: tuple[str, ...]
    missing: Callable[[], str]
    make: Callable[[str], "TextMetric"]
    has: Callable[["TextMetric"], bool]


@dataclass(frozen=True, eq=False, repr=False)
class TextMetric:
    """A metric given as a function of texts; made by :func:`metric`.

    Attributes
    ----------
    name, compare, combine, batched, encode, fit, explain, needs, ordered
        How captions are scored, as :func:`metric` takes them.
    version, higher_is_better, bounds, language, resolution, deterministic, family,
    variants_tried, weights_sha256, trained_on
        What its author declares.
    batch : int
        How many comparisons, or texts to encode, one call takes, if it takes several.
    origin : str
        The package that it comes from, with its version and digest; or the command that it is.
    """

    name: str
    compare: Callable[..., Any]
    combine: Combine = "mean"
    batched: bool = False
    encode: Callable[[list[str]], Encoded] | None = None
    fit: Callable[[list[list[str]]], object] | None = None
    explain: Callable[[str, list[str]], "Explanation"] | None = None
    needs: tuple[str, ...] = ("references",)
    ordered: bool = False
    version: str = ""
    higher_is_better: bool = True
    bounds: tuple[float, float] | None = None
    language: str = ""
    resolution: float = 0.0
    deterministic: bool = True
    family: str = ""
    variants_tried: int = 1
    weights_sha256: str = ""
    trained_on: tuple[str, ...] | None = None
    batch: int = 256
    origin: str = ""

    @property
    def described(self) -> "TextMetric":
        """What is declared of the metric, without its functions, for other processes."""
        return replace(
            self,
            version=self.stated_version,
            compare=_elsewhere,
            encode=None,
            fit=None,
            explain=None,
        )

    @property
    def sign(self) -> int:
        """The factor of a score for which higher is better."""
        return 1 if self.higher_is_better else -1

    @property
    def needs_image(self) -> bool:
        """Whether it is given the file of the image."""
        return "image" in self.needs

    @property
    def stated_family(self) -> str:
        """The family that its author states, or its name."""
        return self.family or self.name

    @property
    def stated_version(self) -> str:
        """The version that its author states, or the digest of the function's source."""
        return self.version or _digest_of_source(self.compare) or "undeclared"

    @property
    def signature(self) -> str:
        """All that is declared, as ``key:value`` with a bar between; sets and defaults too."""
        declared = {name: getattr(self, name) for name in _SIGNED}
        trained = "undeclared" if self.trained_on is None else self.trained_on or "none"
        stated = {"version": self.stated_version, **declared, "trained_on": trained}
        if self.origin:
            stated["origin"] = self.origin
        parts = [f"{name}:{_written(value)}" for name, value in stated.items()]

        return "|".join(parts)

    def __call__(self, *given: Any, **others: Any) -> Any:
        """Call the function that was made a metric."""
        return self.compare(*given, **others)

    def __repr__(self) -> str:
        return f"<metric {self.name!r}, {self.combine} over references>"


_Decorator: TypeAlias = Callable[[Callable[..., Any]], TextMetric]


class _Declared(TypedDict, total=False):
    """What :func:`metric` takes."""

    name: str
    combine: Combine
    batched: bool
    encode: Callable[[list[str]], Encoded] | None
    fit: Callable[[list[list[str]]], object] | None
    explain: Callable[[str, list[str]], "Explanation"] | None
    needs: tuple[str, ...]
    ordered: bool
    version: str
    higher_is_better: bool
    bounds: tuple[float, float] | None
    language: str
    resolution: float
    deterministic: bool
    family: str
    variants_tried: int
    weights_sha256: str
    trained_on: tuple[str, ...] | None
    batch: int


@overload
def metric(
    compare: Callable[..., Any], **declared: Unpack[_Declared]
) -> TextMetric: ...
@overload
def metric(**declared: Unpack[_Declared]) -> _Decorator: ...
def metric(
    compare: Callable[..., Any] | None = None, **declared: Unpack[_Declared]
) -> TextMetric | _Decorator:
    """Make a metric of a function; also a decorator.

    Parameters
    ----------
    compare : callable
        Takes a candidate and a reference, and returns their score; otherwise as `combine` says.
        An image comes as ``image``, a path, and what `fit` returned as ``state``.
    name : str
        The name in tables.
    combine : {"mean", "max", "set", "none", "min"}, optional
        How the references count: the mean, the largest or the smallest of the scores with each
        (the largest of a similarity, the smallest of a distance); all at once, as a list that
        `compare` takes; or not at all: `compare` takes the candidate alone.
    batched : bool, optional
        `compare` takes lists of equal lengths, and returns as many numbers.
    encode : callable, optional
        Takes a list of texts, and returns something for each, such as the rows of an array;
        `compare` is given these instead of the texts. Each different text is encoded once.
    fit : callable, optional
        Called once with the references of all images.
    explain : callable, optional
        Takes a candidate and its references, and returns an :class:`~tercet.metrics.Explanation`.
    needs : tuple of str, optional
        What `compare` is given: ``("references",)``, ``("image",)``, or both.
    ordered : bool, optional
        The score of a set depends on the order of its references.
    version, language, family, weights_sha256 : str, optional
        What a signature states; without a version, it states the SHA-256 of the source.
    higher_is_better : bool, optional
        Where it is false, preferences and correlations take the negative of a score.
    bounds : pair of float, optional
        The lowest and the highest score that there is; others are refused.
    resolution : float, optional
        Scores that differ by no more are a tie.
    deterministic : bool, optional
        Whether equal captions always have equal scores.
    variants_tried : int, optional
        How many versions of it were tried on such data before this one was chosen.
    trained_on : tuple of str, optional
        Names of datasets, or files of digests; an empty one says that it was not trained. Without
        it, tables say that nothing is known.
    batch : int, optional
        How many comparisons, or texts to encode, one call takes, from 1.

    Returns
    -------
    TextMetric
        To be given to :func:`tercet.score`, to ``Options`` and wherever metrics are named.

    Raises
    ------
    TypeError, ValueError
        If a declaration cannot be followed.

    Examples
    --------
    >>> from tercet import metric, score
    >>> @metric(name="overlap")
    ... def overlap(candidate, reference):
    ...     a, b = set(candidate.split()), set(reference.split())
    ...     return len(a & b) / len(a | b)
    >>> score(references=[["a dog runs", "a dog"]], candidates=["a dog"], metrics=[overlap])
    Scores(1 captions: overlap 0.833)
    """
    if compare is None:
        return lambda function: _checked(function, declared)

    return _checked(compare, declared)


def _checked(compare: Callable[..., Any], declared: Mapping[str, Any]) -> TextMetric:
    """Make a metric of checked declarations."""
    known = list(_Declared.__annotations__)
    for name in declared:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f": did you mean {close[0]}?" if close else "."
            raise TypeError(
                f"metric: {name} cannot be declared{hint} The names are {', '.join(known)}."
            )
    if not callable(compare):
        raise TypeError(f"metric: compare must be a function, not {compare!r:.60}")

    given: dict[str, Any] = {"name": getattr(compare, "__name__", "")}
    for name, value in declared.items():
        given[name] = tuple(value) if isinstance(value, list) else value

    made = TextMetric(compare=compare, **given)
    _check_name(made.name)
    for fault in _faults(made):
        raise ValueError(f"metric {made.name}: {fault}")

    return made


def _check_name(name: object) -> None:
    if isinstance(name, str) and len(name) <= _LONGEST_NAME and _NAME.fullmatch(name):
        return

    raise ValueError(
        f"metric: the name {name!r:.80} cannot be used: give name= with letters, digits, spaces "
        f"and any of -+./_(), at most {_LONGEST_NAME} characters"
    )


def _faults(made: TextMetric) -> list[str]:
    """Find what of the declarations cannot be followed."""
    faults = []
    if made.combine not in get_args(Combine):
        faults.append(f"combine must be one of {', '.join(get_args(Combine))}")
    if worst := _OF_WORST.get((made.combine, made.higher_is_better)):
        faults.append(worst)
    if not made.needs or not set(made.needs) <= set(_NEEDS):
        faults.append('needs must be ("references",), ("image",) or both')
    if "references" not in made.needs and made.combine != "none":
        faults.append('a metric that needs no references takes combine="none"')
    if made.bounds is not None and not _are_bounds(made.bounds):
        faults.append(f"bounds must be two numbers, the lower first: {made.bounds!r}")
    if not (isinstance(made.resolution, int | float) and made.resolution >= 0):
        faults.append(f"resolution must be a number from 0, not {made.resolution!r}")
    if made.weights_sha256 and not _SHA256.fullmatch(made.weights_sha256):
        faults.append(
            f"weights_sha256 must be 64 hexadecimal digits: {made.weights_sha256!r:.80}"
        )
    for name in ("variants_tried", "batch"):
        value = getattr(made, name)
        if isinstance(value, bool) or not (isinstance(value, int) and value >= 1):
            faults.append(f"{name} must be a whole number from 1, not {value!r}")

    return faults


def _are_bounds(bounds: object) -> bool:
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False

    return all(isinstance(each, int | float) for each in bounds) and (
        bounds[0] < bounds[1]
    )


def _elsewhere(*_given: object) -> float:
    raise RuntimeError("the functions of a metric from outside run in one process only")


def _digest_of_source(function: Callable[..., Any]) -> str:
    """Return the digest of a function's source, or of its code; empty where it has neither."""
    try:
        source = inspect.getsource(function).encode()
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        if code is None:
            return ""
        source = code.co_code + repr(code.co_consts).encode()

    return f"sha256-{hashlib.sha256(source).hexdigest()[:_SHOWN_DIGITS]}"


def _written(value: object) -> str:
    """Write a declared value, without the characters that divide a signature."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"

    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text.replace("|", "/").replace(":", "-")
