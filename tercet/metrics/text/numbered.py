"""The PTB tokens of many captions as numbers, without making strings of them."""

from collections.abc import Iterable

import numpy as np

from tercet.metrics.core.arrays import offsets_of
from tercet.metrics.core.string_array import StringArray
from tercet.metrics.ptb import ptb
from tercet.metrics.text.tokenizers import tokenized
from tercet.metrics.text.tokens import Captions, Vocabulary


def number_tokens(captions: Iterable[str], vocabulary: Vocabulary) -> Captions:
    """Number the tokens of captions by a vocabulary, as `Vocabulary.intern` does.

    The words of plain captions are found by a compiled pass, the few others' by the rules.
    """
    # declares kernels
    from tercet.metrics.ptb.many import plain_words

    if not isinstance(captions, StringArray):
        captions = StringArray.of(captions)

    plain = plain_words(captions)
    words = Vocabulary()
    words.intern([plain.words])
    others = np.flatnonzero(plain.sizes == 0)
    by_rules = words.intern(tokenized(list(captions.take(others)), ptb))

    sizes = plain.sizes.copy()
    sizes[others] = by_rules.lengths
    is_plain = np.repeat(plain.sizes > 0, sizes)
    tokens = np.empty(len(is_plain), np.int32)
    tokens[is_plain] = plain.numbers
    tokens[~is_plain] = by_rules.tokens

    return vocabulary.renumber(Captions(tokens, offsets_of(sizes)), words.words)
