import pytest

from tests.metrics.published.test_flickr8k import correlations

# Of our own, as there are none published with these vectors.
WORD_MOVERS = {
    "WMD": (34.14, 34.376),
    "WMD-max": (35.158, 35.401),
    "WMD-max-nostop": (42.358, 42.65),
}


@pytest.mark.usefixtures("vectors")
def test_correlations_of_word_movers_distances_stay() -> None:
    assert correlations(WORD_MOVERS) == WORD_MOVERS
