"""COCO: annotations are references, a list of results the captions of a system.

The system is called after the file.
"""

from tercet.analysis.layouts.layout import Layout, has
from tercet.analysis.roles.roles import Role, Roles
from tercet.analysis.tables.file_tables import FileTable


def _roles(table: FileTable) -> Roles:
    caption = (Role.CAPTION.value, table.file.partition(".")[0])
    if table.part or "key" in table.header:
        caption = (Role.REFERENCE.value, "")
    unused = dict.fromkeys(("id", "key"), (Role.UNUSED.value, ""))
    roles = {"image_id": (Role.IMAGE.value, ""), "caption": caption, **unused}
    return {name: role for name, role in roles.items() if name in table.header}


LAYOUT = Layout("COCO captions", has("image_id", "caption"), _roles)
