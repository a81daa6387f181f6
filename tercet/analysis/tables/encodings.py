"""Find the encoding of text files."""

from codecs import getincrementaldecoder
from functools import partial
from itertools import islice
from typing import BinaryIO

from charset_normalizer import from_bytes

UTF_8 = "utf-8"
ENCODINGS: dict[str, str] = {
    UTF_8: "UTF-8",
    "windows-1252": "Windows-1252 (Western European)",
    "iso-8859-15": "ISO-8859-15 (Western European)",
    "windows-1250": "Windows-1250 (Central European)",
    "windows-1251": "Windows-1251 (Cyrillic)",
    "gb18030": "GB18030 (simplified Chinese)",
    "big5": "Big5 (traditional Chinese)",
    "cp932": "CP932, Shift JIS (Japanese)",
    "cp949": "CP949, EUC-KR (Korean)",
    "utf-16-le": "UTF-16-LE (Unicode text of Windows)",
    "utf-16-be": "UTF-16-BE",
}
"""The encodings that files may be read in: Python's names, and names for people.

Where two fit equally well, the first is guessed.
"""

_DETECTED = {
    "cp1252": "windows-1252",
    "iso8859_15": "iso-8859-15",
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "gb18030": "gb18030",
    "big5": "big5",
    "shift_jis": "cp932",
    "cp932": "cp932",
    "euc_kr": "cp949",
}
"""The encodings that are detected; with cp949 itself, much Japanese would pass as Korean."""

_UTF_16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_SAMPLE_BYTES = 4_096
_SAMPLE_LINES = 400
_LONGEST_LINE = 20_000
PIECE = 1 << 20
"""Bytes, or characters, that are read at a time."""


def encoding_of(file: BinaryIO, chosen: str = "") -> tuple[str, bool]:
    """Return the encoding of a file, and whether it has bytes that are invalid in it.

    It is the one that was chosen, or UTF-8, or else the likeliest of `ENCODINGS`. The file is at
    its start afterwards.
    """
    encoding = chosen or utf_16(file) or UTF_8
    is_valid = _is_in(file, encoding)
    if not is_valid and not chosen:
        encoding = _guess(file)
        is_valid = encoding != UTF_8 and _is_in(file, encoding)
    return encoding, not is_valid


def _is_in(file: BinaryIO, encoding: str) -> bool:
    """Return whether every byte of a file can be read in an encoding."""
    decoder = getincrementaldecoder(encoding)()
    try:
        for piece in iter(partial(file.read, PIECE), b""):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        file.seek(0)
    return True


def utf_16(file: BinaryIO) -> str:
    """Return the kind of UTF-16 of a file, by its byte order mark or its zero bytes, or ""."""
    start = file.read(_SAMPLE_BYTES)
    file.seek(0)
    if marked := _UTF_16_MARKS.get(start[:2]):
        return marked
    zeros = {"utf-16-be": start[::2].count(0), "utf-16-le": start[1::2].count(0)}
    most = max(zeros, key=lambda name: zeros[name])
    if zeros[most] > len(start) / 8 > 2 * min(zeros.values()):
        return most
    return ""


def _guess(file: BinaryIO) -> str:
    """Guess the encoding that a file which is not UTF-8 probably has, one of `ENCODINGS`.

    "utf-8" where nothing else is likely: a file of which most is UTF-8 is a damaged one.
    """
    lines = iter(partial(file.readline, PIECE), b"")
    short = (line for line in lines if len(line) <= _LONGEST_LINE)
    telling = (line for line in short if not line.isascii())
    sample = list(islice(telling, _SAMPLE_LINES))
    file.seek(0)

    valid = [line for line in sample if line.decode(UTF_8, "ignore").encode() == line]
    if 2 * len(valid) > len(sample):
        return UTF_8
    return _likeliest(b"".join(sample))


def _likeliest(text: bytes) -> str:
    """Return the encoding that fits a text best; the first of `ENCODINGS` where several do."""
    matches = from_bytes(text, cp_isolation=[*_DETECTED])
    best = matches.best()
    if best is None:
        return UTF_8
    fit = {
        _DETECTED.get(name)
        for match in matches
        if (match.chaos, match.coherence) == (best.chaos, best.coherence)
        for name in match.could_be_from_charset
    }
    return next((name for name in ENCODINGS if name in fit), UTF_8)
