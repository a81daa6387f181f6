import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

from tercet import metrics
from tercet.analysis.figures import style
from tercet.analysis.figures.curves import accuracy_figure
from tercet.analysis.figures.style import metric_styles, render, variables
from tercet.analysis.figures.svg import for_pages
from tercet.analysis.report import folder
from tests.analysis.figures.test_curves import table

NOTHING = pd.DataFrame()
SHEET = Path(folder.__file__).parent / "static" / "plots.css"
MATPLOTLIB = b"""<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
 <metadata><dc:description xmlns:dc="http://purl.org/dc/elements/1.1/">made of</dc:description>
 </metadata>
 <defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
 <g id="figure_1"><g id="series-cider">
   <defs><path id="m1" d="M 0.123456 3
L 10 2
" style="stroke: #c2410c"/></defs>
   <g clip-path="url(#p1)">
    <use xlink:href="#m1" x="1.00001" style="stroke: #c2410c; fill: none"/>
    <use xlink:href="#m1" x="2" style="stroke: #c2410c; fill: #123456"/>
   </g></g></g>
 <g id="series-cider"><text style="font-family: 'DejaVu Sans', sans-serif"
  transform="rotate(-0 1 2)">a &lt; b</text></g>
 <defs><clipPath id="p1"><rect/></clipPath></defs>
</svg>"""
COLOURS = {"#c2410c": "series-1"}


def drawn(name: str = "accuracy") -> str:
    made = table(["HC", "MM"])
    figure = accuracy_figure(made, NOTHING, NOTHING)
    return render(figure, "svg", "made of", name).decode()


def test_a_file_of_matplotlib_becomes_a_part_of_a_page() -> None:
    series = "var(--series-1, #c2410c)"
    assert for_pages(MATPLOTLIB, "gains", COLOURS).decode() == (
        '<svg font-family="DejaVu Sans, sans-serif" stroke-linejoin="round" '
        'xmlns="http://www.w3.org/2000/svg"><metadata>made of</metadata><defs />'
        '<g id="gains-series-cider-1" class="series-cider">'
        f'<defs><path id="gains-1" d="M0.1235 3L10 2" stroke="{series}" /></defs>'
        f'<g clip-path="url(#gains-2)" stroke="{series}">'
        '<use x="1" fill="none" href="#gains-1" />'
        '<use x="2" fill="#123456" href="#gains-1" /></g></g>'
        '<g id="gains-series-cider-2" class="series-cider"><text>a &lt; b</text></g>'
        '<defs><clipPath id="gains-2"><rect /></clipPath></defs></svg>'
    )


def test_every_colour_is_a_variable_of_the_page() -> None:
    svg = drawn()
    assert "style=" not in svg

    colours = re.findall(r"(?<!, )#[0-9a-f]{6}", svg)
    assert set(colours) == set()

    names = dict(re.findall(r"var\(--([\w-]+), (#[0-9a-f]{6})\)", svg))
    assert {name: variables()[colour] for name, colour in names.items()} == {
        name: name for name in names
    }


def test_each_series_has_its_class_and_ids_of_its_own() -> None:
    svg = drawn() + drawn("accuracy-narrow")
    ids = re.findall(r' id="([^"]*)"', svg)

    assert len(set(ids)) == len(ids)
    assert {"accuracy-series-bleu-1-1", "accuracy-narrow-series-cider-1"} <= set(ids)

    references = re.findall(r'(?:href="|url\()#([\w-]+)', svg)
    assert set(references) <= set(ids)


def test_the_same_plot_is_the_same_bytes() -> None:
    assert drawn() == drawn()


@pytest.mark.parametrize("name", sorted(set(variables().values())))
def test_the_style_sheet_has_the_colour_of_the_file_for_light_pages(name: str) -> None:
    sheet = SHEET.read_text()
    [value] = re.findall(rf"--{name}: (.*);", sheet)
    colour = next(colour for colour, each in variables().items() if each == name)

    if value.startswith("light-dark("):
        assert value.startswith(f"light-dark({colour}, #")
    elif value.startswith("color-mix("):
        hue = to_rgb(style.HUES[int(name.split("-")[1]) - 1])
        other, share = (
            ("#808080", 0.55) if name.endswith("-grey") else (style.TEXT, 0.5)
        )
        assert ("45%, #808080" in value) == name.endswith("-grey")
        mixed = [
            (1 - share) * a + share * b for a, b in zip(hue, to_rgb(other), strict=True)
        ]
        assert to_hex((mixed[0], mixed[1], mixed[2])) == colour
    else:
        assert value in {"var(--ink)", "var(--sheet, var(--paper))"}


def test_no_two_things_have_one_colour() -> None:
    names = variables()
    assert len(set(names.values())) == len(names) == 6 + 3 * len(style.HUES)

    styles = metric_styles(metrics.names_with_extras())
    assert {each.colour for each in styles.values()} <= names.keys()
