"""Names of accounts: no two look alike."""

import unicodedata

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

_TOGETHER = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")
"""Scripts that are written in one word, by how Unicode names their letters."""


def check_name(name: str) -> None:
    """Raise ValidationError for a name that could be mistaken for another.

    It is a validator of the field, so that it holds wherever a form or command makes an account.
    """
    letters = filter(str.isalpha, _folded(name))
    if len(set(map(_script, letters))) > 1:
        raise ValidationError("Use letters of one script only, such as Latin.")
    if set(accounts_alike(name)) - {name}:
        raise ValidationError("An account with a name like this already exists.")


def accounts_alike(name: str) -> list[str]:
    """Return the names of accounts that are this one but for case and form of letters."""
    folded = _folded(name)
    names = User.objects.values_list("username", flat=True)
    return [each for each in names.iterator() if _folded(each) == folded]


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", plain)


def _script(letter: str) -> str:
    """Return the script of a letter: the first word of its name."""
    name = unicodedata.name(letter, "")
    return _TOGETHER[0] if name.startswith(_TOGETHER) else name.partition(" ")[0]
