"""What simulated annotators believe where nobody tells them."""

from metrics import plain


def shared_words(candidate: str, a: str) -> float:
    """The share of words that two captions have in common (Jaccard index of the sets), 0..1."""
    words, others = set(plain(candidate)), set(plain(a))
    return len(words & others) / max(len(words | others), 1)
