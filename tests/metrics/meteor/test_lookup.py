"""Paraphrases of phrases, looked up in the table of METEOR."""

from tercet.metrics.meteor.lookup import ParaphraseTable


def test_paraphrases_are_mutual() -> None:
    table = ParaphraseTable()
    entries = table.of(["a", "man"])

    assert ("a", "male") in entries
    assert all(("a", "man") in table.of(entry) for entry in entries)


def test_a_phrase_that_the_table_does_not_have() -> None:
    table = ParaphraseTable()
    assert table.of(["dog", "dog", "dog"]) == []
    assert table.of(["xqzzy"]) == []


def test_function_words() -> None:
    assert ParaphraseTable().is_function(["the", "dog", "xqzzy"]) == [
        True,
        False,
        False,
    ]
