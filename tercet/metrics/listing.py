"""List and check metrics in a shell: ``tercet metrics list``, ``tercet metrics check NAME``."""

import argparse
from collections.abc import Sequence

from tercet.metrics import (
    COCO_NAMES,
    explainable,
    missing_metrics,
    names,
    names_with_extras,
    weighed,
)
from tercet.metrics.arguments import add_shell_options, be_quiet, program, shell_output
from tercet.metrics.checking import add_options, check_metrics


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the command line's."""
    parser = argparse.ArgumentParser(prog=program("metrics"))
    commands = parser.add_subparsers(required=True, metavar="command")
    listing = commands.add_parser(
        "list", help="print the names of the metrics, and what is special"
    )
    checking = commands.add_parser(
        "check",
        help="check a metric from outside: whether it repeats its scores, and more",
    )
    add_options(checking)
    listing.set_defaults(run=_print_list)
    checking.set_defaults(run=check_metrics)
    for each in (listing, checking):
        add_shell_options(each)

    with shell_output():
        given = parser.parse_args(arguments)
        be_quiet(given.quiet)
        status: int = given.run(given)
        return status


def _print_list(_given: argparse.Namespace) -> int:
    print("\n".join(_lines()))
    return 0


def _lines() -> list[str]:
    """Return a line for each metric: its name, then what should be known of it."""
    built_in = names_with_extras()
    known = tuple(dict.fromkeys([*built_in, *names()]))
    missing = {name: line for line, own in missing_metrics().items() for name in own}
    remarks = {name: [COCO_NAMES[name]] if name in COCO_NAMES else [] for name in known}

    for name in explainable(built_in):
        remarks[name].append("explained")
    for name in weighed(built_in):
        remarks[name].append("document frequencies")
    for name, line in missing.items():
        remarks[name].append(line)
    for name in known[len(built_in) :]:
        remarks[name].append("by name only")

    width = max(map(len, known)) + 2
    return [f"{name:<{width}}{', '.join(remarks[name])}".rstrip() for name in known]
