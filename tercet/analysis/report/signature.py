"""What a report is made of, in one line."""

from collections.abc import Iterator
from typing import Any

from tercet.analysis.scoring.presets import PRESETS
from tercet.analysis.stats.scores.ratings import MAX_RESAMPLES
from tercet.analysis.tables.csv_tables import shortened

EXCLUDED = {
    "exclude_identical": "identical references excluded",
    "exclude_rated": "rated references excluded",
    "exclude_equal_candidates": "equal candidates excluded",
}


def signature(provenance: dict[str, Any]) -> str:
    """Return one line with all that made a table or plot, of the options only those used."""
    options = provenance["options"]
    versions = provenance["versions"]
    made_with = [*provenance.get("extras", []), *provenance.get("composites", [])]

    name = str(provenance["dataset"])
    title = " ".join(name.split())
    has_pairs = provenance["protocol"] != "ratings"
    has_judgments = has_pairs or provenance["ratings"]
    excluded = [words for name, words in EXCLUDED.items() if options.get(name)]
    chosen = options.get("coefficient") if provenance["ratings"] else None
    coefficient = [f"ordered by {chosen}"] if chosen else []
    digest = str(provenance["sha256"])[:12]
    version = provenance.get("digest", 1)
    if version != 1:  # the first had no name
        digest += f" (digest {version})"

    parts = (
        shortened(title, 100) or "untitled",
        f"sha256 {digest}",
        *([provenance["protocol"]] if has_judgments else []),
        *judgments(provenance),
        *_protocol(provenance.get("preset"), options),
        *(_pair_options(options) if has_pairs else [f"seed {options['seed']}"]),
        f"document frequencies: {options['documents']}",
        *excluded,
        f"tokens: {options['tokenizer']}",
        *made_with,
        *_variants_tried(provenance.get("variants_tried", {})),
        *coefficient,
        *_interval_options(options, has_pairs),
        f"Tercet {versions['tercet']}",
    )
    return " · ".join(str(part) for part in parts)


def _protocol(preset: str | None, options: dict[str, Any]) -> Iterator[str]:
    """Yield the preset that the command named, and which of its options have other values."""
    if preset in PRESETS:
        changed = PRESETS[preset].changed_in(options)
        words = ", ".join(name.replace("_", " ") for name in changed)
        yield f"as {preset}" + (f" but for {words}" if changed else "")


def _variants_tried(by_family: dict[str, int]) -> Iterator[str]:
    """Yield how many variants of metrics from outside p is adjusted for, where they are several."""
    for family, tried in by_family.items():
        if tried > 1:
            yield f"{tried:,} variants of {shortened(family, 40)} tried"


def _pair_options(options: dict[str, Any]) -> list[str]:
    """Return the options that pairs are scored with."""
    draws = options["draws"]
    random = "1 random order" if draws == 1 else f"{draws} random orders"
    orders = "file order" if options["order"] == "file" else random

    return [
        f"{orders}, seed {options['seed']}",
        f"ties: human {options['human_ties']}, metric {options['metric_ties']}",
    ]


def _interval_options(options: dict[str, Any], has_pairs: bool) -> list[str]:
    """Return how intervals and tests are made."""
    if not has_pairs:
        flips = min(options["flips"], MAX_RESAMPLES)
        return ["95 % intervals over images", f"{flips:,} sign flips"]

    return [
        f"95 % bootstrap over images and orders, {options['resamples']:,}",
        f"{options['flips']:,} sign flips",
    ]


def judgments(provenance: dict[str, object]) -> Iterator[str]:
    """Yield how many judgments of people a result is made of."""
    if provenance["protocol"] != "ratings":
        yield counted(provenance, "votes", "simulated_votes", "simulated")
        yield counted(provenance, "pairs", "pairs_unfinished", "unfinished")
        if without := provenance.get("pairs_without_winner"):
            yield f"{without:,} without a winner left out"
        if digest := provenance.get("digest_of_votes"):
            yield f"digest of votes {str(digest)[:12]}"
        if adjudicated := provenance.get("pairs_adjudicated"):
            noun = "pair" if adjudicated == 1 else "pairs"
            yield f"{adjudicated:,} {noun} adjudicated"

    if provenance["ratings"]:
        yield counted(provenance, "ratings", "ratings_left_out", "left out")


def counted(provenance: dict[str, object], what: str, part: str, name: str) -> str:
    """Such as `96 pairs (8 unfinished)`."""
    number = provenance.get(part, 0)
    some = f" ({number:,} {name})" if number else ""
    return f"{provenance[what]:,} {what}{some}"
