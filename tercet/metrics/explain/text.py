"""Explanations as text for a terminal."""

from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from textwrap import fill, indent, shorten

from tercet.metrics.explain.explanation import (
    METRIC,
    SIMILARITY,
    Detail,
    Explanation,
    Part,
)

MOST = 12
"""Parts of a list that are shown, at most."""
FORMS = {
    "sum": "The score is the sum of the contributions.",
    "shares": "Precision and recall are divided among the matches; the contributions add up to the "
    "score.",
    "matches": "The score is not a sum; these are the matches that it counts.",
}
_LONG = 30
"""Characters of a detail that has a paragraph of its own instead of a column."""
_PARAGRAPHS = 3
"""The most parts that are shown with long details."""
_NARROWEST = 16
"""Characters of a column of words and of a line, at least."""


def as_text(explained: Explanation, width: int) -> str:
    """Write an explanation in lines of ``width`` characters at most; wide columns are cut."""
    figures = [
        f"{name} {_as_figure(value)}" for name, value in explained.figures.items()
    ]
    missing = [
        f"{part.text} ({in_ranges(part.references)})" for part in explained.missing
    ]
    unmatched = [part.text for part in explained.unmatched]

    blocks = [
        f"{explained.metric} {explained.score:.4f}",
        filled(FORMS[explained.form], width),
        filled(", ".join(figures), width),
        _table(explained, width),
        _long_details(explained.matched, width),
        _listed("Only in the candidate", unmatched, width),
        _listed("Only in references", missing, width),
    ]

    return "\n".join(block for block in blocks if block)


def filled(text: str, width: int, hanging: int = 0) -> str:
    """Break a text into lines, set in by two characters, and by some more after the first."""
    room = max(width, 2 * _NARROWEST)
    later = " " * (2 + hanging)

    return fill(text, room, initial_indent="  ", subsequent_indent=later)


def in_ranges(numbers: Iterable[int]) -> str:
    """Write numbers as people count, from 1, with neighbours joined.

    Examples
    --------
    >>> in_ranges([0, 1, 2, 6])
    '1-3, 7'
    """
    by_run = groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0])

    texts = []
    for _, run in by_run:
        first, *rest = [number + 1 for _, number in run]
        texts.append(f"{first}-{rest[-1]}" if rest else str(first))

    return ", ".join(texts)


def _table(explained: Explanation, width: int) -> str:
    """The parts in common, a row each."""
    parts = explained.matched
    if not parts:
        return filled("Nothing in common with the references.", width)

    has_contributions = explained.form != "matches"
    columns = short_details(parts)
    rows = [_header(parts, columns)]
    rows += [_row(part, columns) for part in parts[:MOST]]
    if rest := parts[MOST:]:
        total = sum(part.contribution or 0.0 for part in rest)
        rows.append([f"{total:.4f}", f"{len(rest)} more"])

    kept = [has_contributions, True, has_kinds(parts)]
    table = _aligned([_chosen(row, kept) for row in rows], width - 2)
    if max(map(len, table.splitlines())) > width - 2:
        kept = [has_contributions, True]
        table = _aligned([_chosen(row[:2], kept) for row in rows], width - 2)

    return indent(table, "  ")


def _chosen(row: Sequence[str], kept: Sequence[bool]) -> list[str]:
    """The first cells that are kept, and all later ones."""
    first = [cell for cell, keep in zip(row, kept, strict=False) if keep]
    return [*first, *row[len(kept) :]]


def has_kinds(parts: Sequence[Part]) -> bool:
    """Return whether a table of parts has a column of their kinds."""
    return len({part.kind for part in parts}) > 1


def has_references(parts: Sequence[Part]) -> bool:
    """Return whether a table of parts has a column of their references."""
    return any(part.references and part.kind != SIMILARITY for part in parts)


def short_details(parts: Sequence[Part]) -> list[str]:
    """Return the details that have a column: those that are short in every part."""
    return [
        name
        for name in (parts[0].details if parts else ())
        if max(len(_as_figure(part.details[name])) for part in parts) <= _LONG
    ]


def long_details(part: Part, columns: Sequence[str]) -> str:
    """Write the details of a part that have no column."""
    texts = [
        f"{name}: {_as_figure(value)}"
        for name, value in part.details.items()
        if name not in columns and value != ""
    ]
    return ", ".join(texts)


def _header(parts: Sequence[Part], columns: Sequence[str]) -> list[str]:
    is_of_metrics = any(part.kind == METRIC for part in parts)
    title = "metric" if is_of_metrics else "in common"
    last = ["references"] if has_references(parts) else []

    return ["contribution", title, "kind", *columns, *last]


def _row(part: Part, columns: Sequence[str]) -> list[str]:
    added = "" if part.contribution is None else f"{part.contribution:.4f}"
    details = [_as_figure(part.details[name]) for name in columns]

    last = "" if part.kind == SIMILARITY else in_ranges(part.references)

    return [added, part.text, part.kind, *details, last]


def _long_details(parts: Sequence[Part], width: int) -> str:
    """The details of the first parts that have no column."""
    columns = short_details(parts)
    texts = [
        f"{part.text}, {details}"
        for part in parts[:_PARAGRAPHS]
        if (details := long_details(part, columns))
    ]

    return "\n".join(filled(text, width, 2) for text in texts)


def _aligned(rows: Sequence[Sequence[str]], width: int) -> str:
    """Rows as columns; wide ones are shortened where all together are too wide."""
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(map(len, column)) for column in columns]

    while sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1

    lines = []
    for row in zip(*columns, strict=True):
        cells = map(_cell, row, widths)
        lines.append("  ".join(cells).rstrip())

    return "\n".join(lines)


def _cell(text: str, width: int) -> str:
    """A text of just this width; cut between words where it is longer."""
    if len(text) > width:
        text = shorten(text, width, placeholder=" ...") or text[:width]

    return text.ljust(width)


def _listed(title: str, texts: Sequence[str], width: int) -> str:
    """A list in one paragraph, with the number of those left out."""
    shown = [*texts[:MOST]]
    more = len(texts) - len(shown)
    if more:
        shown.append(f"{more} more")

    return filled(f"{title}: {'; '.join(shown)}", width) if texts else ""


def _as_figure(value: Detail) -> str:
    """Write a quantity or a detail."""
    if isinstance(value, str):
        return value

    return f"{value:.4f}" if value % 1 else f"{value:.0f}"
