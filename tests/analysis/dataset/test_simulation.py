import pytest

from tercet.analysis.dataset.simulation import shared_words


@pytest.mark.parametrize(
    ("candidate", "a", "expected"),
    [
        ("a dog runs", "A dog runs!", 1),
        ("a dog runs", "a dog sleeps", 2 / 4),
        ("dog dog dog", "dog", 1),
        ("a dog", "two cats", 0),
        ("", "a dog", 0),
        ("", "...", 0),
    ],
)
def test_the_share_of_words_that_two_captions_have_in_common(
    candidate: str, a: str, expected: float
) -> None:
    assert shared_words(candidate, a) == pytest.approx(expected)
    assert shared_words(a, candidate) == pytest.approx(expected)
