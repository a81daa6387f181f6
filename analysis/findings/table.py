"""Accuracy by category at a few reference counts (CIDEr paper, table 1)."""

import pandas as pd
from scipy.spatial.distance import squareform

from analysis.comparison import clusters, compare_metrics
from analysis.dataset import ALL, MEAN
from analysis.evidence import Evidence
from analysis.findings.differences import images_of
from analysis.findings.finding import Finding
from analysis.plots import in_percent

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
    """The cluster of each metric with so many references, of the mean over categories."""
    group = MEAN if MEAN in evidence.groups else evidence.groups[0]
    names = evidence.judged.names
    columns = {"metric": names, "category": group, "reference_count": count}
    if len(names) < 2 or images_of(evidence, group) < 2:
        return pd.DataFrame(columns | {"cluster": pd.array([pd.NA] * len(names), "Int64")})
    contributions = evidence.samples.contributions(group, count)
    tested = compare_metrics(names, contributions, evidence.signs)
    differs = squareform((tested["p_adjusted"] <= LEVEL).to_numpy())
    found = clusters(contributions.sum(axis=1), differs)
    return pd.DataFrame(columns | {"cluster": pd.array(found, "Int64")})


def in_words(numbers: pd.DataFrame, evidence: Evidence) -> pd.DataFrame:
    """A row a metric and count, a column a category; the largest count first."""
    cells = map(in_percent, numbers["accuracy"], numbers["low"], numbers["high"])
    shown = [name for name in evidence.groups if name != ALL or len(evidence.groups) == 1]
    wide = numbers.assign(cell=list(cells)).pivot(
        index=["reference_count", "metric"], columns="category", values="cell"
    )[shown]
    ties = numbers[numbers["category"] == ALL].set_index(["reference_count", "metric"])
    cluster = numbers.dropna(subset="cluster").set_index(["reference_count", "metric"])["cluster"]
    wide = wide.assign(
        cluster=cluster,
        metric_ties=ties["metric_ties"].map("{:.1f}".format),
        human_ties=ties["human_ties"],
    )
    rows = [(count, name) for count in reversed(evidence.counts) for name in evidence.ranked]
    words = wide.loc[[row for row in rows if row in wide.index]].reset_index()
    return words.rename_axis(columns=None).astype(object).where(words.notna(), "")


def markdown(words: pd.DataFrame) -> str:
    """The table as Markdown."""
    lines = [
        list(words.columns),
        ["---"] * len(words.columns),
        *words.astype(str).to_numpy().tolist(),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def latex(words: pd.DataFrame) -> str:
    """The table as LaTeX, for the package booktabs."""
    styler = words.rename(columns=lambda name: name.replace("_", " ")).style.hide(axis="index")
    return str(styler.format(escape="latex").to_latex(hrules=True))
