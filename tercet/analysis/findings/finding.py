"""What a finding is, what it needs, and what it gives."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from textwrap import shorten

import pandas as pd
from markupsafe import escape
from matplotlib.figure import Figure

from tercet.analysis.evaluation.results import Results, small_table
from tercet.analysis.figures.style import DEFAULT, Look, draw_marked

logger = logging.getLogger(__name__)

LAST = 1_000
"""The place after all findings that are built in."""
_SHOWN = 160
"""Characters of the sentence where a finding is printed."""

Draw = Callable[[Look], Figure]
"""Draw a plot in a look."""


@dataclass(frozen=True)
class Plot:
    """A plot of a finding.

    Attributes
    ----------
    draw : `Draw`
    shows : str
        What is to be seen in it: its alternative text.
    family : sequence of str
        The metrics of a plot of one family of them; empty in other plots.
    group : str
        The category of a plot of one group of pairs, which the first screen shows; else empty.
    paper_width : float
        Inches of its file in the letters of a paper; 0 for none.
    """

    draw: Draw
    shows: str
    family: Sequence[str] = ()
    group: str = ""
    paper_width: float = 0.0


@dataclass(frozen=True)
class Need:
    """Something that a finding cannot be made without.

    Attributes
    ----------
    reason : str or callable
        Why a finding is left out without it, as a sentence; or what says so of results.
    is_met : callable
        Whether the results have it.
    takes_package : bool
        Whether it is a package that would have to be installed.
    takes_scores : bool
        Whether pairs or ratings have to be scored for it.
    is_rare : bool
        Whether a report without it does not mention the finding, unless it is asked for.
    """

    reason: str | Callable[[Results], str]
    is_met: Callable[[Results], bool]
    takes_package: bool = False
    takes_scores: bool = False
    is_rare: bool = False

    def stated(self, results: Results) -> "Need":
        """Return the same need, with its reason as a text."""
        return replace(
            self,
            reason=self.reason
            if isinstance(self.reason, str)
            else self.reason(results),
        )


@dataclass(frozen=True)
class Content:
    """What a finding gives.

    Attributes
    ----------
    tables : mapping from name to DataFrame
        By file name without ending, the one to show first at the beginning. A finding has those
        with rows.
    plots : mapping from name to Plot
        By file name without ending.
    texts : mapping from file name to str
        Further files.
    notes : tuple of str
        What could not be computed, and why, in sentences.
    meaning : str
        Replaces the meaning in the definition, where the data decide the words.
    sentence : str
        What was found, in one sentence with its numbers.
    headline : str
        The first sentence of several in `sentence`.
    reservations : tuple of str
        What has to be known before the sentence.
    """

    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    plots: Mapping[str, Plot] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    meaning: str = ""
    sentence: str = ""
    headline: str = ""
    reservations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Definition:
    """A finding that can be made from results.

    Attributes
    ----------
    name : str
        The name of the command-line option, and in `report.json`.
    title : str
        Its heading.
    source : str
        Where it stands in the CIDEr paper, or else in the literature.
    meaning : str
        What its numbers say, in a sentence or two.
    needs : tuple of Need
        What results must have; the reason of the first that is missing is shown.
    make : callable
        Makes the content from results that meet the needs.
    place : int
        Where a plug-in stands in the report: those built in have 10, 20, … in their order.
    """

    name: str
    title: str
    source: str
    meaning: str
    needs: tuple[Need, ...]
    make: Callable[[Results], Content]
    place: int = LAST

    @property
    def needs_scores(self) -> bool:
        """Whether it cannot be made without scores."""
        return any(need.takes_scores for need in self.needs)

    def find(self, results: Results) -> "Finding":
        """Make the finding, or say why it is not applicable or what failed."""
        title, source = self.title, self.source
        finding = Finding(
            name=self.name, title=title, source=source, meaning=self.meaning
        )
        try:
            for need in self.needs:
                if not need.is_met(results):
                    return replace(finding, unmet=need.stated(results))

            content = self.make(results)
        except Exception as error:  # one finding must not take the others down
            return finding.failed(error)

        tables = {name: table for name, table in content.tables.items() if len(table)}
        plots = {
            name: replace(plot, draw=partial(draw_marked, plot.draw, results.marks))
            for name, plot in content.plots.items()
        }
        meaning = content.meaning or self.meaning
        found = vars(content) | {"tables": tables, "plots": plots, "meaning": meaning}
        return replace(finding, **found)


def finding(
    *, title: str, source: str, meaning: str, needs: tuple[Need, ...], place: int = LAST
) -> Callable[[Callable[[Results], Content]], Definition]:
    """Define the finding that a function of this name makes; see `Definition`."""
    return lambda make: Definition(
        make.__name__, title, source, meaning, needs, make, place
    )


@dataclass(frozen=True, kw_only=True)
class Finding(Content):
    """One answer of an evaluation: content, or why there is none.

    Attributes
    ----------
    name, title, source
        As in `Definition`.
    unmet : Need, optional
        What is missing; None if the finding is applicable.
    error : str
        The unexpected error that it could not be made for; empty if there was none.
    """

    name: str
    title: str
    source: str
    unmet: Need | None = None
    error: str = ""

    def __repr__(self) -> str:
        said = shorten(self._said, _SHOWN, placeholder=" …")
        return f"<Finding {self.name}: {said}>"

    def _repr_html_(self) -> str:
        """Show title, sentence and the first table in a notebook."""
        table = next(iter(self.tables.values()), None)
        shown = "" if table is None else small_table(table)
        return f"<p><b>{escape(self.title)}</b> {escape(self._said)}</p>{shown}"

    @property
    def _said(self) -> str:
        """The sentence with what has to be known before it, or why there is none."""
        sentence = self.sentence or self.reason or self.error or self.meaning
        return " ".join([*self.reservations, sentence])

    def figure(self, name: str = "", look: Look = DEFAULT) -> Figure:
        """Draw a plot.

        Parameters
        ----------
        name : str
            One of `plots`; the first of them if empty.
        look : Look
            The width, and the category of the only panel.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        ValueError
            If the finding has no such plot.
        """
        names = ", ".join(self.plots) or "none"
        chosen = self.plots.get(name or names.partition(",")[0])
        if chosen is None:
            raise ValueError(
                f"The finding {self.name} has no plot {name!r}; its plots: {names}. {self.reason}"
            )
        return chosen.draw(look)

    @property
    def reason(self) -> str:
        """Why the finding is not applicable; empty if it is."""
        return str(self.unmet.reason) if self.unmet else ""

    @property
    def lacks_what_is_rare(self) -> bool:
        """Whether a report does not mention it, unless it is asked for."""
        return bool(self.unmet and self.unmet.is_rare)

    def failed(self, error: Exception) -> "Finding":
        """Return the finding without content, because of an unexpected error, and log it."""
        logger.error("The finding %s could not be made.", self.name, exc_info=error)

        said = f"{type(error).__name__}: {error}"
        without = Content(meaning=self.meaning)
        return replace(self, **vars(without), error=said.rstrip(": "))
