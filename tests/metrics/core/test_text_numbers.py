"""Distinct texts in an array of bytes have the numbers that a dictionary would give them."""

from itertools import count

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tercet.metrics.core.text_numbers import WINDOW, hash_texts, number_distinct

TEXTS = st.lists(st.binary(max_size=3 * WINDOW), max_size=30)


@example(texts=[b"\x03"], letters=[b"\0\0"])  # equal where sizes are not mixed in
@given(texts=TEXTS, letters=st.lists(st.sampled_from([b"", b"a", b"\0", b"\0\0"])))
def test_texts_have_the_numbers_of_a_dictionary(
    texts: list[bytes], letters: list[bytes]
) -> None:
    texts = [*texts, *letters, *texts[::2]]
    content = np.frombuffer(b"".join(texts) + bytes(WINDOW), np.uint8)
    sizes = np.array([len(text) for text in texts], np.int64)

    keys = hash_texts(content, np.cumsum(sizes) - sizes, sizes)
    distinct = number_distinct(keys)

    numbers = dict(zip(dict.fromkeys(texts), count(), strict=False))
    assert distinct.number.tolist() == [numbers[text] for text in texts]
    assert distinct.first.tolist() == [texts.index(text) for text in numbers]


def test_every_bit_of_a_text_counts() -> None:
    """Texts of nine bytes, a single bit of which is set, and one of zeros."""
    texts = [bytes(9)] + [(1 << bit).to_bytes(9, "little") for bit in range(72)]
    content = np.frombuffer(b"".join(texts) + bytes(WINDOW), np.uint8)
    starts = np.arange(len(texts)) * 9

    keys = hash_texts(content, starts, np.full(len(texts), 9))
    assert len(np.unique(keys)) == len(texts)
