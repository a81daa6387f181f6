"""COCO: annotations are references, a list of results the captions of a system.

The system is called after the file. Results have one caption of an image.
"""

from tercet.analysis.layouts.layout import Layout
from tercet.analysis.roles.roles import Role, Roles
from tercet.analysis.tables.file_tables import FileTable

_NEEDED = {"image_id", "caption"}
_ABOUT_IMAGES = (
    "id file_name license coco_url flickr_url date_captured height width open_images_id domain "
    "url name"
)


def _matches(table: FileTable) -> bool:
    is_list = table.is_entry and {*table.header} <= _NEEDED | {"id", "key"}
    return {*table.header} >= _NEEDED and bool(table.part or is_list)


def _roles(table: FileTable) -> Roles:
    roles = {"image_id": (Role.IMAGE.value, "")}
    roles |= dict.fromkeys(("id", "key"), (Role.UNUSED.value, ""))
    if table.part:
        roles["caption"] = Role.REFERENCE.value, ""
    elif table.frame["image_id"].is_unique:
        roles["caption"] = Role.CAPTION.value, table.file.partition(".")[0]
    return {name: role for name, role in roles.items() if name in table.header}


def _are_images(table: FileTable) -> bool:
    """Return whether a part says nothing but where the images are from."""
    return {*table.header} <= {*_ABOUT_IMAGES.split()} and "id" in table.header


LAYOUT = Layout("COCO captions", _matches, _roles, is_noise="id".__eq__)
IMAGES = Layout("COCO images", _are_images, is_noise=lambda _name: True)
