"""What each finding found, in one sentence with its numbers.

A sentence is empty where the data have no such number.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from tercet.analysis.evaluation.learned import ASSIGNMENTS
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.verdicts import LEVEL, is_difference
from tercet.analysis.findings.first_sentence import on_what, references_in_words
from tercet.analysis.number_texts import percent
from tercet.analysis.scoring.headline import BASELINES
from tercet.analysis.stats.planning import about
from tercet.analysis.stats.scores.correlation import COEFFICIENT_NAMES
from tercet.analysis.stats.scores.ratings import ANOTHER, EVERY, OTHERS
from tercet.analysis.tables.schema import ALL, PEOPLE
from tercet.analysis.texts import Text, enumeration, ngettext
from tercet.analysis.texts import gettext as _
from tercet.analysis.values import p_value

NONE = Text("")
_FREQUENT_WORDS = 100


def accuracy_sentence(results: Results) -> Text:
    """Say what the best headline metric gains from its references."""
    best, group = best_metric(results), results.main_group
    counts = [results.counts[0], results.last_count]
    table = results.all_counts
    rows = table[(table["metric"] == best) & (table["category"] == group)]
    rows = rows[rows["reference_count"].isin(counts)]
    if rows.empty or rows["accuracy"].isna().any():
        return NONE

    first, last = rows["accuracy"].iloc[[0, -1]]
    known = {
        "on": on_what(results, group, results.last_count),
        "metric": best,
        "last": percent(last),
        "references": references_in_words(results.last_count),
    }
    if len(rows) == 1:
        return _(
            "{on}, {metric} agrees with people in {last:.1f} % of cases with {references}, the "
            "only count here.",
            **known,
        )

    return _(
        "{on}, {metric} agrees with people in {first:.1f} % of cases with {fewest}, and in "
        "{last:.1f} % with {references}.",
        first=percent(first),
        fewest=references_in_words(results.counts[0]),
        **known,
    )


def with_ceiling_error(meaning: Text, results: Results) -> Text:
    """Add by how much the ceiling of the main group errs for votes like these, if known."""
    ceiling = results.people.ceiling.set_index("category")["error"]
    error = float(ceiling[results.main_group])
    if pd.isna(error):
        return meaning

    said = _(
        "The ceiling is rough: in simulations of votes like these, its error (root mean square) "
        "for {group} is {error:.1f} points.",
        group=results.main_name,
        error=percent(error),
    )
    return enumeration([meaning, said], " ")


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
            accuracy=percent(accuracy[results.main_group]),
        )
    if len(by_accuracy) < 2 or by_accuracy.iloc[0] == by_accuracy.iloc[-1]:
        return NONE

    return _(
        "{metric} agrees with people most often on {best} pairs ({high:.1f} %), and least often "
        "on {worst} pairs ({low:.1f} %).",
        metric=best,
        best=by_accuracy.index[-1],
        high=percent(by_accuracy.iloc[-1]),
        worst=by_accuracy.index[0],
        low=percent(by_accuracy.iloc[0]),
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
        significant=int(is_difference(shown).sum()),
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
        "Judged by the other half of the triplets, people reach {people:.1f} % ({group}), and "
        "{metric}, given the references of the same half ({count}), {accuracy:.1f} %.",
        group=results.main_name,
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
    frequent = first.dropna(subset="recall").head(_FREQUENT_WORDS)
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


_BAG_NAMES = {
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
                bag=_BAG_NAMES[first["bag"]],
                weight=100 * first["weight"],
                low=100 * first["low"],
                high=100 * first["high"],
            )
        )

    return enumeration(parts, " ") if parts else NONE


def _furthest_behind(bag: str, f1: float, people: float, source: str | None) -> Text:
    """Say how far candidates are behind people; `source` where there are several."""
    if source is None:
        return _(
            # xgettext:no-python-format
            "Candidates are furthest behind people in {bag}: their F1 is {f1:.1f} %, and "
            "{people:.1f} % for one reference compared with the others.",
            bag=_BAG_NAMES[bag],
            f1=100 * f1,
            people=100 * people,
        )

    return _(
        # xgettext:no-python-format
        "Candidates are furthest behind people in {bag}: F1 is {f1:.1f} % for the source "
        "“{source}”, and {people:.1f} % for one reference compared with the others.",
        bag=_BAG_NAMES[bag],
        f1=100 * f1,
        source=source,
        people=100 * people,
    )


def learned_sentence(results: Results, table: pd.DataFrame) -> Text:
    """Say how often the trained model is right, beside the best single metric."""
    group, learned_with = results.main_group, results.learning_count
    rows = table[table["category"] == group].to_dict("records")
    model, single, _mean, hindsight = rows
    first = _(
        "{on}, a weighted sum of all metrics agrees with people in {model:.1f} % of cases with "
        "{references} (mean over {assignments} assignments of images to folds, {lowest:.1f} to "
        "{highest:.1f}), and the best single metric in {single:.1f} % ({p}), each chosen without "
        "the images it is judged by.",
        on=on_what(results, group, learned_with),
        references=references_in_words(learned_with),
        model=percent(model["accuracy"]),
        assignments=ASSIGNMENTS,
        lowest=percent(model["lowest"]),
        highest=percent(model["highest"]),
        single=percent(single["accuracy"]),
        p=p_value(model["p"]),
    )
    second = _(
        "{metric}, the best in hindsight, has {accuracy:.1f} % ({p}).",
        metric=hindsight["metric"],
        accuracy=percent(hindsight["accuracy"]),
        p=p_value(model["p_best"]),
    )
    return enumeration([first, second], " ")


def without_identical_sentence(
    results: Results, table: pd.DataFrame, metrics: int
) -> Text:
    """Say how often a model of the main metrics is right without references that are candidates."""
    group, count = results.main_group, results.learning_count
    rows = table[table["category"] == group].to_dict("records")
    model, single, _mean, _hindsight = rows
    return _(
        "{on}, without these references, a weighted sum of the {metrics} main metrics agrees with "
        "people in {model:.1f} % of cases, and the best single metric in {single:.1f} % ({p}).",
        metrics=metrics,
        on=on_what(results, group, count),
        model=percent(model["accuracy"]),
        single=percent(single["accuracy"]),
        p=p_value(model["p"]),
    )


def learned_ratings_sentence(table: pd.DataFrame) -> Text:
    """Say how far the trained model correlates with ratings, beside the best single metric."""
    parts = [
        _learned_by(coefficient, rows.to_dict("records"))
        for coefficient, rows in table.groupby("coefficient", sort=False)
    ]
    end = _(
        "Each is chosen without the images it is judged by, but for the best in hindsight."
    )
    return enumeration([*parts, *_disagreement(table), end], " ")


def _disagreement(table: pd.DataFrame) -> Iterator[Text]:
    """Say that a model gains by some coefficients and loses by others."""
    told = table.groupby("coefficient", sort=False).head(1)
    told = told[told["p"] <= LEVEL]
    names = told["coefficient"].map(COEFFICIENT_NAMES)
    gains, losses = (names[told["difference"] > 0], names[told["difference"] < 0])

    if len(gains) and len(losses):
        yield _(
            "So it is better than the best single metric by {gains}, and worse by {losses}.",
            gains=enumeration(list(gains)),
            losses=enumeration(list(losses)),
        )


def _learned_by(coefficient: object, rows: list[dict[Any, Any]]) -> Text:
    """Compare models by one coefficient."""
    model, single, _mean, hindsight = rows
    return _(
        "By {coefficient} (times 100), a weighted sum of all metrics has {model:.1f} (mean over "
        "{assignments} assignments of images to folds, {lowest:.1f} to {highest:.1f}), the best "
        "single metric {single:.1f} ({p}), and {metric}, the best in hindsight, {best:.1f} "
        "({p_best}).",
        coefficient=COEFFICIENT_NAMES[str(coefficient)],
        model=percent(model["value"]),
        assignments=ASSIGNMENTS,
        lowest=percent(model["lowest"]),
        highest=percent(model["highest"]),
        single=percent(single["value"]),
        p=p_value(model["p"]),
        metric=hindsight["metric"],
        best=percent(hindsight["value"]),
        p_best=p_value(model["p_best"]),
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
        is_shown = planned["metric_a"].isin(pair) & planned["metric_b"].isin(pair)
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


def ratings_sentence(
    table: pd.DataFrame, headroom: pd.DataFrame, coefficient: str
) -> Text:
    """Name the metric that correlates most with the ratings, and what one rater reaches."""
    is_shown = table["convention"] == EVERY
    is_shown &= table["coefficient"] == coefficient
    shown = table[is_shown].dropna(subset=["value", "low"])
    if shown.empty:
        return NONE

    if "aspect" in shown:
        shown = shown[shown["aspect"] == shown["aspect"].iloc[0]]
    best = _largest(shown, "value")
    first = _(
        # xgettext:no-python-format
        "{metric} correlates most with the ratings: {coefficient} is {value:.1f} (95 % "
        "interval {low:.1f} to {high:.1f}, times 100).",
        metric=best["metric"],
        coefficient=COEFFICIENT_NAMES[coefficient],
        value=percent(best["value"]),
        low=percent(best["low"]),
        high=percent(best["high"]),
    )
    return enumeration([first, *_of_one_rater(headroom, coefficient)], " ")


def _of_one_rater(headroom: pd.DataFrame, coefficient: str) -> Iterator[Text]:
    """Compare one rater with the best metric, with each target of the first aspect."""
    if headroom.empty:
        return

    rows = headroom[headroom["coefficient"] == coefficient]
    if "aspect" in rows:
        rows = rows[rows["aspect"] == rows["aspect"].iloc[0]]
    by_target = {row["target"]: row for row in rows.to_dict("records")}
    another, others = by_target[ANOTHER], by_target[OTHERS]

    yield _(
        "One rater has {rater:.1f} with another rating of the same caption, where {metric} has "
        "{value:.1f}, and {rater_mean:.1f} with the mean of the other ratings, where "
        "{metric_mean} has {value_mean:.1f}.",
        rater=percent(another["rater"]),
        metric=another["metric"],
        value=percent(another["value"]),
        rater_mean=percent(others["rater"]),
        metric_mean=others["metric"],
        value_mean=percent(others["value"]),
    )


def best_metric(results: Results) -> str:
    """Return the best headline metric; a baseline only if there is nothing else."""
    return _ranked_headline(results)[0]


def _ranked_headline(results: Results) -> list[str]:
    """Return the headline metrics but baselines, the best first; all metrics if none is left."""
    scored = [name for name in results.ranked if name in results.metrics]
    shown = [
        name for name in scored if name in results.headline and name not in BASELINES
    ]
    return shown or scored


def _largest(table: pd.DataFrame, column: str) -> "pd.Series[float]":
    """Return the row with the largest value in a column."""
    values = table[column].astype(float).to_numpy()
    return table.iloc[int(values.argmax())]
