"""Cut a text into tokens by the rules: the longest match wins, the first of equals.

See docs/tokenizer.md, section 2.
"""

import re
from functools import cache

from tercet.metrics.ptb.characters import shadow
from tercet.metrics.ptb.rules import RULES, TWO_TOKENS, Guard, Rule

# Words that no rule but that for words can match: letters alone, and a blank behind them.
_WORDS = re.compile(f"(?:(?!(?i:{'|'.join(TWO_TOKENS)}) )[A-Za-z]++ ++)+")

# A caption is read with a line of lower-case text after it: what follows begins no sentence.
_NEXT_LINE = "\nx"


def scan(caption: str) -> list[str]:
    """Cut a caption without line breaks into tokens, in the case in which it is written."""
    seen = _Seen(shadow(caption) + _NEXT_LINE)
    tokens: list[str] = []
    place = 0

    while place < len(caption):
        if words := _WORDS.match(seen.text, place):
            tokens += words[0].split()
            place = words.end()
            continue

        rule, end = _longest(seen, place)
        if rule:
            tokens += rule.action(caption[place:end])
        place = min(end, len(caption))

    return tokens


class _Seen:
    """A text, and where each guard found what it needs, or a stop, when it last looked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[Guard, tuple[int, bool]] = {}

    def has(self, guard: Guard, place: int) -> bool:
        """Whether what a guard needs comes after a place, before a stop.

        What was found behind the place is found again; so however often this is asked, each
        character is looked at once.
        """
        start, needed = self._found.get(guard, (-1, False))

        if start <= place:
            match = guard.pattern.search(self.text, place + 1)
            start = match.start() if match else len(self.text)
            needed = match is not None and match[1] is not None
            self._found[guard] = start, needed

        return needed


def _longest(seen: _Seen, place: int) -> tuple[Rule | None, int]:
    """The rule with the longest match at a place, and where its token ends."""
    winner, reached, end = None, place, place + 1

    for rule in _rules_starting_with(seen.text[place]):
        if rule.guard and not seen.has(rule.guard, place):
            continue

        match = rule.pattern.match(seen.text, place)
        if match and match.end() > reached:
            winner, reached, end = rule, match.end(), match.end(1)

    return winner, end


@cache
def _rules_starting_with(character: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if rule.start.match(character))
