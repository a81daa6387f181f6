"""Which metrics are wanted: built-in, from outside, known, and those made of others."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tercet.metrics.composed.combinations import SPIDER
from tercet.metrics.composed.composites import Composite, with_composites, with_features
from tercet.metrics.composed.learned import Model
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.outside.text_metric import TextMetric
from tercet.metrics.registry import (
    COMBINATIONS,
    Named,
    check_names,
    is_known,
    is_own,
    name_of,
    resolve,
    text_metric,
)


@dataclass(frozen=True)
class Selection:
    """The metrics of a table, and what they are computed from.

    names: in the order of the table. composites: those of them that are made of others.
    known: metrics whose scores are known before. outside: those from outside that are scored.
    """

    names: tuple[str, ...]
    composites: tuple[Composite, ...] = ()
    known: tuple[str, ...] = ()
    outside: Mapping[str, TextMetric] = field(default_factory=dict)

    @property
    def scored(self) -> tuple[str, ...]:
        """The metrics that have to be scored: all but those that are known or made of others."""
        needed = with_features(self.names, self.composites)
        return tuple(name for name in needed if name not in self.known)

    @property
    def to_score(self) -> tuple[Named, ...]:
        """The metrics that have to be scored: objects if they are from outside, names if not."""
        return tuple(self.outside.get(name, name) for name in self.scored)

    @property
    def models(self) -> list[Model]:
        """The composites that are learned."""
        return [each for each in self.composites if isinstance(each, Model)]

    @property
    def standardized(self) -> tuple[str, ...]:
        """The metrics that composites are fitted to."""
        names = [name for each in self.composites for name in each.standardized]
        return tuple(dict.fromkeys(names))

    @property
    def lower_is_better(self) -> list[str]:
        """The metrics of the table where lower scores are better."""
        return [name for name in self.names if self.sign_of(name) < 0]

    def sign_of(self, name: str) -> int:
        """Return the factor of a metric's scores for which higher is better."""
        return self.outside[name].sign if name in self.outside else 1

    def resolution_of(self, name: str) -> float:
        """Return the largest difference of a metric's scores that is a tie."""
        return self.outside[name].resolution if name in self.outside else 0.0

    @property
    def without_functions(self) -> "Selection":
        """The selection as other processes can have it: it describes metrics from outside only."""
        described = {name: each.described for name, each in self.outside.items()}
        return replace(self, outside=described)

    def available(self, scored: Collection[str]) -> "Selection":
        """Return the selection without metrics that need others than those that are scored."""
        composites = tuple(
            each for each in self.composites if set(each.features) <= set(scored)
        )
        possible = {*scored, *(each.name for each in composites)}
        names = tuple(name for name in self.names if name in possible)

        return replace(self, names=names, composites=composites)

    def fitted(self, scores: Mapping[str, FloatArray]) -> "Selection":
        """Return the selection with its composites fitted.

        ``scores``: of all candidates with all references, by each metric in `standardized`.
        """
        composites = tuple(each.fitted(scores) for each in self.composites)
        return replace(self, composites=composites)

    def complete(self, scores: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Return the scores of the metrics, from the scores that they are computed from."""
        all_scores = with_composites(scores, self.composites)
        return {name: all_scores[name] for name in self.names}

    def made_with(self) -> list[str]:
        """Describe each composite, and each metric from outside, in a line."""
        composites = [composite.made_with() for composite in self.composites]
        outside = [f"{name}: {each.signature}" for name, each in self.outside.items()]
        return composites + outside


def select(
    metrics: Iterable[Named],
    composites: Sequence[Composite] = (),
    known: Iterable[str] = (),
    reserved: Collection[str] = (),
) -> Selection:
    """Find metrics by name, without regard to case, and add composites, which come last.

    Parameters
    ----------
    metrics : iterable of str or TextMetric
        The metrics that are wanted besides the composites.
    composites : sequence of Composite
        Metrics made of built-in and known ones, and named otherwise than these.
    known : iterable of str
        Metrics whose scores are known before, as those of a file. With SPICE among them, SPIDEr may
        be wanted.
    reserved : collection of str
        Further names, in lower case, that no composite may have.

    Raises
    ------
    ValueError
        If a metric is unknown or not installed, or the name of a composite is taken.
    """
    known = tuple(known)
    metrics = tuple(metrics)
    outside = {each.name: each for each in metrics if isinstance(each, TextMetric)}
    given = {name.lower(): name for name in (*known, *outside)}

    def find(name: str) -> str:
        return given.get(name.lower()) or resolve(name)[0]

    check_names([*known, *metrics])
    others = [each for each in outside.values() if not is_own(each)]
    _check_names([*others, *composites], known, reserved)
    made = {each.name.lower(): each.renamed(find) for each in composites}
    wanted = [*map(name_of, metrics), *(each.name for each in composites)]

    if SPIDER.features[0].lower() in given and SPIDER.name.lower() not in given:
        made.setdefault(SPIDER.name.lower(), SPIDER.renamed(find))

    def chosen(name: str) -> str:
        composite = made.get(name.lower())
        return composite.name if composite else find(name)

    found = [chosen(name) for name in wanted]
    used = [each for each in made.values() if each.name in found]
    selection = Selection(tuple(dict.fromkeys(found)), tuple(used), known)
    for name in selection.scored:
        own = outside.get(name) or text_metric(name)
        if own:
            outside[name] = own

    return replace(selection, outside=outside)


def _check_names(
    added: Sequence[Composite | TextMetric],
    known: Collection[str],
    reserved: Collection[str],
) -> None:
    """Raise ValueError if the name of an added metric is that of another one, or reserved."""
    taken = {*map(str.lower, known), *reserved}

    for each in added:
        name = each.name.lower()
        is_taken = name in taken or (is_known(name) and each not in COMBINATIONS)
        if is_taken:
            raise ValueError(
                f"the name {each.name} is taken: give the new metric another name"
            )
        taken.add(name)
