"""Accuracy by category at a few reference counts (CIDEr paper, table 1)."""

from html import escape

import pandas as pd
from scipy.spatial.distance import squareform

from analysis.dataset.schema import ALL
from analysis.evaluation.evidence import Evidence
from analysis.figures.panels import percent_interval
from analysis.findings.finding import Finding
from analysis.stats.significance import clusters

LEVEL = 0.05


def table(evidence: Evidence) -> Finding:
    """Metrics from the best to the worst, with intervals, ties and clusters."""
    accuracy = evidence.accuracy[evidence.accuracy["reference_count"].isin(evidence.counts)]
    numbers = accuracy.drop(columns=["se_images", "sd_draws", "vote_accuracy", "vote_ceiling"])
    clustered = pd.concat([clusters_at(evidence, count) for count in evidence.counts])
    numbers = numbers.merge(clustered, how="left", on=["metric", "category", "reference_count"])
    words = in_words(numbers, evidence)
    return Finding(
        "table",
        "Accuracy by category",
        "CIDEr paper, table 1",
        "Accuracy in % with its 95 % interval. Metrics of one cluster do not all differ from each "
        "other: a new cluster begins where every metric above differs from every one below, by "
        "the sign-flip test at 5 % for all pairs of metrics together, of the mean over categories.",
        tables={"table": words, "table_numbers": numbers},
        texts={"table.md": markdown(words), "table.tex": latex(words)},
    )


def clusters_at(evidence: Evidence, count: int) -> pd.DataFrame:
    """The cluster of each complete metric with so many references, of the main group."""
    group, names = evidence.main_group, evidence.complete(count)
    found = pd.array([pd.NA] * len(names), "Int64")
    if len(names) > 1 and evidence.images_of(group) > 1:
        differs = squareform((evidence.compared(group, count)["p_adjusted"] <= LEVEL).to_numpy())
        accuracy = evidence.samples.contributions(names, group)[:, count - 1].sum(axis=1)
        found = pd.array(clusters(accuracy, differs), "Int64")
    columns = {"metric": names, "category": group, "reference_count": count, "cluster": found}
    return pd.DataFrame(columns)


def in_words(numbers: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    """A row a metric and count, a column a category; the largest count first."""
    cells = map(percent_interval, numbers["accuracy"], numbers["low"], numbers["high"])
    shown = [name for name in evidence.groups if name != ALL or len(evidence.groups) == 1]
    wide = numbers.assign(cell=list(cells)).pivot(
        index=["reference_count", "metric"], columns="category", values="cell"
    )
    wide = wide.reindex(columns=shown)
    ties = numbers[numbers["category"] == ALL].set_index(["reference_count", "metric"])
    cluster = numbers.dropna(subset="cluster").set_index(["reference_count", "metric"])["cluster"]
    wide = wide.assign(
        cluster=cluster,
        metric_ties=ties["metric_ties"].map("{:.1f}".format),
        human_ties=ties["human_ties"],
    )
    rows = [(count, name) for count in reversed(evidence.counts) for name in evidence.ranked]
    metrics = wide.loc[[row for row in rows if row in wide.index]].reset_index()
    words = pd.concat([metrics.astype(object), limits(evidence)], ignore_index=True)
    return words.rename_axis(columns=None).astype(object).where(words.notna(), "")


def limits(evidence: Evidence) -> pd.DataFrame:
    """What people reach by half of the triplets, and the ceiling, as rows of the table."""
    curve = evidence.human_curve
    most = curve["triplets"].max()
    people = curve[curve["triplets"] == most].assign(metric=f"people, {most} triplets")
    both = pd.concat([people, evidence.ceiling.assign(metric="ceiling")]).dropna(subset="accuracy")
    cells = map(percent_interval, both["accuracy"], both["low"], both["high"])
    wide = both.assign(cell=list(cells)).pivot(index="metric", columns="category", values="cell")
    rows: pd.DataFrame = wide.drop(columns=ALL, errors="ignore").iloc[::-1].reset_index()
    return rows


def markdown(words: pd.DataFrame) -> str:
    """The table as Markdown."""
    safe = words.astype(str).map(lambda text: escape(text).replace("|", "\\|"))
    lines = [list(words.columns), ["---"] * len(words.columns), *safe.to_numpy().tolist()]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex(words: pd.DataFrame) -> str:
    """The table as LaTeX, for the package booktabs."""
    styler = words.rename(columns=lambda name: name.replace("_", " ")).style.hide(axis="index")
    return str(styler.format(escape="latex").to_latex(hrules=True))
