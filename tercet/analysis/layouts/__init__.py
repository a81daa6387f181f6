"""How other tools and published sets write their files, one module each."""

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
from tercet.analysis.tables.file_tables import FileTable

_LAYOUTS = (
    tercet_dataset.LAYOUT,
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
