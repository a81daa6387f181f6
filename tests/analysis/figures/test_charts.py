from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from tercet import metrics
from tercet.analysis.figures.curves import reliability_figure
from tercet.analysis.figures.differences import (
    difference_figure,
    gains_figure,
    inflation_figure,
)
from tercet.analysis.figures.heatmap import cell_text, heatmap_figure, text_colour
from tercet.analysis.figures.panels import TITLES
from tercet.analysis.figures.points import (
    humans_figure,
    protocols_figure,
    single_count_figure,
    strata_figure,
)
from tercet.analysis.figures.style import (
    CELL_TEXT,
    GRID,
    PAPER,
    SHADE,
    TEXT,
    Look,
    figure_settings,
    render,
)
from tercet.analysis.figures.systems import systems_figure
from tercet.analysis.scoring.headline import HEADLINE
from tercet.analysis.tables.schema import CATEGORIES, GROUPS, PEOPLE
from tercet.analysis.values import percent_interval
from tercet.metrics import FloatArray
from tests.analysis.frames import rows_with

SVG = "{http://www.w3.org/2000/svg}"
LONG = (
    "CIDEr",
    "outside-metric-ViT-B-32-references",
    "another-outside-metric-of-ours-v2",
    "SPICE",
)

Draw = Callable[..., Figure]


def rows(value: str, **columns: Sequence[Any]) -> pd.DataFrame:
    """Every combination of the columns, with a value around a half and its interval."""
    table = pd.DataFrame(list(product(*columns.values())), columns=list(columns))
    table[value] = 0.5 + 0.2 * np.random.default_rng(0).standard_normal(
        len(table)
    ).clip(-2, 2)

    return table.assign(low=table[value] - 0.04, high=table[value] + 0.04)


def differences(names: Sequence[str] = HEADLINE) -> pd.DataFrame:
    others = [name for name in (*names, "random") if name != "CIDEr"][
        : max(len(names) - 1, 1)
    ]
    table = rows("difference", metric_b=others, reference_count=range(1, 49))

    return table.assign(metric_a="CIDEr", category="mean", p_adjusted=0.012)


def gains(names: Sequence[str] = HEADLINE) -> pd.DataFrame:
    counts = [1, 2, 4, 8, 16, 32, 48]
    table = rows("gain", metric=names, from_count=counts[:-1])
    return table.assign(to_count=table["from_count"].map(dict(pairwise(counts))))


def inflation(names: Sequence[str] = HEADLINE) -> pd.DataFrame:
    return rows("inflation", metric=names, reference_count=range(1, 25))


def fractions(names: Sequence[str] = HEADLINE, sources: int = 5) -> pd.DataFrame:
    table = rows(
        "fraction",
        rater=[PEOPLE, *names],
        source=[f"system {n}" for n in range(sources)],
    )
    bounds = table[["fraction", "low", "high"]]
    strength = 2 * bounds - 1
    strength.columns = pd.Index(["strength", "strength_low", "strength_high"])

    return table.assign(pairs=100, wins=100 * table["fraction"]).join(strength)


def split(
    names: Sequence[str] = HEADLINE, groups: Sequence[str] = GROUPS
) -> pd.DataFrame:
    return rows("accuracy", rater=[PEOPLE, *names], category=groups)


def strata(names: Sequence[str] = HEADLINE) -> pd.DataFrame:
    return rows("accuracy", stratum=["contested", "middle", "clear"], metric=names)


def protocols(
    names: Sequence[str] = HEADLINE, groups: Sequence[str] = GROUPS
) -> pd.DataFrame:
    return rows(
        "accuracy", protocol=["triplet", "pairwise"], metric=names, category=groups
    )


def reliability() -> pd.DataFrame:
    return rows("agreement", votes=[1, 3, 5, 7, 9, 11, 13, 15, 21, 31, 47]).assign(
        pairs=400
    )


CHARTS: dict[str, tuple[Draw, Callable[..., pd.DataFrame]]] = {
    "differences": (difference_figure, differences),
    "gains": (gains_figure, gains),
    "inflation": (inflation_figure, inflation),
    "systems": (systems_figure, fractions),
    "humans": (humans_figure, split),
    "strata": (strata_figure, strata),
    "protocols": (protocols_figure, protocols),
}
"""Those that show metrics, each with what makes its table from their names."""
every = pytest.mark.parametrize(("draw", "made"), CHARTS.values(), ids=CHARTS)


@cache
def drawn(draw: Draw, made: Callable[..., pd.DataFrame], *names: str) -> bytes:
    """A light chart of these metrics as SVG."""
    return render(draw(made(names)), "svg")


def matrices(names: Sequence[str]) -> dict[str, pd.DataFrame]:
    values = np.random.default_rng(0).uniform(-0.4, 1, (2, len(names), len(names)))
    titles = ("Cohen's kappa of preferences", "Spearman correlation of scores")
    return {
        title: pd.DataFrame(each, list(names), list(names))
        for title, each in zip(titles, values, strict=True)
    }


def texts(figure: Figure) -> list[str]:
    svg = render(figure, "svg")
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def panels(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.axison]


def rows_of(figure: Figure) -> list[str]:
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def legend_of(figure: Figure) -> list[str]:
    [legend] = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def points(line: Line2D) -> FloatArray:
    return np.asarray(line.get_xydata(), dtype=float)


def bars(figure: Figure) -> int:
    found = (c for axes in panels(figure) for c in axes.collections)
    return sum(len(c.get_segments()) for c in found if isinstance(c, LineCollection))


def laid_out(figure: Figure) -> None:
    FigureCanvasAgg(figure)
    with figure_settings():
        figure.draw_without_rendering()


def visible(figure: Figure) -> list[Text]:
    """All texts but numbers, of which matplotlib keeps some out of sight."""
    laid_out(figure)
    found = [
        text
        for text in figure.findobj(Text)
        if isinstance(text, Text) and text.get_text()
    ]
    shown = [text for text in found if text.axes is None or text.axes.axison]

    return [text for text in shown if not text.get_text().isdigit()]


def outside(figure: Figure, found: Sequence[Text] = ()) -> list[str]:
    """The texts that the edge of the figure cuts, of those found in it before or of all."""
    edge = figure.bbox.padded(1)
    found = found or visible(figure)
    boxes = [(text.get_text(), text.get_window_extent()) for text in found]
    return [
        text
        for text, box in boxes
        if not (edge.contains(*box.min) and edge.contains(*box.max))
    ]


@every
@pytest.mark.parametrize(
    "names", [HEADLINE, ("CIDEr",), LONG], ids=["headline", "one", "long"]
)
def test_every_metric_is_named_and_nothing_is_cut(
    draw: Draw, made: Callable[..., pd.DataFrame], names: Sequence[str]
) -> None:
    table = made(names)
    figure = draw(table)
    found = visible(figure)
    shown = "".join("".join(text.get_text().split()) for text in found)

    column = next(name for name in ("metric", "rater", "metric_b") if name in table)
    assert all(name in shown for name in table[column])
    assert not outside(figure, found)
    assert figure.get_figwidth() <= 10.5


@every
def test_text_is_text(draw: Draw, made: Callable[..., pd.DataFrame]) -> None:
    shown = texts(draw(made(("CIDEr", "$5 and $6"))))
    assert "$5 and $6" in " ".join(shown)


@every
def test_points_without_intervals_are_drawn_without_bars(
    draw: Draw, made: Callable[..., pd.DataFrame]
) -> None:
    table = made(("CIDEr", "METEOR"))
    bounds = [name for name in map(str, table) if name.endswith(("low", "high"))]
    none = table.assign(**dict.fromkeys(bounds, np.nan))

    without = draw(none)
    assert bars(without) == 0

    text = render(without, "svg").decode()
    assert "nan" not in text.lower()

    figures = draw(table), without
    lines = [[len(axes.lines) for axes in panels(each)] for each in figures]
    assert lines[0] == lines[1]


@every
def test_the_same_table_gives_the_same_bytes(
    draw: Draw, made: Callable[..., pd.DataFrame]
) -> None:
    assert render(draw(made(("CIDEr",))), "svg") == drawn(draw, made, "CIDEr")


@every
def test_a_figure_is_as_wide_as_a_column(
    draw: Draw, made: Callable[..., pd.DataFrame]
) -> None:
    figure = draw(made(), Look(width=3.3))
    assert figure.get_figwidth() == pytest.approx(3.3)
    assert figure.get_figheight() < 3 * len(HEADLINE)
    assert not outside(figure)


def test_a_difference_has_a_panel_for_each_other_metric_with_its_p() -> None:
    table = differences()
    p = dict(
        zip(
            table["metric_b"].unique(),
            [0.00005, 0.012, 1.0, np.nan, 0.5] * 2,
            strict=True,
        )
    )
    figure = difference_figure(table.assign(p_adjusted=table["metric_b"].map(p)))

    titles = [axes.get_title("left") for axes in panels(figure)]
    assert titles == [
        f"CIDEr \N{MINUS SIGN} {name}" for name in HEADLINE if name != "CIDEr"
    ]

    found = [axes.get_title("right") for axes in panels(figure)]
    assert found == ["p < .001", "p = .012", "p = 1.000", "", "p = .500"] * 2
    assert len({axes.get_ylim() for axes in panels(figure)}) == 1
    assert str(TITLES["mean"]) in texts(figure)


def test_a_difference_is_in_points_on_a_logarithmic_axis_with_zero_in_sight() -> None:
    table = differences(("CIDEr", "METEOR")).assign(difference=0.3, low=0.25, high=0.4)
    [axes] = panels(difference_figure(table))

    assert axes.get_xscale() == "log"
    assert set(points(axes.lines[0])[:, 1]) == {30.0}
    assert axes.get_ylim()[0] < 0 < 40 < axes.get_ylim()[1]


def test_gains_go_by_the_first_gain() -> None:
    table = gains()
    figure = gains_figure(table.sample(frac=1, random_state=0))
    first = table.query("from_count == 1").sort_values("gain", ascending=False)

    metric = list(first["metric"])
    assert legend_of(figure) == metric

    [axes] = panels(figure)
    labels = [label.get_text() for label in axes.get_xticklabels()]

    assert labels == ["1→2", "2→4", "4→8", "8→16", "16→32", "32→48"]

    starts = [points(line)[0, 0] for line in axes.lines[: len(HEADLINE)]]
    assert starts == sorted(starts)
    assert len(set(starts)) == len(starts)


def test_a_gain_has_one_bar_for_each_interval() -> None:
    table = gains()
    assert bars(gains_figure(table)) == len(table)

    table.loc[3, ["low", "high"]] = np.nan
    assert bars(gains_figure(table)) == len(table) - 1


def test_inflation_goes_by_its_last_value_and_names_it() -> None:
    table = inflation()
    last = table.query("reference_count == 24").sort_values(
        "inflation", ascending=False
    )
    numbers = last[["inflation", "low", "high"]]
    values = numbers.to_numpy(dtype=float)

    assert legend_of(inflation_figure(table))[:-1] == [
        f"{name}  {percent_interval(*row)}"
        for name, row in zip(last["metric"], values, strict=True)
    ]


def test_inflation_of_a_metric_without_its_last_values_is_shown_too() -> None:
    table = inflation(("CIDEr", "METEOR"))
    table.loc[
        (table["metric"] == "CIDEr") & (table["reference_count"] > 20), "inflation"
    ] = np.nan
    labels = legend_of(inflation_figure(table))

    assert sorted(label.split()[0] for label in labels[:-1]) == ["CIDEr", "METEOR"]


@pytest.mark.parametrize("sources", [2, 5, 12])
def test_systems_go_by_the_wins_that_people_give(sources: int) -> None:
    table = fractions(sources=sources)
    figure = systems_figure(table)
    of_people = rows_with(table, rater=PEOPLE)
    people = of_people.sort_values("fraction", ascending=False)

    assert rows_of(figure) == [f"{name} (100)" for name in people["source"]]
    assert legend_of(figure)[:-1] == [PEOPLE, *HEADLINE]
    assert bars(figure) == 2 * sources
    assert figure.get_figheight() < 14


def test_marks_of_one_source_do_not_share_a_lane() -> None:
    axes, _ = panels(systems_figure(fractions()))
    lanes = sorted(y for line in axes.lines[:9] for y in points(line)[:, 1])
    assert min(np.diff(lanes)) > 0.05


def test_a_source_without_strength_has_a_point_in_the_first_panel_alone() -> None:
    table = fractions()
    table.loc[
        table["source"] == "system 0", ["strength", "strength_low", "strength_high"]
    ] = np.nan
    counts = [
        sum(len(points(line)) for line in axes.lines[:9])
        for axes in panels(systems_figure(table))
    ]

    assert counts == [45, 36]


def test_humans_have_a_panel_a_category_and_rows_by_the_mean() -> None:
    table = split()
    figure = humans_figure(table)
    titles = [axes.get_title("left").replace("\n", " ") for axes in panels(figure)]

    assert titles == [str(TITLES[group]) for group in (*CATEGORIES, "mean")]

    means = table.query("category == 'mean'").sort_values("accuracy", ascending=False)
    assert rows_of(figure) == list(means["rater"])


def test_one_category_has_one_panel() -> None:
    for groups in (["HC", "all"], ["HC", "mean", "all"]):
        for figure in (
            humans_figure(split(groups=groups)),
            protocols_figure(protocols(groups=groups)),
        ):
            assert [axes.get_title("left") for axes in panels(figure)] == [
                str(TITLES["HC"])
            ]


def test_at_one_count_metrics_have_rows_and_many_categories_several_lines_of_panels() -> (
    None
):
    groups = [f"topic {number}" for number in range(8)]
    table = split(groups=[*groups, "mean"]).rename(columns={"rater": "metric"})
    is_metric = table["metric"] != PEOPLE
    figure = single_count_figure(table[is_metric])

    titles = [axes.get_title("left").replace("\n", " ") for axes in panels(figure)]
    assert titles == [*groups, str(TITLES["mean"])]
    assert set(rows_of(figure)) == set(HEADLINE)

    tops = {round(axes.get_position().y1, 2) for axes in panels(figure)}
    assert len(tops) == 2


def test_a_category_without_accuracies_has_no_panel() -> None:
    for table, draw in ((split(), humans_figure), (protocols(), protocols_figure)):
        table.loc[
            table["category"].isin(["HM", "mean"]), ["accuracy", "low", "high"]
        ] = np.nan
        titles = [axes.get_title("left")[:2] for axes in panels(draw(table))]

        assert titles == ["HC", "HI", "MM"]


def test_strata_stand_in_the_given_order() -> None:
    found = strata()
    figure = strata_figure(found)

    assert [axes.get_title("left") for axes in panels(figure)] == [
        "contested",
        "middle",
        "clear",
    ]

    means = found.groupby("metric")["accuracy"].mean().sort_values(ascending=False)
    assert rows_of(figure) == list(means.index)


def test_a_metric_without_accuracy_in_a_stratum_has_no_point_there() -> None:
    table = strata(("CIDEr", "METEOR"))
    table.loc[0, ["accuracy", "low", "high"]] = np.nan
    figure = strata_figure(table)

    shown = [
        sum(len(points(line)) for line in axes.lines[:2]) for axes in panels(figure)
    ]

    assert shown == [1, 2, 2]


def test_a_metric_under_both_protocols_is_joined() -> None:
    table = protocols(("CIDEr", "METEOR"))
    first = panels(protocols_figure(table))[0]
    joined = [line for line in first.lines if line.get_color() == GRID]

    assert len(joined) == 2

    alone = table.drop(index=table.query("protocol == 'pairwise'").index[:1])
    first = panels(protocols_figure(alone))[0]

    assert len([line for line in first.lines if line.get_color() == GRID]) == 1
    assert legend_of(protocols_figure(table))[:2] == ["triplet", "pairwise"]


def test_a_heat_map_prints_every_value_in_the_given_order() -> None:
    names = list(metrics.names())
    found = matrices(names)
    figure = heatmap_figure(found, names[::-1])

    assert rows_of(figure) == names[::-1]

    for axes, (title, table) in zip(figure.axes, found.items(), strict=True):
        assert axes.get_title("left") == title

        printed = [text.get_text() for text in axes.texts]
        assert printed == [
            cell_text(value) for value in table.to_numpy()[::-1, ::-1].ravel()
        ]

    assert figure.get_figwidth() <= 10.5


@pytest.mark.parametrize("further", [0, 9])
def test_numbers_stay_in_their_cells(further: int) -> None:
    names = [*metrics.names(), *(f"metric-{number}" for number in range(further))]
    figure = heatmap_figure(matrices(names), names)
    found = visible(figure)

    for axes in figure.axes:
        width = axes.get_window_extent().width
        cell = width / len(names)
        assert max(text.get_window_extent().width for text in axes.texts) < cell
        assert min(float(text.get_fontsize()) for text in axes.texts) >= 4.5

    assert not outside(figure, found)


def test_an_undefined_cell_is_blank_with_a_dash() -> None:
    found = matrices(["CIDEr", "length"])
    for table in found.values():
        table.iloc[0, 1] = np.nan

    figure = heatmap_figure(found, ["CIDEr", "length"])
    for axes in figure.axes:
        assert axes.texts[1].get_text() == "\N{EN DASH}"
        assert axes.texts[1].get_color() == TEXT
        assert np.asarray(axes.collections[0].get_array())[0, 1, 3] == 0
    text = render(figure, "svg").decode()
    assert "nan" not in text.lower()


def test_a_heat_map_is_the_same_bytes_and_has_no_picture_in_it() -> None:
    names = list(LONG)
    one, other = (
        render(heatmap_figure(matrices(names), names), "svg") for _ in range(2)
    )

    assert one == other
    assert b"<image" not in one


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.934, ".93"),
        (1.0, "1.00"),
        (-0.05, "\N{MINUS SIGN}.05"),
        (-0.004, ".00"),
        (-1.0, "\N{MINUS SIGN}1.00"),
        (np.nan, "\N{EN DASH}"),
    ],
)
def test_a_value_in_its_cell(value: float, text: str) -> None:
    assert cell_text(value) == text


@pytest.mark.parametrize(
    ("paper", "shade", "cell_text"),
    [
        (PAPER, SHADE, CELL_TEXT),
        ("#1a2327", "#b1d7f2", "#ffffff"),
        ("#14191b", "#b1d7f2", "#ffffff"),
    ],
    ids=["light", "dark", "dark report"],
)
def test_numbers_have_contrast_on_every_shade(
    paper: str, shade: str, cell_text: str
) -> None:
    colours = {CELL_TEXT: cell_text, PAPER: paper}
    for share in np.linspace(0, 1, 101):
        mixed = (1 - share) * np.array(to_rgb(paper)) + share * np.array(to_rgb(shade))
        ink = text_colour(share)
        pair = sorted(map(luminance, (mixed, to_rgb(colours.get(ink, ink)))))

        assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4.3


def luminance(rgb: Sequence[float]) -> float:
    """The relative luminance of WCAG 2.2."""
    values = np.asarray(rgb)
    linear = np.where(
        values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    )

    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_reliability_is_a_curve_with_its_pairs() -> None:
    table = reliability()
    figure = reliability_figure(table)
    [axes] = panels(figure)

    assert axes.get_xscale() == "log"
    assert points(axes.lines[0])[:, 1].tolist() == pytest.approx(
        100 * table["agreement"]
    )
    assert axes.get_title("right") == "400 pairs"

    some = table.assign(pairs=np.linspace(1400, 300, len(table), dtype=int))
    assert (
        panels(reliability_figure(some))[0].get_title("right") == "300 to 1,400 pairs"
    )


def test_reliability_of_one_size_is_a_point() -> None:
    figure = reliability_figure(reliability().head(1).assign(low=np.nan, high=np.nan))
    assert "number of votes" in texts(figure)

    text = render(figure, "svg").decode()
    assert "nan" not in text.lower()
