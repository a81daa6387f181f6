"""Log entries as lines of JSON."""

import json
import logging
import sys

from tercet.config.logs import JsonFormatter, request_id


def entry(**attributes: object) -> dict[str, object]:
    record = logging.LogRecord(
        "a.logger", logging.ERROR, "file", 1, "%s' log", ("Ann",), None
    )
    for name, value in attributes.items():
        setattr(record, name, value)

    line = JsonFormatter().format(record)
    assert "\n" not in line

    read: dict[str, object] = json.loads(line)
    return read


def test_an_entry_is_one_line_of_json() -> None:
    written = entry(created=0)
    assert written == {
        "time": "1970-01-01T00:00:00+00:00",
        "level": "ERROR",
        "logger": "a.logger",
        "message": "Ann' log",
    }


def test_an_entry_names_its_request_and_its_error() -> None:
    token = request_id.set("abc")
    try:
        raise ValueError("wrong\nin two lines")
    except ValueError:
        written = entry(exc_info=sys.exc_info())
    finally:
        request_id.reset(token)

    assert written["request_id"] == "abc"
    assert "ValueError: wrong" in str(written["exception"])


def test_further_fields_are_added() -> None:
    assert entry(fields={"route": "login/"})["route"] == "login/"
