"""`tercet doctor FILE…`: say what files are, what can be computed from them, and what is open.

It writes nothing but the file of roles that is asked for.
"""

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from tercet.analysis.dataset.choices_file import read_choices, write_choices
from tercet.analysis.dataset.folder import Reading, read
from tercet.analysis.dataset.plans import Plan
from tercet.analysis.number_texts import plural
from tercet.analysis.roles.meanings import B, C
from tercet.analysis.roles.roles import Role
from tercet.analysis.tables.csv_tables import FaultyDataset, grouped
from tercet.analysis.tables.schema import Dataset
from tercet.analysis.tables.unpacking import folder_of
from tercet.metrics.arguments import add_shell_options, program, shell_output

OPEN = 1
"""The status where an answer is open, or a file cannot be read."""
_WIDTH = 80
_INDENT = " " * 14
_CEILING_VOTES = 4
"""Votes for a pair from which people can be compared with each other."""
_SYSTEMS = 4
"""Systems from which their ranks are worth a correlation."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog=program("doctor"), description=__doc__)
    made.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="files, folders or zips"
    )
    made.add_argument(
        "--roles",
        type=Path,
        metavar="ROLES.JSON",
        help="what the columns hold: written if it does not exist, else read",
    )
    add_shell_options(made)
    return made


def main() -> int:
    given = parser().parse_args()
    with shell_output():
        try:
            return _examine(given.files, given.roles)
        except FaultyDataset as error:
            print(error, file=sys.stderr)
            return OPEN


def _examine(paths: Sequence[Path], roles: Path | None) -> int:
    """Print what is known of the files; return the exit status."""
    missing = [path for path in paths if not path.exists()]
    for path in missing:
        print(f"{path}: does not exist. Name a file, a folder, or a zip of one")
    if missing:
        return OPEN

    choices = read_choices(roles) if roles and roles.exists() else {}
    with folder_of(paths) as folder:
        reading = read(folder, choices=choices, references_alone=True)
        return _report(reading, paths, roles)


def _report(reading: Reading, paths: Sequence[Path], roles: Path | None) -> int:
    for plan in reading.plans:
        print("\n".join(_of_table(plan)))
    for file in reading.files.unread:
        print("\n".join(_filled(file.file, f"NOT READ: {file.what}. {file.remedy}")))
    print()

    is_open = bool(reading.open_questions or reading.problems)
    print("\n".join(_conclusion(reading, paths, roles)))
    if roles and not roles.exists():
        write_choices(roles, reading.plans)
    unread = [each for each in reading.files.unread if not each.is_spare]
    return OPEN if is_open or unread else 0


def _of_table(plan: Plan) -> Iterator[str]:
    """Yield what a table is, a line for each column that has a role, and what is odd."""
    table = plan.table
    yield f"{table.key}   {plan.kind}"
    for problem in table.problems if not table.readable else ():
        yield from _line("NOT READ", f"{problem.what}. {problem.remedy}")
    if not table.readable:
        return

    how = [f"{len(table.frame):,} rows, {len(table.header)} columns"]
    how += [table.encoding.upper()] if table.encoding else []
    how += [f"header in row {table.header_line}"] if table.header_line else []
    yield from _line("table", ", ".join(how))
    asked = {question.column for question in plan.questions if question.kind == "role"}
    for name, (role, label) in plan.roles.items():
        if role != Role.UNUSED or name in asked:
            mark = "?" if name in asked else _detail(plan, name, role, label)
            yield from _line(str(role), f"{name:<22} {mark}")
    if plan.own:
        yield from _line("columns", ", ".join(plan.table.header))
    for text in plan.lost:
        yield from _line("not used", text.removeprefix(f"{table.key}: "))


def _detail(plan: Plan, name: str, role: str, label: str) -> str:
    """Return the system of captions, the meaning of values, or how many there are."""
    if name in plan.values:
        named = dict(zip((B, C), plan.sides.columns, strict=False))
        meant = plan.values[name].items()
        return ", ".join(
            f"{value or '(empty)'} = {named.get(each, each) or '?'}"
            for value, each in meant
        )
    if role == Role.CAPTION:
        return f"system {label}"
    if role == Role.REFERENCE and label:
        return f"origin {label}"
    count = plan.table.frame[name].nunique()
    return f"{count:,} different"


def _line(head: str, text: str) -> Iterator[str]:
    first, *others = textwrap.wrap(text, _WIDTH - len(_INDENT)) or [""]
    yield f"  {head:<12}{first}"
    yield from (f"{_INDENT}{each}" for each in others)


def _filled(head: str, text: str) -> list[str]:
    return textwrap.wrap(f"{head}   {text}", _WIDTH, subsequent_indent=_INDENT)


def _conclusion(
    reading: Reading, paths: Sequence[Path], roles: Path | None
) -> Iterator[str]:
    """Yield whether the files are ready, what can be computed, and one next command."""
    names = " ".join(str(path) for path in paths)
    for warning in reading.warnings:
        if warning not in {text for plan in reading.plans for text in plan.lost}:
            yield from _filled("Note:", warning)
    for group in grouped(reading.problems)[: FaultyDataset.SHOWN]:
        yield from _filled("Problem:", str(group))

    counts = _counts(reading.dataset)
    questions = reading.open_questions
    if questions:
        count = len(questions)
        is_open = plural(count, "1 answer is open", f"{count} answers are open")
        yield f"Not ready: {is_open}."
        for number, each in enumerate(questions, 1):
            yield from _filled(f"  {number}.", f"{each.file}: {each.what}")
        yield f"Without them: {counts}."
        if roles:
            yield f'Next: fill in each "?" in {roles}, and run this again'
        else:
            yield f"Next: tercet doctor {names} --roles roles.json"
            yield '      writes what is above; fill in each "?", and run it again'
    elif reading.problems:
        yield "Not ready: correct the files, or import without the lines on the site."
        yield f"Next: correct what is named above, then tercet doctor {names}"
    else:
        yield f"Ready: {counts}."
        yield from _possible(reading.dataset)
        option = f" --roles {roles}" if roles else ""
        where = names if len(paths) == 1 else "FOLDER (put the files into one folder)"
        yield f"Next: tercet analyse {where}{option} --out report"


def _counts(dataset: Dataset) -> str:
    images = len({*dataset.references["image"], *dataset.images["image"]})
    counts = {"images": images}
    for name in ("references", "candidates", "pairs", "votes", "ratings"):
        counts[name] = len(getattr(dataset, name))
    shown = [f"{count:,} {name}" for name, count in counts.items() if count]
    return ", ".join(shown) or "nothing"


def _possible(dataset: Dataset) -> Iterator[str]:
    """Yield what can be computed from a dataset."""
    votes, pairs = len(dataset.votes), len(dataset.pairs)
    decided = votes or int((dataset.pairs["winner"] != "").sum())
    ratings = len(dataset.ratings)
    by_people = "no: there are neither votes nor ratings"
    if votes:
        by_people = f"yes, {pairs:,} pairs and {votes:,} votes"
    elif decided:
        by_people = f"yes, {decided:,} pairs with published winners"
    elif ratings:
        by_people = f"yes, {ratings:,} ratings"
    yield f"  {'metrics against people':<25}{by_people}"

    subject = dataset.votes.groupby(["pair", "reference"]).size()
    most = int(subject.max()) if votes else 0
    ceiling = "no: there are no votes"
    if votes:
        ceiling = (
            "yes"
            if most >= _CEILING_VOTES
            else (f"bounds only: {most} votes a question are too few")
        )
    yield f"  {'ceiling':<25}{ceiling}"

    sources = {*dataset.candidates["source"], *dataset.ratings["source"]}
    sources |= {*dataset.pairs["source_b"], *dataset.pairs["source_c"]}
    systems = len(sources - {"", "human"})
    enough = (
        "yes" if systems >= _SYSTEMS else f"no: {systems} systems, it needs {_SYSTEMS}"
    )
    yield f"  {'correlation of systems':<25}{enough}"


if __name__ == "__main__":
    sys.exit(main())
