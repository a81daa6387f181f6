"""Render the files in `docs/` as pages of the site, one for each section."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it.token import Token

from tercet.annotation.templatetags.markdown import RENDERER

INDEX = "index"
_FOR_SPHINX = {"changelog", "contributing", "reference"}
"""Pages that consist of what Sphinx puts into them."""
_TOCTREE = re.compile(r"^```\{toctree\}.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?:([\w-]+)\.md)?(?:#(.*))?")
_PICTURE = re.compile(r"[\w-]+\.(png|svg)")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


@dataclass
class Section:
    """A section of a page: its title, the anchors of its headings, and what it consists of.

    The part before the first heading of the second level is a section, too.
    """

    title: str
    anchors: list[str] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)


@cache
def titles() -> dict[str, str]:
    """Return the titles of all pages by their names, the first page first."""
    others = sorted(settings.DOCS_DIR.glob("*.md"))
    files = sorted(others, key=lambda file: file.stem != INDEX)
    texts = {file.stem: file.read_text("utf-8") for file in files}
    return {
        name: text.partition("\n")[0].removeprefix("# ")
        for name, text in texts.items()
        if name not in _FOR_SPHINX
    }


@cache
def sections_of(page: str) -> dict[str, Section]:
    """Return the sections of a page by their anchors; the first has none."""
    text = (settings.DOCS_DIR / f"{page}.md").read_text("utf-8")
    tokens = RENDERER.parse(_TOCTREE.sub("", text))
    section = Section(titles()[page])
    sections = {"": section}

    for token, content in pairwise([*tokens, Token("end", "", 0)]):
        if token.type == "heading_open":
            # as Sphinx makes it
            title = content.content.lower()
            anchor = _NOT_IN_ANCHORS.sub("", title).replace(" ", "-")
            token.attrSet("id", anchor)
            if token.tag == "h2":
                sections[anchor] = section = Section(content.content)
            section.anchors.append(anchor)
        section.tokens.append(token)

    return sections


def address_of(page: str, anchor: str = "") -> str:
    """Return the address of a heading, or of the page where it has no such heading."""
    for name, section in sections_of(page).items():
        if anchor in (name, *section.anchors):
            address = reverse("documentation", args=[page, name] if name else [page])
            return address if anchor in ("", name) else f"{address}#{anchor}"

    return reverse("documentation", args=[page])


@cache
def rendered(page: str, section: str) -> SafeString:
    """Return a section as HTML; its heading is of the first level."""
    tokens = deepcopy(sections_of(page)[section].tokens)
    for token in tokens:
        if section and token.type.startswith("heading"):
            level = int(token.tag[1])
            token.tag = f"h{level - 1}"
        token.children = [*_with_addresses(token.children or [], page)]

    html = RENDERER.renderer.render(tokens, RENDERER.options, {})
    return mark_safe(str(html))


def _with_addresses(tokens: list[Token], page: str) -> Iterator[Token]:
    """Replace addresses of files by addresses of pages; remove links to what is no page."""
    is_left_out = False
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href")), page)
            is_left_out = not address
            token.attrSet("href", address)
        elif token.type == "image":
            picture = str(token.attrGet("src"))
            token.attrSet("src", reverse("documentation_picture", args=[picture]))

        if not (is_left_out and token.type in ("link_open", "link_close")):
            yield token


def _address(target: str, page: str) -> str:
    """Return the address of what a page links to; empty for files that are no pages."""
    found = _LINK.fullmatch(target)
    if found:
        name = found[1] or page
        return address_of(name, found[2] or "") if name in titles() else ""

    return target if target.startswith(("https://", "http://")) else ""


def is_picture(name: str) -> bool:
    """Return whether a file of the documentation is a picture."""
    return bool(_PICTURE.fullmatch(name)) and (settings.DOCS_DIR / name).is_file()
