"""Votes: how people agree, what stopping early saves, and how many pairs a study takes."""

from collections import Counter
from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import SIDES, Pair
from tests.reader.report import known
from tests.reader.rule import Claim, says
from tests.reader.rules.accuracy import name_of


def voted(claim: Claim) -> list[Pair]:
    """Return the pairs that are evaluated and have votes."""
    return [pair for pair in claim.data.with_winner if pair.votes]


@says(
    "A single vote agrees with the majority of the pair's other votes in {share} % of cases."
)
def one_vote(claim: Claim) -> dict[str, str]:
    row = claim.report.rows("reliability")[0]
    chosen = [vote["choice"] for pair in voted(claim) for vote in pair.votes]
    several = [pair for pair in voted(claim) if len(pair.votes) > 1]
    claim.requires({*chosen} != {"tie"}, "people decided nothing: all votes are equal")
    claim.requires(bool(several), "no pair has two votes")
    return {"share": numbers.percent(known(row, "agreement"))}


@says("The majority of {count} votes agrees with it in {share} %.")
def most_votes(claim: Claim) -> dict[str, str]:
    first, *_others, last = claim.report.rows("reliability")
    same = first["pairs"] == last["pairs"]
    claim.requires(
        same,
        f"it is another majority, on {last['pairs']} pairs instead of {first['pairs']}",
    )
    return {"count": last["votes"], "share": numbers.percent(known(last, "agreement"))}


@says("{stratum}: margin {least} to {most} ({pairs} pairs).")
def stratum(claim: Claim) -> dict[str, str]:
    rows = claim.report.rows("margins", stratum=claim.said["stratum"])
    margins = [margin(pair) for pair in voted(claim)]
    low, high = (Decimal(claim.said[name]) for name in ("least", "most"))
    within = [each for each in margins if low <= round(each, 2) <= high]
    claim.requires(bool(rows), "no table has this stratum")
    return {"pairs": numbers.count(len(within))}


def margin(pair: Pair) -> Decimal:
    lead = abs(sum(SIDES[vote["choice"]] for vote in pair.votes))
    return Decimal(lead) / len(pair.votes)


@says("No pair has two votes: there are no other votes to compare with.")
def no_other_votes(claim: Claim) -> None:
    most = max((len(pair.votes) for pair in voted(claim)), default=0)
    claim.requires(most < 2, f"a pair has {most} votes")


@says(
    "The votes do not name their annotators, so people cannot be compared with each other."
)
def unnamed(claim: Claim) -> None:
    names = {vote.get("annotator", "") for vote in claim.data.votes} - {""}
    claim.requires(not names, f"they name {len(names)}")


@says(
    "Judged by the other half of the triplets, people reach {people} % ({group}), and {metric}, "
    "given the references of the same half ({count}), {accuracy} %."
)
def halves(claim: Claim) -> dict[str, str]:
    group = claim.report.main_group
    people = claim.report.row("humans", rater="people", category=group)
    metric = claim.report.row("humans", rater=claim.said["metric"], category=group)
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    return {
        "people": numbers.percent(known(people, "accuracy")),
        "group": name_of(group),
        "count": metric["triplets"],
        "accuracy": numbers.percent(known(metric, "accuracy")),
    }


@says(
    "The points show the split in halves, {triplets} triplets each; the curves show smaller first "
    "parts."
)
def points_of_halves(claim: Claim) -> dict[str, str]:
    finished = [pair.triplets for pair in voted(claim) if not pair.is_unfinished]
    return {"triplets": str(min(finished) // 2)}


@says("{pairs} unfinished pairs have part in it as far as their triplets go.")
def unfinished_halves(claim: Claim) -> dict[str, str]:
    short = [pair for pair in voted(claim) if pair.is_unfinished]
    return {"pairs": numbers.count(len(short))}


@says(
    "To detect a difference of {points} points between {a} and {b} with {power} % power takes "
    "about {pairs} pairs."
)
def pairs_to_plan(claim: Claim) -> dict[str, str]:
    both = {claim.said["a"], claim.said["b"]}
    [row] = [
        row
        for row in claim.report.rows("planning", points="2.0")
        if {row["metric_a"], row["metric_b"]} == both
    ]
    needed = numbers.two_digits(known(row, "pairs_needed"))
    return {"points": "2", "power": "80", "pairs": needed}


@says(
    "Ending the voting on a pair once its winner can no longer change saves on average {saved} of "
    "the {votes} votes per pair ({share} %)."
)
def votes_saved(claim: Claim) -> dict[str, str]:
    usual = Counter(len(pair.votes) for pair in voted(claim))
    row = claim.report.row("votes_saved", votes=claim.said["votes"])
    claim.requires(
        {*usual} == {int(claim.said["votes"])},
        f"pairs have {dict(sorted(usual.items()))} votes",
    )
    saved = known(row, "votes") - known(row, "expected_votes")
    return {
        "saved": numbers.fixed(saved, 1),
        "share": numbers.percent(known(row, "saved")),
    }


@says("There are no single votes: the winners were published.")
def published(claim: Claim) -> None:
    claim.requires(not claim.data.votes, f"there are {len(claim.data.votes)} votes")
    claim.requires(claim.data.publishes_winners, "no winner was published")


@says(
    "There is one metric only: nothing to tell apart.",
    "There is one metric only: nothing to compare.",
)
def one_metric(claim: Claim) -> None:
    names = claim.report.options["metrics"]
    claim.requires(len(names) == 1, f"there are {names}")
