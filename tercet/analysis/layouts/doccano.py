"""doccano: texts with their labels, and captions of images.

The labels of a text may be captions: those of an image, whose name is the text.
"""

from tercet.analysis.layouts.layout import Layout
from tercet.analysis.roles.roles import Role, Roles, are_texts, cells_of
from tercet.analysis.tables.file_tables import FileTable


def _roles(table: FileTable) -> Roles:
    roles = {"id": (Role.UNUSED, "")}
    if are_texts(cells_of(table, "label")):
        names = [name for name in ("filename", "text") if name in table.header]
        roles |= {"label": (Role.REFERENCE, ""), names[0]: (Role.IMAGE, "")}
    return roles


LAYOUT = Layout(
    "doccano",
    lambda table: (
        {"id", "label"} <= {*table.header}
        and not {"text", "filename"}.isdisjoint(table.header)
    ),
    _roles,
)
