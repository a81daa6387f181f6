import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tercet import metrics
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.figures.curves import accuracy_figure, group_figure
from tercet.analysis.figures.families import metrics_by_plot
from tercet.analysis.figures.formats import ImageFormat
from tercet.analysis.figures.panels import TITLES, panel_groups
from tercet.analysis.figures.style import (
    DEFAULT,
    TEXT,
    Look,
    metric_styles,
    paper_settings,
    render,
)
from tercet.analysis.scoring.options import Options
from tercet.analysis.tables.schema import ALL, CATEGORIES, GROUPS, MEAN
from tercet.analysis.values import percent_interval
from tests.analysis.frames import dataset, random_dataset, rows_with, with_winners

SVG = "{http://www.w3.org/2000/svg}"
NONE = pd.DataFrame()


def table(
    categories: Sequence[str] = CATEGORIES,
    counts: Sequence[int] = (3,) * 8,
    names: tuple[str, ...] = ("BLEU-1", "CIDEr"),
) -> pd.DataFrame:
    return evaluated(tuple(categories), tuple(counts), names).copy()


@cache
def evaluated(
    categories: tuple[str, ...], counts: tuple[int, ...], names: tuple[str, ...]
) -> pd.DataFrame:
    made = random_dataset(0, counts)
    category = made.pairs["category"]
    is_kept = category.isin(categories)
    kept = made.pairs[is_kept]
    made = replace(made, pairs=kept)
    return evaluate(made, Options(draws=2, resamples=30, metrics=names)).accuracy


def figure(found: pd.DataFrame, look: Look = DEFAULT) -> Figure:
    return accuracy_figure(found, NONE, NONE, look)


def svg(found: pd.DataFrame) -> ElementTree.Element:
    return ElementTree.fromstring(render(figure(found), "svg"))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("many", [1, 2, 3, 4])
def test_every_category_has_a_panel_and_their_mean_where_there_are_several(
    many: int,
) -> None:
    shown = texts(svg(table(CATEGORIES[:many])))
    titles = [text for text in shown if re.match(r"(HC|HI|HM|MM): |Mean over", text)]
    expected = [*CATEGORIES[:many], *(["Mean over categories"] if many > 1 else [])]

    assert [title.partition(":")[0] for title in titles] == expected
    assert shown.count("number of references") == len(titles)
    assert shown.count("agreement with people, %") == len(titles)


def test_text_is_text() -> None:
    shown = texts(svg(table(["HC"])))
    assert "chance, 50 %" in shown
    assert "Accuracy at 3 references, 95 % interval" in shown


def test_the_legend_goes_from_the_best_metric_to_the_worst() -> None:
    found = table(["HC"], names=metrics.names())
    end = rows_with(found, category="HC", reference_count=3).set_index("metric")
    labels = [text for text in texts(svg(found)) if re.match(r"\S+  \d", text)]

    names = [label.split()[0] for label in labels]
    assert sorted(names) == sorted(metrics.names())
    assert end.loc[names, "accuracy"].is_monotonic_decreasing

    values = end.loc[names, ["accuracy", "low", "high"]].to_numpy(dtype=float)
    assert labels == [
        f"{name}  {percent_interval(*row)}"
        for name, row in zip(names, values, strict=True)
    ]


def test_a_curve_ends_where_the_first_image_of_its_panel_has_no_more_references() -> (
    None
):
    found = table(counts=(2, 5, 5, 5, 5, 5, 5, 5))
    drawn = figure(found)
    ends = [
        int(np.max(axes.lines[0].get_xdata())) for axes in drawn.axes if axes.axison
    ]

    assert ends == [2, 2, 2, 5, 2]
    assert found["reference_count"].tolist()[-2:] == [5, "all"]

    shown = texts(ElementTree.fromstring(render(drawn, "svg")))
    assert "Mean accuracy with all references, 95 % interval" in shown
    assert "all" in shown


def test_one_reference_is_a_plot_too() -> None:
    shown = texts(svg(table(["HC"], counts=(1,) * 6)))
    assert "Accuracy at 1 reference, 95 % interval" in shown


def test_some_counts_are_a_plot_too() -> None:
    found = table(["HC"], counts=(12,) * 6)
    some = found.query("reference_count in [2, 7]")
    assert "Accuracy at 7 references, 95 % interval" in texts(svg(some))


def test_some_counts_of_images_that_differ_in_their_references_are_a_plot_too() -> None:
    options = Options(draws=2, resamples=30, metrics=("BLEU-1",), counts=(1, 2))
    found = evaluate(random_dataset(0, (2, 3, 4, 2)), options).accuracy
    assert "Mean accuracy at 2 references, 95 % interval" in texts(svg(found))


def test_a_metric_without_any_accuracy_has_no_curve_and_says_so() -> None:
    made = with_winners(dataset(pairs=[("p", "dog", "x", "y", "HC")]), ["B"])
    options = Options(draws=1, resamples=5, metric_ties="drop", metrics=("CIDEr",))
    accuracy = evaluate(made, options).accuracy
    shown = texts(svg(accuracy))

    assert "CIDEr  none" in shown
    assert not [text for text in shown if "nan" in text]


def test_without_intervals_the_legend_has_accuracies_alone() -> None:
    made = with_winners(dataset(), ["B", "C", "B", "B"])
    found = evaluate(made, Options(draws=1, resamples=5, metrics=("ROUGE-L",))).accuracy
    [label] = [text for text in texts(svg(found)) if text.startswith("ROUGE-L ")]

    assert re.fullmatch(r"ROUGE-L  \d+\.\d", label)


def test_curves_below_the_usual_are_in_sight() -> None:
    found = table(["HC"]).assign(accuracy=0.1, low=0.05, high=0.2)
    for axes in figure(found).axes:
        if axes.axison:
            assert axes.get_ylim()[0] < 5


@pytest.mark.parametrize("kind", get_args(ImageFormat))
def test_the_same_table_gives_the_same_bytes(kind: ImageFormat) -> None:
    found = table(["HC"])
    one, other = (render(figure(found), kind) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    ("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<svg "), ("pdf", b"%PDF")]
)
def test_every_format_is_what_its_name_says(kind: ImageFormat, start: bytes) -> None:
    assert render(figure(table(["HC"])), kind).startswith(start)


@pytest.mark.parametrize("kind", get_args(ImageFormat))
def test_letters_that_the_font_lacks_are_no_warning(kind: ImageFormat) -> None:
    found = table(["HC"], names=("BLEU-1",)).replace(
        {"metric": {"BLEU-1": "猫と犬 😀 \u0627\u0644"}}
    )

    assert render(figure(found), kind)


def test_every_metric_is_drawn_in_its_own_way_and_families_share_a_colour() -> None:
    for shown in metrics_by_plot(metrics.names()).values():
        assert len(set(metric_styles(shown).values())) == len(shown)

    drawn = metric_styles(list(metrics.names()))
    assert drawn["CIDEr"].colour == drawn["CIDEr-D"].colour != drawn["ROUGE-L"].colour
    assert drawn["BLEU-1"].dash != drawn["BLEU-2"].dash


def test_families_of_one_hue_are_told_apart() -> None:
    further = [
        "tuple-F",
        "tuple-C",
        "WMD",
        "WMD-max",
        "RWMD",
        "SPICE",
        "CLIPScore",
        "BERTScore",
    ]
    drawn = metric_styles([*metrics.names(), *further])

    assert len(set(drawn.values())) == len(drawn)
    assert len({(style.colour, style.marker) for style in drawn.values()}) >= 12


def test_all_pairs_together_have_no_panel() -> None:
    found = table(["HC", "MM"])
    without = found[found["category"] != ALL]
    one, other = (figure(each) for each in (found, without))

    assert render(one, "svg") == render(other, "svg")


def held_against() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A human curve of two triplets and a ceiling, for every group."""
    curve = pd.DataFrame({"category": GROUPS}).merge(
        pd.DataFrame(
            {"triplets": [1, 2], "accuracy": [0.6, 0.7], "low": 0.5, "high": 0.9}
        ),
        how="cross",
    )
    ceiling = pd.DataFrame({"category": GROUPS, "accuracy": 0.945, "high": np.nan})

    return curve, ceiling.assign(low=np.nan)


def in_ink(drawn: Figure) -> list[list[Line2D]]:
    """The lines of each panel that are no metrics."""
    panels = [axes for axes in drawn.axes if axes.axison]
    return [
        [line for line in axes.lines if line.get_color() == TEXT] for axes in panels
    ]


def test_people_and_the_ceiling_are_lines_in_every_panel() -> None:
    found = table(counts=(5,) * 8)
    people, ceiling = held_against()
    panels = in_ink(accuracy_figure(found, people, ceiling))

    assert len(panels) == 5
    for human, best, _ in panels:
        assert np.asarray(human.get_xdata(), float).tolist() == [1, 2]
        assert np.asarray(human.get_ydata(), float).tolist() == pytest.approx([60, 70])
        assert np.asarray(best.get_ydata(), float).tolist() == pytest.approx(
            [94.5, 94.5]
        )
        assert human.get_linewidth() > 2 * best.get_linewidth()


def test_people_and_the_ceiling_are_named_where_their_lines_end() -> None:
    drawn = accuracy_figure(table(["HC"]), *held_against())
    shown = texts(ElementTree.fromstring(render(drawn, "svg")))

    assert "ceiling  94.5" in shown
    assert "people at 2  70.0 [50.0, 90.0]" in shown
    assert "number of references or triplets" in shown


def test_without_people_and_a_ceiling_chance_is_the_only_line() -> None:
    found = table(["HC"])
    assert [len(lines) for lines in in_ink(figure(found))] == [1]

    people, ceiling = held_against()
    one = figure(found)
    other = accuracy_figure(found, people.iloc[:0], ceiling.iloc[:0])

    assert render(one, "svg") == render(other, "svg")


def test_the_axis_has_all_of_the_curve_of_people() -> None:
    people, ceiling = held_against()
    people = people.assign(triplets=10 * people["triplets"], low=0.2)
    axes = accuracy_figure(table(["HC"]), people, ceiling).axes[0]

    assert axes.get_xlim()[1] > 20
    assert axes.get_ylim()[0] < 20


def test_two_categories_without_a_mean_have_a_panel_each() -> None:
    assert panel_groups(pd.DataFrame({"category": ["HI", "HC"]})) == ["HC", "HI"]
    assert panel_groups(pd.DataFrame({"category": ["HC", MEAN, ALL]})) == ["HC"]


def test_a_metric_looks_the_same_in_whatever_order_metrics_come() -> None:
    names = ["BLEU-1", "outside", "CIDEr", "CIDEr-D"]
    assert metric_styles(names) == metric_styles(names[::-1])
    assert list(metric_styles(names[::-1])) == names[::-1]


def test_a_metric_looks_the_same_whatever_packages_are_installed() -> None:
    assert "WMD" not in metrics.names()

    styles = metric_styles(metrics.names_with_extras())
    assert metric_styles(metrics.names()).items() <= styles.items()


def test_points_of_one_family_differ_in_their_fill() -> None:
    drawn = metric_styles(
        ["CIDEr", "CIDEr-1", "CIDEr-2", "CIDEr-3", "CIDEr-4", "METEOR"]
    )
    looks = [(style.colour, style.marker, style.fill) for style in drawn.values()]

    assert len(set(looks)) == len(looks)


def test_a_long_name_stands_above_its_accuracy() -> None:
    found = table(["HC"]).replace(
        {"metric": {"CIDEr": "an-outside-metric-of-a-very-long-name"}}
    )
    shown = texts(svg(found))

    assert "an-outside-metric-of-a-very-long-…" in " ".join(shown)
    assert str(TITLES["HC"]) in shown


@pytest.mark.parametrize(
    ("kind", "field"),
    [("png", b"Description"), ("svg", b"<metadata>"), ("pdf", b"/Subject")],
)
def test_the_signature_is_in_the_metadata_of_the_file(
    kind: ImageFormat, field: bytes
) -> None:
    drawn = figure(table(["HC"], names=("BLEU-1",)))
    signed, unsigned = render(drawn, kind, "what made it"), render(drawn, kind)

    assert field in signed
    assert b"what made it" in signed
    assert b"what made it" not in unsigned


def test_one_category_alone_has_a_panel_of_its_own() -> None:
    found = table(["HC", "MM"])
    drawn = figure(found, Look(category="MM"))
    [axes] = [axes for axes in drawn.axes if axes.axison]

    assert axes.get_title("left") == str(TITLES["MM"])
    assert "Accuracy at 3 references, 95 % interval" in texts(
        ElementTree.fromstring(render(drawn, "svg"))
    )


def test_panels_stand_below_each_other_in_a_column() -> None:
    drawn = figure(table(["HC", "MM"]), Look(width=3.3))
    assert drawn.get_figwidth() == pytest.approx(3.3)

    panels = [axes.get_position() for axes in drawn.axes]
    assert len({round(panel.x0, 2) for panel in panels}) == 1

    [legend] = drawn.legends
    drawn.draw_without_rendering()
    box = legend.get_window_extent().transformed(drawn.transFigure.inverted())

    assert box.x1 <= 1
    assert box.y1 < min(panel.y0 for panel in panels)


def test_the_axis_is_fitted_to_what_is_drawn() -> None:
    found = table(["HC"]).assign(accuracy=0.8, low=0.7, high=0.9)
    [axes] = [axes for axes in figure(found).axes if axes.axison]

    assert 60 < axes.get_ylim()[0] < 70
    assert 90 < axes.get_ylim()[1] < 95


def test_a_metric_has_the_same_colour_in_every_figure() -> None:
    alone, among = (metric_styles(["METEOR"]), metric_styles(metrics.names()))
    assert alone["METEOR"] == among["METEOR"]


# The figure of one group, which a page shows and hides by parts


@pytest.fixture(scope="module")
def parts() -> dict[str, list[ElementTree.Element]]:
    """The elements of a figure of HC by their classes."""
    of_group = rows_with(table(["HC"]), category="HC")
    root = ElementTree.fromstring(render(group_figure(of_group, NONE), "svg", "", "g"))
    found: dict[str, list[ElementTree.Element]] = {}
    for element in root.iter(f"{SVG}g"):
        found.setdefault(element.get("class", ""), []).append(element)
    return found


def test_each_metric_has_a_line_a_name_a_band_and_a_dot_at_each_count(
    parts: dict[str, list[ElementTree.Element]],
) -> None:
    for series in ("series-bleu-1", "series-cider"):
        assert len(parts[f"{series} line"]) == len(parts[f"{series} name"]) == 1
        (dots,) = parts[f"{series} dots"]
        assert len(list(dots.iter(f"{SVG}use"))) == 3
        assert dots.get("visibility") == "hidden"


def test_each_count_has_a_rule_that_is_hidden_at_first(
    parts: dict[str, list[ElementTree.Element]],
) -> None:
    (rules,) = parts["series-counts rule"]
    assert rules.get("visibility") == "hidden"
    assert len(list(rules.iter(f"{SVG}path"))) == 3


def test_a_page_may_have_a_narrow_shape_of_it() -> None:
    of_group = rows_with(table(["HC"]), category="HC")
    narrow = group_figure(of_group, NONE, Look(width=3.6))
    assert narrow.get_figwidth() == 3.6


def test_a_printed_figure_has_no_hidden_parts_and_the_letters_of_a_paper() -> None:
    of_group = rows_with(table(["HC"]), category="HC")
    with paper_settings():
        printed = group_figure(of_group, NONE, Look(width=3.3, is_printed=True))
        written = render(printed, "svg")

    root = ElementTree.fromstring(written)
    assert not [each for each in root.iter() if each.get("visibility")]
    assert {each.get_fontfamily()[0] for each in printed.axes[0].texts} == {
        "STIXGeneral"
    }
