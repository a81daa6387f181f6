"""Findings where images have a single reference, or one count is asked for: nothing is a curve."""

from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.scoring.options import Options
from tests.analysis.frames import even_dataset, find_one, random_dataset

OPTIONS = Options(metrics=("BLEU-1", "ROUGE-L"), draws=1, resamples=100, flips=19)


def test_accuracy_has_one_plot_of_points() -> None:
    made = even_dataset(0, images=6, references=1)
    results = evaluate(made, OPTIONS)
    found = find_one(results, "accuracy")

    of_groups = [name for name, plot in found.plots.items() if plot.group]
    assert list(found.plots) == ["accuracy", *of_groups]
    assert found.error == ""
    assert "of cases with 1 reference, the only count here" in str(found.sentence)


def test_references_are_ranked_only_where_an_image_has_three() -> None:
    for counts, is_ranked in (([2] * 6, False), ([3] * 6, True)):
        made = random_dataset(0, counts)
        results = evaluate(made, OPTIONS)
        assert bool(find_one(results, "ranking").tables) is is_ranked
