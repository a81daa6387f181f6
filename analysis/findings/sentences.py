"""What each finding found, in one sentence with its numbers.

A sentence is empty where the data have no such number.
"""

from collections.abc import Iterator

import pandas as pd

from analysis.dataset.schema import ALL, PEOPLE
from analysis.evaluation.headline import BASELINES
from analysis.evaluation.results import Results
from analysis.evaluation.tallies import ALL_REFERENCES, ReferenceCount
from analysis.figures.formats import p_value
from analysis.stats.correlation import COEFFICIENTS
from analysis.stats.planning import about
from analysis.stats.ratings import EVERY
from analysis.stats.systems import FRACTION
from analysis.texts import Text, enumeration, ngettext
from analysis.texts import gettext as _

NONE = Text("")
LEVEL = 0.05
FREQUENT_WORDS = 100


def accuracy_sentence(results: Results) -> Text:
    """Say what the best headline metric gains from its references."""
    best, group = best_metric(results), results.main_group
    table = results.all_counts
    rows = table[(table["metric"] == best) & (table["category"] == group)]
    rows = rows[rows["reference_count"].isin([1, results.last_count])]
    if rows.empty or rows["accuracy"].isna().any():
        return NONE

    first, last = rows["accuracy"].iloc[[0, -1]]
    if len(rows) == 1:
        return _(
            "{metric} agrees with people on {last:.1f} % of pairs with {references}, the only "
            "count there is.",
            metric=best,
            last=100 * last,
            references=references_in_words(results.last_count),
        )

    return _(
        "{metric} agrees with people on {first:.1f} % of pairs with 1 reference, and on "
        "{last:.1f} % with {references}.",
        metric=best,
        first=100 * first,
        last=100 * last,
        references=references_in_words(results.last_count),
    )


def table_sentence(results: Results, numbers: pd.DataFrame) -> Text:
    """Name the category in which the best headline metric is worst."""
    best = best_metric(results)
    is_best = numbers["metric"] == best
    is_best &= numbers["reference_count"] == results.last_count
    accuracy = numbers[is_best].set_index("category")["accuracy"].dropna()

    is_category = accuracy.index.isin(results.samples.categories)
    by_accuracy = accuracy[is_category].sort_values(kind="stable")
    if len(by_accuracy) < 2 and results.main_group in accuracy:
        return _(
            "{metric} agrees with people on {accuracy:.1f} % of pairs, which are of one group.",
            metric=best,
            accuracy=100 * accuracy[results.main_group],
        )
    if len(by_accuracy) < 2 or by_accuracy.iloc[0] == by_accuracy.iloc[-1]:
        return NONE

    return _(
        "{metric} agrees with people most often on {best} pairs ({high:.1f} %), and least often "
        "on {worst} pairs ({low:.1f} %).",
        metric=best,
        best=by_accuracy.index[-1],
        high=100 * by_accuracy.iloc[-1],
        worst=by_accuracy.index[0],
        low=100 * by_accuracy.iloc[0],
    )


def differences_sentence(results: Results, tests: pd.DataFrame) -> Text:
    """Say how many of the main metrics can be told apart."""
    if tests.empty:
        return NONE

    is_shown = tests["category"] == results.main_group
    is_shown &= tests["reference_count"] == results.last_count
    is_shown &= tests["metric_a"].isin(results.headline)
    is_shown &= tests["metric_b"].isin(results.headline)
    shown = tests[is_shown]
    if shown.empty:
        return NONE

    return ngettext(
        "With {references}, {significant} of {count} comparison of main metrics is significant "
        "(5 %, adjusted).",
        "With {references}, {significant} of {count} comparisons of main metrics are significant "
        "(5 %, adjusted).",
        len(shown),
        references=references_in_words(results.last_count),
        significant=int((shown["p_adjusted"] <= LEVEL).sum()),
    )


def enough_sentence(results: Results, stops: pd.DataFrame) -> Text:
    """Say from which count on the best headline metric no longer improves."""
    best = best_metric(results)
    row = stops[stops["metric"] == best].iloc[0]
    if pd.isna(row["reference_count"]) or pd.isna(row["low"]):
        return NONE

    count = int(row["reference_count"])
    if count == results.full:
        return _(
            "The accuracy of {metric} still changes at {references}: more may be needed.",
            metric=best,
            references=references_in_words(count),
        )

    return _(
        "{metric} takes {references} to stay within half a point of its accuracy with {all}; "
        "over resampled images that count ranges from {low} to {high}.",
        metric=best,
        references=references_in_words(count),
        all=results.full,
        low=int(row["low"]),
        high=int(row["high"]),
    )


def systems_sentence(
    results: Results, table: pd.DataFrame, correlations: pd.DataFrame
) -> Text:
    """Name the headline metric whose order of systems is nearest to that of people.

    Where systems are too few to correlate, name the one that people prefer most often.
    """
    is_shown = correlations["metric"].isin(results.headline)
    is_shown &= correlations["of"] == FRACTION
    is_shown &= correlations["coefficient"] == "Pearson"
    shown = correlations[is_shown].dropna(subset="value")
    if shown.empty:
        return _most_preferred(table)

    best = _largest(shown, "value")
    return _(
        "Over {systems} systems, the wins by {metric} correlate most with those by people "
        "(Pearson {value:.2f}).",
        systems=int(best["systems"]),
        metric=best["metric"],
        value=float(best["value"]),
    )


def _most_preferred(table: pd.DataFrame) -> Text:
    rows = table[table["rater"] == PEOPLE].dropna(subset="fraction")
    if rows.empty:
        return NONE

    best = _largest(rows, "fraction")
    return _(
        "People prefer “{source}” most often: in {share:.1f} % of its {pairs:,} comparisons.",
        source=best["source"],
        share=100 * float(best["fraction"]),
        pairs=int(best["pairs"]),
    )


def humans_sentence(results: Results, split: pd.DataFrame) -> Text:
    """Compare people with the best headline metric, both judged by the same triplets."""
    rows = split[split["category"] == results.main_group].set_index("rater")
    rows = rows.dropna(subset="accuracy")
    others = [name for name in results.headline if name not in BASELINES]
    metrics = rows.loc[rows.index.intersection(others), "accuracy"]
    if PEOPLE not in rows.index or metrics.empty:
        return NONE

    return _(
        "Judged by the other half of the triplets, people reach {people:.1f} %, and {metric}, "
        "given the references of the same half ({count}), {accuracy:.1f} %.",
        people=100 * float(rows["accuracy"].loc[PEOPLE]),
        metric=str(metrics.idxmax()),
        count=int(rows["triplets"].iloc[0]),
        accuracy=100 * float(metrics.max()),
    )


def protocols_sentence(agreement: pd.DataFrame) -> Text:
    """Say on how many pairs the two protocols decide alike."""
    rows = agreement[agreement["category"] == ALL].dropna(subset="agreement")
    if rows.empty:
        return NONE

    [row] = rows.to_dict("records")
    return _(
        # xgettext:no-python-format
        "Both protocols decide {agreement:.1f} % of {pairs:,} pairs alike.",
        agreement=100 * row["agreement"],
        pairs=int(row["pairs"]),
    )


def ranking_sentence(correlations: pd.DataFrame) -> Text:
    """Say how far two metrics rank an image's references alike."""
    values = correlations["rho"].astype(float)
    shown = correlations.assign(rho=values).dropna(subset="rho")

    parts = [
        _(
            "The ranks by {first} and {second} correlate with rho = {rho:.2f}.",
            first=row["first"],
            second=row["second"],
            rho=row["rho"],
        )
        for row in shown.to_dict("records")
    ]
    return enumeration(parts, " ") if parts else NONE


def agreement_sentence(results: Results, agreement: pd.DataFrame) -> Text:
    """Name the main metrics that agree most and those that agree least."""
    others = [name for name in results.headline if name not in BASELINES]
    is_shown = agreement["metric_a"].isin(others)
    is_shown &= agreement["metric_b"].isin(others)
    shown = agreement[is_shown].dropna(subset="kappa")
    if len(shown) < 2:
        return NONE

    by_kappa = shown.sort_values("kappa", kind="stable")
    least, most = by_kappa.iloc[0], by_kappa.iloc[-1]
    return _(
        "{a} and {b} agree most with each other (kappa {most:.2f}), {c} and {d} least "
        "({least:.2f}).",
        a=most["metric_a"],
        b=most["metric_b"],
        most=float(most["kappa"]),
        c=least["metric_a"],
        d=least["metric_b"],
        least=float(least["kappa"]),
    )


def captions_sentence(wins: pd.DataFrame) -> Text:
    """Say how often the longer candidate of a pair wins."""
    rows = wins[wins["category"] == ALL]
    if rows.empty or rows["low"].isna().any():
        return NONE

    row = rows.iloc[0]
    return _(
        # xgettext:no-python-format
        "People choose the longer candidate of a pair in {share:.1f} % of {pairs:,} pairs "
        "(95 % interval {low:.1f} to {high:.1f}).",
        share=100 * row["longer_wins"],
        pairs=int(row["pairs"]),
        low=100 * row["low"],
        high=100 * row["high"],
    )


def robustness_sentence(results: Results, numbers: pd.DataFrame) -> Text:
    """Say how often the best metric is right, and on which task least often."""
    best = best_metric(results)
    rows = numbers[numbers["metric"] == best].dropna(subset="accuracy")
    if len(rows) < 2:
        return NONE

    worst = rows.iloc[int(rows["accuracy"].to_numpy().argmin())]
    return _(
        "{metric} prefers the correct caption in {mean:.1f} % of pairs, as the mean over {tasks} "
        "tasks, and least often in the task “{worst}” ({low:.1f} %).",
        metric=best,
        mean=100 * float(rows["accuracy"].mean()),
        tasks=len(rows),
        worst=worst["task"],
        low=100 * float(worst["accuracy"]),
    )


def gaming_sentence(numbers: pd.DataFrame, length: int, best: str) -> Text:
    """Say how often strings written for CIDEr and for CIDEr-D beat people."""
    shares = 100 * numbers.set_index(["metric", "words"])["beaten"]
    images = int(numbers["images"].iloc[0])

    return _(
        # xgettext:no-python-format
        "Strings of any length that were written for CIDEr beat the best human caption on "
        "{any_cider:.0f} % of {images} images, those for CIDEr-D on {any_cider_d:.0f} %; with "
        "{length} words, on {cider:.0f} % and on {cider_d:.0f} %.",
        images=images,
        length=length,
        any_cider=float(shares["CIDEr", best]),
        any_cider_d=float(shares["CIDEr-D", best]),
        cider=float(shares["CIDEr", length]),
        cider_d=float(shares["CIDEr-D", length]),
    )


def words_sentence(table: pd.DataFrame) -> Text:
    """Name the frequent words that one more person uses most and least often."""
    first = table[table["references"] == table["references"].min()]
    frequent = first.dropna(subset="recall").head(FREQUENT_WORDS)
    if len(frequent) < 2:
        return NONE

    by_recall = frequent.sort_values("recall", kind="stable")
    least, most = by_recall.iloc[0], by_recall.iloc[-1]
    return _(
        "Of the {words} most frequent words, “{most}” is used by one more person in "
        "{high:.0f} % of cases, and “{least}” in {low:.0f} %.",
        words=len(frequent),
        most=most["word"],
        least=least["word"],
        high=100 * most["recall"],
        low=100 * least["recall"],
    )


BAG_NAMES = {
    "predicate": _("predicates"),
    "participant": _("participants"),
    "locative": _("places"),
    "predicate-participant": _("predicates with their participants"),
    "participant-locative": _("participants with their places"),
    "predicate-locative": _("predicates with their places"),
    "triplet": _("predicates with participants and places"),
}
"""Bags of semantic tuples in words."""


def profile_sentence(table: pd.DataFrame, punished: pd.DataFrame) -> Text:
    """Say what one source gets wrong most, compared with people, and what people punish."""
    people = table[table["source"] == PEOPLE].set_index("bag")
    systems = table[table["source"] != PEOPLE].dropna(subset="f1")
    parts = []

    if len(people) and len(systems):
        gap = systems["bag"].map(people["f1"]) - systems["f1"]
        row = systems.iloc[int(gap.fillna(-1).argmax())]
        parts.append(
            _furthest_behind(
                row["bag"],
                row["f1"],
                people.loc[row["bag"], "f1"],
                row["source"] if systems["source"].nunique() > 1 else None,
            )
        )

    if len(punished):
        first = punished.iloc[0]
        parts.append(
            _(
                # xgettext:no-python-format
                "People punish errors in {bag} most: {weight:.0f} % of all weight (95 % interval "
                "{low:.0f} to {high:.0f}).",
                bag=BAG_NAMES[first["bag"]],
                weight=100 * first["weight"],
                low=100 * first["low"],
                high=100 * first["high"],
            )
        )

    return enumeration(parts, " ") if parts else NONE


def _furthest_behind(
    bag: str, f1: float, people: float, source: str | None
) -> Text:
    """Say how far candidates are behind people; `source` where there are several."""
    if source is None:
        return _(
            # xgettext:no-python-format
            "Candidates are furthest behind people in {bag}: their F1 is {f1:.1f} %, and "
            "{people:.1f} % for one reference compared with the others.",
            bag=BAG_NAMES[bag],
            f1=100 * f1,
            people=100 * people,
        )

    return _(
        # xgettext:no-python-format
        "Candidates are furthest behind people in {bag}: F1 is {f1:.1f} % for the source "
        "“{source}”, and {people:.1f} % for one reference compared with the others.",
        bag=BAG_NAMES[bag],
        f1=100 * f1,
        source=source,
        people=100 * people,
    )


def learned_sentence(table: pd.DataFrame, group: str) -> Text:
    """Say how often the trained model is right, beside the best single metric."""
    rows = table[table["category"] == group].set_index("model")
    model, single = rows.iloc[0], rows.iloc[1]
    return _(
        "A weighted sum of all metrics agrees with people on {model:.1f} % of pairs, the best "
        "single metric on {single:.1f} % ({p}), each chosen without the images it is judged by.",
        model=100 * model["accuracy"],
        single=100 * single["accuracy"],
        p=p_value(model["p"]),
    )


def learned_ratings_sentence(table: pd.DataFrame) -> Text:
    """Say how far the trained model correlates with ratings, beside the best single metric."""
    rows = table.dropna(subset=["tau_c", "p"]).set_index("model")
    if rows.empty:
        return NONE

    model, difference = rows.iloc[0], rows["difference"].iloc[0]
    return _(
        "Kendall's tau c with the ratings is {model:.1f} (times 100) for a weighted sum of all "
        "metrics, and {single:.1f} for the best single metric ({p}), each chosen without the "
        "images it is judged by.",
        model=100 * model["tau_c"],
        single=100 * (model["tau_c"] - difference),
        p=p_value(model["p"]),
    )


def people_sentence(reliability: pd.DataFrame) -> Text:
    """Say how often one vote, and the most votes, are the majority of the others."""
    rows = reliability.dropna(subset="agreement")
    if rows.empty or rows["votes"].iloc[0] != 1:
        return NONE

    first, last = rows.iloc[0], rows.iloc[-1]
    one = _(
        "A single vote agrees with the majority of the pair's other votes in {share:.1f} % of "
        "cases.",
        share=100 * first["agreement"],
    )
    if len(rows) == 1:
        return one

    more = _(
        "The majority of {count} votes agrees with it in {share:.1f} %.",
        count=int(last["votes"]),
        share=100 * last["agreement"],
    )
    return enumeration([one, more], " ")


def planning_sentence(
    results: Results, plans: pd.DataFrame, saved: pd.DataFrame
) -> Text:
    """Say how many pairs a small difference takes, and what stopping early saves."""
    parts = [*_pairs_to_plan(results, plans), *_votes_to_save(saved)]
    return enumeration(parts, " ") if parts else NONE


def _pairs_to_plan(results: Results, plans: pd.DataFrame) -> Iterator[Text]:
    """Say how many pairs tell the best headline metric and the next with a plan apart."""
    if "pairs_needed" not in plans:
        return

    planned = plans.dropna(subset="pairs_needed")
    best, *others = _ranked_headline(results)
    for other in others:
        pair = {best, other}
        is_shown = planned["metric_a"].isin(pair) & planned["metric_b"].isin(
            pair
        )
        if is_shown.any():
            yield _pairs_in_words(best, other, planned[is_shown].iloc[0])
            return


def _pairs_in_words(best: str, other: str, row: "pd.Series[float]") -> Text:
    return _(
        "To detect a difference of {points:.0f} points between {a} and {b} with 80 % power takes "
        "about {pairs:,} pairs.",
        points=float(row["points"]),
        a=best,
        b=other,
        pairs=about(int(row["pairs_needed"])),
    )


def _votes_to_save(saved: pd.DataFrame) -> Iterator[Text]:
    """Say what stopping early saves, with as many votes as every pair has."""
    if saved.empty:
        return

    row = saved[saved["pairs"] == saved["pairs"].max()].iloc[-1]
    if row["votes"] > 1:
        yield _(
            # xgettext:no-python-format
            "Ending the voting on a pair once its winner can no longer change saves "
            "{share:.1f} % of {votes} votes.",
            share=100 * float(row["saved"]),
            votes=int(row["votes"]),
        )


def ratings_sentence(names: list[str], table: pd.DataFrame) -> Text:
    """Name the metric that correlates most with the ratings."""
    coefficient = COEFFICIENTS[1]
    is_shown = table["metric"].isin(names)
    is_shown &= table["convention"] == EVERY
    is_shown &= table["coefficient"] == coefficient
    shown = table[is_shown].dropna(subset=["value", "low"])
    if shown.empty:
        return NONE

    if "aspect" in shown:
        shown = shown[shown["aspect"] == shown["aspect"].iloc[0]]
    best = _largest(shown, "value")
    return _(
        # xgettext:no-python-format
        "{metric} correlates most with the ratings: Kendall's tau c is {value:.1f} (95 % "
        "interval {low:.1f} to {high:.1f}, times 100).",
        metric=best["metric"],
        value=100 * float(best["value"]),
        low=100 * float(best["low"]),
        high=100 * float(best["high"]),
    )


def best_metric(results: Results) -> str:
    """Return the best headline metric; a baseline only if there is nothing else."""
    return _ranked_headline(results)[0]


def _ranked_headline(results: Results) -> list[str]:
    """Return the headline metrics but baselines, the best first; all metrics if none is left."""
    scored = [name for name in results.ranked if name in results.metrics]
    shown = [
        name
        for name in scored
        if name in results.headline and name not in BASELINES
    ]
    return shown or scored


def _largest(table: pd.DataFrame, column: str) -> "pd.Series[float]":
    """Return the row with the largest value in a column."""
    values = table[column].astype(float).to_numpy()
    return table.iloc[int(values.argmax())]


def references_in_words(count: ReferenceCount) -> Text:
    """Return such as `48 references`, or `all references`."""
    if count == ALL_REFERENCES:
        return _("all references")
    return ngettext("{count} reference", "{count} references", int(count))
