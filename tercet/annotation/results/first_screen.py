"""The first screen of the results page: figure, table and comparison, as its address chooses."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import QueryDict

from tercet.analysis.evaluation.verdicts import Comparison
from tercet.analysis.figures.formats import unbroken
from tercet.analysis.report.chosen import sentences_of, with_band
from tercet.analysis.report.curves import Curve, Curves, Value
from tercet.analysis.report.first_screen import (
    comparison_texts,
    first_comparison,
    panel,
)
from tercet.analysis.report.paper import PaperTable, paper_table
from tercet.analysis.report.tables import MISSING
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.values import references_in_words, share, span

_MOST_COUNTS = 6

_Row = tuple[Curve, Mapping[str, str]]


@dataclass(frozen=True)
class FirstScreen:
    """What the first screen shows of a report.

    Attributes
    ----------
    report : ReportView
    asked : QueryDict
        The parameters of the address: category, count, reference_count, metric_a and metric_b, each
        `row` of "my metrics", of which are sentence, comparison, figure and table, and each
        `column` of the table for papers. What a report does not have is replaced by what comes
        first; without a known metric, all are chosen.
    """

    report: ReportView
    asked: QueryDict

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
        """The comparisons of the chosen metrics in the group."""
        if self.mine is None:
            return self._of_group
        names = {each.metric for each in self.mine.metrics}
        return [
            each for each in self._of_group if names >= {each.metric_a, each.metric_b}
        ]

    @cached_property
    def _of_group(self) -> list[Comparison]:
        return [each for each in self.report.comparisons if each.category == self.group]

    @property
    def counts(self) -> list[Any]:
        """The counts at which metrics are compared, the fewest references first.

        Where none are compared, those of the figure: all if they are few, else its ends.
        """
        counts = list(dict.fromkeys(each.reference_count for each in self._of_group))
        known = list(self.curves.counts) if self.curves else []
        few = known if len(known) <= _MOST_COUNTS else [known[0], known[-1]]
        return counts[::-1] or few

    @property
    def count(self) -> Any:
        """The chosen count of references, of all that the figure has; else the compared one."""
        known = self.curves.counts if self.curves else self.counts
        default = self.counts[-1] if self.counts else ""
        asked = self.asked.get("count") or self.asked.get("reference_count")
        return _chosen(known, asked, default)

    @property
    def count_in_words(self) -> str:
        return references_in_words(self.count)

    @property
    def compared_count(self) -> Any:
        """The count that the comparison asks for, or else the figure's, if there is one."""
        default = self.counts[-1] if self.counts else ""
        asked = self.asked.get("reference_count") or self.asked.get("count")
        return _chosen(self.counts, asked, default)

    @property
    def metrics(self) -> list[str]:
        """The metrics that are compared, in the order of the comparisons."""
        names = [each.metric_a for each in self.compared]
        names += [each.metric_b for each in self.compared]
        return list(dict.fromkeys(names))

    @property
    def metric_a(self) -> str:
        default = self._other_than(self.asked.get("metric_b"))
        return str(_chosen(self.metrics, self.asked.get("metric_a"), default))

    @property
    def metric_b(self) -> str:
        default = self._other_than(self.metric_a)
        return str(_chosen(self.metrics, self.asked.get("metric_b"), default))

    def _other_than(self, metric: str | None) -> str:
        """Return the first of the two metrics that are compared first and are not this one."""
        if not self.compared:
            return ""
        first = first_comparison(self.compared)
        return first.metric_b if first.metric_a == metric else first.metric_a

    @cached_property
    def _sentences(self) -> list[str]:
        """What is said of the chosen metrics; of all of them, what leads the report."""
        if self.mine is None:
            return [self.report.headline, self.report.further_sentences]
        return list(sentences_of(self.mine, self.count, self.compared))

    @property
    def headline(self) -> str:
        return next(iter(self._sentences), "")

    @property
    def further_sentences(self) -> str:
        return " ".join(self._sentences[1:])

    @property
    def reservations(self) -> list[str]:
        """What limits the answer, without what is said of metrics that are not chosen."""
        lead = self.report.lead
        names = "|".join(map(re.escape, self.hidden_metrics))
        hidden = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])") if names else None
        told = lead.reservations if lead else []
        return [each for each in told if not (hidden and hidden.search(each))]

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

    @property
    def baselines(self) -> Collection[str]:
        """What is shown beside the metrics, but is none: no sentence names it as the best."""
        return BASELINES

    @cached_property
    def hidden(self) -> list[Curve]:
        """The curves of metrics that are not chosen; none where no metric is chosen."""
        curves = self.curves.metrics if self.curves else []
        chosen = self.asked.getlist("row")
        left_out = [each for each in curves if each.metric not in chosen]
        return left_out if len(left_out) < len(curves) else []

    @property
    def hidden_metrics(self) -> list[str]:
        return [each.metric for each in self.hidden]

    @property
    def hidden_series(self) -> list[str]:
        return [each.series for each in self.hidden]

    @cached_property
    def mine(self) -> Curves | None:
        """The curves of the chosen metrics; None where these are all."""
        if self.curves is None or not self.hidden:
            return None
        kept = [each for each in self.curves.metrics if each not in self.hidden]
        return replace(self.curves, metrics=kept)

    @property
    def drawn(self) -> list[Curves]:
        """The curves of the chosen metrics in each group, the chosen group first."""
        groups = sorted(self.report.curves, key=lambda each: each.group != self.group)
        hidden = self.hidden_metrics
        return [
            replace(each, metrics=[c for c in each.metrics if c.metric not in hidden])
            for each in groups
        ]

    @property
    def columns(self) -> list[Any]:
        """The chosen counts of the table for papers; all if none is chosen."""
        wanted = self.asked.getlist("column")
        chosen = [each for each in self.counts if str(each) in wanted]
        return chosen or self.counts

    @property
    def paper(self) -> PaperTable | None:
        """The table for a paper; None without curves."""
        if self.curves is None:
            return None

        names = [each.metric for each in self.curves.metrics]
        shown = [each for each in names if each not in self.hidden_metrics]
        simulated = self.report.simulated
        return paper_table(self.curves, self.compared, self.columns, shown, simulated)

    @property
    def address(self) -> str:
        """The parameters by which an address shows the same."""
        parameters = QueryDict(mutable=True)
        parameters["category"] = self.group
        parameters["count"] = str(self.count)
        if self.comparison:
            parameters["metric_a"] = self.metric_a
            parameters["metric_b"] = self.metric_b
            parameters["reference_count"] = str(self.compared_count)

        curves = self.curves.metrics if self.curves else []
        rows = [each.metric for each in curves if each not in self.hidden]
        columns = [str(each) for each in self.columns]
        parameters.setlist("row", rows)
        parameters.setlist("column", columns)
        return parameters.urlencode()

    @property
    def kept(self) -> str:
        """What links to another category or count keep of the parameters."""
        parameters = self.asked.copy()
        for name in ("category", "count", "reference_count"):
            parameters.pop(name, None)
        return parameters.urlencode()

    @property
    def codes(self) -> list[str]:
        """The names in it that a reader may not know: of groups of pairs, and of metrics."""
        return self.groups + [curve.metric for curve, _texts in self.rows]

    def only_chosen(self) -> "FirstScreen":
        """Return it without the groups and metrics that are not chosen."""
        curves = self.drawn[:1] if self.curves else []
        report = replace(self.report, curves=curves, comparisons=self.compared)
        return FirstScreen(report, self.asked)

    @cached_property
    def panel(self) -> Mapping[str, object]:
        """What `compare.js` shows."""
        return panel(self.compared)

    @cached_property
    def data(self) -> Mapping[str, list[Any]] | None:
        """What `figure.js` shows; None where there are no counts to choose from."""
        if self.curves is None or not self.curves.plot or len(self.curves.counts) < 2:
            return None

        banded = with_band(self.mine or self.curves)
        metrics = [_described(each, banded) for each in self.curves.metrics]
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


def _described(curve: Curve, banded: Collection[str]) -> Mapping[str, object]:
    """Return a curve for the script: texts of all counts, and the accuracies by which it sorts."""
    values = [value and {"rank": value[0], **_texts(value)} for value in curve.values]
    about = {"name": curve.metric, "series": curve.series, "values": values}
    return about | {"band": curve.metric in banded}
