"""Why a finding is left out, or a cell of a table is empty."""

from collections.abc import Mapping

from tests.reader import numbers
from tests.reader.dataset import images
from tests.reader.report import known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.pairs import compared
from tests.reader.rules.people import voted
from tests.reader.rules.ratings import own_captions
from tests.reader.rules.systems import wins


@says(
    "Some image has a single reference: there is no curve of counts over the same pairs."
)
def single_reference(claim: Claim) -> None:
    fewest = min(pair.references for pair in claim.data.with_winner)
    claim.requires(fewest == 1, f"each has {fewest}")


@says("Only one reference count is wanted.")
def one_count(claim: Claim) -> None:
    claim.requires(
        len(claim.report.options["counts"]) == 1, str(claim.report.options["counts"])
    )


@says(
    "Under the pairwise protocol nobody is shown references: there is no split of them."
)
def pairwise(claim: Claim) -> None:
    claim.requires(not claim.data.shows_references, "the protocol shows references")


@says("No pair names two different sources of its candidates (source_b, source_c).")
def no_sources(claim: Claim) -> None:
    named = [
        pair
        for pair in claim.data.with_winner
        if all(pair.sources) and len({*pair.sources}) == 2
    ]
    claim.requires(not named, f"{len(named)} pairs do")


@says("No pair has all its votes yet.")
def none_finished(claim: Claim) -> None:
    finished = [pair for pair in voted(claim) if not pair.is_unfinished]
    claim.requires(not finished, f"{len(finished)} have")


@says("Some pairs have one triplet: people cannot be judged by other people.")
def one_triplet(claim: Claim) -> None:
    single = [
        pair for pair in voted(claim) if pair.triplets == 1 and not pair.is_unfinished
    ]
    claim.requires(bool(single), "none has one")


@says(
    "People were asked about some of the references only: metrics cannot be given just those of "
    "the same triplets."
)
def some_references(claim: Claim) -> None:
    short = [
        pair
        for pair in voted(claim)
        if pair.triplets < pair.references and not pair.is_unfinished
    ]
    claim.requires(bool(short), "they were asked about all")


@says("The dataset has no ratings.csv.")
def no_ratings(claim: Claim) -> None:
    claim.requires(not claim.data.ratings, f"it has {len(claim.data.ratings)} ratings")


@says("Every rated caption is among the references of its image.")
def only_own_captions(claim: Claim) -> None:
    rated = {(row["image"], row["caption"]) for row in claim.data.ratings}
    claim.requires(rated == {*own_captions(claim)}, "some are not")


@says(
    "No metric from outside was evaluated.",
    "There is no study of the same pairs under the other protocol to compare with.",
    "The dataset is no suite of distractors.",
    "CIDEr and CIDEr-D are not both among the metrics.",
    "A metric is learned from pairs of at least {least} images.",
    "A metric is learned from ratings of at least {least} images.",
)
def options_say(claim: Claim) -> None:
    names = {*claim.report.options["metrics"]}
    if "CIDEr-D" in claim.text and names:
        claim.requires(not {"CIDEr", "CIDEr-D"} <= names, "they are")
    if claim.text.startswith("A metric is learned from pairs"):
        own = images(claim.data.judged)
        claim.requires(own < int(claim.said["least"]), f"there are {own} images")


@says(
    "No image has two references, or there is only one image.",
    "No image has two references.",
    "No image has three references to rank.",
)
def few_references(claim: Claim) -> None:
    images = claim.data.all_references
    most = max(len(claim.data.references(image)) for image in images)
    one = "only one image" in claim.text and len(images) == 1
    least = 3 if "three" in claim.text else 2
    claim.requires(most < least or one, f"an image has {most}")


@says("Fewer than two reference counts have a value: there is no curve to follow.")
def no_curve(claim: Claim) -> None:
    rows = claim.report.rows(
        "accuracy", metric=claim.row["metric"], category=claim.report.main_group
    )
    values = [row for row in rows if number(row, "accuracy") is not None]
    claim.requires(len(values) < 2, f"{len(values)} have one")


@says("The curve gains up to its last count: more references may gain more.")
def still_gaining(claim: Claim) -> None:
    claim.requires(
        number(claim.row, "reference_count") is not None, "there is no count"
    )


@says("No resample has a value: an interval needs pairs of two images.")
def no_resample(claim: Claim) -> None:
    group = claim.report.main_group
    names = claim.report.categories if group == "mean" else [group]
    fewest = min(images(claim.data.in_group(name)) for name in names)
    claim.requires(fewest < 2, f"there are pairs of {fewest} images")


@says("No pair or triplet has more than one vote.")
def single_votes(claim: Claim) -> None:
    within = "triplet" in claim.row.get("name", "")
    votes = [
        [vote["reference"] if within else "" for vote in pair.votes]
        for pair in voted(claim)
    ]
    most = max(each.count(name) for each in votes for name in each)
    claim.requires(most < 2, f"one has {most}")


@says("All votes are the same wherever there are several.")
def same_votes(claim: Claim) -> None:
    within = "triplet" in claim.row.get("name", "")
    chosen = set()
    for pair in voted(claim):
        by_item: dict[str, list[str]] = {}
        for vote in pair.votes:
            by_item.setdefault(vote["reference"] if within else "", []).append(
                vote["choice"]
            )
        for choices in by_item.values():
            chosen |= {*choices} if len(choices) > 1 else set()
    claim.requires(len(chosen) < 2, f"there are {sorted(chosen)}")


@says("Only one pair or triplet has votes.")
def one_item(claim: Claim) -> None:
    claim.requires(len(voted(claim)) == 1, f"{len(voted(claim))} pairs have")


@says("There are too few images for an interval.")
def few_images(claim: Claim) -> None:
    own = images(voted(claim)) if claim.place.startswith("people") else 1
    claim.requires(own < 3, f"there are {own} images")


@says("All pairs have the value 0.5: nothing varies.")
def all_halves(claim: Claim) -> None:
    own = images(voted(claim))
    claim.requires(own > 1, f"there is {own} image")
    claim.requires(known(claim.row, "value") * 2 == 1, f"it is {claim.row['value']}")


@says(
    "A difference of {points} points needs metrics that differ on more than {share} % of the pairs."
)
def differ_rarely(claim: Claim) -> dict[str, str]:
    return {"share": numbers.percent(known(claim.row, "differing"))}


@says("The design effect must be above 0, not {effect}.")
def no_effect(claim: Claim) -> None:
    """Hold: the effect is in the sentence."""


@says("The design effect needs pairs of at least two images.")
def one_image(claim: Claim) -> None:
    own = images(claim.data.judged)
    claim.requires(own < 2, f"there are {own} images")


@says("The metrics differ by the same on every pair: nothing varies.")
def same_difference(claim: Claim) -> None:
    is_all_or_nothing = known(claim.row, "differing") in (0, 1)
    claim.requires(is_all_or_nothing, f"they differ on {claim.row['differing']}")


@says(
    "It, alone or together with others, never lost or never won against the rest: only the prior "
    "bounds its strength."
)
def unbounded(claim: Claim) -> None:
    if claim.row["rater"] != "people":
        return
    beaten: dict[str, set[str]] = {}
    for pair in compared(claim):
        b, c = pair.sources
        for winner, loser in ((b, c), (c, b)):
            if pair.winner == "tie" or winner == (b if pair.winner == "B" else c):
                beaten.setdefault(winner, set()).add(loser)
    own = claim.row["source"]
    both_ways = {
        name
        for name in beaten
        if own in reached(beaten, name) and name in reached(beaten, own)
    }
    largest = max(
        len(
            [
                name
                for name in beaten
                if each in reached(beaten, name) and name in reached(beaten, each)
            ]
        )
        for each in beaten
    )
    claim.requires(
        len(both_ways) < max(largest, 2), f"it won and lost against {sorted(both_ways)}"
    )


def reached(beaten: Mapping[str, set[str]], first: str) -> set[str]:
    """Return whom a source beat, or who beat whom it beat, and so on."""
    found: set[str] = set()
    new = {first}
    while new:
        found |= new
        new = {name for each in new for name in beaten.get(each, set())} - found
    return found


@says(
    "It was never compared with the largest group of sources, not even through others."
)
def separate(claim: Claim) -> None:
    pairs = [{*pair.sources} for pair in compared(claim)]
    reached = {claim.row["source"]}
    while more := {name for pair in pairs if pair & reached for name in pair} - reached:
        reached |= more
    names = {name for pair in pairs for name in pair}
    claim.requires(reached != names, "it was compared with all, through others")


@says("Systems with a value: {systems}; a correlation needs {least}.")
def few_systems(claim: Claim) -> dict[str, str]:
    systems = len(wins(compared(claim)))
    if claim.row["of"] != "win fraction":  # those that were compared with each other
        systems = int(claim.row["systems"])
    claim.requires(systems < int(claim.said["least"]), f"there are {systems}")
    return {"systems": str(systems)}


@says("People let all systems win equally often.")
def equal_wins(claim: Claim) -> None:
    if claim.row.get("of") == "win fraction":
        shares = {*wins(compared(claim)).values()}
        claim.requires(len(shares) == 1, f"shares are {sorted(shares)}")


@says("The metric lets all systems win equally often.")
def equal_wins_of_metric(claim: Claim) -> None:
    rows = claim.report.rows("systems", rater=claim.row["metric"])
    column = "fraction" if claim.row.get("of") == "win fraction" else "strength"
    values = {row[column] for row in rows}
    claim.requires(len(values) == 1, f"{column} has {len(values)} values")


@says("The values lie on a line: Fisher's z gives no interval.")
def on_a_line(claim: Claim) -> None:
    claim.requires(abs(known(claim.row, "value")) == 1, claim.row["value"])


@says("People decided none of the pairs, and ties are dropped: nothing is left.")
def nothing_left(claim: Claim) -> None:
    winners = {pair.winner for pair in claim.data.pairs} - {""}
    claim.requires(winners == {"tie"}, f"winners are {winners}")
    claim.requires(claim.report.options["human_ties"] == "drop", "ties count")
