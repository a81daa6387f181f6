import re
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import metrics
from analysis.dataset import ALL, MEAN
from analysis.dataset import CATEGORIES
from analysis.evaluation import evaluate
from analysis.options import Options
from analysis.plots import DARK, LIGHT, Format, accuracy_figure, in_percent, plotted, render, styles
from tests.analysis.frames import dataset, random_dataset, with_winners

SIGNATURE = "Pets · sha256 0123 · triplet"
SVG = "{http://www.w3.org/2000/svg}"


def table(
    categories: Sequence[str] = CATEGORIES,
    counts: Sequence[int] = (3,) * 8,
    names: tuple[str, ...] = ("BLEU-1", "CIDEr"),
) -> pd.DataFrame:
    made = random_dataset(0, counts)
    made = replace(made, pairs=made.pairs[made.pairs["category"].isin(categories)])
    return evaluate(made, Options(draws=2, resamples=30, metrics=names)).accuracy


def svg(found: pd.DataFrame, signature: str = SIGNATURE) -> ElementTree.Element:
    return ElementTree.fromstring(render(accuracy_figure(found, signature), "svg"))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("many", [1, 2, 3, 4])
def test_every_category_has_a_panel_and_their_mean_where_there_are_several(many: int) -> None:
    shown = texts(svg(table(CATEGORIES[:many])))
    titles = [text for text in shown if re.match(r"(HC|HI|HM|MM): |Mean over", text)]
    expected = [*CATEGORIES[:many], *(["Mean over categories"] if many > 1 else [])]
    assert [title.partition(":")[0] for title in titles] == expected
    assert shown.count("references (logarithmic)") == shown.count("accuracy (%)") == len(titles)


def test_text_is_text() -> None:
    shown = texts(svg(table(["HC"])))
    assert SIGNATURE in shown
    assert "chance, 50 %" in shown
    assert "Mean accuracy at 3 references, 95 % interval" in shown


def test_the_legend_goes_from_the_best_metric_to_the_worst() -> None:
    found = table(["HC"], names=metrics.names())
    end = found[(found["category"] == MEAN) & (found["reference_count"] == 3)].set_index("metric")
    labels = [text for text in texts(svg(found)) if text.startswith(tuple(metrics.names()))]
    names = [label.split()[0] for label in labels]
    assert sorted(names) == sorted(metrics.names())
    assert end.loc[names, "accuracy"].is_monotonic_decreasing
    values = end.loc[names, ["accuracy", "low", "high"]].to_numpy(dtype=float)
    assert labels == [
        f"{name}  {in_percent(*row)}" for name, row in zip(names, values, strict=True)
    ]


def test_a_curve_ends_where_the_first_image_of_its_panel_has_no_more_references() -> None:
    found = table(counts=(2, 5, 5, 5, 5, 5, 5, 5))
    figure = accuracy_figure(found, SIGNATURE)
    ends = [int(np.max(axes.lines[0].get_xdata())) for axes in figure.axes if axes.axison]
    assert ends == [2, 2, 2, 5, 2]
    assert found["reference_count"].max() == 5
    shown = texts(ElementTree.fromstring(render(figure, "svg")))
    assert "Mean accuracy at 2 references, 95 % interval" in shown


def test_one_reference_is_a_plot_too() -> None:
    shown = texts(svg(table(["HC"], counts=(1,) * 6)))
    assert "Mean accuracy at 1 reference, 95 % interval" in shown


def test_some_counts_are_a_plot_too() -> None:
    found = table(["HC"], counts=(12,) * 6)
    some = found[found["reference_count"].isin([2, 7])]
    assert "Mean accuracy at 7 references, 95 % interval" in texts(svg(some))


def test_a_metric_without_any_accuracy_has_no_curve_and_says_so() -> None:
    made = with_winners(dataset(pairs=[("p", "dog", "x", "y", "HC")]), ["B"])
    options = Options(draws=1, resamples=5, metric_ties="drop", metrics=("CIDEr",))
    shown = texts(svg(evaluate(made, options).accuracy))
    assert "CIDEr  none" in shown
    assert not [text for text in shown if "nan" in text]


def test_without_intervals_the_legend_has_accuracies_alone() -> None:
    made = with_winners(dataset(), ["B", "C", "B", "B"])
    found = evaluate(made, Options(draws=1, resamples=5, metrics=("ROUGE-L",))).accuracy
    [label] = [text for text in texts(svg(found)) if text.startswith("ROUGE-L")]
    assert re.fullmatch(r"ROUGE-L  \d+\.\d", label)


def test_curves_below_the_usual_are_in_sight() -> None:
    found = table(["HC"]).assign(accuracy=0.1, low=0.05, high=0.2)
    for axes in accuracy_figure(found, SIGNATURE).axes:
        if axes.axison:
            assert axes.get_ylim()[0] < 5


@pytest.mark.parametrize("kind", get_args(Format))
def test_the_same_table_gives_the_same_bytes(kind: Format) -> None:
    found = table(["HC"])
    one, other = (render(accuracy_figure(found, SIGNATURE), kind) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    ("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_every_format_is_what_its_name_says(kind: Format, start: bytes) -> None:
    assert render(accuracy_figure(table(["HC"]), SIGNATURE), kind).startswith(start)


@pytest.mark.parametrize("kind", get_args(Format))
def test_letters_that_the_font_lacks_are_no_warning(kind: Format) -> None:
    figure = accuracy_figure(table(["HC"], names=("BLEU-1",)), "猫と犬 😀 \u0627\u0644")
    assert render(figure, kind)


@pytest.mark.parametrize("title", [r"$\broken{$", "$5 and $6 $", "x" * 500, "a b " * 300])
def test_any_title_can_be_printed(title: str) -> None:
    shown = "".join(texts(svg(table(["HC"], names=("BLEU-1",)), title)))
    assert title.replace(" ", "") in shown.replace(" ", "")


def test_a_title_stands_in_the_svg_as_it_is() -> None:
    title = r"$\alpha$ & <Katze> 猫"
    assert title in texts(svg(table(["HC"]), title))


def test_a_dark_plot_has_no_paper_and_light_ink() -> None:
    light, dark = (
        render(accuracy_figure(table(["HC"]), SIGNATURE, theme), "svg").decode()
        for theme in (LIGHT, DARK)
    )
    assert LIGHT.paper in light
    assert LIGHT.paper not in dark
    assert DARK.ink in dark
    assert LIGHT.ink not in dark


def test_every_metric_is_drawn_in_its_own_way_and_families_share_a_colour() -> None:
    for shown in plotted(metrics.names()).values():
        assert len(set(styles(shown, LIGHT).values())) == len(shown)
    drawn = styles(list(metrics.names()), LIGHT)
    assert drawn["CIDEr"].colour == drawn["CIDEr-D"].colour != drawn["ROUGE-L"].colour
    assert drawn["BLEU-1"].dash != drawn["BLEU-2"].dash


def test_all_pairs_together_have_no_panel() -> None:
    found = table(["HC", "MM"])
    without = found[found["category"] != ALL]
    one, other = (accuracy_figure(each, SIGNATURE) for each in (found, without))
    assert render(one, "svg") == render(other, "svg")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((0.8181, 0.7823, 0.8534), "81.8 [78.2, 85.3]"),
        ((1.0, np.nan, np.nan), "100.0"),
        ((np.nan, np.nan, np.nan), "none"),
    ],
)
def test_an_accuracy_in_percent(values: tuple[float, float, float], text: str) -> None:
    assert in_percent(*values) == text
