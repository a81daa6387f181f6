"""What references of other origins are worth: made-up origins, and half of ABSTRACT-50S."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tercet import metrics
from tercet.analysis import Dataset, Options, evaluate
from tercet.analysis.dataset.winners import pair_winners, sides
from tercet.analysis.evaluation import worth
from tercet.analysis.evaluation.worth import OriginHits, hits_by_origin
from tercet.analysis.findings import find
from tercet.analysis.findings.finding import Finding
from tercet.analysis.stats.accuracy import preference
from tercet.analysis.tables.rows import captions_by_image
from tests.analysis.frames import find_one, loaded
from tests.analysis.origins import study

FEW = Options(metrics=("BLEU-1", "CIDEr"), draws=1, resamples=20, flips=19)
BOTH = ("CIDEr", "METEOR")


@pytest.fixture
def finding(monkeypatch: pytest.MonkeyPatch) -> Finding:
    """The finding of a dataset with an origin that is right less often than people."""
    monkeypatch.setattr(worth, "DRAWS", 5)
    return find_one(evaluate(study(), FEW), "worth")


def test_each_main_metric_has_its_counts_differences_and_curves(
    finding: Finding,
) -> None:
    counts = finding.tables["worth"].groupby("metric")["count"].agg(list)
    assert counts.to_dict() == {"BLEU-1": [1, 2, 5], "CIDEr": [1, 2, 5]}
    compared = finding.tables["worth_differences"].groupby("compared").size()
    assert compared.to_dict() == {"added": 2 * 2 * 2, "instead": 2 * 2}
    curves = finding.tables["worth_curves"].groupby("references_of").size()
    assert curves.to_dict() == {"model": 2 * 6, "people": 2 * 4}
    assert finding.sentence.count("“model”") >= 3


def test_a_figure_has_a_panel_for_each_metric(finding: Finding) -> None:
    panels = finding.figure().axes
    assert [axes.get_title("left") for axes in panels] == ["BLEU-1", "CIDEr"]
    assert all(len(axes.collections) == 2 for axes in panels)  # a band for each origin


def test_a_dataset_without_origins_has_nothing_of_them() -> None:
    results = evaluate(study(origins={"human": (3, 0.0)}), FEW)
    [asked] = find(results, ["worth"])
    assert asked.lacks_what_is_rare
    assert asked.reason == "references.csv names no other origin than people."


def half_of(folder: Path, q: float) -> Dataset:
    """ABSTRACT-50S with its last 24 references as those of X, of which q are of other images."""
    base = loaded(folder)
    captions = captions_by_image(base.references)
    images = list(captions)
    rows = []
    for place, image in enumerate(images):
        rows += [(image, caption, "") for caption in captions[image][:24]]
        for j in range(24):
            is_other = j % 10 < 10 * q
            source = images[(place + j + 1) % 500] if is_other else image
            rows.append((image, captions[source][24 + j], "X"))
    pairs = base.pairs.drop(columns=["winner", "category", "line"], errors="ignore")
    winner = pair_winners(base).set_index("pair")["winner"]
    won = pairs.assign(winner=winner.reindex(pairs["pair"]).to_numpy())
    references = pd.DataFrame(rows, columns=["image", "caption", "origin"])
    return Dataset.from_frames(references=references, pairs=won)


def hits_of(folder: Path, q: float) -> OriginHits:
    options = Options(metrics=BOTH, draws=1, resamples=20, flips=19, counts=(1,))
    [hits] = hits_by_origin(evaluate(half_of(folder, q), options))
    return hits


@pytest.mark.filterwarnings("ignore:.*repeat earlier ones:UserWarning")
@pytest.mark.parametrize(
    ("q", "exact"), [(0.3, (64.0521, 64.7240)), (0.6, (57.7760, 59.2656))]
)
def test_single_references_of_abstract50s_have_the_exact_accuracies(
    abstract50s: Path, q: float, exact: tuple[float, float]
) -> None:
    dataset = half_of(abstract50s, q)
    rows = dataset.references.groupby("image", sort=False)["caption"].agg(list)
    pairs = dataset.pairs
    place = rows.index.get_indexer(pd.Index(pairs["image"]))
    given = metrics.corpus(
        references=rows.tolist(),
        candidates=[*pairs["candidate_b"], *pairs["candidate_c"]],
        images=np.tile(place, 2).tolist(),
        documents=metrics.count_documents([each[:24] for each in rows]),
    )
    compared = metrics.compare(given, BOTH)
    winner = sides(pairs["winner"])
    hits: dict[str, list[float]] = {name: [] for name in BOTH}
    for first in range(48):
        is_later = np.tile(np.arange(48) != first, 500).astype(float)
        curves = compared.accumulate(metrics.order_by(given, is_later))
        for name, own in hits.items():
            b, c = curves[name][:, :1].reshape(2, len(pairs), 1)
            own.append(float(((preference(b, c)[:, 0] * winner + 1) / 2).mean()))
    shares = {name: np.reshape(own, (2, 24)).mean(axis=1) for name, own in hits.items()}
    assert 100 * shares["CIDEr"] == pytest.approx((72.0104, exact[0]), abs=1e-4)
    assert 100 * shares["METEOR"] == pytest.approx((73.2812, exact[1]), abs=1e-4)


@pytest.mark.filterwarnings("ignore:.*repeat earlier ones:UserWarning")
@pytest.mark.parametrize("q", [0.3, 0.6, 1.0])
def test_abstract50s_is_worth_what_the_trial_found(
    abstract50s: Path, q: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worth, "DRAWS", 100 if q == 1 else 800)
    monkeypatch.setattr(worth, "MIXED", ())
    hits = hits_of(abstract50s, q)
    cider, meteor = (
        {
            n: hits.mean(hits.other(name) - hits.human(name)[:, [n - 1]]).worth
            for n in (1, 2)
        }
        for name in BOTH
    )
    five = hits.mean(hits.human("CIDEr") - hits.other("CIDEr")[:, [4]]).worth

    if q == 0.3:
        assert cider[1] == pytest.approx((2.60, 2.17, 3.31), rel=0.06)
        assert five == pytest.approx((1.74, 1.33, 2.40), rel=0.06)
        assert meteor[1].low == pytest.approx(3.15, rel=0.06)
    elif q == 0.6:
        assert cider[1][:2] == pytest.approx((7.62, 5.38), rel=0.06)
        assert meteor[2][1:] == pytest.approx((15.4, np.inf), rel=0.06)
    else:
        assert {each.low for each in (*cider.values(), *meteor.values())} == {np.inf}
