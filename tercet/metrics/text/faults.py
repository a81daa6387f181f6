"""What is wrong with a file, where, and what to do about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """What is wrong on a line of a file, and what to do about it; without a line, with all of it.

    `is_entry` says that `line` is the number of an entry, in files that are not read by lines.
    `is_local` says that it concerns this line alone, so that the file is right without it.
    """

    line: int | None
    column: str
    value: str
    what: str
    remedy: str
    is_entry: bool = False
    is_local: bool = False

    def __str__(self) -> str:
        kind = "entry" if self.is_entry else "line"
        line = "" if self.line is None else f", {kind} {self.line}"
        column = f", column {self.column}" if self.column else ""
        value = f" ({shortened(self.value)!r})" if self.value else ""
        return f"{line}{column}: {self.what}{value}. {self.remedy}"


class Faulty(ValueError):
    """A file that cannot be read, or not beyond some line; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def shortened(text: str, limit: int = 60) -> str:
    """Return the text, cut to `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def printable(value: str) -> str:
    """Return the text with characters that no output can show written as escapes."""
    return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def not_utf_8(error: UnicodeDecodeError) -> Fault:
    """Return the fault of a file that is not UTF-8."""
    what = "is not UTF-8"
    return Fault(None, "", str(error), what, "Save the file as UTF-8")


def not_zip(value: str) -> Fault:
    """Return the fault of a zip file that cannot be read; the value says where, or why."""
    what = "is not a zip file that can be read"
    remedy = "Pack the files as an ordinary zip without a password"
    return Fault(None, "", value, what, remedy)


def not_json(number: int, error: str, is_entry: bool = True) -> Fault:
    """Return the fault of an entry that is not JSON, after which none can be read, or of a line."""
    what = "is not valid JSON"
    remedy = "Correct the JSON there"
    return Fault(number, "", error, what, remedy, is_entry, is_local=not is_entry)


def empty_cell(line: int, column: str, is_entry: bool = False) -> Fault:
    """Return the fault of a cell that has to be filled."""
    what = "is empty"
    remedy = "Fill it in or remove the line"
    return Fault(line, column, "", what, remedy, is_entry, is_local=True)
