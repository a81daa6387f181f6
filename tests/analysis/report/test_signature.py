"""The line that says what a table was made with."""

from dataclasses import asdict

from analysis.evaluation.options import Options
from analysis.report.signature import signature

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
