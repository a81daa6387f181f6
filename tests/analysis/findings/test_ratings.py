from dataclasses import replace

import pandas as pd

from analysis.dataset.schema import RATINGS, Dataset, with_numbers
from analysis.evaluation.options import Options
from analysis.evaluation.results import evaluate
from analysis.findings import find
from analysis.findings.finding import Finding
from analysis.stats.correlation import COEFFICIENTS
from tests.analysis.frames import dataset, frame

OPTIONS = Options(resamples=20, flips=19, metrics=("BLEU-1", "CIDEr", "ROUGE-L"))
OBJECTS = ("dog", "cat", "kite", "boat", "tree")


def rated(aspects: tuple[str, ...] = ("",), with_own: bool = False) -> Dataset:
    """Five images with three ratings of each of three captions.

    with_own: whether the rated human captions are among the references, too.
    """
    captions = [
        line
        for name in OBJECTS
        for line in (
            (name, f"a {name} on the green grass", "human"),
            (name, f"one {name} there", "copier"),
            (name, "a large house", "copier"),
        )
    ]
    lines = [
        (image, caption, str((3 * number + 5 * place) % 7 % 5 + shift), source, aspect)
        for aspect in aspects
        for shift in (0, 1, 1)
        for number, (image, caption, source) in enumerate(captions)
        for place in [OBJECTS.index(image)]
    ]
    table = pd.DataFrame(lines, columns=["image", "caption", "rating", "source", "aspect"])

    references = [(name, f"the {name} is outside on grass", "") for name in OBJECTS]
    references += [(name, f"a small {name} and a house", "") for name in OBJECTS]
    if with_own:
        references += [(image, caption, "") for image, caption, by in captions if by == "human"]

    known = pd.DataFrame(references, columns=["image", "caption", "author"])
    made = replace(
        dataset(),
        references=with_numbers(known),
        ratings=table.reindex(columns=list(frame(RATINGS, []).columns), fill_value=""),
    )
    return replace(made, pairs=made.pairs.iloc[:0], votes=made.votes.iloc[:0])


def ratings(made: Dataset, options: Options) -> Finding:
    [found] = find(evaluate(made, options), ["ratings"])
    assert not found.error
    return found


def test_the_table_is_the_same_with_and_without_own_captions() -> None:
    options = replace(OPTIONS, exclude_identical=True)
    with_own = ratings(rated(with_own=True), options)
    without = ratings(rated(), options)
    pd.testing.assert_frame_equal(with_own.tables["ratings"], without.tables["ratings"])
    assert tuple(map(str, with_own.notes)) == (
        "5 references that were rated as candidates are not given to metrics.",
    )


def test_rated_captions_among_the_references_are_left_out_unless_told() -> None:
    found = ratings(rated(with_own=True), OPTIONS)
    assert set(found.tables["ratings"]["rows"]) == {30, 10}
    assert tuple(map(str, found.notes)) == (
        "5 rated captions are among the references of their image and left out.",
    )


def test_metrics_by_coefficients_come_first_the_best_on_top() -> None:
    found = ratings(rated(), OPTIONS)
    name, table = next(iter(found.tables.items()))
    assert name == "ratings_table"
    assert table.columns.tolist() == ["metric", *COEFFICIENTS]

    values = found.tables["ratings"]
    chosen = values[(values["convention"] == "every rating") & (values["coefficient"] == "tau_b")]
    best_first = chosen.astype({"value": float}).sort_values("value", ascending=False)
    assert table["metric"].tolist() == best_first["metric"].tolist()
    assert found.texts["ratings.md"].count("\n") == len(table) + 2
    assert "toprule" in found.texts["ratings.tex"]
    assert list(found.plots) == ["ratings"]


def test_aspects_are_told_apart() -> None:
    found = ratings(rated(("fluency", "truth")), OPTIONS)
    for name, table in found.tables.items():
        assert set(table["aspect"]) == {"fluency", "truth"}, name


def test_documents_may_be_counted_by_row() -> None:
    by_image, by_row = (
        ratings(rated(), replace(OPTIONS, documents=documents)).tables["ratings"]
        for documents in ("pool", "rows")
    )
    is_cider = by_image["metric"] == "CIDEr"
    assert by_image.loc[is_cider, "rows"].equals(by_row.loc[is_cider, "rows"])
    assert by_image[~is_cider].equals(by_row[~is_cider])
