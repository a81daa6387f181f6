# ruff: noqa: RUF001
"""The rules of the PTB tokenizer, in the order that decides between matches of one length.

See docs/tokenizer.md. A rule is written for the shadow of a text
(:mod:`tercet.metrics.ptb.characters`),
and its expressions are our own, from a description of the tokens. Letters in ``(?i:...)`` are of
either case, letters in brackets only of that written.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tercet.metrics.ptb import actions
from tercet.metrics.ptb.characters import DIGIT, LOWER, MARK, SPACE, SYMBOL, UPPER

TWO_TOKENS = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna")

Action = Callable[[str], list[str]]


@dataclass(frozen=True, eq=False)
class Guard:
    """What a rule needs somewhere ahead, before any of some stops.

    A rule that reads on until it meets something, and often in vain, would read the same text from
    each of its characters. The scanner looks for what is needed once, and skips the rule until it
    is there (section 2).
    """

    needed: str
    stops: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(f"({self.needed})|{self.stops}")


@dataclass(frozen=True)
class Rule:
    """What a token looks like, what must follow it, and what becomes of it.

    starts: the characters that the token may start with, as in brackets.
    follow: what must come after the token; it counts for the length of the match, and is read
        again afterwards.
    guard: without what it needs, behind the first character, there is no match.
    """

    starts: str
    token: str
    follow: str = ""
    action: Action = actions.keep
    guard: Guard | None = None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(f"({self.token}){self.follow}")

    @cached_property
    def start(self) -> re.Pattern[str]:
        return re.compile(f"[{self.starts}]")


_SOFT = "\xad"
_BLANK = f" \t\xa0{SPACE}"
_INVISIBLE = "\0\u200b\u200e\u200f\ufeff"
_WHITE = f"{_BLANK}\n\x85"
_LETTER = f"A-Za-z{LOWER}{UPPER}"
_DIGIT = f"0-9{DIGIT}"
_ENTITY = "&[aeiouAEIOU](?i:acute|grave|uml);"
_FIRST = f"(?:[{_LETTER}{MARK}{_SOFT}]|{_ENTITY})"
_NEXT = f"(?:[{_LETTER}{MARK}{_SOFT}{_DIGIT}]|{_ENTITY})"
_WORD = rf"{_FIRST}{_NEXT}*(?:[.!?]{_FIRST}{_NEXT}*)*"
_WORD_STARTS = f"{_LETTER}{MARK}{_SOFT}&"
_NUMBER = rf"[-+]?(?:[{_DIGIT}]*(?:[.:,{_SOFT}٫٬][{_DIGIT}]+)+|[{_DIGIT}]+)"
_APOSTROPHE = r"(?:['\x92’]|(?i:&apos;))"
_ANY_APOSTROPHE = r"(?:['\x92’`\x91‘‛]|(?i:&apos;))"
_APOSTROPHE_STARTS = r"'\x92’&"
_SUFFIX = f"{_APOSTROPHE}(?i:m|s|d|re|ve|ll)"
_N_T = f"[nN]{_ANY_APOSTROPHE}[tT]"
_HYPHEN = "[-_\u058a\u2010\u2011]"
_INNER_MARK = "[,;:、]"
_FRACTION = (
    rf"(?:[{_DIGIT}]{{1,4}}[- \xa0])?[{_DIGIT}]{{1,4}}(?:\\?/|⁄)[{_DIGIT}]{{1,4}}"
)

_QUOTED = "(?:\"[^\"]*\"|'[^']*')"
_NAME = "[A-Za-z][A-Za-z0-9_:.-]*"
_TAG = rf"<(?:{_NAME}(?: +{_NAME}(?: *= *{_QUOTED})?)*(?: */)? *|/{_NAME} *)>"
_DECLARATION = r"<[!?][A-Za-z-][^>\n]*>"

_NOT_IN_URL = r' \t\n"<>|(){}'
_URL_END = rf"[^{_NOT_IN_URL}.!?,-]"
_PATH = rf'/[^ \t\n"<>|()]+{_URL_END}'
_WEB_SITE = rf"(?i:www)\.(?:[^{_NOT_IN_URL}.,!?]+\.)+[A-Za-z]{{2,4}}"
_NOT_IN_SITE = r""" \t\n"'`<>|!?,;:$()=@\[\]\\^_{}A-Z0-9/\-"""
_SITE = f"[^{_NOT_IN_SITE}.]+"
_SITE_END = "(?i:com|net|org|edu)"
_MAIL = rf"[^{_NOT_IN_URL}\xa0]"
_MAIL_HOST = rf"[^{_NOT_IN_URL}\xa0.]+"

_DOTTED = r"[A-Za-z](?:\.[A-Za-z])+"
_ACRONYM = (
    r"(?:(?i:canada|sino|korean|eu|japan|non)-[uU]\.[sS]"
    r"|[uU]\.[sS]\.-(?:[uU]\.[kK]|[uU]\.[sS]\.[sS]\.[rR])"
    r"|[A-Za-z](?:\.[A-Za-z])*)"
)
_SENTENCE_STARTS = (
    "[A](?i:bout|ccording|dditionally|fter|n||s|t) [B](?i:ut) [E](?i:arlier)"
    r" [H](?i:e|er|ere|owever) [I](?i:f|n|t) [L](?i:ast) [M](?i:any|ore|r\.|s\.) [N](?i:ow)"
    " [O](?i:nce|ne|ther|ur) [S](?i:he|ince|o|ome|uch)"
    " [T](?i:hat|he|heir|hen|here|hese|hey|his) [W](?i:e|hen|hile|hat) [Y](?i:et|ou)"
)
_NEXT_SENTENCE = (
    rf"[{_WHITE}]+(?:{'|'.join(_SENTENCE_STARTS.split())}|{_TAG})[{_WHITE}]"
)
_NEXT_DECLARATION = rf"[{_WHITE}]+{_DECLARATION}[{_WHITE}]"
_SENTENCE_END = rf"[{_WHITE}](?:[{_WHITE}A-Z{UPPER}]|{_TAG})"
_END_BEFORE_DECLARATION = rf"[{_WHITE}]{_DECLARATION}"

_ENDING_ABBREVIATIONS = r"""
    jan feb mar apr jun jul aug sept? oct nov dec mon tues? wed thurs? thu fri
    ala ariz [A]z [A]rk calif colo conn ct dak [D]el fla ga [I]ll ind kans? ky [L]a [M]ass md mich
    minn [M]iss mo mont neb nev okla [O]re [P]a penn tenn [T]ex va vt [W]ash wisc? wyo
    inc cos? corp p?pt[ye]s? ltd plc rt bancorp bhd assn univ intl sys tel est ext sq
    jr sr bros ed\.d ph\.d blvd rd esq etc al seq bldg
"""
_TITLES = """
    mrs? ms [M]iss drs? profs? sens? reps? attys? lt col gen messrs govs? adm rev maj sgt cpl pvt
    capt ste? ave pres lieut hon brig cmdr comdr pfc spc supts? det mt ft adj adv asst assoc ens
    insp mlle mme msgr sfc vs alex wm jos cie cf treas ph invt elec natl m[ft]g dept
"""


def _abbreviations(text: str) -> str:
    """Any of these words; what is in brackets keeps its case."""
    words = map(_any_case, text.split())
    return f"(?:{'|'.join(words)})"


def _any_case(word: str) -> str:
    parts = re.split(r"(\[[^]]+\])", word)
    pattern = ""
    for part in filter(None, parts):
        pattern += part if part.startswith("[") else f"(?i:{part})"

    return pattern


_ENDING = rf"{_abbreviations(_ENDING_ABBREVIATIONS)}\."
_TITLE = rf"(?:{_ACRONYM}|{_abbreviations(_TITLES)})"
ABBREVIATION = rf"{_abbreviations(_ENDING_ABBREVIATIONS)}|{_TITLE}"

_PHONE = (
    r"(?:\([0-9]{2,3}\)[- \xa0]?|\+{0,2}(?:[0-9]{2,4}[- \xa0])?[0-9]{2,4}[- \xa0])"
    r"[0-9]{3,4}[- \xa0]?[0-9]{3,5}"
)
_SMILEY = r"[<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]]"
_EYES = "['^x=~<>-]"
_WIDE_EYES = "['^x=~<>]"
_SLASHED = "[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}"
_COMPOUND = (
    rf"[A-Za-z0-9][A-Za-z0-9.,{_SOFT}]*(?:-(?:{_DOTTED}\.|[A-Za-z0-9{_SOFT}]+))+"
)
_JOINED_PART = f"(?:[dDoOlL]{_ANY_APOSTROPHE}[{_LETTER}{_DIGIT}])?[{_LETTER}{_DIGIT}]+"
_JOINED = f"{_JOINED_PART}(?:{_HYPHEN}{_JOINED_PART})*"
_CAPITALS = r"[A-Z]+(?:(?:[+&]|(?i:&amp;))[A-Z]+)+"
_SUFFIXES = (
    "bat|bmp|c|class|cgi|cpp|dll|docx?|exe|gif|gz|h|html?|jar|java|jpe?g|mov|mp3|pdf|php|pl|png|ppt"
    "|ps|py|sql|tar|txt|wav|x|xml|zip"
)
_FILE = rf"{_NEXT}+(?:\.{_NEXT}+)*\.(?i:{_SUFFIXES})"
_FILE_END = f"[{_WHITE}.?!,]"

_ALNUM = f"{_LETTER}{_DIGIT}"

_NEEDS_TAG_END = Guard(">", r"\n")
_NEEDS_DOMAIN = Guard(r"\.[A-Za-z]{2}", rf"[{_NOT_IN_URL},!?]|\.\.")
_NEEDS_SITE_END = Guard(rf"\.{_SITE_END}", rf"[{_NOT_IN_SITE}]|\.\.")
_NEEDS_MAIL_HOST = Guard(rf"@[^{_NOT_IN_URL}\xa0.]", rf"[{_NOT_IN_URL}\xa0]")
_NEEDS_FILE_END = Guard(
    rf"\.(?i:{_SUFFIXES}){_FILE_END}",
    rf"[^{_ALNUM}{MARK}{_SOFT}.&;]|&(?!{_ENTITY[1:]})"
    r"|(?<!(?i:acute))(?<!(?i:grave))(?<!(?i:uml));|\.\.",
)
_NEEDS_HYPHEN = Guard(f"-[A-Za-z0-9{_SOFT}]", f"[^A-Za-z0-9.,{_SOFT}]")

_SPLIT_WORDS = (
    Rule("cC", r"[cC]\+\+"),
    Rule("cCfF", "[cCfF]#"),
    Rule("cC", "(?i:can)", "(?i:not)"),
    Rule("'", "'[tT]", "(?i:was|is)"),
    Rule("gG", "(?i:gon)", "(?i:na)"),
    Rule("gG", "(?i:got)", "(?i:ta)"),
    Rule("gGlL", "(?i:lem|gim)", "(?i:me)"),
    Rule("wW", "(?i:wan)", "(?i:na)"),
)

_MARKUP = (
    Rule("<", _TAG, action=actions.join_blanks),
    Rule("<", _DECLARATION, action=actions.join_blanks, guard=_NEEDS_TAG_END),
    Rule(
        "&\x96\x97\u2013-\u2015",
        "(?i:&MD;|&mdash;|&ndash;)|[\x96\x97\u2013-\u2015]",
        action=actions.say("--"),
    ),
    Rule("&", "(?i:&amp;)", action=actions.say("&")),
    Rule("&", "&(?:(?i:HT|TL|UR|LR|QC|QL|QR|odq|cdq)|#[0-9]+);"),
)

_WORDS = (
    Rule(_WORD_STARTS, _WORD, _SUFFIX, actions.word),
    Rule(
        f"A-Za-z{_SOFT}", f"[A-Za-z{_SOFT}]*[A-MO-Za-mo-z]{_SOFT}*", _N_T, actions.word
    ),
    Rule(_WORD_STARTS, _WORD, action=actions.word),
)

_WORDS_WITH_APOSTROPHE = (
    Rule(_APOSTROPHE_STARTS, f"{_APOSTROPHE}[nN]{_APOSTROPHE}?"),
    Rule("lLdDjJ", f"[lLdDjJ]{_APOSTROPHE}"),
    Rule("dDsS", f"(?i:dunkin|somethin){_APOSTROPHE}"),
    Rule("oO", f"(?i:ol){_APOSTROPHE}"),
    Rule(_APOSTROPHE_STARTS, f"{_APOSTROPHE}(?i:em|till?|cause)"),
    Rule(f"A-HJ-XZn{LOWER}{UPPER}", f"[A-HJ-XZn]{_ANY_APOSTROPHE}[{_LETTER}]{{2,}}"),
    Rule(_APOSTROPHE_STARTS, f"{_APOSTROPHE}[2-9]0[sS]"),
    Rule(_LETTER, f"[{_LETTER}]+[aeiouyAEIOUY]{_ANY_APOSTROPHE}[aeiouA-Z][{_LETTER}]*"),
    Rule("cC", r"(?i:cont'd\.?|c'mon)"),
    Rule("nN", "(?i:nor'easter|nat'l)"),
    Rule("eE", "(?i:e'er|ev'ry)"),
    Rule("sS", "(?i:s'mores)"),
    Rule("lL", "(?i:li'l)"),
    Rule("oO", f"[oO]{_ANY_APOSTROPHE}[oO]"),
    Rule("yY", f"[yY]{_APOSTROPHE}", f"[{_LETTER}]"),
)

_ADDRESSES = (
    Rule("hH", rf"(?i:https?)://[^{_NOT_IN_URL}]+{_URL_END}"),
    Rule("wW", f"{_WEB_SITE}{_PATH}", guard=_NEEDS_DOMAIN),
    Rule("wW", _WEB_SITE, guard=_NEEDS_DOMAIN),
    Rule(
        f"^{_NOT_IN_SITE}.",
        rf"(?:{_SITE}\.)+{_SITE_END}(?:{_PATH})?",
        guard=_NEEDS_SITE_END,
    ),
    Rule(
        "<&A-Za-z0-9",
        rf"(?:<|(?i:&lt;))?[A-Za-z0-9]{_MAIL}*@(?:{_MAIL_HOST}\.)*{_MAIL_HOST}(?:>|(?i:&gt;))?",
        guard=_NEEDS_MAIL_HOST,
    ),
    Rule("@", "@[A-Za-z_][A-Za-z0-9_]*"),
    Rule("#", f"#{_FIRST}+"),
)

_SUFFIXES_OF_WORDS = (
    Rule(_APOSTROPHE_STARTS, _SUFFIX, "[^A-Za-z]", actions.straighten),
    Rule("nN", _N_T, "[^A-Za-z]", actions.straighten),
)

_NUMBERS = (
    Rule(_DIGIT, rf"[{_DIGIT}]{{1,2}}[-/][{_DIGIT}]{{1,2}}[-/][{_DIGIT}]{{2,4}}"),
    Rule(rf"{_DIGIT}.:,{_SOFT}٫٬+-", _NUMBER, action=actions.drop_soft_hyphens),
    Rule("⁺⁻₊₋⁰¹²³⁴-⁹₀-₉", "[⁺⁻₊₋]?(?:[⁰¹²³⁴-⁹]+|[₀-₉]+)"),
    Rule(_DIGIT, _FRACTION, action=actions.join_blanks),
    Rule("¼½¾⅓⅔", "[¼½¾⅓⅔]", action=actions.spell_fraction),
)

_NAMES = (
    Rule("-", "-(?i:[lr][rcs]b)-"),
    Rule("cC", r"(?i:c\.d\.s)"),
    Rule("pPaA", "(?i:pro|anti)-"),
    Rule("sS", "(?i:s&p-500|s&ls)"),
    Rule("cC", f"(?i:cap{_APOSTROPHE}n|c{_APOSTROPHE}est)"),
    Rule("A-Za-z0-9", rf"{_SLASHED}(?:\\?/{_SLASHED}){{1,2}}"),
)

_MONEY = (
    Rule("A-Z$#", r"[A-Z]*\$|#"),
    Rule("¢£\x80¤₠€", "[¢£\x80¤₠€]", action=actions.spell_currency),
)

_ABBREVIATIONS = (
    Rule(
        "A-Za-z", rf"{_ACRONYM}\.", _NEXT_SENTENCE, actions.end_sentence_after_acronym
    ),
    Rule(
        "A-Za-z",
        rf"{_ACRONYM}\.",
        _NEXT_DECLARATION,
        actions.end_sentence_after_acronym,
        _NEEDS_TAG_END,
    ),
    Rule(
        "A-Za-z", r"(?i:ca|figs?|prop|nos?|art|bldg|pp|op)\.", f"[{_WHITE}]?[{_DIGIT}]"
    ),
    Rule("pPcC", r"(?i:pty|pte|co)\.", f"[{_BLANK}](?i:ltd|lim)"),
    Rule("A-Za-z", _ENDING, _SENTENCE_END, actions.end_sentence),
    Rule(
        "A-Za-z", _ENDING, _END_BEFORE_DECLARATION, actions.end_sentence, _NEEDS_TAG_END
    ),
    Rule("A-Za-z", _ENDING, r"[\s\S]{2}"),
    Rule("A-Za-z", rf"{_TITLE}\."),
    Rule("A-Za-z", _TITLE, f"[{_BLANK}]"),
    Rule("A-Za-z", _ACRONYM, f"[{_WHITE}]"),
)

_NAMES_AND_NUMBERS = (
    Rule(_APOSTROPHE_STARTS, f"{_APOSTROPHE}[0-9]{{2}}", f"[{_WHITE}]"),
    Rule(f"{_WORD_STARTS}{_DIGIT}", _FILE, _FILE_END, guard=_NEEDS_FILE_END),
    Rule(_WORD_STARTS, rf"{_WORD}\.", _INNER_MARK, actions.word),
    Rule("0-9+(", _PHONE, action=actions.join_phone),
)

_MARKS = (
    Rule('"&', '"|(?i:&quot;)', "[A-Za-z0-9$]", actions.say("``")),
    Rule('"&', '"|(?i:&quot;)', action=actions.say("''")),
    Rule("<&", "<|(?i:&lt;)", action=actions.say("<")),
    Rule(">&", ">|(?i:&gt;)", action=actions.say(">")),
    Rule("<>:;=", _SMILEY, "[^A-Za-z0-9]", actions.escape_parentheses),
    Rule("'^x=~<>-", f"{_EYES}_{_EYES}"),
    Rule(
        "(",
        rf"\((?:{_EYES}[_.]?{_EYES}|{_WIDE_EYES}-{_WIDE_EYES})\)",
        action=actions.escape_parentheses,
    ),
    Rule(r"{}()\[\]", r"[{}()\[\]]", action=actions.escape_brackets),
    Rule("-", "-+", action=actions.dash),
    Rule(".\x85…", r"\.{3,5}|(?:\.[ \xa0]){2,4}\.|[\x85…]", action=actions.say("...")),
    Rule("@#_*", r"@+|\#+|_+|\*+"),
    Rule(r"\\", r"(?:\\\*)+"),
    Rule("?!", "[?!]+"),
)

_COMPOUNDS = (
    Rule(
        "A-Za-z0-9",
        rf"{_COMPOUND}\.",
        _INNER_MARK,
        actions.drop_soft_hyphens,
        _NEEDS_HYPHEN,
    ),
    Rule("A-Za-z0-9", _COMPOUND, action=actions.drop_soft_hyphens, guard=_NEEDS_HYPHEN),
    Rule(_ALNUM, rf"{_JOINED}\.", _INNER_MARK),
    Rule(_ALNUM, _JOINED),
    Rule("A-Z", rf"{_CAPITALS}\.", _INNER_MARK, actions.say_ampersand),
    Rule("A-Z", _CAPITALS, action=actions.say_ampersand),
)

_QUOTES = (
    Rule("'", "'", r"[A-Za-z][^ \t\n\xa0]", actions.say("`")),
    Rule(_APOSTROPHE_STARTS, _SUFFIX, action=actions.straighten),
    Rule("nN", _N_T, action=actions.straighten),
    Rule(
        r"'`\x91-\x94‘-‟‹›«»&",
        r"'{1,2}|[`\x91-\x94‘-‟‹›«»]{1,2}|(?i:&apos;)",
        action=actions.quotes,
    ),
)

_REST = (
    Rule("<>", "<<|>>"),
    Rule(f".,;:、=/+%&~^|⁄⁺⁻₊₋\\\\{SYMBOL}", f"[.,;:、=/+%&~^|⁄⁺⁻₊₋\\\\{SYMBOL}]"),
    Rule(f"{_BLANK}{_INVISIBLE}", rf"[{_BLANK}]+|[{_INVISIBLE}]", action=actions.skip),
    Rule("&", "(?i:&nbsp;)", action=actions.skip),
)

RULES = (
    *_SPLIT_WORDS,
    *_MARKUP,
    *_WORDS,
    *_WORDS_WITH_APOSTROPHE,
    *_ADDRESSES,
    *_SUFFIXES_OF_WORDS,
    *_NUMBERS,
    *_NAMES,
    *_MONEY,
    *_ABBREVIATIONS,
    *_NAMES_AND_NUMBERS,
    *_MARKS,
    *_COMPOUNDS,
    *_QUOTES,
    *_REST,
)
