"""Default opinions of simulated annotators."""

from tercet.metrics import plain


def shared_words(candidate: str, a: str) -> float:
    """Measure the similarity of two captions: the Jaccard index of their sets of words.

    Parameters
    ----------
    candidate, a
        The captions.

    Returns
    -------
    float
        0 (no word in common) to 1 (the same words).
    """
    words = set(plain(candidate))
    others = set(plain(a))
    return len(words & others) / max(len(words | others), 1)
