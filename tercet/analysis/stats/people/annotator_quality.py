"""Quality: how far each annotator of a study can be trusted. People are flagged, never dropped.

`votes` is a frame of one row for each vote with the columns pair, reference, annotator, choice
(B, C or tie), b_side (left, right or "": on which side B stood), seconds and active_seconds (NaN
where unknown), status, purpose and answer. Only valid votes count. The purpose is "study" (or "")
for the study's own questions, "gold" for a check besides them, "repeat" for a triplet of the
study that the same annotator is asked again with the sides swapped; votes for any other purpose,
such as practice, do not count. A known `answer`, B or C ("" elsewhere), makes a vote of the first
two purposes a check.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy

from tercet.analysis.dataset.winners import NAME, SIDE, pair_winners, sides
from tercet.analysis.stats.people.annotator_agreement import (
    compared_votes,
    votes_of_others,
)
from tercet.analysis.stats.people.dawid_skene import Fit, dawid_skene, winners
from tercet.analysis.stats.resampling import group_numbers
from tercet.analysis.tables.schema import TIE, TRIPLET, VALID, Dataset

STUDY, REPEAT = ("", "study"), ("repeat",)
"""The purposes of votes."""
FLAGS = ("gold", "repeats", "fast", "one-sided", "disagrees")
COUNTS = (
    "votes",
    "gold",
    "gold_right",
    "repeats",
    "repeats_same",
    "timed",
    "sided",
    "others",
)
"""The columns of `annotators` that are numbers of votes."""

CHOICES = list(SIDE)
_CLASSES = {choice: number for number, choice in enumerate(CHOICES)}
"""The classes of the Dawid-Skene model, in its order: B, C, tie."""


@dataclass(frozen=True)
class FlagRules:
    """When an annotator is flagged.

    Attributes
    ----------
    fastest, fast_share, fast_median
        Seconds under which a vote was hardly read, the share of such votes from which on one is
        flagged, and the median time, as a multiple of these seconds, under which one is flagged.
        People who click at a steady pace just above the limit have few votes under it.
    gold_accuracy
        How often a careful person is right on a check with a known answer.
    repeats_same
        How often one votes the same again (people who are right with the probability r do so
        with r² + (1 - r)²: .68 at r = .8).
    significance
        The share of wrong ones among the flags of a kind that is accepted, on average. The p are
        adjusted for the number of people after Benjamini and Hochberg (1995), not after Holm: a
        flag is a reason to look and drops nobody, and a guard against a single wrong one in the
        whole study misses too many who click at random. Among sixty simulated people with three
        votes per triplet it finds 29 % of those with 30 to 44 votes, and this rule 55 %; from a
        hundred votes on both find nearly all, and of forty good people both flag 0.03 or less on
        average.
    least_careful
        Careful people from which a check that most of them miss is doubted.
    least_votes, least_checks
        With fewer votes (that have a time, a side, or others beside them), or fewer checks of a
        kind, nobody is flagged. Ten votes are the least with which who always chooses the same side
        (p = 2 * 0.5**10 = .002) is flagged as the only one of 25 people after the adjustment:
        25 * .002 < .05.
    """

    fastest: float = 1.0
    fast_share: float = 0.3
    fast_median: float = 1.5
    gold_accuracy: float = 0.75
    repeats_same: float = 0.65
    significance: float = 0.05
    least_votes: int = 10
    least_checks: int = 4
    least_careful: int = 3


DEFAULT = FlagRules()


def annotators(votes: pd.DataFrame, rules: FlagRules = DEFAULT) -> pd.DataFrame:
    """Measure how far each named annotator can be trusted; `votes` are as described above.

    Returns
    -------
    DataFrame
        A row for each annotator, by name. Shares and probabilities are in 0..1, and NaN where
        there is nothing to tell from. Columns:

        - annotator; votes: on the study's own questions, which all columns but those of gold and
          repeats are about;
        - gold, gold_right, gold_p: checks, those right, and the chance of so few or fewer in a
          person who is right with the probability `rules.gold_accuracy` (binomial);
        - repeats, repeats_same, repeats_p: triplets asked again, those with the same choice, and
          the chance of so few or fewer where each has the probability `rules.repeats_same`;
        - seconds: the median of `seconds`, or of `active_seconds` for votes without; timed: votes
          that have either; fast: the share of them under `rules.fastest`;
        - left, sided, side_p: how often the left caption was chosen, among so many votes for B or
          C whose sides are known, and the chance of being so far from one half;
        - others: votes that can be compared with others' on the same triplet or, where there are
          none, on the same pair; agreement: with the majority of these others, a half where
          either is a tie; agreement_expected: what the average annotator reaches on such votes;
          agreement_p: the chance of so little or less in the average annotator;
        - reliability: how probably one chooses the true side by the model of Dawid and Skene, in
          which a person of few votes is near .8;
        - flags: a tuple of those of `FLAGS` that apply.
    """
    valid = votes[votes["status"].isin(["", VALID])].reset_index(drop=True)
    study = _of_purpose(valid, STUDY)
    names = pd.Index(
        sorted(set(valid["annotator"]) - {""}), name="annotator", dtype=str
    )

    is_check = (valid["answer"] != "") & ~valid["purpose"].isin(REPEAT)
    again = _of_purpose(valid, REPEAT)
    keys = ["annotator", *TRIPLET]
    before = study[[*keys, "choice"]].rename(columns={"choice": "first"})
    repeats = again.merge(before, on=keys)
    fit, known = _model(study)
    reliability = pd.Series(fit.reliability[: len(known)], index=known)

    parts: list[pd.DataFrame | pd.Series] = [
        study.groupby("annotator").size().rename("votes"),
        _hits(valid[is_check], "answer", ["gold", "gold_right"], rules.gold_accuracy),
        _hits(repeats, "first", ["repeats", "repeats_same"], rules.repeats_same),
        speed(study, rules),
        _side_choice(study),
        _agreement(study),
        reliability.rename("reliability"),
    ]

    table = pd.DataFrame(index=names).join(parts)
    counts = list(COUNTS)
    table[counts] = table[counts].fillna(0).astype(int)

    flags = _flags(table, rules)
    return table.assign(flags=flags).reset_index()


def missed_checks(votes: pd.DataFrame, rules: FlagRules = DEFAULT) -> pd.DataFrame:
    """Find the checks that most careful annotators miss: their known answer may be wrong.

    Careful is who was right on more than half of their other checks.

    Returns
    -------
    DataFrame
        Columns: pair, reference, careful (annotators), missed (of these), for checks with at least
        `rules.least_careful` careful annotators of whom more than half miss them.
    """
    is_valid = votes["status"].isin(["", VALID])
    is_check = (votes["answer"] != "") & ~votes["purpose"].isin(REPEAT)
    checks = votes[is_valid & is_check & (votes["annotator"] != "")]

    missed = checks["choice"] != checks["answer"]
    by_person = missed.groupby(checks["annotator"])
    others = by_person.transform("size") - 1
    missed_others = by_person.transform("sum") - missed
    is_careful = 2 * missed_others < others

    of_careful = checks[is_careful].assign(missed=missed[is_careful])
    by_check = of_careful.groupby(TRIPLET)["missed"]
    table = by_check.agg(careful="size", missed="sum").reset_index()
    has_enough = table["careful"] >= rules.least_careful
    is_missed = 2 * table["missed"] > table["careful"]
    return table[has_enough & is_missed].reset_index(drop=True)


def without(votes: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    """Return the votes without the named annotators' own."""
    return votes[~votes["annotator"].isin(list(names))]


def changes(dataset: Dataset, without_names: Collection[str]) -> pd.DataFrame:
    """Find the pairs of a dataset whose winner changes without the votes of some annotators.

    Returns
    -------
    DataFrame
        Columns pair, category, winner, winner_without ("" where no vote is left), vote_share,
        vote_share_without, as those of `tercet.analysis.dataset.winners.pair_winners`.
    """
    # Without votes a pair has no winner here, also where one was published.
    pairs = dataset.pairs.assign(winner="")
    voted = replace(dataset, pairs=pairs)
    kept = without(voted.votes, without_names)
    rest = replace(voted, votes=kept)

    before = pair_winners(voted)
    after = pair_winners(rest)[["winner", "vote_share"]].add_suffix("_without")
    table = before.join(after)

    has_changed = table["winner"] != table["winner_without"]
    columns = ["pair", "category", "winner", "winner_without"]
    columns += ["vote_share", "vote_share_without"]
    return table.loc[has_changed, columns].reset_index(drop=True)


def disputed(votes: pd.DataFrame) -> pd.DataFrame:
    """Find the triplets where the model of Dawid and Skene and the majority name other winners.

    Which annotators chose a candidate decides in the model, not only how many.

    Returns
    -------
    DataFrame
        Columns: pair, reference, votes, winner (of the majority), model_winner (each B, C or
        tie), probability (of the latter, 0..1).
    """
    study = _of_purpose(votes[votes["status"].isin(["", VALID])], STUDY)
    fit, _ = _model(study)

    side = sides(study["choice"])
    with_sides = study.assign(side=side)
    by_triplet = with_sides.groupby(TRIPLET, sort=False)["side"]
    table = by_triplet.agg(votes="size", winner="sum").reset_index()

    table["winner"] = np.sign(table["winner"]).map(NAME)
    table["model_winner"] = np.array(CHOICES)[winners(fit)]
    table["probability"] = fit.posterior.max(axis=1)

    differs = table["winner"] != table["model_winner"]
    return table[differs].reset_index(drop=True)


def _of_purpose(votes: pd.DataFrame, purposes: Collection[str]) -> pd.DataFrame:
    return votes[votes["purpose"].isin(list(purposes))]


def _hits(
    votes: pd.DataFrame, expected: str, columns: list[str], chance: float
) -> pd.DataFrame:
    """Count each annotator's votes, and those that choose what the column `expected` has.

    `columns` names the two counts. The third column is how probable so few hits or fewer are
    where each has the probability `chance`.
    """
    is_hit = votes["choice"] == votes[expected]
    by_annotator = is_hit.groupby(votes["annotator"])
    counts = by_annotator.agg(["size", "sum"])
    table = counts.set_axis(columns, axis=1)

    number, hits = columns
    p = scipy.stats.binom.cdf(table[hits], table[number], chance)
    return table.assign(**{f"{number}_p": p})


def speed(study: pd.DataFrame, rules: FlagRules) -> pd.DataFrame:
    """Measure each annotator's median seconds, timed answers, and share of fast ones."""
    seconds = study["seconds"].fillna(study["active_seconds"]).dropna()
    known = pd.DataFrame({"seconds": seconds, "fast": seconds < rules.fastest})
    return known.groupby(study["annotator"]).agg(
        seconds=("seconds", "median"), timed=("fast", "size"), fast=("fast", "mean")
    )


def _side_choice(study: pd.DataFrame) -> pd.DataFrame:
    shown = study[(study["choice"] != TIE) & (study["b_side"] != "")]
    chose_left = (shown["choice"] == "B") == (shown["b_side"] == "left")

    by_annotator = chose_left.groupby(shown["annotator"])
    left = by_annotator.sum()
    sided = by_annotator.size()

    rarer = np.minimum(left, sided - left)
    p = np.minimum(2 * scipy.stats.binom.cdf(rarer, sided, 0.5), 1)
    return pd.DataFrame({"left": left / sided, "sided": sided, "side_p": p})


def _agreement(study: pd.DataFrame) -> pd.DataFrame:
    """Measure agreement with others, and how improbable so little is in the average annotator.

    agreement_p is one-sided binomial, of the votes that meet a majority of others: an even split
    gives everyone a half and tells nobody from chance. A person's half credits ("can't tell") are
    rounded up. The probability of credit is the mean over this person's votes of what everyone
    earns on average against others on the triplet, or of the pair; as it varies from vote to vote,
    the binomial tail is an upper bound (Hoeffding 1956).
    """
    compared = _compared_with_others(study)
    table = compared.groupby("annotator").agg(
        others=("credit", "size"),
        agreement=("credit", "mean"),
        agreement_expected=("expected", "mean"),
    )

    decided = compared[compared["decided"]].groupby("annotator")
    sums = decided.agg(
        votes=("credit", "size"),
        credit=("credit", "sum"),
        expected=("expected", "mean"),
    )

    p = scipy.stats.binom.cdf(np.ceil(sums["credit"]), sums["votes"], sums["expected"])
    return table.join(pd.Series(p, index=sums.index, name="agreement_p"))


def _compared_with_others(study: pd.DataFrame) -> pd.DataFrame:
    """Compare votes with others' votes on the same triplet, or else on the same pair.

    The columns are those of `compared_votes`, and expected: the mean credit of all votes that are
    alike in being compared on the triplet, and with others who have a majority.
    """
    on_triplet = votes_of_others(study, TRIPLET)
    has_others = on_triplet["votes"] > 0
    on_pair = votes_of_others(study, ["pair"])
    others = on_triplet.where(has_others, on_pair)

    compared = compared_votes(study, others)
    kinds = [compared["decided"], has_others[compared.index]]
    expected = compared["credit"].groupby(kinds).transform("mean")
    return compared.assign(expected=expected)


def _model(study: pd.DataFrame) -> tuple[Fit, pd.Index]:
    """Fit the Dawid-Skene model with a triplet as an item.

    Returns the model, and the names of its first annotators. Each vote without a name is by
    another person, who comes after these.
    """
    person, names = pd.factorize(study["annotator"].where(study["annotator"] != ""))
    is_unnamed = person < 0
    person[is_unnamed] = len(names) + np.arange(is_unnamed.sum())

    item = group_numbers(study, TRIPLET)
    choice = study["choice"].map(_CLASSES).to_numpy().astype(np.int64)
    highest = choice.max(initial=0)
    classes = max(2, highest + 1)

    return dawid_skene(item, person, choice, classes), names


def _flags(table: pd.DataFrame, rules: FlagRules) -> pd.Series:
    """Return the flags of each row of `annotators`.

    "one-sided" and "disagrees" ask for more than significance, which any small difference has
    with many votes: for a side nearer to always than to one half of the time, and for an
    agreement nearer to chance, a half, than to what is expected.
    """
    checks = rules.least_checks
    votes = rules.least_votes
    tests = {
        "gold": ("gold_p", "gold", checks),
        "repeats": ("repeats_p", "repeats", checks),
        "one-sided": ("side_p", "sided", votes),
        "disagrees": ("agreement_p", "others", votes),
    }
    raised = {}
    for flag, (p, counts, least) in tests.items():
        raised[flag] = is_improbable(table[p], table[counts], least, rules)

    usual_gain = table["agreement_expected"] - 0.5
    raised["disagrees"] &= table["agreement"] - 0.5 < usual_gain / 2
    raised["one-sided"] &= (table["left"] - 0.5).abs() > 0.25
    has_many_fast = table["fast"] >= rules.fast_share
    is_fast = has_many_fast | (table["seconds"] < rules.fast_median * rules.fastest)
    is_timed = table["timed"] >= votes
    raised["fast"] = is_fast & is_timed

    by_flag = pd.DataFrame(raised)[list(FLAGS)]
    names = [tuple(by_flag.columns[row]) for row in by_flag.to_numpy(dtype=bool)]
    return pd.Series(names, index=table.index, dtype=object)


def is_improbable(
    p: pd.Series, counts: pd.Series, least: int, rules: FlagRules
) -> "pd.Series[bool]":
    """Return whether each p is significant, adjusted over people with at least `least` votes."""
    tested = p[(counts >= least) & p.notna()]
    q = scipy.stats.false_discovery_control(tested)
    adjusted = pd.Series(q, index=tested.index)
    is_significant = adjusted < rules.significance
    return is_significant.reindex(p.index, fill_value=False)
