"""Flickr8k and Flickr30k: a token file without a header, of numbered captions."""

import re

from tercet.analysis.layouts.layout import Layout, roles_by_name
from tercet.analysis.roles.roles import Role, Roles
from tercet.analysis.tables.file_tables import FileTable

_NUMBERED = re.compile(r"\S+\.\w+#\d+")
_NAMED = ["image_name", "comment_number", "comment"]


def _matches(table: FileTable) -> bool:
    if [*table.header] == _NAMED:
        return True
    is_plain = not table.header_line and len(table.header) == 2 and len(table.frame)
    return bool(is_plain and _NUMBERED.fullmatch(str(table.frame.iloc[0, 0])))


def _roles(table: FileTable) -> Roles:
    if [*table.header] == _NAMED:
        return roles_by_name(
            table.header, {"image": "image_name", "reference": "comment"}
        )
    image, caption = table.header
    return {image: (Role.IMAGE, ""), caption: (Role.REFERENCE, "")}


LAYOUT = Layout("Flickr captions", _matches, _roles, headless=True)
