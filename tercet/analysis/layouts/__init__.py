"""How other tools and published sets write their files, one module each."""

from collections.abc import Sequence

from tercet.analysis.layouts import (
    audiocaps,
    clotho,
    coco,
    doccano,
    flickr,
    google_forms,
    karpathy,
    label_studio,
    msr_vtt,
    mturk,
    potato,
    prolific,
    qualtrics,
    stair,
    tercet_dataset,
    textcaps,
    vatex,
)
from tercet.analysis.layouts.layout import Layout as Layout
from tercet.analysis.layouts.made import CorpusCaptions, tables_of
from tercet.analysis.layouts.published import grades, judged_pairs, rated_captions
from tercet.analysis.tables.file_tables import FileTable

_LAYOUTS = (
    tercet_dataset.LAYOUT,
    *grades.LAYOUTS,
    *judged_pairs.LAYOUTS,
    *rated_captions.LAYOUTS,
    label_studio.LAYOUT,
    mturk.LAYOUT,
    qualtrics.LAYOUT,
    prolific.LAYOUT,
    karpathy.LAYOUT,
    textcaps.LAYOUT,
    msr_vtt.LAYOUT,
    vatex.LAYOUT,
    stair.LAYOUT,
    audiocaps.LAYOUT,
    clotho.LAYOUT,
    flickr.LAYOUT,
    coco.LAYOUT,
    coco.IMAGES,
    potato.LAYOUT,
    doccano.LAYOUT,
    google_forms.LAYOUT,
)
"""The most telling first: a table has the first that matches."""


def layout_of(table: FileTable) -> Layout | None:
    """Return the layout of a table, or None where none is known."""
    return next((each for each in _LAYOUTS if each.matches(table)), None)


def with_sets(tables: Sequence[FileTable]) -> list[FileTable]:
    """Put the tables of ours that a published set holds in the place of those of its files."""
    known = {table: layout_of(table) for table in tables if table.readable}
    with_roles = {
        table: layout.roles(table)
        for table, layout in known.items()
        if layout and layout.roles
    }
    made: list[FileTable] = []
    used: list[FileTable] = []
    for layout in dict.fromkeys(known.values()):
        if layout and layout.make:
            own = [table for table, each in known.items() if each is layout]
            captions = CorpusCaptions(with_roles)
            made += tables_of(layout.name, layout.make(own, captions), own, captions)
            used += [*own, *captions.used]
    return [*made, *(table for table in tables if table not in used)]
