"""Votes: how people agree, what stopping early saves, and how many pairs a study takes."""

from decimal import Decimal

from tests.reader import numbers
from tests.reader.dataset import SIDES, Pair
from tests.reader.report import known
from tests.reader.rule import Claim, says
from tests.reader.rules.accuracy import name_of
from tests.reader.rules.answer import largest, named


def voted(claim: Claim) -> list[Pair]:
    """Return the pairs that are evaluated and have votes."""
    return [pair for pair in claim.data.with_winner if pair.votes]


@says(
    "A single vote agrees with the majority of the pair's other votes in {share} % of cases "
    "({pairs} with at least 2 votes)."
)
def one_vote(claim: Claim) -> dict[str, str]:
    row = claim.report.rows("reliability")[0]
    chosen = {vote["choice"] for pair in voted(claim) for vote in pair.votes}
    several = [pair for pair in voted(claim) if len(pair.votes) > 1]
    claim.requires(chosen != {"tie"}, "people decided nothing: all votes are equal")
    return {
        "share": numbers.percent(known(row, "agreement")),
        "pairs": numbers.counted(len(several), "pair"),
    }


@says(
    "The majority of {votes} votes agrees with the majority of the pair's other votes in {share} % "
    "({pairs} with at least {double} votes)."
)
def most_votes(claim: Claim) -> dict[str, str]:
    last = claim.report.rows("reliability")[-1]
    double = 2 * int(last["votes"])
    several = [pair for pair in voted(claim) if len(pair.votes) >= double]
    return {
        "votes": last["votes"],
        "share": numbers.percent(known(last, "agreement")),
        "pairs": numbers.counted(len(several), "pair"),
        "double": str(double),
    }


@says("All votes are “can't tell”: they do not show how far people agree.")
def all_tied(claim: Claim) -> None:
    chosen = {vote["choice"] for pair in voted(claim) for vote in pair.votes}
    claim.requires(chosen == {"tie"}, f"votes are {sorted(chosen)}")


@says("{stratum}: margin {least} to {most} ({pairs}).")
def stratum(claim: Claim) -> dict[str, str]:
    rows = claim.report.rows("margins", stratum=claim.said["stratum"])
    margins = [margin(pair) for pair in voted(claim)]
    low, high = (Decimal(claim.said[name]) for name in ("least", "most"))
    within = [each for each in margins if low <= round(each, 2) <= high]
    claim.requires(bool(rows), "no table has this stratum")
    return {"pairs": numbers.counted(len(within), "pair")}


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
    "All votes that name an annotator are by one person, and nobody else voted on these pairs: "
    "there is nobody to compare with.",
    "No two people voted on the same pair: there is nobody to compare with.",
)
def alone(claim: Claim) -> None:
    names = {vote.get("annotator", "") for vote in claim.data.votes} - {""}
    shared = [
        pair
        for pair in claim.data.pairs
        if len({vote["annotator"] for vote in pair.votes} - {""}) > 1
    ]
    claim.requires(not shared, f"several people voted on {len(shared)} pairs")
    claim.requires(
        (len(names) == 1) == claim.text.startswith("All"), f"they name {len(names)}"
    )


@says(
    "Judged by the other half of the triplets, people reach {people} % ({group}), and {best}, "
    "given the references of the same half ({count}), {accuracy} %.",
    "Judged by the other half of the triplets, people reach {people} % ({group}), and {best}, "
    "given the references of the same half ({count}), each {accuracy} %.",
)
def halves(claim: Claim) -> dict[str, str]:
    group = claim.report.main_group
    rows = {row["rater"]: row for row in claim.report.rows("humans", category=group)}
    main = {name: known(rows[name], "accuracy") for name in claim.report.main_metrics}
    best = largest(main)
    claim.requires(claim.data.is_decided, "people decided none of the pairs")
    claim.requires((len(best) > 1) == (", each " in claim.text), f"the best are {best}")
    return {
        "people": numbers.percent(known(rows["people"], "accuracy")),
        "group": name_of(group),
        "best": named(best),
        "count": rows[best[0]]["triplets"],
        "accuracy": numbers.percent(main[best[0]]),
    }


@says(
    "The points show the split in halves, {triplets} each; the curves show smaller first parts."
)
def points_of_halves(claim: Claim) -> dict[str, str]:
    finished = [pair.triplets for pair in voted(claim) if not pair.is_unfinished]
    return {"triplets": numbers.counted(min(finished) // 2, "triplet")}


@says(
    "{pairs} counts as far as the triplets go.",
    "{pairs} count as far as the triplets go.",
)
def unfinished_halves(claim: Claim) -> dict[str, str]:
    short = [pair for pair in voted(claim) if pair.is_unfinished]
    return {"pairs": numbers.counted(len(short), "unfinished pair")}


@says(
    "To detect a difference of {points} points between {a} and {b} over all pairs with {power} % "
    "power takes about {pairs} pairs."
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
    "With {votes} votes per pair, ending the voting on a pair once its winner can no longer change "
    "saves {saved} votes per pair on average ({share} %; {pairs} with that many votes or more)."
)
def votes_saved(claim: Claim) -> dict[str, str]:
    row = claim.report.row("votes_saved", votes=claim.said["votes"])
    enough = [
        pair for pair in voted(claim) if len(pair.votes) >= int(claim.said["votes"])
    ]
    saved = known(row, "votes") - known(row, "expected_votes")
    return {
        "saved": numbers.fixed(saved, 1),
        "share": numbers.percent(known(row, "saved")),
        "pairs": numbers.counted(len(enough), "pair"),
    }


@says("No pair counts for two metrics.")
def none_counts(claim: Claim) -> None:
    claim.requires(not claim.report.rows("planning"), "some do")


@says("No pair that counts has votes.")
def no_votes(claim: Claim) -> None:
    own = [pair for pair in claim.data.with_winner if pair.votes]
    claim.requires(not own, f"{len(own)} pairs have")
    claim.requires(not claim.data.publishes_winners, "winners were published")


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
