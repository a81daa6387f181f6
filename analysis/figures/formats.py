"""The files of figures, and what of a text stays on one line: known without drawing any."""

import re
from typing import Literal, get_args

ImageFormat = Literal["png", "svg", "pdf"]
_FOR_DARK_PAGES = "{name}-dark.svg"
FOR_PHONES = "{name}-narrow.svg"
_FOR_DARK_PHONES = "{name}-narrow-dark.svg"

LONGEST_NAME = 20
"""Characters of a name that stays on one line, however narrow the page."""
_NAME = re.compile(r"(?=[\w-]*[A-Z0-9])\b\w+(?:-\w+)+")
"""Words with a hyphen and a capital or a digit, as metrics are called."""


def plot_files(name: str) -> list[str]:
    """Return the names of the files of a plot.

    Examples
    --------
    >>> plot_files("gains")[2:]
    ['gains.pdf', 'gains-dark.svg', 'gains-narrow.svg', 'gains-narrow-dark.svg']
    """
    for_pages = _FOR_DARK_PAGES, FOR_PHONES, _FOR_DARK_PHONES
    return [
        *(f"{name}.{kind}" for kind in get_args(ImageFormat)),
        *(pattern.format(name=name) for pattern in for_pages),
    ]


def unbroken(text: str) -> str:
    """Keep numbers and their percent signs on one line of a page.

    Examples
    --------
    >>> unbroken("62.5 % of 12")
    '62.5\\xa0% of 12'
    """
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def with_whole_names(html: str) -> str:
    """Keep names with hyphens on one line of a page, which does not change what is copied.

    Parameters
    ----------
    html : str
        A text without tags, escaped for HTML. Its page has a style for the class `word`.

    Examples
    --------
    >>> with_whole_names("BLEU-4 is well-known")
    '<span class="word">BLEU-4</span> is well-known'
    """
    return _NAME.sub(_in_span, html)


def _in_span(name: re.Match[str]) -> str:
    if len(name[0]) > LONGEST_NAME:
        return name[0]
    return f'<span class="word">{name[0]}</span>'
