"""What has to be known before the answer: of votes, unfinished pairs, captions, references."""

from collections.abc import Iterator

import pandas as pd

from tercet.analysis.evaluation.evaluate import without_identical
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.simulated import simulated_votes
from tercet.analysis.findings.first_sentence import Leader, on_what, why_undecided
from tercet.analysis.number_texts import fixed, percent, plural
from tercet.analysis.scoring.tallies import ALL_REFERENCES
from tercet.analysis.superlatives import AND, joined
from tercet.analysis.tables.rows import are_among, where
from tercet.analysis.tables.schema import CAPTION, shown_captions
from tercet.analysis.values import references_in_words

_SHARE_TOLD = 0.01
"""Of pairs with a candidate among their references; above it the answer without these is shown."""

_NOT_TRAINED = " (but for the winner model, which is not trained again without them)"
TOO_FEW_LEFT = "Without these references, too few are left."


def reservations(results: Results, table: pd.DataFrame) -> Iterator[str]:
    """Say what limits the answer.

    Parameters
    ----------
    results : Results
    table : DataFrame
        The comparisons of the finding `answer`.
    """
    if simulated := simulated_votes(results.provenance):
        yield simulated

    unfinished = int(results.provenance["pairs_unfinished"])  # type: ignore[call-overload]
    if unfinished:
        yield plural(
            unfinished,
            f"{unfinished:,} of the {results.provenance['pairs']:,} pairs that count is "
            "unfinished: it has fewer votes than the study asks for, and counts with its winner "
            "so far.",
            f"{unfinished:,} of the {results.provenance['pairs']:,} pairs that count are "
            "unfinished: they have fewer votes than the study asks for, and count with their "
            "winners so far.",
        )

    without = int(results.provenance["pairs_without_winner"])  # type: ignore[call-overload]
    if without:
        yield plural(
            without,
            f"{without:,} of {len(results.winners):,} pairs has no winner yet, and does not "
            "count.",
            f"{without:,} of {len(results.winners):,} pairs have no winner yet, and do not "
            "count.",
        )

    yield from of_captions(results)
    if table.empty:
        return

    for note in own_candidates(results):
        yield note
        group = table["category"].iloc[0]
        count = table["reference_count"].iloc[0]
        leader = Leader.of(results, group, count)
        if len(leader.accuracy):
            yield _without_identical(results, leader)


def of_captions(results: Results) -> Iterator[str]:
    """Say what limits metrics on these captions: how they are split, and their language."""
    whole = int(results.provenance["whole_captions"])  # type: ignore[call-overload]
    if whole:
        yield plural(
            whole,
            f"{whole:,} caption is not split into words, because its script has no spaces (as "
            "in Chinese, Japanese or Thai): scores that compare words say little. On the "
            "command line, the option --tokenizer characters compares characters instead.",
            f"{whole:,} different captions are not split into words, because their script has "
            "no spaces (as in Chinese, Japanese or Thai): scores that compare words say "
            "little. On the command line, the option --tokenizer characters compares "
            "characters instead.",
        )

    empty = int(results.provenance.get("empty_captions", 0))  # type: ignore[call-overload]
    if empty:
        one = f"{empty:,} caption has no token"
        several = f"{empty:,} different captions have no token"
        yield (
            f"{plural(empty, one, several)} (blanks, emoji, or letters that the tokenizer does "
            "not know): their scores say nothing."
        )

    names = results.english_metrics
    if names:
        verb = plural(len(names), "uses", "use")
        advice = plural(
            len(names),
            "do not rely on it. It is not named as the best",
            "do not rely on them. They are not named as the best",
        )
        yield (
            f"{joined(names, AND)} {verb} English resources, and the captions are in the language "
            f"“{results.language}”: {advice}."
        )


def own_candidates(results: Results) -> Iterator[str]:
    """Say how many pairs have a candidate among their references; nothing where hardly any do."""
    pairs = len(results.samples.pairs)
    touched = _pairs_with_own_candidates(results)
    computed = results.samples.sources.selection.scored
    if not computed or touched <= _SHARE_TOLD * pairs:
        return

    yield (
        f"In {touched:,} of {pairs:,} pairs ({fixed(percent(touched / pairs), 1)} %), a "
        "candidate is also one of the references of its image. A metric that matches words scores "
        "such a candidate highest."
    )


def _pairs_with_own_candidates(results: Results) -> int:
    """Count the scored pairs that have a candidate among the references of their image."""
    scored = results.samples.pairs.table["pair"]
    pairs = where(results.dataset.pairs, pair=scored)
    shown = shown_captions(pairs)
    is_own = are_among(shown, results.references, CAPTION)

    of_sides = is_own.to_numpy().reshape(2, -1)
    is_touched = of_sides.any(axis=0)
    return int(is_touched.sum())


def _without_identical(results: Results, leader: Leader) -> str:
    """Say which metric is the best if such references are left out."""
    try:
        without = results.once(without_identical)
        group = leader.group if leader.group in without.groups else without.main_group
        other = Leader.of(without, group, without.last_count)
    except ValueError:
        return TOO_FEW_LEFT
    if reason := why_undecided(without):
        return f"Without these references, nothing can be compared. {reason}"
    if other.accuracy.empty:
        return "Without these references, no two metrics can be compared."

    names = set(other.accuracy.index)
    with_them = Leader.of(results, leader.group, leader.count, among=names)
    scope = "" if set(leader.names) <= names else _NOT_TRAINED
    if set(other.names) == set(with_them.names):
        answer = (
            f"Without these references, the best is the same{scope}: {other.in_words}."
        )
    else:
        best = f"Best with these references{scope}: {with_them.in_words}"
        answer = f"{best}; without them: {other.in_words}."

    on = on_what(without, group, other.count)
    left = " that are left" if other.count == ALL_REFERENCES else ""
    return (
        f"{answer} {on}, with {references_in_words(other.count)}{left} per image: "
        f"{other.share} % ({other.interval})."
    )
