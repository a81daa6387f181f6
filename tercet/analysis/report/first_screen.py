"""The first screen of a report: the answer in words, and figure, table and comparison beside it.

The sentence, its evidence and its reasons are made here, for all metrics or for chosen ones; the
page of a report and the site render them.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from tercet.analysis.evaluation.verdicts import Comparison, beside_best
from tercet.analysis.figures.formats import unbroken
from tercet.analysis.report.curves import Curve, Curves, Value
from tercet.analysis.report.paper import GROUPS, PaperTable, paper_table
from tercet.analysis.report.tables import MISSING
from tercet.analysis.report.view import ReportView
from tercet.analysis.scoring.contamination import ENGLISH, marks_behind
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.scoring.tallies import ReferenceCount
from tercet.analysis.superlatives import Ranking, Wording, interval_in_words
from tercet.analysis.values import p_number, points, references_in_words, share, span

LABELS = {
    "metric_a": "Metric",
    "metric_b": "compared with",
    "reference_count": "References per image",
    "category": "Category",
    "difference": "Difference in points, with its 95 % interval",
    "p": "p, adjusted for all comparisons",
    "p_alone": "p, unadjusted",
    "pairs": "Pairs",
    "same": "Choose two different metrics.",
    "missing": "These two metrics cannot be compared there: one of them does not score every pair.",
}
_MOST_COUNTS = 6

_MOST_OFTEN = Wording(
    one="Of these {number} metrics, {first} agrees with people most often: {share} ({interval}).",
    several="Of these {number} metrics, {first} agree with people most often, and equally often: "
    "{share} ({interval}).",
    level="These {number} metrics agree with people equally often: {share} ({interval}).",
    alone="{first} agrees with people in {share} of cases ({interval}).",
)


@dataclass(frozen=True)
class FirstScreen:
    """What the first screen shows of a report.

    Attributes
    ----------
    report : ReportView
    asked : mapping from name to values
        What is chosen: category, count, reference_count, metric_a and metric_b (the last value of
        each), the `row` values are "my metrics", which sentence, comparison, figure and table are
        of, the `column` values the counts of the table for papers. What a report does not have is
        replaced by what comes first; without a known metric, all are chosen.
    """

    report: ReportView
    asked: Mapping[str, Sequence[str]]

    def _last(self, name: str) -> str:
        """Return what is asked for under a name; empty if nothing is."""
        return next(reversed(self.asked.get(name, ())), "")

    @cached_property
    def groups(self) -> list[str]:
        """The groups of pairs to choose from, the main one first."""
        names = [each.group for each in self.report.curves]
        names += [each.category for each in self.report.comparisons]
        return list(dict.fromkeys(names))

    @property
    def group(self) -> str:
        """The chosen group; empty without any."""
        return str(_chosen(self.groups, self._last("category"), ""))

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
        asked = self._last("count") or self._last("reference_count")
        return _chosen(known, asked, default)

    @property
    def count_in_words(self) -> str:
        return references_in_words(self.count)

    @property
    def compared_count(self) -> Any:
        """The count that the comparison asks for, or else the figure's, if there is one."""
        default = self.counts[-1] if self.counts else ""
        asked = self._last("reference_count") or self._last("count")
        return _chosen(self.counts, asked, default)

    @property
    def metrics(self) -> list[str]:
        """The metrics that are compared, in the order of the comparisons."""
        names = [each.metric_a for each in self.compared]
        names += [each.metric_b for each in self.compared]
        return list(dict.fromkeys(names))

    @property
    def metric_a(self) -> str:
        default = self._other_than(self._last("metric_b"))
        return str(_chosen(self.metrics, self._last("metric_a"), default))

    @property
    def metric_b(self) -> str:
        default = self._other_than(self.metric_a)
        return str(_chosen(self.metrics, self._last("metric_b"), default))

    def _other_than(self, metric: str) -> str:
        """Return the first of the two metrics that are compared first and are not this one."""
        if not self.compared:
            return ""
        first = first_comparison(self.compared)
        return first.metric_b if first.metric_a == metric else first.metric_a

    @cached_property
    def _sentences(self) -> list[str]:
        """What is said of the chosen metrics; of all of them, what leads the report."""
        if self.mine is not None:
            return list(sentences_of(self.mine, self.count, self.compared))

        lead = self.report.lead
        if lead is None:
            return []
        headline = lead.headline or lead.sentence
        return [headline, lead.sentence.removeprefix(headline).lstrip()]

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
    def rows(self) -> list[tuple[Curve, Mapping[str, str]]]:
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
        chosen = self.asked.get("row", ())
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
        wanted = self.asked.get("column", ())
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
        asked: dict[str, Any] = {"category": self.group, "count": self.count}
        if self.comparison:
            asked["metric_a"] = self.metric_a
            asked["metric_b"] = self.metric_b
            asked["reference_count"] = self.compared_count

        curves = self.curves.metrics if self.curves else []
        asked["row"] = [each.metric for each in curves if each not in self.hidden]
        asked["column"] = self.columns
        return urlencode(asked, doseq=True)

    @property
    def kept(self) -> str:
        """What links to another category or count keep of the parameters."""
        replaced = ("category", "count", "reference_count")
        kept = {name: self.asked[name] for name in self.asked if name not in replaced}
        return urlencode(kept, doseq=True)

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


def _chosen(known: Sequence[Any], wanted: str, default: Any) -> Any:
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


def panel(compared: Sequence[Comparison]) -> dict[str, object]:
    """Return what `compare.js` shows: labels, and texts for every comparison from both sides.

    `first` are those of the comparison that a page begins with. Texts are in the language of the
    reader.
    """
    rows = [comparison_texts(side) for each in compared for side in (each, each.turned)]
    first = comparison_texts(first_comparison(compared)) if compared else None
    return {"labels": _on_a_page(LABELS), "rows": rows, "first": first}


def first_comparison(compared: Sequence[Comparison]) -> Comparison:
    """Return the comparison of the two best metrics that hold for the language of the captions.

    It is of the first group and count, and of no baseline; where no two hold there, of the first.
    """
    first = compared[0]
    there = first.category, first.reference_count
    for each in compared:
        is_there = (each.category, each.reference_count) == there
        names = each.metric_a, each.metric_b
        hold = ENGLISH not in marks_behind(names) and {*BASELINES}.isdisjoint(names)
        if is_there and hold:
            return each
    return first


def _on_a_page(texts: Mapping[str, object]) -> dict[str, str]:
    return {name: unbroken(str(text)) for name, text in texts.items()}


def comparison_texts(compared: Comparison) -> dict[str, str]:
    """Return the texts of a comparison in the panel."""
    texts = {
        "metric_a": compared.metric_a,
        "metric_b": compared.metric_b,
        "category": compared.category,
        "reference_count": compared.reference_count,
        "accuracy_a": share(compared.accuracy_a),
        "accuracy_b": share(compared.accuracy_b),
        "difference": (
            f"{points(compared.difference)} ({points(compared.low)} to "
            f"{points(compared.high)})"
        ),
        "p": p_number(compared.p_adjusted),
        "p_alone": p_number(compared.p),
        "pairs": f"{compared.pairs:,}",
        "verdict": compared.in_words,
    }
    return _on_a_page(texts)


def with_band(curves: Curves) -> list[str]:
    """Return the metrics that have a band on a page, as in the figure: the best one, if any."""
    ranked = [curve.metric for curve, _value in curves.at(curves.counts[-1])]
    return [name for name in ranked if name not in BASELINES][:1]


def sentences_of(
    curves: Curves, count: ReferenceCount, compared: Sequence[Comparison]
) -> Iterator[str]:
    """Say which of some metrics agrees with people most often, and which differ from it.

    Parameters
    ----------
    curves : Curves
        Of these metrics, in one group of pairs.
    count : int or "all"
        The reference count.
    compared : sequence of Comparison
        Of these metrics in this group.
    """
    rows = [(curve, value) for curve, value in curves.at(count) if value]
    named = [
        row
        for row in rows
        if row[0].metric not in BASELINES
        and ENGLISH not in marks_behind([row[0].metric])
    ]
    if not named:
        return

    ranking = Ranking.of({curve.metric: value[0] for curve, value in named})
    there = [each for each in compared if each.reference_count == count]
    yield _most_often(ranking, named)
    yield _where(curves.group, count, there)
    behind = {*ranking.values} - {*ranking.first}
    yield from beside_best(ranking.first[0], behind, there)


def _most_often(ranking: Ranking, rows: Sequence[tuple[Curve, Value]]) -> str:
    first = [value for curve, value in rows if curve.metric in ranking.first]
    return _MOST_OFTEN.said(
        ranking,
        share=share(ranking.highest),
        interval=interval_in_words(
            [low for _share, low, _high in first],
            [high for _share, _low, high in first],
        ),
    )


def _where(group: str, count: ReferenceCount, there: Sequence[Comparison]) -> str:
    """Say of which pairs an accuracy is, and with how many references."""
    of_group = GROUPS.get(group, f"category {group}")
    pairs = f", {there[0].pairs:,} pairs" if there else ""
    return f"With {references_in_words(count)} per image, {of_group}{pairs}."
