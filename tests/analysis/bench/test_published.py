"""Printed figures as data."""

from collections import Counter

import pytest

from tercet.analysis.bench.published import metric_named, published, rows_of, sources


def printed(source: str, table: str, name: str, metric: str) -> list[str]:
    return [
        each.printed
        for place, figures in published().items()
        if place[:3] == (source, table, name)
        for each in figures
        if each.metric == metric
    ]


@pytest.mark.parametrize(
    ("row", "figures"),
    [
        (("cider2015", "1", "pascal50s", "CIDEr"), "71.8 99.7 92.1 72.2"),
        (("cider2015", "1", "abstract50s", "CIDEr"), "71.5 96.0"),
        (("cider2015", "1", "pascal50s", "METEOR"), "65.2 99.3 96.4 67.7"),
        (("cider2015", "1", "abstract50s", "METEOR"), "69.5 94.0"),
        (("nneval2018", "2", "pascal50s", "METEOR"), "61.1 97.6 94.6 62.0 78.8"),
        (("clipscore2021", "5", "foil", "CIDEr"), "82.5 90.6"),
        (("clipscore2021", "5", "foil", "RefCLIP-S"), "91.0 92.6"),
        (("clipscore2021", "2", "flickr8k-cf", "CIDEr"), "24.6"),
    ],
)
def test_a_sample_is_as_the_sources_print_it(
    row: tuple[str, str, str, str], figures: str
) -> None:
    assert printed(*row) == figures.split()


def test_every_figure_has_a_source_with_a_protocol() -> None:
    used = {place.source for place in published()}
    assert used == set(sources())
    assert all(each.title and each.protocol for each in sources().values())


def test_all_figures_are_there_and_a_few_are_no_numbers() -> None:
    figures = [each for table in published().values() for each in table]
    assert len(figures) == 2403
    unread = [each.printed for each in figures if each.digits is None]
    assert Counter(unread) == {"NaN": 2, "2.6e^7": 1, "<0.001": 9}


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("BLEU@4", "BLEU-4"),
        ("Bleu_4", "BLEU-4"),
        ("bleu-1", "BLEU-1"),
        ("BLEU4", "BLEU-4"),
        ("ROUGE_L", "ROUGE-L"),
        ("CIDER", "CIDEr-D"),
        ("length*", "length"),
        ("SPICE", "SPICE"),
    ],
)
def test_names_of_metrics_are_ours(name: str, ours: str) -> None:
    assert metric_named(name) == ours


def test_a_source_may_mean_another_metric_by_a_name() -> None:
    by_place = {place[:3]: figures for place, figures in published().items()}
    rows = rows_of(by_place["cider2015", "1", "abstract50s"])
    assert [row.metric for row in rows.values()] == [
        "BLEU-4",
        "ROUGE-1",
        "METEOR",
        "CIDEr-stem",
    ]
