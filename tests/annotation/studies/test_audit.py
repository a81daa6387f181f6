import pytest
from django.utils.translation import override

from tercet.annotation.models import Event
from tercet.annotation.studies.audit import MAX_LENGTH, Line, lines_of, title_of


@pytest.mark.parametrize(
    ("what", "details", "title", "lines"),
    [
        ("made", {}, "Created the study", []),
        ("made it open", {"was": "draft"}, "Opened the study", [Line("was", "draft")]),
        (
            "raised votes",
            {"was": 3, "now": 5},
            "Increased the votes per question",
            [Line("", "5", "3")],
        ),
        (
            "changed settings",
            {
                "max_judgments": [None, 40],
                "stop_early": [False, True],
                "steps": [["consent"], []],
                "winners": ["votes", "decisions"],
            },
            "Changed settings",
            [
                Line("judgments per person, at most", "40", "empty"),
                Line("stop early once the winner can no longer change", "yes", "no"),
                Line("steps before judging", "empty", "consent"),
                Line(
                    "winners in the results",
                    "adjudicated pairs by the decision",
                    "by votes only",
                ),
            ],
        ),
        (
            "changed exits",
            {"no_work": [None, ["C1", ""]]},
            "Changed completion codes and redirects",
            [Line("no questions left", "C1", "empty")],
        ),
        (
            "gave role",
            {"user": "ann", "was": None, "now": "owner"},
            "Assigned a role",
            [Line("account", "ann"), Line("now", "owner")],
        ),
        (
            "excluded annotator",
            {"annotator": "person-1", "reason": "too fast", "votes": 0},
            "Excluded an annotator",
            [
                Line("annotator", "person-1"),
                Line("reason", "too fast"),
                Line("votes", "0"),
            ],
        ),
        (
            "left out lines",
            {"name": "big", "lines": 20_000},
            "Imported a dataset without some lines",
            [Line("short name", "big"), Line("lines", "20,000")],
        ),
        ("excluded vote", {"vote": 20_000}, "Excluded a vote", [Line("vote", "20000")]),
        (
            "changed settings",
            {"seed": [0, 20_000], "max_judgments": [None, 1_000]},
            "Changed settings",
            [
                Line("seed", "20000", "0"),
                Line("judgments per person, at most", "1,000", "empty"),
            ],
        ),
        ("something new", {"size": 7}, "Something new", [Line("size", "7")]),
    ],
)
def test_an_event_is_told_in_words(
    what: str, details: dict[str, object], title: str, lines: list[Line]
) -> None:
    event = Event(what=what, details=details)
    assert title_of(event) == title
    assert lines_of(event) == lines


def test_numbers_are_written_as_is_usual_in_the_language() -> None:
    event = Event(what="left out lines", details={"lines": 20_000})
    with override("de"):
        assert [line.now for line in lines_of(event)] == ["20.000"]


def test_a_setting_that_is_gone_is_told_by_its_name() -> None:
    event = Event(what="changed settings", details={"colour": ["red", "blue"]})
    assert lines_of(event) == [Line("colour", "blue", "red")]


def test_a_setting_is_labelled_under_its_former_name_too() -> None:
    event = Event(what="changed settings", details={"fastest": [1, 2]})
    assert lines_of(event) == [Line("flag votes faster than (seconds)", "2", "1")]


def test_long_texts_are_shown_on_demand() -> None:
    assert Line("", "x" * MAX_LENGTH, "y").is_long
    assert not Line("", "x" * MAX_LENGTH).is_long
