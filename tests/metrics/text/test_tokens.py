from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics.text.tokens import Vocabulary, plain


def test_words_are_lower_case_and_without_punctuation() -> None:
    assert (
        " ".join(plain("A dog, a CAT... and (2) birds!")) == "a dog a cat and 2 birds"
    )


def test_inner_apostrophes_and_hyphens_stay() -> None:
    assert plain("The man's T-shirt doesn't fit - 'really'") == [
        "the",
        "man's",
        "t-shirt",
        "doesn't",
        "fit",
        "really",
    ]


def test_a_typographic_apostrophe_reads_as_a_plain_one() -> None:
    assert plain("don\N{RIGHT SINGLE QUOTATION MARK}t") == plain("don't")


def test_words_of_other_scripts_keep_their_marks() -> None:
    assert plain("हिन्दी में") == ["हिन्दी", "में"]
    assert plain("رجلٌ يركب، حصانا") == ["رجلٌ", "يركب", "حصانا"]


def test_equal_spellings_of_a_letter_are_one_word() -> None:
    assert plain("cafe\N{COMBINING ACUTE ACCENT}") == plain("café")


def test_punctuation_and_emoji_are_no_words() -> None:
    assert plain("!!! ... 🏖️ 😀") == []


@given(st.text())
def test_any_text_has_words_without_blanks(text: str) -> None:
    assert all(word and not any(map(str.isspace, word)) for word in plain(text))


def test_captions_of_one_vocabulary_share_numbers() -> None:
    vocabulary = Vocabulary()
    first = vocabulary.intern([["a", "b"], [], ["a"]])
    second = vocabulary.intern([["b", "c"]])

    assert first.tokens.tolist() == [0, 1, 0]

    offsets = first.offsets.tolist()
    assert offsets == [0, 2, 2, 3]
    assert first.lengths.tolist() == [2, 0, 1]
    assert second.tokens.tolist() == [1, 2]


def test_captions_follow_captions() -> None:
    vocabulary = Vocabulary()
    both = vocabulary.intern([["a"], ["b", "a"]]).then(vocabulary.intern([[], ["c"]]))

    tokens = both.tokens.tolist()
    assert tokens == [0, 1, 0, 2]

    offsets = both.offsets.tolist()
    assert offsets == [0, 1, 3, 3, 4]
