"""Hypothesis strategies of captions and corpora: small words, so that they often meet."""

from typing import NamedTuple

from hypothesis import strategies as st

words = st.sampled_from(["a", "b", "c", "d"])
captions = st.lists(words, max_size=7)


class Set(NamedTuple):
    """The arguments of a corpus."""

    references: list[list[list[str]]]
    candidates: list[list[str]]
    images: list[int]


@st.composite
def sets(draw: st.DrawFn) -> Set:
    """Two to four images with one to four references each, and up to five candidates."""
    references = draw(
        st.lists(st.lists(captions, min_size=1, max_size=4), min_size=2, max_size=4)
    )
    candidates = draw(st.lists(captions, min_size=1, max_size=5))
    images = [draw(st.integers(0, len(references) - 1)) for _ in candidates]

    return Set(references, candidates, images)
