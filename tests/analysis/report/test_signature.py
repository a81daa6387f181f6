"""The line that says what a table was made with."""

from dataclasses import asdict

import pytest

from tercet.analysis.report.signature import judgments, signature
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.presets import PRESETS

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


def test_a_preset_is_named_with_what_was_changed_of_it() -> None:
    options = asdict(Options(**PRESETS["flickr8k-cf"].options))
    named = PROVENANCE | {"preset": "flickr8k-cf", "options": options}
    assert "12 ratings · as flickr8k-cf · seed 0" in signature(named)

    options["coefficient"] = "tau_c"
    assert "· as flickr8k-cf but for coefficient ·" in signature(named)


def test_a_report_without_a_preset_names_none() -> None:
    assert " as " not in signature(PROVENANCE)
