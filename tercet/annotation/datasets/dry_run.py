"""What a dry run says about the files of a dataset.

The result of a check is kept as JSON: `files` as the page shows them (`cards`), `warnings`, what
is `lost`, `unread` files, and how many `questions` are open; the `counts` of what would be imported
and whether it `asks` if collection is finished; or `problems` (the same ones of several lines
together), the `count` of all, how many are `shown`, and how many are `kept` in the file of
problems. Where an import could `leave_out` so many faulty lines, the `rest` are the counts then,
and `share` is their share of all lines.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma

from tercet.analysis.dataset.dictionary import REMARKS
from tercet.analysis.dataset.folder import Reading
from tercet.analysis.number_texts import plural
from tercet.analysis.tables.csv_tables import Problem, ProblemGroup, first_of, grouped
from tercet.analysis.tables.protocol_settings import RATING
from tercet.analysis.tables.schema import Dataset as Frames
from tercet.annotation.datasets.importing import asks_if_finished

MAX_PROBLEMS = 10
"""Different problems on the page; all of them are in the file to download."""
_PEOPLE_LEFT_OUT = (
    "What annotators wrote (the folder people) stays with the study that they wrote it for, and is "
    "not imported"
)
PEOPLE = Path(REMARKS).parent
"""The folder of an archive with what annotators wrote."""

Result = dict[str, Any]


def described(reading: Reading, rest: Reading) -> Result:
    """Describe what was read, and what of it could be imported.

    `rest` is the reading without faulty lines, or the same where there are none.
    """
    unread = [each.file for each in reading.files.unread if not each.is_spare]
    used = {each.table.file for each in reading.plans if each.tables}
    unknown = {each.table.file for each in reading.plans if each.is_unknown} - used
    questions = len(reading.open_questions)
    result = losses_of(reading) | {
        "unread": [*unread, *sorted(unknown)],
        "questions": questions,
    }
    if rest.problems:
        return result

    if reading.problems:
        count = sum(map(len, reading.faulty_lines.values()))
        rows = sum(len(plan.table.frame) for plan in reading.plans)
        result |= {"leave_out": count, "share": count / max(rows, 1)}
    return result | {
        "rest" if reading.problems else "counts": preview(rest.dataset),
        "warnings": [*notes_of(rest.dataset), *_warnings_of(rest)],
        "asks": asks_if_finished(rest.dataset),
    }


def losses_of(reading: Reading) -> Result:
    """Return what is odd about files, and what the plans of their tables lose."""
    lost = [text for plan in reading.plans for text in plan.lost]
    return {"warnings": _warnings_of(reading), "lost": lost}


def _warnings_of(reading: Reading) -> list[str]:
    """Return what is odd about files that may be imported all the same, losses apart."""
    lost = {text for plan in reading.plans for text in plan.lost}
    warnings = [text for text in reading.warnings if text not in lost]
    if (reading.files.folder / PEOPLE).is_dir():
        warnings.append(_PEOPLE_LEFT_OUT)

    return warnings


def first_problems(problems: Sequence[Problem], more: int) -> Result:
    """Return the first problems, and how many there are; `more` are not kept."""
    groups = grouped(problems)
    shown = groups[:MAX_PROBLEMS]
    return {
        "problems": [_described(each) for each in shown],
        "count": len(problems) + more,
        "shown": sum(len(each.problems) for each in shown),
        "kept": len(problems),
    }


def _described(group: ProblemGroup) -> Result:
    """Return problems that are the same as JSON."""
    problem = group.first
    names = ("file", "column", "is_entry")
    return {
        **{name: getattr(problem, name) for name in names},
        "line": str(group.lines),
        "value": str(first_of(group.values)),
        "is_several": len(group.problems) > 1,
        "what": str(problem.what),
        "remedy": str(problem.remedy),
    }


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
    if ratings and source.has_study and source.protocol != RATING:
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
