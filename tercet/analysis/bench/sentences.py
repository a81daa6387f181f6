"""What is said of a set, from its rows in bench.csv and length.csv alone."""

from collections.abc import Iterator
from math import isnan

from tercet.analysis.bench.cells import CHANCE, LENGTH, BenchCell
from tercet.analysis.bench.kept import KeptSet
from tercet.analysis.bench.system_columns import ORDER, SOFT_ACCURACY
from tercet.analysis.number_texts import counted, fixed, percent, plural
from tercet.analysis.stats.significance import LEVEL
from tercet.analysis.superlatives import Ranking, listed
from tercet.analysis.tables.schema import PEOPLE


def sentences(kept: KeptSet) -> Iterator[str]:
    """Yield which metrics are not better than length, and where agreement and order part."""
    scale = kept.scales[kept.leading]
    for column, own in kept.scales.items():
        if own == scale and (column == kept.leading or scale != "accuracy"):
            yield _beside_length(kept, column)
    for column, own in kept.scales.items():
        if own in (ORDER, SOFT_ACCURACY):
            prefix = column.removesuffix(own)
            leading = f"{prefix}{scale}" if prefix else kept.leading
            yield from _items_and_systems(kept, leading, column)


def _beside_length(kept: KeptSet, column: str) -> str:
    """Say which metrics are not significantly better than the length of the caption."""
    tested = {
        metric: difference > 0 and adjusted <= LEVEL
        for _, name, metric, difference, _, adjusted in kept.length
        if name == column
    }
    by = _named(kept, column)
    if not tested:
        return f"By {by}, no metric can be compared with the length of the caption."

    tests = counted(len(tested) * (len(tested) + 1) // 2, "test")
    than = f"than the length of the caption (sign flips over images, adjusted for {tests})."
    no_better = [name for name, is_better in tested.items() if not is_better]
    if no_better:
        verb = plural(len(no_better), "is", "are")
        return f"By {by}, {listed(no_better)} {verb} not significantly better {than}"
    every = f"all {len(tested)} metrics are"
    every = plural(len(tested), f"{listed([*tested])} is", every)
    return f"By {by}, {every} significantly better {than}"


def _items_and_systems(kept: KeptSet, leading: str, column: str) -> Iterator[str]:
    """Say where the metrics that are first on captions are not those that are first on systems."""
    cells = kept.in_column(column)
    on_items, on_systems = ranking(kept.in_column(leading)), ranking(cells)
    if set(on_items.first) & set(on_systems.first):
        return
    if on_items.values and on_systems.values:
        systems = cells[on_systems.first[0]].rows
        yield (
            f"By {_named(kept, leading)}, the highest value is that of {listed(on_items.first)} "
            f"({fixed(percent(on_items.highest), 1)}); by {_named(kept, column)} of {systems} "
            f"systems, that of {listed(on_systems.first)} "
            f"({fixed(percent(on_systems.highest), 1)})."
        )


def _named(kept: KeptSet, column: str) -> str:
    """Name a column in a sentence."""
    names = {"accuracy": f"accuracy ({column})", ORDER: "rank correlation"}
    return names.get(kept.scales[column], column)


def ranking(cells: dict[str, BenchCell]) -> Ranking:
    """Return the values of the metrics."""
    return Ranking.of(
        {
            name: each.value
            for name, each in cells.items()
            if name not in (PEOPLE, LENGTH, CHANCE) and not isnan(each.value)
        }
    )
