"""`python -m scripts.licences`: write docs/licences.md, the licences of everything installed.

The packages are those of the lock files, as far as they are installed on this platform. Their
licences are those that they state themselves.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
START = "## Packages of the site\n"
LONGEST = 60
"""Characters of a licence's name; what is longer is its text."""
CLASSIFIER = "License :: OSI Approved :: "


def main() -> None:
    """Replace the last two sections of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(START)[0]
    PAGE.write_text(text + sections(), encoding="utf-8")


def sections() -> str:
    """Return the sections with the licences of the site's packages, and of its development's."""
    site, dev = locked("requirements.txt"), locked("locks/dev.txt")
    of_development = set(dev) - set(site)
    return (
        f"{START}\n{table(site)}\n## Packages of development\n\n{table(of_development)}"
    )


def table(names: Collection[str]) -> str:
    """Return the table of licences, each with its packages."""
    packages = packages_by_licence(names)
    header = ["| licence | packages |", "| --- | --- |"]
    rows = [
        f"| {licence} | {', '.join(packages[licence])} |"
        for licence in sorted(packages, key=str.lower)
    ]
    return "\n".join([*header, *rows]) + "\n"


def locked(name: str) -> dict[str, str]:
    """Return the versions of a file that `make lock` has written, by package."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)", text, re.MULTILINE))


def packages_by_licence(names: Collection[str]) -> dict[str, list[str]]:
    """Return packages with their versions by licence; those that are not installed are left out."""
    packages: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names, key=str.lower):
        try:
            found = metadata(name)
        except PackageNotFoundError:  # not needed on this platform
            continue

        packages[licence_of(found)].append(f"{name} {found['Version']}")
    return packages


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


if __name__ == "__main__":
    main()
