"""The files of figures, and what of a text stays on one line: known without drawing any."""

import re
from typing import Literal, get_args

ImageFormat = Literal["png", "svg", "pdf"]
FORMATS: tuple[ImageFormat, ...] = get_args(ImageFormat)
FOR_PHONES = "{name}-narrow.svg"
FOR_PAPERS = "{name}-paper.pdf"
_EARLIER = "{name}-dark.svg", "{name}-narrow-dark.svg"
"""Files of plots for dark pages, which version 0.2 wrote."""

LONGEST_NAME = 20
"""Characters of a name that stays on one line, however narrow the page."""
_NAME = re.compile(r"(?=[\w-]*[A-Z0-9])\b\w+(?:-\w+)+")
"""Words with a hyphen and a capital or a digit, as metrics are called."""


def plot_files(name: str) -> list[str]:
    """Return the names of the files that a plot may have.

    Examples
    --------
    >>> plot_files("gains")[:4]
    ['gains.png', 'gains.svg', 'gains.pdf', 'gains-narrow.svg']
    """
    usual = [f"{name}.{kind}" for kind in FORMATS]
    others = (FOR_PHONES, FOR_PAPERS, *_EARLIER)
    return usual + [each.format(name=name) for each in others]


def series_id(name: str) -> str:
    """Return the id of what is drawn of a metric.

    Examples
    --------
    >>> series_id("CIDEr-D")
    'series-cider-d'
    """
    return "series-" + re.sub(r"[\W_]+", "-", name.lower())


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
