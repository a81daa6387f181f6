"""Hits with the references of one origin, against a loop over captions."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

from tercet import metrics
from tercet.analysis import Options, evaluate
from tercet.analysis.evaluation import worth
from tercet.analysis.evaluation.results import Results
from tercet.analysis.evaluation.worth import OriginHits, hits_by_origin, valued_origins
from tercet.analysis.tables.schema import Dataset
from tests.analysis.origins import study

FEW = Options(metrics=("CIDEr", "BLEU-1"), draws=1, resamples=20, flips=19)


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "DRAWS", 6)


def evaluated(dataset: Dataset, options: Options = FEW) -> Results:
    return evaluate(dataset, options)


def naive_hits(
    dataset: Dataset, hits: OriginHits, results: Results, metric: str, origin: str
) -> list[float]:
    """The hit of each kept pair where each image has one reference of an origin."""
    rows = dataset.references
    people = rows[rows["origin"] == ""].groupby("image")["caption"].agg(list)
    documents = metrics.count_documents(people.tolist())
    own = rows[rows["origin"] == origin].groupby("image")["caption"].agg(list)
    found = []
    for pair in results.samples.pairs.table[hits.is_kept]["pair"]:
        [row] = dataset.pairs[dataset.pairs["pair"] == pair].to_dict("records")
        scores = metrics.score(
            references=[own[row["image"]]] * 2,
            candidates=[row["candidate_b"], row["candidate_c"]],
            metrics=metric,
            documents=documents,
        ).captions[metric]
        better = "B" if scores[0] > scores[1] else "C"
        found.append(0.5 if scores[0] == scores[1] else float(better == row["winner"]))
    return found


@pytest.mark.parametrize("metric", ["CIDEr", "BLEU-1"])
def test_differences_errors_and_ends_of_40_images_are_those_of_a_loop(
    metric: str,
) -> None:
    dataset = study(40, {"": (1, 0.0), "model": (1, 0.4)})
    results = evaluated(dataset)
    [hits] = hits_by_origin(results)
    people = naive_hits(dataset, hits, results, metric, "")
    other = naive_hits(dataset, hits, results, metric, "model")
    assert hits.human(metric)[:, 0] == pytest.approx(people, abs=1e-12)
    assert hits.other(metric)[:, 0] == pytest.approx(other, abs=1e-12)

    table = results.samples.pairs.table
    by_category: dict[str, list[float]] = {}
    apart = [x - h for x, h in zip(other, people, strict=True)]
    for each, category in zip(apart, table["category"], strict=True):
        by_category.setdefault(category, []).append(each)
    means = {name: sum(own) / len(own) for name, own in by_category.items()}
    shares: dict[str, float] = {}
    for each, category, image in zip(
        apart, table["category"], table["image"], strict=True
    ):
        share = (each - means[category]) / (len(means) * len(by_category[category]))
        shares[image] = shares.get(image, 0.0) + share
    error = (40 / 39 * sum(each**2 for each in shares.values())) ** 0.5
    value = sum(means.values()) / len(means)

    found = hits.mean(hits.other(metric) - hits.human(metric))
    assert found.value[0] == pytest.approx(value, abs=1e-12)
    assert found.error[0] == pytest.approx(error, abs=1e-12)
    assert found.margin[0] == pytest.approx(stdtrit(39, 0.975) * error, abs=1e-12)


def test_a_mix_of_all_references_is_the_same_whatever_comes_first() -> None:
    results = evaluated(study(40, {"": (2, 0.0), "model": (3, 0.3)}))
    [hits] = hits_by_origin(results)
    whole = hits.hits["BLEU-1", ("model", 1)][:, 4]
    assert np.array_equal(whole, hits.hits["BLEU-1", ("model", 2)][:, 4])
    gained = hits.added("BLEU-1", 2)[:, 2]
    assert gained == pytest.approx(whole - hits.human("BLEU-1")[:, 1], abs=1e-12)


def test_references_of_other_origins_change_neither_those_of_people_nor_each_other() -> (
    None
):
    dataset = study(40, {"": (2, 0.0), "a": (2, 0.3), "b": (2, 0.6)})
    is_other = dataset.references["origin"] == "b"
    [alone] = hits_by_origin(
        evaluated(replace(dataset, references=dataset.references[~is_other]))
    )
    [first, _second] = hits_by_origin(evaluated(dataset))
    assert first.origin == alone.origin == "a"
    assert np.array_equal(first.human("CIDEr"), alone.human("CIDEr"))
    assert np.array_equal(first.other("CIDEr"), alone.other("CIDEr"))


def test_images_with_fewer_references_than_9_in_10_have_are_left_out() -> None:
    dataset = study(40, {"human": (3, 0.0), "model": (4, 0.3)})
    rows = dataset.references
    is_second = rows.duplicated(["image", "origin"])
    lacking = rows["image"].isin(["i1", "i2"]) & (rows["origin"] == "model") & is_second
    [hits] = hits_by_origin(evaluated(replace(dataset, references=rows[~lacking])))
    assert hits.most == (3, 4)
    assert (hits.images, hits.left_out, len(hits.image)) == (38, 2, 76)


def test_an_origin_needs_30_images_beside_references_of_people() -> None:
    assert valued_origins(evaluated(study(29))) == []
    [found] = valued_origins(evaluated(study(30)))
    assert (found.origin, found.images) == ("model", 30)
    without_people = study(40, {"a": (2, 0.0), "b": (2, 0.3)})
    assert valued_origins(evaluated(without_people)) == []


def test_ties_of_people_that_are_dropped_do_not_count() -> None:
    dataset = study(40)
    pairs = dataset.pairs.assign(winner=["tie", *dataset.pairs["winner"][1:]])
    dropped = evaluated(replace(dataset, pairs=pairs), replace(FEW, human_ties="drop"))
    [hits] = hits_by_origin(dropped)
    assert len(hits.image) == 79
