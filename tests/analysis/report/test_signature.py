"""The line that says what a table was made with."""

from dataclasses import asdict

import pytest

from tercet.analysis.report.signature import judgments, signature
from tercet.analysis.scoring.options import Options

PROVENANCE: dict[str, object] = {
    "dataset": "Scenes",
    "sha256": "0123456789abcdef",
    "protocol": "ratings",
    "ratings": 12,
    "options": asdict(Options()),
    "versions": {"tercet": "1.0"},
}


def test_optional_packages_are_named_where_they_made_scores() -> None:
    without = signature(PROVENANCE)
    line = "tuple-F: en_core_web_sm 3.8.0, sha256 0123456789ab"

    assert "tuple-F" not in without
    assert signature(PROVENANCE | {"extras": [line]}) == without.replace(
        "tokens: ptb", f"tokens: ptb · {line}"
    )


@pytest.mark.parametrize(
    ("number", "words"), [(1, "1 pair adjudicated"), (2000, "2,000 pairs adjudicated")]
)
def test_adjudicated_pairs_are_counted(number: int, words: str) -> None:
    counts = dict.fromkeys(["votes", "simulated_votes", "pairs", "pairs_unfinished"], 9)
    by_pairs = (
        PROVENANCE | counts | {"protocol": "triplet", "pairs_adjudicated": number}
    )

    assert words in list(judgments(by_pairs))


def test_variants_that_were_tried_are_named_where_they_are_several() -> None:
    tried = PROVENANCE | {"variants_tried": {"ours": 3, "other": 1}}
    assert signature(tried) == signature(PROVENANCE).replace(
        "tokens: ptb", "tokens: ptb · 3 variants of ours tried"
    )
