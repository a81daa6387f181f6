"""Which metrics are wanted: built-in ones, supplied ones, and those made of others."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tercet.metrics.composed.combinations import SPIDER
from tercet.metrics.composed.composites import Composite, with_composites, with_features
from tercet.metrics.composed.learned import Model
from tercet.metrics.core.arrays import FloatArray
from tercet.metrics.registry import COMBINATIONS, is_known, resolve


@dataclass(frozen=True)
class Selection:
    """The metrics of a table, and what they are computed from.

    names: in the order of the table. composites: those of them that are made of others.
    supplied: metrics whose scores are supplied.
    """

    names: tuple[str, ...]
    composites: tuple[Composite, ...] = ()
    supplied: tuple[str, ...] = ()

    @property
    def built_in(self) -> tuple[str, ...]:
        """The built-in metrics that have to be scored."""
        needed = with_features(self.names, self.composites)
        return tuple(name for name in needed if name not in self.supplied)

    @property
    def models(self) -> list[Model]:
        """The composites that are learned."""
        return [each for each in self.composites if isinstance(each, Model)]

    @property
    def standardized(self) -> tuple[str, ...]:
        """The metrics whose scores composites are fitted to."""
        names = [name for each in self.composites for name in each.standardized]
        return tuple(dict.fromkeys(names))

    def available(self, scored: Collection[str]) -> "Selection":
        """Return the selection without metrics that need others than those that are scored."""
        composites = tuple(
            each for each in self.composites if set(each.features) <= set(scored)
        )
        known = {*scored, *(each.name for each in composites)}
        names = tuple(name for name in self.names if name in known)

        return replace(self, names=names, composites=composites)

    def fitted(self, scores: Mapping[str, FloatArray]) -> "Selection":
        """Return the selection with its composites fitted.

        ``scores``: of all candidates with all references, by each metric in `standardized`.
        """
        composites = tuple(each.fitted(scores) for each in self.composites)
        return replace(self, composites=composites)

    def complete(self, scores: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Return the scores of the metrics, from those of what they are computed from."""
        all_scores = with_composites(scores, self.composites)
        return {name: all_scores[name] for name in self.names}

    def made_with(self) -> list[str]:
        """Describe each composite in a line."""
        return [composite.made_with() for composite in self.composites]


def select(
    names: Iterable[str],
    composites: Sequence[Composite] = (),
    supplied: Iterable[str] = (),
    reserved: Collection[str] = (),
) -> Selection:
    """Find metrics by name, without regard to case, and add composites, which come last.

    Parameters
    ----------
    names : iterable of str
        The metrics that are wanted besides the composites.
    composites : sequence of Composite
        Metrics made of built-in and supplied ones, and named otherwise than these.
    supplied : iterable of str
        Metrics whose scores are supplied. With SPICE among them, SPIDEr may be wanted.
    reserved : collection of str
        Further names, in lower case, that no composite may have.

    Raises
    ------
    ValueError
        If a metric is unknown or not installed, or the name of a composite is taken.
    """
    supplied = tuple(supplied)
    given = {name.lower(): name for name in supplied}

    def find(name: str) -> str:
        return given.get(name.lower()) or resolve(name)[0]

    _check_names(composites, given, reserved)
    made = {each.name.lower(): each.renamed(find) for each in composites}
    wanted = [*names, *(each.name for each in composites)]

    if SPIDER.features[0].lower() in given and SPIDER.name.lower() not in given:
        made.setdefault(SPIDER.name.lower(), SPIDER.renamed(find))

    def chosen(name: str) -> str:
        composite = made.get(name.lower())
        return composite.name if composite else find(name)

    found = [chosen(name) for name in wanted]
    used = [each for each in made.values() if each.name in found]
    return Selection(tuple(dict.fromkeys(found)), tuple(used), supplied)


def _check_names(
    composites: Sequence[Composite],
    supplied: Collection[str],
    reserved: Collection[str],
) -> None:
    """Raise ValueError if the name of a composite is that of another metric."""
    taken = {*supplied, *reserved}

    for composite in composites:
        name = composite.name.lower()
        is_taken = name in taken or (is_known(name) and composite not in COMBINATIONS)
        if is_taken:
            raise ValueError(
                f"the name {composite.name} is taken: give the new metric another name"
            )
        taken.add(name)
