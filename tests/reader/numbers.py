"""Numbers as sentences should show them, from the decimals in the tables."""

from decimal import ROUND_HALF_UP, Context, Decimal

EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
MINUS = "\N{MINUS SIGN}"


def fixed(value: Decimal, decimals: int, *, grouped: bool = False) -> str:
    """Round half up, and write the number with a true minus."""
    unit = Decimal(1).scaleb(-decimals)
    rounded = value.quantize(unit, context=EXACT)
    if not rounded:
        rounded = abs(rounded)
    text = f"{rounded:,f}" if grouped else f"{rounded:f}"
    return text.replace("-", MINUS)


def count(value: Decimal | int) -> str:
    """Write a whole number with commas."""
    return f"{int(value):,}"


def counted(number: int, noun: str) -> str:
    """Write how many there are of what."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: Decimal) -> str:
    """Write a share, or a coefficient times 100, with one decimal."""
    return fixed(100 * share, 1)


def p_value(p: Decimal) -> str:
    if p < Decimal("0.001"):
        return "p < .001"
    return f"p = {fixed(p, 3).removeprefix('0')}"


def span(low: Decimal, high: Decimal) -> str:
    return f"{percent(low)} to {percent(high)}"


def listed(texts: list[str], word: str) -> str:
    """List texts as English does, with a word before the last one."""
    *most, last = texts
    return f"{', '.join(most)} {word} {last}" if most else last


def references(number: str) -> str:
    """Write a reference count; `all` stands for all references of each image."""
    if number == "all":
        return "all references"
    return f"{number} reference{'' if number == '1' else 's'}"


def two_digits(value: Decimal) -> str:
    """Write a number with two significant digits, as plans are."""
    first = value.adjusted()
    unit = Decimal(1).scaleb(max(first - 1, 0))
    return count((value / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit)
