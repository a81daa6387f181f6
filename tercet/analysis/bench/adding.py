"""Make dataset folders of published sets, and compare them with the releases that are known."""

import argparse
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import file_digest
from pathlib import Path

from tercet.analysis.bench.sets import SETS, PublishedSet, set_named, set_of
from tercet.analysis.dataset.folder import load, read, write
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.settings import SET_FILE
from tercet.analysis.tables.unpacking import folder_of
from tercet.metrics.arguments import print_note, program


def add(name: str, files: Sequence[Path], out: Path) -> list[str]:
    """Write the dataset folder of a published set.

    Parameters
    ----------
    name
        Of the set, as in `SETS`.
    files
        Its files as published, or one folder of them.
    out
        A new or empty folder.

    Returns
    -------
    list of str
        What is odd, differences from the known releases among it.
    """
    known = set_named(name)
    with folder_of(files) as folder:
        reading = read(folder)
        try:
            dataset = reading.sound()
        except FaultyDataset as error:
            error.add_note(", ".join(map(str, files)))
            raise

    titles = {plan.table.of for plan in reading.plans} - {""}
    if titles - {known.title}:
        others = ", ".join(sorted(titles))
        raise ValueError(f"The files are those of {others}, not of {known.title}.")
    info = {"title": known.title, "citation": known.source, "licence": known.licence}
    write(replace(dataset, info={**dataset.info, **info}), out)
    digests = {path.name: _digest(path) for path in files if path.is_file()}
    content = json.dumps({"name": name, "files": digests}, indent=2)
    (out / SET_FILE).write_text(f"{content}\n", encoding="utf-8")
    return [*reading.warnings, *known.differences(dataset), *_unknown(known, digests)]


def check(folder: Path) -> list[str]:
    """Return where a dataset folder differs from the known releases of its set."""
    known = set_of(folder)
    if known.name not in SETS:
        raise ValueError(f"{folder} has no {SET_FILE}: write it with tercet bench add.")
    digests = json.loads((folder / SET_FILE).read_text(encoding="utf-8"))["files"]
    return [*known.differences(load(folder)), *_unknown(known, digests)]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _unknown(known: PublishedSet, digests: Mapping[str, str]) -> Iterator[str]:
    """Name the files of which other releases are known."""
    for file, digest in digests.items():
        if file in known.digests and digest not in known.digests[file]:
            yield f"{file} is no release that is known (SHA-256 {digest[:12]}…)"


def add_command(arguments: Sequence[str]) -> int:
    """Run `tercet bench add NAME FILES… --out FOLDER`."""
    parser = argparse.ArgumentParser(prog=program("bench add"), description=add.__doc__)
    parser.add_argument("name", choices=SETS, metavar="NAME", help="see bench list")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILES")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    given = parser.parse_args(arguments)
    for text in add(given.name, given.files, given.out):
        print_note(f"Note: {text}.")
    print(f"{SETS[given.name].title} is in {given.out}.")
    return 0


def check_command(arguments: Sequence[str]) -> int:
    """Run `tercet bench check FOLDER`; the status is 1 where counts or files differ."""
    parser = argparse.ArgumentParser(prog=program("bench check"))
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    found = check(parser.parse_args(arguments).folder)
    print("\n".join(found) or "As published: no known count or file differs.")
    return min(len(found), 1)


def list_command(arguments: Sequence[str]) -> int:
    """Run `tercet bench list`: what is known of each set."""
    argparse.ArgumentParser(prog=program("bench list")).parse_args(arguments)
    for known in SETS.values():
        print(f"{known.name}   {known.title}")
        about = {
            "cite": known.source,
            "licence": known.licence,
            "bring": known.files,
            "columns": ", ".join(known.columns),
            "preset": known.preset,
        }
        for head, text in about.items():
            print(
                textwrap.fill(
                    text, 80, initial_indent=f"  {head:<9}", subsequent_indent=11 * " "
                )
            )
    return 0
