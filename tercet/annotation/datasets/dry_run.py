"""What a dry run says about a dataset: its counts, and what changes the questions."""

from collections.abc import Iterator

from django.contrib.humanize.templatetags.humanize import intcomma

from tercet.analysis.number_texts import plural
from tercet.analysis.tables.schema import Dataset as Frames


def counts_of(source: Frames) -> dict[str, int]:
    """Return how many rows an import writes, by what they are."""
    images = len(_images_of(source))
    references = len(source.references)
    candidates = len(source.candidates)
    pairs = len(source.pairs)
    votes = len(source.votes)

    counts = {
        plural(images, "image", "images"): images,
        plural(references, "reference", "references"): references,
        plural(candidates, "candidate", "candidates"): candidates,
        plural(pairs, "pair", "pairs"): pairs,
        plural(votes, "vote", "votes"): votes,
    }
    return {name: count for name, count in counts.items() if count}


def preview(source: Frames) -> dict[str, int]:
    """Return how many rows an import would write, by what they are, and images without a pair."""
    counts = counts_of(source)
    with_pairs = source.pairs["image"]
    images = _images_of(source) - {*with_pairs}
    unpaired = len(images) if len(source.pairs) else 0

    name = plural(unpaired, "image without a pair", "images without a pair")
    return counts | {name: unpaired} if unpaired else counts


def _images_of(source: Frames) -> set[str]:
    return {*source.images["image"], *source.references["image"]}


def notes_of(source: Frames) -> Iterator[str]:
    """Say what is not stored, and which images have no references, or fewer than others."""
    ratings = len(source.ratings)
    if ratings:
        words = plural(
            ratings,
            "%(count)s rating is checked, but not stored on the site",
            "%(count)s ratings are checked, but not stored on the site",
        )
        yield words % {"count": intcomma(ratings)}

    bare = len({*source.images["image"]} - {*source.references["image"]})
    if bare:
        words = plural(
            bare,
            "%(count)s image has no references, so it can have no pairs",
            "%(count)s images have no references, so they can have no pairs",
        )
        yield words % {"count": intcomma(bare)}

    with_pairs = source.pairs["image"]
    is_asked = source.references["image"].isin(with_pairs)
    asked = source.references[is_asked]
    numbers = asked.groupby("image").size()
    if numbers.nunique() > 1:
        words = (
            "Images with pairs have %(least)s to %(most)s references (fewest: %(least)s, "
            "%(image)s). A study that asks for more than an image has uses all of them"
        )
        yield words % {
            "least": intcomma(numbers.min()),
            "most": intcomma(numbers.max()),
            "image": numbers.idxmin(),
        }
