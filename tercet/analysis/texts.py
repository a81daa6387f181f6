"""Translatable texts: an English template with named values.

>>> from tercet.analysis.texts import gettext as _
>>> print(_("has more than {limit:,} rows", limit=1000000))
has more than 1,000,000 rows

`makemessages` collects the templates. The text itself is a value: it is rendered where it is
printed, in the language of the reader (`set_catalogue`, `in_language`), English by default.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from gettext import GNUTranslations, NullTranslations, translation
from pathlib import Path
from string import Formatter
from typing import Any, Protocol, SupportsFloat

from tercet.analysis.number_texts import written
from tercet.metrics.text.faults import Phrase

LANGUAGES = ("en", "de")
PACKAGES = Path(__file__).resolve().parents[1]
_LOCALE_FOLDERS = (PACKAGES / "annotation" / "locale", PACKAGES.parent / "locale")
"""Where the catalogues are: in an installed package, and in a checkout."""


_FORMATTER = Formatter()
_Part = tuple[str, str | None, str | None, str | None]
"""A text, and the name, format and conversion of the value after it, as `Formatter` parses it."""


class _Catalogue(Protocol):
    """Translations into a language, such as those of Django."""

    def gettext(self, message: str, /) -> str: ...

    def ngettext(self, singular: str, plural: str, number: int, /) -> str: ...

    def get_language(self) -> str | None: ...


class English(NullTranslations):
    """The texts as they are in the code."""

    def get_language(self) -> str:
        return "en"


class _CatalogueFile(GNUTranslations):
    """The translations of a file, which names its language."""

    def get_language(self) -> str:
        return str(self.info()["language"])


_ENGLISH: _Catalogue = English()
_catalogue = _ENGLISH


@dataclass(frozen=True)
class Text:
    """A text in English, with which it can be found in a catalogue.

    Attributes
    ----------
    template : str
        The text with `{name}` for each value, as for `str.format`.
    values : mapping from name to str, int, float or Text
        Numbers are written as is usual in the language.
    plural : str
        The template for numbers other than one; `values["count"]` is the number.
    """

    template: str
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    plural: str = ""

    def __str__(self) -> str:
        return self.rendered(_catalogue)

    def __bool__(self) -> bool:
        return bool(self.template)

    @property
    def english(self) -> str:
        return self.rendered(_ENGLISH)

    def rendered(self, catalogue: _Catalogue) -> str:
        """Return the text in the language of a catalogue."""
        if not self.template:
            return ""
        if self.plural:
            template = catalogue.ngettext(
                self.template, self.plural, self.values["count"]
            )
        else:
            template = catalogue.gettext(self.template)

        return _filled(template, self.values, catalogue)

    def as_json(self) -> dict[str, Any]:
        """Return the text as values of JSON, for `from_json`."""
        values = {
            name: value.as_json() if isinstance(value, Text) else value
            for name, value in self.values.items()
        }
        return {"template": self.template, "plural": self.plural, "values": values}


def from_json(described: Mapping[str, Any]) -> Text:
    """Return the text that `Text.as_json` described."""
    values = {
        name: from_json(value) if isinstance(value, dict) else value
        for name, value in described["values"].items()
    }
    return Text(described["template"], values, described["plural"])


def english(text: str | Text) -> str:
    """Return a text in English."""
    return text.english if isinstance(text, Text) else text


def gettext(template: str, /, **values: Any) -> Text:
    """Return a text with these values."""
    return Text(template, values)


def translate(template: str, /, **values: Any) -> str:
    """Write a text with these values in the language of the reader."""
    return str(Text(template, values))


def ngettext(singular: str, plural: str, /, count: int, **values: Any) -> Text:
    """Return a text that depends on a number, which is its value `count`."""
    return Text(singular, {"count": count, **values}, plural)


def enumeration(texts: Sequence[str | Text], separator: str = ", ") -> Text:
    """Return a text that lists texts."""
    if len(texts) == 1 and isinstance(texts[0], Text):
        return texts[0]

    values = {f"text_{number}": text for number, text in enumerate(texts)}
    return Text(separator.join(f"{{{name}}}" for name in values), values)


def sentences(text: str | Text) -> list[Text]:
    """Return the texts that `enumeration` joined by spaces, or the text itself.

    Examples
    --------
    >>> [str(each) for each in sentences(enumeration(["One.", verbatim("Two, too.")], " "))]
    ['One.', 'Two, too.']
    """
    if isinstance(text, str):
        return [verbatim(text)]

    parts = list(text.values.values())
    joined = " ".join(f"{{{name}}}" for name in text.values)
    if len(parts) < 2 or text.template != joined:
        return [text]
    return [each if isinstance(each, Text) else verbatim(each) for each in parts]


def translatable(phrase: Phrase) -> Text:
    """Return a phrase of the library as a text."""
    values = {
        name: translatable(value) if isinstance(value, Phrase) else value
        for name, value in phrase.values.items()
    }
    return Text(phrase.template, values)


def verbatim(text: str) -> Text:
    """Return a text that is the same in every language."""
    return Text("{text}", {"text": text})


def in_reader_language(value: SupportsFloat, style: str) -> str:
    """Write a number in the language of the reader (`number_texts.written`)."""
    return written(value, style, _catalogue.get_language() or "en")


def set_catalogue(catalogue: _Catalogue) -> None:
    """Render the texts of this process with a catalogue from now on."""
    global _catalogue
    _catalogue = catalogue


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Render texts in one of `LANGUAGES` for as long as the context lasts."""
    earlier = _catalogue
    set_catalogue(catalogue_of(language))
    try:
        yield
    finally:
        set_catalogue(earlier)


def catalogue_of(language: str) -> _Catalogue:
    """Return the catalogue of one of `LANGUAGES`."""
    if language == "en":
        return _ENGLISH

    folder = next(each for each in _LOCALE_FOLDERS if each.is_dir())
    return translation("django", folder, [language], _CatalogueFile)


def _filled(template: str, values: Mapping[str, Any], catalogue: _Catalogue) -> str:
    """Put the values, in the language of a catalogue, into a template."""
    filled = []
    for literal, name, style, conversion in _parts(template):
        filled.append(literal)
        if name is not None:
            value = _FORMATTER.convert_field(values[name], conversion)
            filled.append(_written(value, style or "", catalogue))

    return "".join(filled)


@cache
def _parts(template: str) -> list[_Part]:
    return list(_FORMATTER.parse(template))


def _written(value: Any, style: str, catalogue: _Catalogue) -> str:
    if isinstance(value, Text):
        return value.rendered(catalogue)
    if style and hasattr(value, "__float__"):
        return written(value, style, catalogue.get_language() or "en")

    return format(value, style)
