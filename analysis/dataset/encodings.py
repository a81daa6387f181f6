"""Files of text that are not UTF-8: which encoding they probably have."""

from itertools import islice
from pathlib import Path

from charset_normalizer import from_bytes

UTF_8 = "utf-8"
ENCODINGS = {
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
"""What files may be read as: Python's name, and people's; of two that fit alike, the first."""

DETECTED = {
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
"""What the detector looks for; cp949 itself would take much Japanese for Korean."""

UTF_16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
SAMPLE_BYTES = 4_096
SAMPLE_LINES = 400
LONGEST_LINE = 20_000


def is_utf8(path: Path) -> bool:
    """Whether every byte of the file can be read as UTF-8, and it is not UTF-16 either."""
    if utf_16(path):
        return False
    with path.open("rb") as file:
        return all(map(holds_utf8, file))


def holds_utf8(line: bytes) -> bool:
    try:
        line.decode(UTF_8)
    except UnicodeDecodeError:
        return False
    return True


def utf_16(path: Path) -> str:
    """The kind of UTF-16 that a file is in, by its mark or by where its zeros stand, or ""."""
    with path.open("rb") as file:
        start = file.read(SAMPLE_BYTES)
    if marked := UTF_16_MARKS.get(start[:2]):
        return marked
    zeros = {
        "utf-16-be": start[::2].count(0),
        "utf-16-le": start[1::2].count(0),
    }
    most = max(zeros, key=lambda name: zeros[name])
    return (
        most if zeros[most] > len(start) / 8 > 2 * min(zeros.values()) else ""
    )


def guess(path: Path) -> str:
    """The encoding that a file which is not UTF-8 probably has, one of `ENCODINGS`.

    "utf-8" where nothing else is likely: a file of which most is UTF-8 is a damaged one.
    """
    if name := utf_16(path):
        return name
    with path.open("rb") as file:
        telling = list(islice(filter(is_telling, file), SAMPLE_LINES))
    if 2 * sum(map(holds_utf8, telling)) > len(telling):
        return UTF_8
    return likeliest(b"".join(telling))


def is_telling(line: bytes) -> bool:
    return not line.isascii() and len(line) <= LONGEST_LINE


def likeliest(text: bytes) -> str:
    matches = from_bytes(text, cp_isolation=[*DETECTED])
    best = matches.best()
    if best is None:
        return UTF_8
    fit = {
        DETECTED.get(name)
        for match in matches
        if (match.chaos, match.coherence) == (best.chaos, best.coherence)
        for name in match.could_be_from_charset
    }
    return next((name for name in ENCODINGS if name in fit), UTF_8)
