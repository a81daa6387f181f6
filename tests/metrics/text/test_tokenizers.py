"""How captions become tokens: functions by name, and scripts without spaces."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.metrics import TOKENIZERS, characters, plain, score

CHINESE = ["一只狗在草地上跑。", "两只猫,在沙发上睡觉"]
JAPANESE = ["犬が走っている。", "スケートボードに乗る人"]
THAI = ["ผู้ชายกำลังขี่ม้า", "แมวสองตัวกำลังนอนหลับ"]


@pytest.mark.parametrize("captions", [CHINESE, JAPANESE, THAI])
@pytest.mark.parametrize("name", ["ptb", "plain"])
def test_a_script_without_spaces_is_warned_of(captions: list[str], name: str) -> None:
    references = [[caption] for caption in captions]
    with pytest.warns(
        UserWarning, match=r"one token each .* use tokenize=metrics\.characters"
    ):
        score(
            references=references,
            candidates=captions,
            metrics="BLEU-1",
            tokenize=TOKENIZERS[name],
        )


@pytest.mark.parametrize(
    "captions",
    [
        ["一只 狗 在 草地 上 跑", "两只 猫 在 睡觉"],
        ["スケートボード に 乗る 人", "犬 が 走っ て いる"],
        ["ผู้ชาย กำลัง ขี่ม้า", "แมว สอง ตัว กำลัง นอนหลับ"],
        ["강아지가 뛰고 있다", "두 마리의 고양이"],
        ["a sign that says 東京都庁舎", "two cats"],
        [["一只狗在草地上跑"], ["两只猫在睡觉"]],
    ],
)
def test_captions_with_spaces_or_tokens_are_not_warned_of(captions: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(
            references=[[each] for each in captions],
            candidates=captions,
            metrics="BLEU-1",
        )


@pytest.mark.parametrize("empty", ["", " ", "😀", "𞤃𞤃𞤃", "..."])
def test_captions_without_a_token_are_counted(empty: str) -> None:
    references = [["a dog", empty], ["cats"]]
    with pytest.warns(UserWarning, match="2 captions have no token") as given:
        found = score(references=references, candidates=[empty, "a"], metrics="ROUGE-L")
    assert [warning.filename for warning in given] == [__file__]
    assert found.captions["ROUGE-L"][0] == 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score(references=[["a dog"]], candidates=["a"], metrics="ROUGE-L")


@pytest.mark.parametrize("captions", [CHINESE, JAPANESE, THAI])
def test_characters_tell_captions_of_these_scripts_apart(captions: list[str]) -> None:
    swapped = captions[::-1]
    for candidates, perfect in ((captions, True), (swapped, False)):
        found = score(
            references=[[caption] for caption in captions],
            candidates=candidates,
            metrics="ROUGE-L",
            tokenize=characters,
        )

        assert (found.corpus["ROUGE-L"] == 1) is perfect
        assert found.corpus["ROUGE-L"] > 0


def test_characters_are_tokens_with_their_marks_and_other_words_stay_whole() -> None:
    assert characters("T恤的狗 runs, 3只!") == [
        "t",
        "恤",
        "的",
        "狗",
        "runs",
        "3",
        "只",
    ]
    assert characters("ผู้ชาย") == ["ผู้", "ช", "า", "ย"]
    assert characters("が") == ["が"]
    assert characters("The man's T-shirt") == plain("The man's T-shirt")


@given(st.text())
def test_characters_never_fail_and_lose_no_letter(text: str) -> None:
    def letters(tokens: list[str]) -> str:
        return "".join(filter(str.isalnum, "".join(tokens)))

    assert letters(characters(text)) == letters(plain(text))


def test_a_name_for_a_tokenizer_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"tokenize must be a function, such as metrics\.ptb.*'ptb'"
    ):
        score(references=[["a"]], candidates=["a"], metrics="BLEU-1", tokenize="ptb")  # type: ignore[arg-type]
