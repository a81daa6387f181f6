"""A small library of flat drawings: every function returns a piece of SVG.

Things that stand are placed by the middle of their foot; x grows to the right and y downwards.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 480, 360

Point = tuple[float, float]
Limb = Sequence[Point]

RED, ORANGE, YELLOW, PINK = "#d9584a", "#ee9b52", "#f4c754", "#eba6a5"
BLUE, NAVY, TEAL, PURPLE = "#4a7fb5", "#34486e", "#3f8f8c", "#8573b0"
WHITE, CREAM, GREY, SLATE, INK = ("#fdfaf3", "#f7ead3", "#a9b4bd", "#5e6b7a", "#2f3440")
BROWN, TAN, DARK_BROWN = "#8a5f46", "#c99a6b", "#5f4234"
GRASS, GRASS_DARK, GRASS_LIGHT = "#8fbf7a", "#6fa565", "#b2d48f"
LEAF, LEAF_LIGHT, PINE = "#4f8f63", "#6aa976", "#3f7463"
WATER, WATER_DARK, WATER_LIGHT = "#7fb8cf", "#5d9dba", "#a9d3e0"
SAND, SAND_DARK = "#f0dcae", "#dfc48c"
SNOW, SNOW_SHADE = "#f7fafc", "#dde8f0"
SUN, GLOW = "#f8cf5f", "#fde9b0"
DAY, DAY_LOW = "#bfe3f0", "#e4f3f5"
WINTER, WINTER_LOW = "#b9d3e3", "#d3e4ee"
EVENING, EVENING_LOW = "#7d86b2", "#a99fbd"
DUSK, DUSK_LOW = "#f0a583", "#f7cfa0"
NIGHT, NIGHT_LOW = "#27335a", "#3b4a7c"
NIGHT_GRASS, NIGHT_GRASS_DARK = "#3c6360", "#305254"
RAINY, RAINY_LOW = "#8fa6b8", "#b4c4cf"
WALL, WALL_SHADE, FLOOR = "#f3dfc1", "#e6cba5", "#c79a6e"
FAIR, OLIVE, TAWNY, DEEP = "#f3cda9", "#dba680", "#ad7650", "#80543a"
BLACK_HAIR, BROWN_HAIR, BLOND, GINGER, SILVER = (
    "#332c2d",
    "#6b4430",
    "#dba94f",
    "#b8582f",
    "#c9ced2",
)


def number(value: float) -> str:
    return f"{round(value, 1):g}"


def tag(name: str, **attributes: float | str) -> str:
    words = [name]
    for key, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        words.append(f'{key.replace("_", "-")}="{text}"')
    return f"<{' '.join(words)}/>"


def disc(x: float, y: float, radius: float, fill: str) -> str:
    return tag("circle", cx=x, cy=y, r=radius, fill=fill)


def oval(x: float, y: float, rx: float, ry: float, fill: str) -> str:
    return tag("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=fill)


def box(
    x: float, y: float, width: float, height: float, fill: str, rounding: float = 0
) -> str:
    attributes = {"rx": rounding} if rounding else {}
    return tag("rect", x=x, y=y, width=width, height=height, **attributes, fill=fill)


def shape(outline: str, fill: str) -> str:
    return tag("path", d=outline, fill=fill)


def stroke(outline: str, colour: str, width: float) -> str:
    return tag(
        "path",
        d=outline,
        fill="none",
        stroke=colour,
        stroke_width=width,
        stroke_linecap="round",
        stroke_linejoin="round",
    )


def line(points: Limb, colour: str, width: float) -> str:
    return stroke(
        "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points), colour, width
    )


def dots(points: Iterable[Point], colour: str, width: float) -> str:
    return stroke(
        "".join(f"M{number(x)} {number(y)}h0" for x, y in points), colour, width
    )


def faded(opacity: float, *parts: str) -> str:
    return f'<g opacity="{number(opacity)}">{"".join(parts)}</g>'


def placed(
    x: float,
    y: float,
    *parts: str,
    scale: float = 1,
    flip: bool = False,
    turn: float = 0,
) -> str:
    moves = [f"translate({number(x)} {number(y)})"]
    if turn:
        moves.append(f"rotate({number(turn)})")
    if flip or scale != 1:
        moves.append(f"scale({-scale if flip else scale:g} {scale:g})")
    return f'<g transform="{" ".join(moves)}">{"".join(parts)}</g>'


def svg(parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">\n{body}\n</svg>\n'
    )


def scattered(count: int, top: float, bottom: float) -> list[Point]:
    """Points spread evenly, yet without a visible order, over the width of the picture."""
    return [
        (i * 0.754878 % 1 * WIDTH, top + i * 0.56984 % 1 * (bottom - top))
        for i in range(count)
    ]


# Sky, weather and land


def sky(high: str, low: str) -> str:
    return box(0, 0, WIDTH, HEIGHT, high) + oval(240, 290, 420, 170, low)


def sun(x: float, y: float, radius: float = 28) -> str:
    return faded(0.6, disc(x, y, radius * 1.6, GLOW)) + disc(x, y, radius, SUN)


def moon(x: float, y: float, radius: float = 26) -> str:
    craters = oval(x - 8, y - 5, 5, 5, "#e6dfc4") + oval(x + 8, y + 8, 4, 4, "#e6dfc4")
    return (
        faded(0.1, disc(x, y, radius * 1.9, WHITE))
        + disc(x, y, radius, "#f6f0d8")
        + craters
    )


def stars(count: int = 26, bottom: float = 190) -> str:
    points = scattered(count, 12, bottom)
    return dots(points[::2], "#f6f0d8", 3) + dots(points[1::2], "#c5cbe4", 2)


def cloud(x: float, y: float, scale: float = 1, colour: str = WHITE) -> str:
    puffs = (
        disc(-22, -12, 15, colour)
        + disc(0, -20, 21, colour)
        + disc(23, -11, 14, colour)
    )
    return placed(x, y, puffs, box(-40, -16, 80, 18, colour, 9), scale=scale)


def rain(drops: int = 70, bottom: float = 350) -> str:
    outline = "".join(
        f"M{number(x)} {number(y)}l-4 13" for x, y in scattered(drops, -6, bottom)
    )
    return faded(0.6, stroke(outline, "#e4eef4", 2))


def snowfall(flakes: int = 60) -> str:
    points = scattered(flakes, 5, 355)
    return dots(points[::2], WHITE, 6) + dots(points[1::2], WHITE, 4)


def land(left: float, bend: float, right: float, colour: str) -> str:
    """Ground from edge to edge; the bend lifts or lowers its middle."""
    return shape(f"M0 {left:g}Q240 {bend:g} 480 {right:g}V360H0z", colour)


def mountain(x: float, y: float, width: float, height: float, colour: str) -> str:
    half = width / 2
    peak = f"M{-half:g} 0L0 {-height:g}L{half:g} 0z"
    w, h = half * 0.3, height * 0.7
    zigzag = f"l{-w * 0.6:g} -6l{-w * 0.5:g} 9l{-w * 0.4:g} -9"
    cap = f"M0 {-height:g}L{w:g} {-h:g}{zigzag}L{-w:g} {-h:g}z"
    return placed(x, y, shape(peak, colour), shape(cap, SNOW))


def tree(
    x: float, y: float, scale: float = 1, dark: str = LEAF, light: str = LEAF_LIGHT
) -> str:
    trunk = shape("M-9 0Q-5-30-7-86H7Q5-30 9 0z", BROWN)
    crown = disc(-28, -82, 27, dark) + disc(27, -80, 29, dark) + disc(0, -108, 37, dark)
    gleam = (
        disc(-9, -116, 20, light) + disc(24, -88, 13, light) + disc(-30, -86, 12, light)
    )
    return placed(x, y, trunk, crown, gleam, scale=scale)


def pine(
    x: float, y: float, scale: float = 1, colour: str = PINE, snowy: bool = False
) -> str:
    trunk = box(-5, -16, 10, 16, DARK_BROWN)
    tiers = shape("M0-110L22-66H12L30-38H18L36-12H-36L-18-38H-30L-12-66H-22z", colour)
    cap = shape("M0-110L14-82Q7-88 0-82Q-7-88-14-82z", SNOW) if snowy else ""
    return placed(x, y, trunk, tiers, cap, scale=scale)


def grass(points: Iterable[Point], colour: str = GRASS_DARK) -> str:
    tufts = (f"M{x:g} {y:g}l-4-8m4 8v-11m0 11l4-8" for x, y in points)
    return stroke("".join(tufts), colour, 2)


def flower(x: float, y: float, colour: str, height: float = 34) -> str:
    stem = line([(0, 0), (0, -height)], LEAF, 3) + oval(6, -height / 3, 7, 3, LEAF)
    ring = [(-6, 0), (6, 0), (0, -6), (0, 6)]
    petals = "".join(disc(dx, dy - height, 5.5, colour) for dx, dy in ring)
    return placed(x, y, stem, petals, disc(0, -height, 4, CREAM))


def pond(x: float, y: float, rx: float, ry: float) -> str:
    return oval(x, y + 4, rx + 8, ry + 6, GRASS_DARK) + oval(x, y, rx, ry, WATER)


def ripples(points: Iterable[Point], colour: str = WATER_LIGHT) -> str:
    return stroke(
        "".join(f"M{x:g} {y:g}q9-5 18 0t18 0" for x, y in points), colour, 2.5
    )


def reed(x: float, y: float, scale: float = 1) -> str:
    blades = stroke("M0 0Q-2-30-8-52M4 0Q5-34 4-62M8 0Q12-24 20-40", LEAF, 3)
    heads = line([(-8, -52), (-10, -64)], BROWN, 7) + line(
        [(4, -62), (4, -76)], BROWN, 7
    )
    return placed(x, y, blades, heads, scale=scale)


def puddle(x: float, y: float, rx: float, ry: float) -> str:
    return oval(x, y, rx, ry, WATER) + oval(
        x - 8, y - 2, rx * 0.6, ry * 0.5, WATER_LIGHT
    )


def gull(x: float, y: float, scale: float = 1, colour: str = WHITE) -> str:
    return placed(x, y, stroke("M-18-4Q-9-14 0 0Q9-14 18-4", colour, 3.5), scale=scale)


# Buildings, furniture and vehicles


def pane(x: float, y: float, width: float, height: float, glass: str) -> str:
    middle_x, middle_y = x + width / 2, y + height / 2
    cross = f"M{middle_x:g} {y:g}v{height:g}M{x:g} {middle_y:g}h{width:g}"
    return box(x - 3, y - 3, width + 6, height + 6, WHITE) + (
        box(x, y, width, height, glass) + stroke(cross, WHITE, 3)
    )


def house(
    x: float,
    y: float,
    scale: float = 1,
    wall: str = CREAM,
    roof: str = RED,
    glass: str = WATER_LIGHT,
) -> str:
    walls = box(-60, -80, 120, 80, wall) + box(28, -132, 16, 40, BROWN)
    gable = shape("M-72-78L0-138L72-78z", roof)
    door = box(-13, -46, 26, 46, BROWN, 2) + disc(7, -22, 2.2, YELLOW)
    windows = pane(-48, -56, 22, 22, glass) + pane(26, -56, 22, 22, glass)
    return placed(x, y, walls, gable, door, windows, scale=scale)


def lamp(x: float, y: float, lit: bool = True, height: float = 170) -> str:
    glow = faded(0.3, disc(0, -height - 10, 38, SUN)) if lit else ""
    post = line([(0, -2), (0, -height)], INK, 6) + box(-12, -8, 24, 8, INK, 2)
    glass = shape(f"M-9 {-height}h18l4-24h-26z", GLOW if lit else CREAM)
    cap = shape(f"M-16 {-height - 23}h32l-16-13z", INK)
    return placed(x, y, glow, post, glass, cap)


def bench(x: float, y: float, scale: float = 1) -> str:
    back = box(-75, -72, 150, 11, BROWN, 3) + box(-75, -56, 150, 11, BROWN, 3)
    posts = line([(-62, -76), (-62, 0)], INK, 5) + line([(62, -76), (62, 0)], INK, 5)
    return placed(x, y, posts, back, box(-80, -40, 160, 11, TAN, 3), scale=scale)


def chair(x: float, y: float, flip: bool = False) -> str:
    """Seen from the side, placed by the foot of its back."""
    return placed(x, y, stroke("M0 0V-134M0-62H48V0", BROWN, 7), flip=flip)


def table(x: float, y: float, width: float, height: float, cloth: str) -> str:
    half = width / 2
    legs = line([(-half + 16, -height), (-half + 16, 0)], BROWN, 9) + line(
        [(half - 16, -height), (half - 16, 0)], BROWN, 9
    )
    drop = shape(f"M{-half:g} {-height:g}h{width:g}l-5 24h{10 - width:g}z", cloth)
    return placed(
        x, y, legs, drop, box(-half - 4, -height - 5, width + 8, 11, cloth, 5)
    )


def cake(x: float, y: float, candles: int = 3) -> str:
    base = oval(0, -1, 56, 7, GREY) + box(-44, -36, 88, 36, PINK, 6)
    icing = shape(
        "M-44-28Q-44-44-34-44H34Q44-44 44-28Q33-14 22-28Q11-14 0-28Q-11-14-22-28Q-33-14-44-28z",
        WHITE,
    )
    places = [18 * (i - (candles - 1) / 2) for i in range(candles)]
    sticks = "".join(line([(cx, -45), (cx, -60)], BLUE, 4) for cx in places)
    flames = "".join(oval(cx, -68, 3.5, 6, ORANGE) for cx in places)
    return placed(x, y, base, icing, sticks, flames)


def party_balloon(x: float, y: float, colour: str, foot: Point) -> str:
    string = stroke(
        f"M{x:g} {y + 27:g}Q{x - 8:g} {y + 70:g} {foot[0]:g} {foot[1]:g}", SLATE, 1.5
    )
    knot = shape(f"M{x - 5:g} {y + 32:g}h10l-5-8z", colour)
    return (
        string
        + knot
        + oval(x, y, 21, 26, colour)
        + faded(0.4, oval(x - 7, y - 9, 5, 8, WHITE))
    )


def cup(x: float, y: float, colour: str, steam: bool = True) -> str:
    bowl = stroke("M10-14q9 0 8 6t-10 4", colour, 3) + shape(
        "M-12-18H12L9 0H-9z", colour
    )
    vapour = (
        faded(0.8, stroke("M-4-24q-4-5 0-9t0-9M5-24q-4-5 0-9t0-9", WHITE, 2))
        if steam
        else ""
    )
    return placed(x, y, oval(0, 0, 17, 3, WHITE), bowl, vapour)


def tent(x: float, y: float, scale: float = 1, colour: str = ORANGE) -> str:
    sides = shape("M-80 0L-6-96L80 0z", colour) + shape("M-80 0L-6-96L-22 0z", YELLOW)
    door = shape("M8 0L-6-96L46 0z", DARK_BROWN)
    return placed(
        x, y, line([(-6, -96), (-6, -106)], BROWN, 4), sides, door, scale=scale
    )


def campfire(x: float, y: float, scale: float = 1) -> str:
    glow = faded(0.15, disc(0, -24, 76, SUN)) + faded(0.2, disc(0, -24, 48, SUN))
    flame = shape(
        "M0-70Q30-38 22-14Q16 2 0 2Q-18 2-22-16Q-24-30-12-42Q-10-30-6-32Q-10-50 0-70z",
        ORANGE,
    )
    core = shape("M2-42Q16-22 11-9Q7 0 0 0Q-10 0-11-11Q-11-20-4-26Q0-30 2-42z", SUN)
    logs = line([(-28, 6), (26, -4)], BROWN, 10) + line(
        [(-26, -4), (28, 6)], DARK_BROWN, 10
    )
    return placed(x, y, glow, flame, core, logs, scale=scale)


def car(x: float, y: float, colour: str, scale: float = 1) -> str:
    cabin = shape("M-50-44Q-44-82-30-82H26Q38-82 56-44z", colour)
    glass = shape("M-38-48Q-34-73-26-73H-4V-48z", WATER_LIGHT) + shape(
        "M4-73H24Q32-72 44-48H4z", WATER_LIGHT
    )
    body = (
        box(-88, -50, 176, 38, colour, 14)
        + box(78, -38, 11, 10, SUN, 4)
        + box(-89, -38, 9, 10, ORANGE, 3)
    )
    trim = box(-84, -24, 168, 5, WHITE) + line([(8, -40), (18, -40)], INK, 3)
    wheels = "".join(
        disc(wx, -14, 17, INK) + disc(wx, -14, 8, GREY) for wx in (-50, 52)
    )
    return placed(x, y, cabin, glass, body, trim, wheels, scale=scale)


def luggage(x: float, y: float) -> str:
    rack = line([(-38, 0), (36, 0)], INK, 3)
    cases = box(-36, -22, 40, 20, BROWN, 4) + box(7, -16, 27, 14, TEAL, 4)
    straps = stroke("M-26-22v20M-8-22v20M20-16v14", CREAM, 2.5)
    return placed(x, y, rack, cases, straps)


def bicycle(x: float, y: float, colour: str) -> str:
    wheels = "".join(
        tag("circle", cx=wx, cy=-30, r=28, fill="none", stroke=INK, stroke_width=4)
        + disc(wx, -30, 4, INK)
        for wx in (-44, 46)
    )
    frame = stroke("M-44-30L-18-72L2-30zM-16-66H30M2-30L30-70L46-30", colour, 5)
    steering = stroke("M31-70L28-88H38", INK, 4) + line(
        [(-28, -76), (-10, -76)], INK, 7
    )
    return placed(x, y, wheels, frame, steering, disc(2, -30, 7, SLATE))


def sailboat(x: float, y: float, scale: float = 1) -> str:
    mast = line([(0, -10), (0, -150)], DARK_BROWN, 5)
    sails = shape("M6-148Q58-90 66-34H6z", WHITE) + shape(
        "M-6-132Q-30-80-46-34H-6z", CREAM
    )
    hull = shape("M-68-26H78Q66 4 44 6H-40Q-62 4-68-26z", RED) + box(
        -66, -26, 142, 6, WHITE
    )
    pennant = shape("M0-150l-20-7 20-7z", YELLOW) + line(
        [(0, -150), (0, -164)], DARK_BROWN, 3
    )
    return placed(x, y, mast, pennant, sails, hull, scale=scale)


def rowing_boat(x: float, y: float) -> str:
    hull = shape("M-96-34Q0-22 96-34Q84 6 54 8H-56Q-84 6-96-34z", TEAL)
    return placed(x, y, hull, stroke("M-94-33Q0-21 94-33", CREAM, 5))


def hot_air_balloon(x: float, y: float, scale: float = 1) -> str:
    skin = shape(
        "M0-150C70-150 86-90 66-52Q46-18 18 8H-18Q-46-18-66-52C-86-90-70-150 0-150z",
        RED,
    )
    stripe = shape(
        "M0-150C40-150 48-90 36-48Q24-14 10 8H-10Q-24-14-36-48C-48-90-40-150 0-150z",
        YELLOW,
    )
    middle = shape(
        "M0-150C16-150 20-90 14-48Q10-14 4 8H-4Q-10-14-14-48C-20-90-16-150 0-150z", RED
    )
    ropes = stroke("M-16 8L-20 52M16 8L20 52", DARK_BROWN, 2)
    return placed(x, y, ropes, skin, stripe, middle, scale=scale)


def wicker(x: float, y: float, width: float, height: float) -> str:
    weave = stroke(f"M{-width / 2 + 4:g} {-height / 2:g}h{width - 8:g}", TAN, 3)
    rim = box(-width / 2 - 3, -height - 3, width + 6, 7, DARK_BROWN, 3)
    return placed(x, y, box(-width / 2, -height, width, height, BROWN, 6), weave, rim)


# Things to hold, wear, eat and play with


def ball(x: float, y: float, radius: float, colour: str = RED) -> str:
    band = stroke(
        f"M{-radius + 2:g} -2Q0 {radius * 0.6:g} {radius - 2:g} -2", WHITE, radius / 4
    )
    return placed(x, y, disc(0, -radius, radius, colour), placed(0, -radius, band))


def football(x: float, y: float, radius: float) -> str:
    spots = dots([(0, 0), (-9, -6), (9, -6), (-5, 9), (6, 9)], INK, 6)
    return placed(x, y - radius, disc(0, 0, 15, WHITE), spots, scale=radius / 15)


def kite(x: float, y: float, scale: float = 1) -> str:
    tail = stroke("M0 44q14 10 2 22t4 22t-6 20", NAVY, 2)
    bows = "".join(
        shape(f"M{bx} {by}l-8-5v10zl8-5v10z", RED) for bx, by in ((4, 64), (4, 86))
    )
    left, right = (
        shape("M0-44L-30 0L0 44z", YELLOW),
        shape("M0-44L30 0L0 44z", ORANGE),
    )
    cross = stroke("M0-44V44M-30 0H30", WHITE, 2)
    return placed(x, y, tail, bows, left, right, cross, scale=scale, turn=28)


def thread(start: Point, end: Point, sag: float, colour: str = SLATE) -> str:
    (x, y), (to_x, to_y) = start, end
    middle = f"{(x + to_x) / 2:g} {(y + to_y) / 2 + sag:g}"
    return stroke(f"M{x:g} {y:g}Q{middle} {to_x:g} {to_y:g}", colour, 1.5)


def umbrella(x: float, y: float, colour: str, scale: float = 1, turn: float = 0) -> str:
    """Placed by the hand that holds it."""
    handle = stroke("M0-72V4q0 8-7 8", DARK_BROWN, 4)
    edge = "Q48-72 38-62Q28-72 19-62Q9-72 0-62Q-9-72-19-62Q-28-72-38-62Q-48-72-58-62z"
    roof = shape(f"M-58-62A58 52 0 0 1 58-62{edge}", colour)
    ribs = faded(0.3, stroke("M0-112Q-20-92-19-64M0-112Q20-92 19-64", INK, 2))
    tip = line([(0, -114), (0, -122)], DARK_BROWN, 4)
    return placed(x, y, handle, tip, roof, ribs, scale=scale, turn=turn)


def parasol(x: float, y: float) -> str:
    roof = shape("M-70-120A70 58 0 0 1 70-120z", RED)
    stripes = shape("M-42-120Q-36-160 0-177Q-16-150-16-120z", WHITE) + shape(
        "M42-120Q36-160 0-177Q16-150 16-120z", WHITE
    )
    return placed(x, y, line([(0, 0), (0, -176)], WHITE, 5), roof, stripes, turn=8)


def ladder(x: float, y: float, height: float, turn: float) -> str:
    rungs = "".join(f"M-13 {-step}h26" for step in range(16, int(height), 22))
    rails = stroke(f"M-13 0V{-height:g}M13 0V{-height:g}", TAN, 5)
    return placed(x, y, rails, stroke(rungs, TAN, 4), turn=turn)


def apples(points: Iterable[Point], radius: float = 7) -> str:
    return "".join(
        disc(x, y, radius, RED)
        + line([(x, y - radius), (x + 2, y - radius - 4)], DARK_BROWN, 2)
        for x, y in points
    )


def ice_cream(x: float, y: float, turn: float = 0) -> str:
    cone = shape("M-9 0H9L0 28z", TAN)
    return placed(x, y, disc(0, -7, 11, PINK), cone, turn=turn)


def guitar(x: float, y: float) -> str:
    neck = line([(0, 0), (62, -28)], DARK_BROWN, 6) + line(
        [(58, -26), (68, -31)], INK, 9
    )
    body = placed(
        0, 0, oval(-8, 0, 20, 17, ORANGE), oval(12, 0, 14, 13, ORANGE), turn=-24
    )
    strings = stroke("M-13 5L62-28", CREAM, 1)
    return placed(x, y, body, disc(3, -1, 6, DARK_BROWN), neck, strings)


def watering_can(x: float, y: float, scale: float = 1) -> str:
    """Placed by the hand that holds its handle."""
    spout = line([(14, 20), (38, 4)], TEAL, 6) + line([(34, -1), (42, 9)], TEAL, 5)
    handle = stroke("M-12 8Q-10-4 2-2Q12 0 14 10", TEAL, 4)
    water = stroke("M42 10q7 6 9 20M45 6q11 8 14 26M38 12q4 8 4 20", WATER_DARK, 2)
    return placed(x, y, water, spout, handle, box(-16, 8, 32, 28, TEAL, 5), scale=scale)


def bucket(x: float, y: float, colour: str = BLUE) -> str:
    return placed(
        x,
        y,
        stroke("M-13-26Q0-46 13-26", SLATE, 2.5),
        shape("M-15-26H15L11 0H-11z", colour),
    )


def sandcastle(x: float, y: float) -> str:
    def tower(tx: float, width: float, height: float) -> str:
        teeth = "".join(
            box(tx + step, -height - 7, width / 5, 8, SAND_DARK)
            for step in (0, width * 0.4, width * 0.8)
        )
        return box(tx, -height, width, height, SAND_DARK) + teeth

    wall = box(-50, -30, 100, 30, "#d4b578")
    gate = shape("M-10 0V-14A10 10 0 0 1 10-14V0z", BROWN)
    flag = line([(0, -66), (0, -94)], BROWN, 3) + shape("M1-94l22 7-22 7z", RED)
    towers = tower(-60, 28, 46) + tower(32, 28, 46) + tower(-17, 34, 62)
    return placed(x, y, flag, wall, towers, gate)


def sled(x: float, y: float, scale: float = 1, turn: float = 0) -> str:
    runner = stroke("M-46 0H44Q62 0 60-20", DARK_BROWN, 5)
    deck = line([(-44, -15), (48, -15)], RED, 8) + stroke(
        "M-30-12V0M30-12V0", DARK_BROWN, 4
    )
    return placed(x, y, runner, deck, scale=scale, turn=turn)


def snowman(x: float, y: float) -> str:
    balls = disc(0, -34, 38, SNOW) + disc(0, -92, 28, SNOW) + disc(0, -134, 21, SNOW)
    shade = stroke("M22-6Q36-20 31-44M20-76Q27-86 23-102", SNOW_SHADE, 5)
    arms = stroke(
        "M-25-98L-56-118M-46-112l-4-14M25-98L56-112M46-108l8-12", DARK_BROWN, 4
    )
    face = dots([(-7, -139), (7, -139), (0, -100), (0, -86), (0, -40)], INK, 5)
    smile = stroke("M-8-126Q0-119 8-126", INK, 2.5) + shape("M0-135l20 4-20 4z", ORANGE)
    hat = (
        box(-24, -155, 48, 6, INK, 2)
        + box(-16, -180, 32, 27, INK, 3)
        + box(-16, -162, 32, 7, RED)
    )
    scarf = line([(-18, -115), (18, -115)], RED, 9) + line(
        [(12, -114), (17, -90)], RED, 9
    )
    return placed(x, y, arms, balls, shade, scarf, face, smile, hat)


# Animals


def running_dog(
    x: float, y: float, coat: str = TAN, scale: float = 1, flip: bool = False
) -> str:
    far = stroke("M-26-34L-46-16L-58-20M24-34L44-18L56-24", DARK_BROWN, 8)
    near = stroke("M-28-34L-38-12L-54-6M28-34L52-28L62-38", coat, 9)
    tail = stroke("M-36-46Q-54-50-60-70", coat, 8)
    body = box(-42, -58, 80, 30, coat, 15)
    head = (
        line([(32, -52), (46, -68)], coat, 20)
        + oval(50, -72, 19, 16, coat)
        + oval(66, -67, 13, 9, coat)
    )
    face = (
        disc(77, -70, 4.5, INK)
        + disc(55, -77, 2.6, INK)
        + stroke("M62-61q6 3 11-1", INK, 2)
    )
    tongue = oval(66, -56, 4, 6, PINK)
    ear = shape("M38-86Q28-84 24-62Q34-56 42-66Q46-80 38-86z", DARK_BROWN)
    collar = line([(30, -64), (42, -50)], RED, 5)
    return placed(
        x,
        y,
        far,
        tail,
        near,
        body,
        tongue,
        head,
        collar,
        face,
        ear,
        scale=scale,
        flip=flip,
    )


def sitting_dog(
    x: float, y: float, coat: str = TAN, scale: float = 1, flip: bool = False
) -> str:
    tail = stroke("M-24-8Q-46-8-48-28", coat, 8)
    body = shape("M-6-66Q-34-40-32-8Q-31 0-20 0H18Q22-40 16-64z", coat) + oval(
        -16, -8, 20, 12, coat
    )
    legs = (
        line([(10, -40), (11, -5)], coat, 10)
        + oval(15, -4, 10, 5, coat)
        + oval(-8, -4, 11, 5, coat)
    )
    head = oval(8, -78, 21, 18, coat) + oval(25, -72, 13, 9, coat)
    face = (
        disc(36, -75, 4.5, INK)
        + disc(15, -83, 2.6, INK)
        + stroke("M20-65q6 3 11-1", INK, 2)
    )
    ear = shape("M-4-92Q-18-84-18-66Q-8-58-1-68Q4-82-4-92z", DARK_BROWN)
    collar = line([(-7, -61), (15, -58)], RED, 5)
    return placed(
        x, y, tail, body, legs, head, collar, face, ear, scale=scale, flip=flip
    )


def sitting_cat(
    x: float, y: float, coat: str = INK, scale: float = 1, eyes: str = YELLOW
) -> str:
    tail = stroke("M20-6Q46-4 44-26Q42-40 52-44", coat, 8)
    body = shape("M0-60Q-28-34-24 0H24Q28-34 0-60z", coat)
    head = oval(0, -66, 22, 18, coat) + shape(
        "M-21-70L-19-94L-4-82zM21-70L19-94L4-82z", coat
    )
    face = (
        disc(-8, -68, 4, eyes)
        + disc(8, -68, 4, eyes)
        + dots([(-8, -68), (8, -68)], INK, 3)
    )
    nose = shape("M-3-61h6l-3 4z", PINK)
    whiskers = stroke("M-12-60l-16-2M-12-57l-15 4M12-60l16-2M12-57l15 4", GREY, 1.2)
    return placed(x, y, tail, body, head, face, nose, whiskers, scale=scale)


def sleeping_cat(x: float, y: float, coat: str = ORANGE, scale: float = 1) -> str:
    body = shape("M-52 0Q-60-44-8-46Q50-46 50-14Q50 0 40 0z", coat)
    tail = stroke("M40-6Q10 2-12-6", "#d98540", 10)
    stripes = stroke("M0-45v12M14-45v13M28-41v11", "#d98540", 5)
    head = oval(-36, -20, 22, 18, coat) + shape(
        "M-56-26L-57-48L-42-36zM-18-28L-18-48L-32-37z", coat
    )
    face = stroke("M-48-20q4 4 8 0M-34-20q4 4 8 0", INK, 2) + shape(
        "M-40-14h6l-3 4z", PINK
    )
    return placed(x, y, body, stripes, tail, head, face, scale=scale)


def duck(
    x: float,
    y: float,
    scale: float = 1,
    coat: str = BROWN,
    head: str = BROWN,
    wing: str = TAN,
) -> str:
    body = shape("M-40-24Q-24-20-10-22Q14-26 34-14Q34 8 6 8Q-30 10-40-24z", coat)
    neck = line([(26, -12), (28, -36)], head, 15) + disc(29, -40, 13, head)
    beak = shape("M39-45Q56-42 56-36Q48-32 39-35z", ORANGE)
    feather = shape("M-26-16Q-4-20 14-8Q2 4-14 0Q-24-6-26-16z", wing)
    return placed(x, y, body, neck, beak, feather, disc(33, -43, 2.4, INK), scale=scale)


# People


@dataclass(frozen=True)
class Look:
    skin: str = FAIR
    hair: str = BROWN_HAIR
    style: str = "short"
    top: str = BLUE
    bottom: str = NAVY
    dress: bool = False
    hat: str = ""
    hat_colour: str = RED


STAND: tuple[Limb, Limb] = ([(-7, -42), (-8, -3)], [(7, -42), (8, -3)])
RUN: tuple[Limb, Limb] = (
    [(-5, -42), (-14, -22), (-34, -20)],
    [(5, -42), (21, -28), (20, -4)],
)
JUMP: tuple[Limb, Limb] = (
    [(-6, -42), (-20, -26), (-14, -6)],
    [(6, -42), (20, -26), (14, -6)],
)
SIT: tuple[Limb, Limb] = (
    [(-4, -42), (18, -42), (18, -3)],
    [(4, -42), (28, -41), (28, -3)],
)
CROUCH: tuple[Limb, Limb] = (
    [(-5, -42), (16, -58), (26, -36)],
    [(5, -42), (26, -58), (38, -36)],
)
STRETCH: tuple[Limb, Limb] = (
    [(-3, -42), (24, -44), (46, -38)],
    [(3, -42), (28, -40), (50, -34)],
)
RIDE: tuple[Limb, Limb] = (
    [(-2, -40), (22, -38), (14, -8)],
    [(0, -40), (26, -22), (20, 4)],
)
KICK: tuple[Limb, Limb] = (
    [(-5, -42), (-10, -22), (-12, -3)],
    [(5, -42), (20, -30), (36, -18)],
)
HIDDEN: tuple[Limb, Limb] = ([(-7, -44), (-7, -44)], [(7, -44), (7, -44)])


@dataclass(frozen=True)
class Pose:
    left: Point = (-22, -46)
    right: Point = (22, -46)
    legs: tuple[Limb, Limb] = field(default=STAND)


def person(
    x: float,
    y: float,
    look: Look,
    pose: Pose | None = None,
    mood: str = "happy",
    scale: float = 1,
    flip: bool = False,
    gaze: float = 0,
) -> str:
    pose = pose or Pose()
    body = [
        legs(look, pose),
        torso(look),
        arm(-12, pose.left, look),
        arm(12, pose.right, look),
    ]
    parts = [back_hair(look), *body, head(look, mood, gaze)]
    return placed(x, y, *parts, scale=scale, flip=flip)


def legs(look: Look, pose: Pose) -> str:
    colour, width = (look.skin, 8) if look.dress else (look.bottom, 12)
    limbs = "".join(line(leg, colour, width) for leg in pose.legs)
    shoes = "".join(
        oval(leg[-1][0] + 2, leg[-1][1], 9, 5, DARK_BROWN) for leg in pose.legs
    )
    return limbs if pose.legs == HIDDEN else limbs + shoes


def torso(look: Look) -> str:
    if look.dress:
        return shape("M-12-84Q0-91 12-84L26-30Q0-22-26-30z", look.top)
    return box(-16, -87, 32, 50, look.top, 10)


def arm(shoulder: float, hand: Point, look: Look) -> str:
    x, y = hand
    middle = f"{(shoulder + x) / 2 + shoulder / 3:g} {(y - 77) / 2 + 6:g}"
    sleeve = stroke(f"M{shoulder:g}-78Q{middle} {x:g} {y:g}", look.top, 9)
    return sleeve + disc(x, y, 5.5, look.skin)


def head(look: Look, mood: str, gaze: float) -> str:
    neck = box(-5, -94, 10, 12, look.skin, 4)
    skull = disc(0, -106, 18, look.skin)
    return (
        neck
        + skull
        + front_hair(look)
        + placed(gaze, -104, face(look, mood))
        + hat(look)
    )


EYES = {"asleep": stroke("M-10-2q3 3 6 0M4-2q3 3 6 0", INK, 2)}
MOUTHS = {
    "happy": stroke("M-6 5Q0 11 6 5", INK, 2),
    "delighted": shape("M-7 4H7Q6 13 0 13Q-6 13-7 4z", "#a5453c"),
    "calm": stroke("M-4 7H4", INK, 2),
    "sad": stroke("M-5 9Q0 4 5 9", INK, 2),
    "crying": oval(0, 8, 5, 4, "#a5453c"),
    "surprised": oval(0, 7, 3.5, 4, "#a5453c"),
}
BROWS = stroke("M-11-8l7-3M11-8l-7-3", INK, 1.8)
TEARS = "".join(shape(f"M{x} 1q5 7 0 9q-5-2 0-9z", WATER_DARK) for x in (-10, 10))


def face(look: Look, mood: str) -> str:
    eyes = EYES.get(mood, dots([(-7, -2), (7, -2)], INK, 4.5))
    cheeks = faded(0.35, disc(-10, 4, 4, RED), disc(10, 4, 4, RED))
    beard = shape("M-14 2Q-12 20 0 22Q12 20 14 2Q0 0-14 2z", look.hair)
    base = beard + cheeks if look.style == "beard" else cheeks
    sorrow = (BROWS if mood in ("sad", "crying") else "") + (
        TEARS if mood == "crying" else ""
    )
    return base + eyes + sorrow + MOUTHS.get(mood, MOUTHS["calm"])


def back_hair(look: Look) -> str:
    styles = {
        "long": box(-21, -124, 42, 52, look.hair, 17),
        "bob": box(-21, -124, 42, 38, look.hair, 16),
        "pigtails": disc(-22, -104, 9, look.hair) + disc(22, -104, 9, look.hair),
        "bun": disc(0, -129, 10, look.hair),
        "curly": "".join(disc(dx, dy - 106, 11, look.hair) for dx, dy in CURLS),
    }
    return styles.get(look.style, "")


CURLS = ((-17, 0), (17, 0), (-14, -12), (14, -12), (0, -18), (-19, 10), (19, 10))
FRINGE = "M-19-102Q-20-126 0-126Q20-126 19-102Q14-112 6-116Q-6-110-19-102z"


def front_hair(look: Look) -> str:
    return shape(FRINGE, look.hair)


def hat(look: Look) -> str:
    colour = look.hat_colour
    hats = {
        "straw": oval(0, -117, 30, 6, colour)
        + shape("M-16-117Q-16-138 0-138Q16-138 16-117z", colour),
        "woolly": box(-19, -122, 38, 9, WHITE, 4)
        + shape("M-17-121Q-16-142 0-142Q16-142 17-121z", colour)
        + disc(0, -143, 6, WHITE),
        "party": shape("M-13-118L0-152L13-118Q0-114-13-118z", colour)
        + disc(0, -152, 5, YELLOW),
        "cap": shape("M-18-114Q-18-130 0-130Q18-130 18-114z", colour)
        + box(0, -118, 28, 6, colour, 3),
        "hood": stroke(
            "M-15-90Q-24-102-18-116Q-10-128 0-128Q10-128 18-116Q24-102 15-90", colour, 9
        ),
    }
    return hats.get(look.hat, "")
