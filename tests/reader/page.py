"""What a page says: its paragraphs, captions, list items and cells, each with where it stands."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

SILENT = {"script", "style", "svg", "title", "nav", "form", "button", "a"}
"""Elements that say nothing of results: links and forms among them."""
VOID = {"meta", "link", "input", "br", "img", "hr", "col", "wbr", "path", "source"}


@dataclass
class Element:
    """An element of a page with its text and what it contains."""

    tag: str
    attributes: dict[str, str]
    parts: list["Element | str"] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())

    @property
    def id(self) -> str:
        return self.attributes.get("id", "")

    @property
    def text(self) -> str:
        """Its text as a reader sees it, with single spaces."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.parts:
            if isinstance(part, str):
                yield part
            elif part.tag not in SILENT:
                yield from part._texts()

    def all(self, *tags: str) -> Iterator["Element"]:
        """Yield the elements with one of these tags in it, the outer ones first."""
        for part in self.parts:
            if isinstance(part, Element) and part.tag not in SILENT:
                if part.tag in tags:
                    yield part
                yield from part.all(*tags)


class _Builder(HTMLParser):
    """Build the tree of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("page", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        tags = [element.tag for element in self.open]
        if tag in tags[1:]:
            last = len(tags) - 1 - tags[::-1].index(tag)
            del self.open[last:]

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def parse(text: str) -> Element:
    """Build the tree of a page."""
    builder = _Builder()
    builder.feed(text)
    return builder.root
