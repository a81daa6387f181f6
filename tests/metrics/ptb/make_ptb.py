"""Asks the reference tokenizer what it takes each character for, and for the golden captions.

Writes metrics/ptb/ranges.py, and tests/metrics/ptb/ptb_cases.json anew with the captions that are
in it. Needs Java, and the jar of the pycocoevalcap wheel; for development only:

    python -m tests.metrics.ptb.make_ptb stanford-corenlp-3.4.1.jar
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

RANGES = Path(__file__).parents[3] / "metrics" / "ptb" / "ranges.py"
CASES = Path(__file__).with_name("ptb_cases.json")
HEADER = '''"""Unicode characters by what the PTB tokenizer takes them for: ranges of codes.

Written by tests/metrics/ptb/make_ptb.py, which asks the reference tokenizer.
"""
'''
MAIN = "edu.stanford.nlp.process.PTBTokenizer"
SURROGATES = range(0xD800, 0xE000)
BREAKS = {*range(0x0A, 0x0E), 0x2028, 0x2029}
CHARACTERS = [
    chr(code)
    for code in range(0x80, 0xFFFE)
    if code not in SURROGATES and code not in BREAKS
]
SEPARATORS = set("\N{SOFT HYPHEN}\N{ARMENIAN HYPHEN}\N{HYPHEN}\N{NON-BREAKING HYPHEN}")


def tokenized(jar: str, lines: list[str]) -> list[str]:
    """The jar's output lines, each line on its own."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.write("".join(f"{line}\n" for line in lines))
        file.flush()
        command = ["java", "-cp", jar, MAIN, "-preserveLines", "-lowerCase", file.name]
        done = subprocess.run(command, capture_output=True, check=True)

    return done.stdout.decode().split("\n")[: len(lines)]


def probed(jar: str, template: str) -> dict[str, list[str]]:
    """For each character its tokens where it stands in the template."""
    lines = tokenized(jar, [template.format(character) for character in CHARACTERS])
    return {
        character: line.split(" ")
        for character, line in zip(CHARACTERS, lines, strict=True)
    }


def classes(jar: str) -> dict[str, list[str]]:
    inside, alone = probed(jar, "ab{}cd"), probed(jar, "ab {} cd")
    number, compound = probed(jar, "1,{}"), probed(jar, "a{}_b")
    word = {c for c in CHARACTERS if len(inside[c]) == 1} - SEPARATORS
    digits = {c for c in word if len(number[c]) == 1}
    letters = {c for c in word if len(compound[c]) == 1} - digits
    shown = {c for c in CHARACTERS if alone[c] == ["ab", c.lower(), "cd"]}
    found = {
        "LETTERS": letters,
        "MARKS": word - letters - digits,
        "DIGITS": digits,
        "SYMBOLS": shown - word,
    }

    return {name: sorted(characters) for name, characters in found.items()}


def ranges(characters: Iterable[str]) -> list[str]:
    found: list[list[int]] = []
    for code in map(ord, characters):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])

    return [
        f"{first:X}" if first == last else f"{first:X}-{last:X}"
        for first, last in found
    ]


def lines_of(words: list[str], width: int = 99) -> Iterable[str]:
    line = ""
    for word in words:
        if len(line) + len(word) >= width:
            yield line
            line = ""
        line = f"{line} {word}".lstrip()

    yield line


def write_ranges(jar: str) -> None:
    with RANGES.open("w", encoding="utf-8") as file:
        file.write(HEADER)
        for name, characters in classes(jar).items():
            text = "\n".join(lines_of(ranges(characters)))
            file.write(f'\n{name} = """\n{text}\n"""\n')


def write_cases(jar: str) -> None:
    captions = list(json.loads(CASES.read_text(encoding="utf-8")))
    lines = [line for caption in captions for line in (caption.replace("\n", " "), "x")]
    raw = [line.rstrip() for line in tokenized(jar, lines)[::2]]
    cases = dict(zip(captions, raw, strict=True))
    text = json.dumps(cases, ensure_ascii=False, indent=0)
    CASES.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write_ranges(sys.argv[1])
    write_cases(sys.argv[1])
