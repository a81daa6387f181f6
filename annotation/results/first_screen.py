"""The first screen of the results page: figure, table and comparison, as its address chooses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import QueryDict

from tercet.analysis.evaluation.verdicts import Comparison
from tercet.analysis.figures.formats import unbroken
from tercet.analysis.report.curves import Curve, Curves, Value
from tercet.analysis.report.first_screen import comparison_texts, panel
from tercet.analysis.report.paper import PaperTable, paper_table
from tercet.analysis.report.tables import MISSING
from tercet.analysis.report.view import ReportView
from tercet.analysis.texts import Text
from tercet.analysis.values import references_in_words, share, span

_MOST_COUNTS = 6

_Row = tuple[Curve, Mapping[str, str]]


@dataclass(frozen=True)
class FirstScreen:
    """What the first screen shows of a report.

    Attributes
    ----------
    report : ReportView
    asked : mapping from str to str
        The parameters of the address: category, count, reference_count, metric_a and metric_b.
        What a report does not have is replaced by what comes first.
    """

    report: ReportView
    asked: Mapping[str, str]

    @cached_property
    def groups(self) -> list[str]:
        """The groups of pairs to choose from, the main one first."""
        names = [each.group for each in self.report.curves]
        names += [each.category for each in self.report.comparisons]
        return list(dict.fromkeys(names))

    @property
    def group(self) -> str:
        """The chosen group; empty without any."""
        return str(_chosen(self.groups, self.asked.get("category"), ""))

    @cached_property
    def curves(self) -> Curves | None:
        """The curves of the group."""
        of_group = [each for each in self.report.curves if each.group == self.group]
        return of_group[0] if of_group else None

    @cached_property
    def compared(self) -> list[Comparison]:
        """The comparisons of the group."""
        return [each for each in self.report.comparisons if each.category == self.group]

    @property
    def counts(self) -> list[Any]:
        """The counts at which metrics are compared, the fewest references first.

        Where none are compared, those of the figure: all if they are few, else its ends.
        """
        counts = list(dict.fromkeys(each.reference_count for each in self.compared))
        known = list(self.curves.counts) if self.curves else []
        few = known if len(known) <= _MOST_COUNTS else [known[0], known[-1]]
        return counts[::-1] or few

    @property
    def count(self) -> Any:
        """The chosen count of references, of all that the figure has."""
        known = self.curves.counts if self.curves else self.counts
        default = self.counts[-1] if self.counts else ""
        return _chosen(known, self._asked_count, default)

    @property
    def count_in_words(self) -> Text:
        return references_in_words(self.count)

    @property
    def compared_count(self) -> Any:
        """The chosen count, if metrics are compared there."""
        default = self.counts[-1] if self.counts else ""
        return _chosen(self.counts, self._asked_count, default)

    @property
    def _asked_count(self) -> str | None:
        """The count that the comparison asks for, or else that of the figure."""
        return self.asked.get("reference_count") or self.asked.get("count")

    @property
    def metrics(self) -> list[str]:
        """The metrics that are compared, in the order of the comparisons."""
        names = [each.metric_a for each in self.compared]
        names += [each.metric_b for each in self.compared]
        return list(dict.fromkeys(names))

    @property
    def metric_a(self) -> str:
        return str(_chosen(self.metrics, self.asked.get("metric_a"), self._first[0]))

    @property
    def metric_b(self) -> str:
        return str(_chosen(self.metrics, self.asked.get("metric_b"), self._first[1]))

    @property
    def _first(self) -> tuple[str, str]:
        """The best metric, and the one that comes next."""
        first = self.compared[:1]
        return (first[0].metric_a, first[0].metric_b) if first else ("", "")

    @cached_property
    def comparison(self) -> Mapping[str, str] | None:
        """The texts of the chosen comparison."""
        sides = [side for each in self.compared for side in (each, each.turned)]
        wanted = self.metric_a, self.metric_b, self.compared_count
        for each in sides:
            if (each.metric_a, each.metric_b, each.reference_count) == wanted:
                return comparison_texts(each)
        return None

    @property
    def rows(self) -> list[_Row]:
        """The metrics with their accuracies at the chosen count, the best first."""
        if self.curves is None:
            return []
        return [(curve, _texts(value)) for curve, value in self.curves.at(self.count)]

    def paper(self, asked: QueryDict) -> PaperTable | None:
        """Return the table for a paper, of all main metrics and counts if none are chosen."""
        if self.curves is None:
            return None

        known = [str(each) for each in self.counts]
        wanted = [each for each in asked.getlist("column") if each in known]
        counts = [each for each in self.counts if str(each) in (wanted or known)]
        names = [each.metric for each in self.curves.metrics]
        metrics = [each for each in asked.getlist("row") if each in names]
        return paper_table(self.curves, self.compared, counts, metrics or names)

    @cached_property
    def panel(self) -> Mapping[str, object]:
        """What `compare.js` shows."""
        return panel(self.compared)

    @cached_property
    def data(self) -> Mapping[str, list[Any]] | None:
        """What `figure.js` shows; None where there are no counts to choose from."""
        if self.curves is None or not self.curves.plot or len(self.curves.counts) < 2:
            return None

        metrics = [_described(each) for each in self.curves.metrics]
        counts = [
            {"count": str(each), "words": str(references_in_words(each))}
            for each in self.curves.counts
        ]
        return {"counts": counts, "metrics": metrics}


def _chosen(known: Sequence[Any], wanted: str | None, default: Any) -> Any:
    """Return what is wanted of what is known, by its text; without it the default or the first."""
    by_text = {str(each): each for each in known}
    if wanted in by_text:
        return by_text[wanted]
    return default or (known[0] if known else "")


def _texts(value: Value | None) -> Mapping[str, str]:
    """Return an accuracy and its interval in words."""
    if value is None:
        return {"accuracy": MISSING, "interval": ""}
    accuracy, low, high = value
    return {
        "accuracy": unbroken(str(share(accuracy))),
        "interval": str(span(low, high)),
    }


def _described(curve: Curve) -> Mapping[str, object]:
    """Return a curve for the script: texts of all counts, and the accuracies by which it sorts."""
    values = [value and {"rank": value[0], **_texts(value)} for value in curve.values]
    return {"name": curve.metric, "series": curve.series, "values": values}
