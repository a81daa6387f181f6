"""Plots as SVG that stands in a page: in the page's colours, with ids of its own, and small."""

import re
from collections import Counter
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

_NAMESPACE = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_DESCRIPTION = ".//{http://purl.org/dc/elements/1.1/}description"
_FONT = "DejaVu Sans, sans-serif"
_SERIES = "series-"
_HIDDEN = "off"
_PAINT = ("fill", "fill-opacity", "stroke", "stroke-width", "stroke-linejoin")
_SHARED = ("clip-path", *_PAINT)
"""Attributes that a group may have in the place of all that is in it."""
_GEOMETRY = ("d", "x", "y", "width", "height", "transform")
_LONG_NUMBER = re.compile(r"-?\d+\.\d+")
_AROUND_LETTER = re.compile(r"\s*([A-Za-z])\s*")
_NO_ROTATION = re.compile(r"rotate\(-?0 .*\)")
_REFERENCE = re.compile(r"#([\w-]+)")


def for_pages(svg: bytes, name: str, variables: Mapping[str, str]) -> bytes:
    """Return an SVG file of matplotlib for use in a page, and by itself.

    A colour becomes a CSS variable whose fallback is the colour. Styles become attributes, which a
    content security policy allows. What is drawn of a series has a class, such as `series-cider`,
    and that with its number as its id. Of a group named `series-cider.band`, `band` is a further
    class; with `.off` at the end it is hidden, until a style of the page shows it.

    Parameters
    ----------
    svg
        What matplotlib wrote. The groups of series have ids that begin with `series-`.
    name
        How all ids begin.
    variables
        The name of the variable of each colour (`#rrggbb`).
    """
    root = ElementTree.fromstring(svg)
    metadata = Element("metadata")
    metadata.text = root.findtext(_DESCRIPTION)

    for element in root.iter():
        _set_attributes(element, variables)

    _simplify(root)
    _name_elements(root, name)

    root.attrib |= {"font-family": _FONT, "stroke-linejoin": "round"}
    root.set("xmlns", _NAMESPACE)
    if metadata.text:
        root.insert(0, metadata)

    text = ElementTree.tostring(root, encoding="unicode")
    return text.encode()


def _set_attributes(element: Element, variables: Mapping[str, str]) -> None:
    """Write the style as attributes, colours as variables, and numbers with four digits."""
    element.tag = element.tag.rpartition("}")[2]
    element.text, element.tail = (element.text or "").strip(), None
    link = element.attrib.pop(_LINK, "")
    style = element.attrib.pop("style", "")

    for declaration in filter(None, style.split(";")):
        key, value = declaration.split(":")
        element.set(key.strip(), value.strip())

    for key, value in list(element.attrib.items()):
        if variable := variables.get(value):
            element.set(key, f"var(--{variable}, {value})")
        elif key in _GEOMETRY:
            short = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.4g}", value)
            element.set(key, _AROUND_LETTER.sub(r"\1", short).strip())
        if key == "font-family" or _NO_ROTATION.fullmatch(value):
            del element.attrib[key]

    if link:
        element.set("href", link)


def _simplify(parent: Element) -> None:
    """Leave out groups that say nothing; move what all children have in common to the group."""
    kept: list[Element] = []

    for child in parent:
        _simplify(child)
        if child.tag == "g" and not child.get("id", "").startswith(_SERIES):
            child.attrib.pop("id", None)
            _move_up(child)

        if child.tag == "g" and not child.attrib:
            kept += child
        elif child.tag not in {"metadata", "style"}:
            kept.append(child)

    parent[:] = kept


def _move_up(group: Element) -> None:
    """Move attributes that all children share to their group."""
    children = [child for child in group if child.tag != "defs"]

    for key in _SHARED if len(children) > 1 else ():
        values = {child.get(key) for child in children}
        value = values.pop()
        if value and not values:
            group.set(key, value)
            for child in children:
                del child.attrib[key]


def _name_elements(root: Element, name: str) -> None:
    """Prefix all ids, number the ids of series, and change what refers to them."""
    numbers: Counter[str] = Counter()
    ids: dict[str, str] = {}

    for element in root.iter():
        old = element.get("id", "")
        if old.startswith(_SERIES):
            series, *parts = old.split(".")
            if _HIDDEN in parts:
                parts.remove(_HIDDEN)
                element.set("visibility", "hidden")
            element.set("class", " ".join([series, *parts]))
            numbers[series] += 1
            element.set("id", f"{name}-{series}-{numbers[series]}")
        elif old:
            ids[old] = f"{name}-{len(ids) + 1}"
            element.set("id", ids[old])

    for element in root.iter():
        for key in ("href", "clip-path", "fill"):
            link = element.get(key, "")
            if "#" in link and (key != "fill" or link.startswith("url(")):
                element.set(key, _REFERENCE.sub(lambda old: f"#{ids[old[1]]}", link))
