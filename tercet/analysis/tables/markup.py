"""Tables as LaTeX and as Markdown: the one way in which rows of cells are written."""

from collections.abc import Iterable, Sequence

_LATEX_SPECIAL = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "\N{MINUS SIGN}": "$-$",
        "†": r"$\dagger$",
        "‡": r"$\ddagger$",
    }
)
_MARKDOWN_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]<>|&"})


def in_latex(text: str) -> str:
    """Write a text on one line of LaTeX, its special characters escaped.

    Examples
    --------
    >>> in_latex("50 % of A_1")
    '50 \\\\% of A\\\\_1'
    """
    words = text.split()
    one_line = " ".join(words)
    return one_line.translate(_LATEX_SPECIAL)


def in_markdown(text: str) -> str:
    """Write a text on one line of Markdown, its special characters escaped."""
    words = text.split()
    one_line = " ".join(words)
    return one_line.translate(_MARKDOWN_SPECIAL)


def latex_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], layout: str
) -> str:
    """Return a table as LaTeX, for the package booktabs.

    Parameters
    ----------
    header, rows
        Their cells are LaTeX.
    layout
        The columns, such as `lrr`.
    """
    lines = [f"{' & '.join(cells)} \\\\" for cells in (header, *rows)]
    before = [rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
    after = [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*before, lines[0], r"\midrule", *lines[1:], *after, ""])


def latex_note(note: str) -> str:
    """Return a paragraph in small letters, to print below a table."""
    return f"\\par\\smallskip\n{{\\footnotesize {in_latex(note)}\\par}}\n"


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0
) -> str:
    """Return a table as Markdown; its cells are Markdown.

    The last columns, so many as there are of `numbers`, are aligned to the right.
    """
    rule = ["---"] * (len(header) - numbers) + ["---:"] * numbers
    lines = [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]
    return "\n".join(lines) + "\n"
