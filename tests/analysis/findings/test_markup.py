"""Tables as Markdown and as LaTeX: names of the data as they are, our own columns in words."""

import pandas as pd

from tercet.analysis.findings.markup import latex, markdown

WORDS = pd.DataFrame(
    {
        "metric": ["CIDEr"],
        "A & B_1": ["81.8 [78.2, 85.3]"],
        "p_parent": ["< .001"],
        "worst": ["A & B_1|*x* 60.0"],
    }
)


def test_names_are_escaped_in_markdown_and_intervals_are_not() -> None:
    header, _rule, row = markdown(WORDS).splitlines()
    assert header == (r"| metric | A \& B\_1 | p (against the main version) | worst |")
    assert row == (r"| CIDEr | 81.8 [78.2, 85.3] | \< .001 | A \& B\_1\|\*x\* 60.0 |")


def test_names_are_escaped_in_latex() -> None:
    lines = latex(WORDS).splitlines()
    assert r"metric & A \& B\_1 & p (against the main version) & worst \\" in lines
    assert r"CIDEr & 81.8 [78.2, 85.3] & < .001 & A \& B\_1|*x* 60.0 \\" in lines


def test_below_zero_there_is_a_true_minus() -> None:
    words = pd.DataFrame({"metric": ["CIDEr"], "tau_b": ["-7.9 [-12.0, 3.1]"]})
    assert "−7.9 [−12.0, 3.1]" in markdown(words)  # noqa: RUF001
    assert "$-$7.9 [$-$12.0, 3.1]" in latex(words)
