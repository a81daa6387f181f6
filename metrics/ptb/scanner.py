"""Cuts a text into tokens by the rules: the longest match wins, the first of equals."""

import re
from functools import cache

from metrics.ptb.characters import shadow
from metrics.ptb.rules import RULES, TWO_TOKENS, Rule

# Words that no rule but that for words can match: letters alone, and a blank behind them.
_WORDS = re.compile(f"(?:(?!(?i:{'|'.join(TWO_TOKENS)}) )[A-Za-z]++ ++)+")

# A caption is read with a line of lower-case text after it: what follows begins no sentence.
_NEXT_LINE = "\nx"


def scan(caption: str) -> list[str]:
    """The tokens of a caption without line breaks, in the case in which it is written."""
    seen = shadow(caption) + _NEXT_LINE
    tokens: list[str] = []
    place = 0
    while place < len(caption):
        if words := _WORDS.match(seen, place):
            tokens += words[0].split()
            place = words.end()
            continue
        rule, end = _longest(seen, place)
        if rule:
            tokens += rule.action(caption[place:end])
        place = min(end, len(caption))

    return tokens


def _longest(seen: str, place: int) -> tuple[Rule | None, int]:
    winner, reached, end = None, place, place + 1
    for rule in _rules_starting_with(seen[place]):
        match = rule.pattern.match(seen, place)
        if match and match.end() > reached:
            winner, reached, end = rule, match.end(), match.end(1)

    return winner, end


@cache
def _rules_starting_with(character: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if rule.start.match(character))
