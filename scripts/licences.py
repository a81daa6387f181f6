"""`python -m scripts.licences`: write docs/licences.md, the licences of everything installed.

The packages are those of the lock files, as far as they are installed on this platform. Their
licences are those that they state themselves.
"""

import re
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
START = "<!-- written by scripts/licences.py -->\n"
LONGEST = 60
"""Characters of a licence's name; what is longer is its text."""
CLASSIFIER = "License :: OSI Approved :: "


def main() -> None:
    """Replace the table of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(START)[0]
    PAGE.write_text(text + START + table(), encoding="utf-8")


def table() -> str:
    """Return the table of packages, first those of the site, then those of its development."""
    site, dev = locked("site"), locked("dev")
    header = [
        "| package | version | licence | needed by |",
        "| --- | --- | --- | --- |",
    ]
    lines: list[str] = []

    for name in [*site, *(set(dev) - set(site))]:
        lines += row(name, "the site" if name in site else "development")
    return "\n".join([*header, *sorted(lines, key=order)]) + "\n"


def locked(name: str) -> dict[str, str]:
    """Return the versions of a lock file by package."""
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)", text, re.MULTILINE))


def row(name: str, needed_by: str) -> list[str]:
    """Return the line of a package, or none where it is not installed on this platform."""
    try:
        found = metadata(name)
    except PackageNotFoundError:
        return []

    licence = licence_of(found)
    return [f"| {name} | {found['Version']} | {licence} | {needed_by} |"]


def licence_of(found: PackageMetadata) -> str:
    """Return the licence that a package states: as an expression, a classifier, or a name."""
    if "License-Expression" in found:
        return found["License-Expression"]

    classifiers = [
        line.removeprefix(CLASSIFIER)
        for line in found.get_all("Classifier", [])
        if line.startswith(CLASSIFIER)
    ]
    if classifiers:
        return ", ".join(classifiers)

    stated = found.get_all("License", [""])
    name = str(stated[0]).strip().partition("\n")[0]
    is_name = name not in {"", "UNKNOWN"} and len(name) <= LONGEST
    return name if is_name else "not stated"


def order(line: str) -> tuple[bool, str]:
    return line.endswith("| development |"), line.lower()


if __name__ == "__main__":
    main()
