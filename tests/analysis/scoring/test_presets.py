"""Presets against the printed figures that they are named after, where the data are at hand."""

from pathlib import Path

import pytest

from tercet.analysis.evaluation.ratings import score_ratings
from tercet.analysis.scoring.options import Options
from tercet.analysis.scoring.presets import PRESETS
from tercet.analysis.stats.scores.ratings import CONVENTIONS, correlations
from tests.analysis.frames import loaded

PRINTED = {
    "BLEU-1": ("32.175", "32.324"),
    "BLEU-4": ("30.599", "30.776"),
    "METEOR": ("41.538", "41.822"),
    "ROUGE-L": ("32.139", "32.314"),
    "CIDEr-D": ("43.602", "43.891"),
}
"""tau_b and tau_c, times 100, in issue 3 of PAC-S's repository."""


def test_flickr8k_expert_gives_the_ten_printed_figures(flickr8k: Path) -> None:
    preset = PRESETS["flickr8k-expert"]
    options = Options(metrics=tuple(PRINTED), **preset.options)
    scored = score_ratings(loaded(flickr8k), options)
    rows = scored.rated.rows.summarised(preset.rows)

    for metric, printed in PRINTED.items():
        tau_b, tau_c, *_others = correlations(metric, rows, scored.scores[metric])
        assert tau_b.value is not None
        assert tau_c.value is not None
        assert printed == (f"{100 * tau_b.value:.3f}", f"{100 * tau_c.value:.3f}")


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "tercet"])
def test_every_preset_names_its_source_and_what_a_row_is(name: str) -> None:
    preset = PRESETS[name]
    assert preset.source
    assert preset.rows in {*CONVENTIONS, "every pair"}
