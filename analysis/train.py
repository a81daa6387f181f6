"""`python -m analysis.train FOLDER --out MODEL.json`: train a metric on people's judgments."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import scipy

from tercet import __version__, metrics
from tercet.analysis.__main__ import REFUSED, load
from tercet.analysis.evaluation.evaluate import evaluate
from tercet.analysis.evaluation.results import Part, Results
from tercet.analysis.evaluation.training import (
    digests,
    first_references,
    images_also_in,
    pair_examples,
    rated_examples,
    references_by_image,
    without_images,
    written_examples,
)
from tercet.analysis.progress import silent
from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.scoring.threads import one_thread
from tercet.analysis.stats.scores.correlation import COEFFICIENTS, coefficients
from tercet.analysis.stats.scores.human_model import Layers, share_right, train_network
from tercet.analysis.stats.scores.weights import Choices, Numbers, Weights, train
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.schema import DIGEST_VERSION, Dataset
from tercet.metrics import FloatArray, IntArray, Model
from tercet.metrics.arguments import program, shell_output, words
from tercet.metrics.composed.learned import Layer, check_unseen, predict, scaled
from tercet.metrics.registry import is_known

WINNER, RATING, HUMAN_OR_MACHINE = "winner", "rating", "human-or-machine"
TARGETS = (WINNER, RATING, HUMAN_OR_MACHINE)
TABLES = {WINNER: "pairs", RATING: "ratings", HUMAN_OR_MACHINE: "candidates"}
"""What each target is learned from."""
_PROGRAM = program("tercet.analysis.train")
_TAU = COEFFICIENTS.index("tau_c")
_LEAST_EXAMPLES = 20


@dataclass(frozen=True)
class _Training:
    """What a model is trained on, besides the target.

    Attributes
    ----------
    datasets : sequence of Dataset
        Each with the references that metrics are given.
    options : Options
        Metrics, tokenizer, documents and seed.
    count : int, optional
        How many references metrics are given; all of them without it.
    validation : Dataset, optional
        Rated captions, by which the best epoch of a network is chosen.
    """

    datasets: Sequence[Dataset]
    options: Options
    count: int | None = None
    validation: Dataset | None = None

    @property
    def generator(self) -> np.random.Generator:
        """Return the source of chance."""
        return self.options.generator(LEARNED)

    def results(self, dataset: Dataset, part: Part) -> Results:
        """Score the pairs or the ratings of a dataset."""
        return evaluate(dataset, self.options, parts=[part])


@dataclass(frozen=True)
class Learned:
    """What was learned.

    Attributes
    ----------
    features : sequence of str
        The metrics.
    low, high : float array (M,)
        Their limits in the training data.
    layers : tuple of Layer
    figures : dict
        How many examples there were, and what the training chose.
    """

    features: Sequence[str]
    low: FloatArray
    high: FloatArray
    layers: Layers
    figures: dict[str, float]


def _learn_winner(given: _Training) -> Learned:
    """Train a weighted sum to predict the winners of pairs."""
    found = [pair_examples(given.results(each, "pairs")) for each in given.datasets]
    names = _common([each.names for each in found])
    b, c = (
        np.concatenate(
            [_chosen(getattr(each, side), each.names, names) for each in found]
        )
        for side in "bc"
    )
    winner = np.concatenate([each.winner for each in found])
    image = _numbered([each.image for each in found])

    _check_size(int(np.count_nonzero(winner)), "pairs with a winner")
    model = train(Choices(b - c, winner, image), given.generator)

    both = np.concatenate([b, c])
    figures = {"pairs": len(winner), "penalty": model.penalty}
    return _weighted_sum(names, both, model, figures)


def _learn_rating(given: _Training) -> Learned:
    """Train a weighted sum to predict ratings."""
    found = [rated_examples(given.results(each, "ratings")) for each in given.datasets]
    names = _common([each.names for each in found])
    scores = np.concatenate([_chosen(each.scores, each.names, names) for each in found])
    rating = np.concatenate([each.rating for each in found])
    image = _numbered([each.image for each in found])

    _check_size(len(rating), "ratings")
    model = train(Numbers(scores, rating, image), given.generator)

    figures = {"ratings": len(rating), "penalty": model.penalty}
    return _weighted_sum(names, scores, model, figures)


def _learn_human_or_machine(given: _Training) -> Learned:
    """Train a network to tell who wrote a caption (NNEval, Sharif et al. 2018)."""
    if given.validation is None:
        raise ValueError(
            f"--target {HUMAN_OR_MACHINE} chooses the best epoch by ratings: name a folder with "
            "ratings.csv by --validation"
        )

    found = [
        written_examples(each, given.options, given.count) for each in given.datasets
    ]
    names = _common([each.names for each in found])
    scores = np.concatenate([each.scores for each in found])
    is_human = np.concatenate([each.is_human for each in found])

    smaller = min(np.count_nonzero(is_human), np.count_nonzero(~is_human))
    _check_size(int(smaller), "captions of people and as many of machines")
    low, high = scores.min(axis=0), scores.max(axis=0)
    inputs = scaled(scores, low, high)

    judged = rated_examples(given.results(given.validation, "ratings"))
    own = _chosen(judged.scores, judged.names, names)
    own = scaled(own, low, high)

    def tau(layers: Layers) -> float:
        predicted = predict(layers, own)
        if np.ptp(predicted) == 0:
            return -np.inf
        value = coefficients(predicted, judged.rating, judged.image).value
        return float(value[_TAU])

    network = train_network(inputs, is_human, tau, given.generator)
    figures = {
        "captions": len(scores),
        "epoch": network.epoch,
        "validation_tau_c": network.agreement,
        "captions_told_apart": share_right(network.layers, inputs, is_human),
    }
    return Learned(names, low, high, network.layers, figures)


_LEARN = {
    WINNER: _learn_winner,
    RATING: _learn_rating,
    HUMAN_OR_MACHINE: _learn_human_or_machine,
}


def _common(names: Sequence[Sequence[str]]) -> list[str]:
    """Return the metrics that score everything in each dataset."""
    first, *others = names or [[]]
    common = [name for name in first if all(name in own for own in others)]

    if not common:
        raise ValueError(
            "no metric scores all candidates of every folder: choose others by --metrics"
        )
    return common


def _chosen(
    scores: FloatArray, names: Sequence[str], wanted: Sequence[str]
) -> FloatArray:
    """Return the columns of wanted metrics."""
    missing = [name for name in wanted if name not in names]
    if missing:
        raise ValueError(
            f"{missing[0]} does not score every rated caption: leave it out of --metrics"
        )

    return scores[:, [names.index(name) for name in wanted]]


def _numbered(images: Sequence[IntArray]) -> IntArray:
    """Number the images of several datasets one after the other."""
    first, numbered = 0, []
    for own in images:
        numbered.append(own + first)
        first += int(own.max()) + 1

    return np.concatenate(numbered)


def _check_tables(target: str, datasets: Sequence[Dataset]) -> None:
    """Raise ValueError if a dataset has nothing to learn the target from."""
    table = TABLES[target]

    for each in datasets:
        if getattr(each, table).empty:
            title = each.info.get("title", "a folder")
            raise ValueError(
                f"--target {target} learns from {table}.csv, which {title} does not have: "
                "name other folders, or another --target"
            )


def _check_size(size: int, what: str) -> None:
    if size < _LEAST_EXAMPLES:
        raise ValueError(f"a model takes {_LEAST_EXAMPLES} {what}; there are {size}")


def _weighted_sum(
    names: Sequence[str], scores: FloatArray, model: Weights, figures: dict[str, float]
) -> Learned:
    """Return a weighted sum of scores as a layer of scores that are scaled by their limits."""
    low, high = scores.min(axis=0), scores.max(axis=0)
    half = (high - low) / 2
    bias = model.intercept + model.weights @ (low + half)

    layer = Layer((model.weights * half)[:, None], np.array([bias]))
    return Learned(names, low, high, (layer,), figures)


@one_thread
def _make_model(name: str, target: str, given: _Training) -> Model:
    """Train a model.

    Parameters
    ----------
    name : str
        The name in tables.
    target : {"winner", "rating", "human-or-machine"}
        What it learns to predict.
    given : Training
        What it is trained on.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If there is too little to train on, or the validation has images of the training.
    """
    if given.validation:
        images = references_by_image(given.validation)
        check_unseen(name, digests(given.datasets), images)

    learned = _LEARN[target](given)
    options = asdict(given.options)
    kept = ("metrics", "documents", "tokenizer", "exclude_identical", "seed")
    software = {"numpy": np.__version__, "scipy": scipy.__version__}
    every = (*given.datasets, *([given.validation] if given.validation else []))

    return Model(
        name=name,
        target=target,
        features=tuple(learned.features),
        low=learned.low,
        high=learned.high,
        layers=learned.layers,
        training_images=digests(every),
        training={
            "figures": learned.figures,
            "references": given.count or "all",
            "options": {each: options[each] for each in kept},
            "data": [
                {
                    "title": each.info.get("title", ""),
                    "sha256": each.sha256,
                    "digest": DIGEST_VERSION,
                }
                for each in every
            ],
            "software": metrics.made_with(learned.features),
            "versions": {"tercet": __version__} | software,
        },
    )


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__)
    add = parser.add_argument
    add("folder", type=Path, nargs="+", help="dataset folder, or a zip of one")
    add("--out", type=Path, required=True, help="file for the model, JSON")
    add(
        "--target",
        choices=TARGETS,
        default=WINNER,
        help="what to predict: winners of pairs (default), ratings, or who wrote a caption",
    )
    add("--name", help="name of the metric in tables (default learned-TARGET)")
    add("--metrics", type=words, default=(), help="features (default all)")
    add(
        "--references",
        type=int,
        metavar="K",
        help="give metrics the first K references (default all)",
    )
    add("--seed", type=int, default=0, help="seed of everything random (default 0)")
    add(
        "--without",
        type=Path,
        metavar="FOLDER",
        help="do not train on images that are also in this folder",
    )
    add(
        "--validation",
        type=Path,
        metavar="FOLDER",
        help="folder with ratings that choose the best epoch of human-or-machine",
    )
    return parser


def run(given: argparse.Namespace) -> Model:
    """Do what the command says; returns the model that was written."""
    _check_options(given)
    datasets = [load(path, silent) for path in given.folder]
    _check_tables(given.target, datasets)
    if given.target != HUMAN_OR_MACHINE:
        datasets = [first_references(each, given.references) for each in datasets]
    if given.without:
        datasets = _without(datasets, given.without)

    options = Options(
        metrics=given.metrics,
        draws=1,
        order="file",
        seed=given.seed,
        resamples=1,
        exclude_identical=True,
    )
    validation = None
    if given.validation:
        validation = first_references(load(given.validation, silent), given.references)

    training = _Training(datasets, options, given.references, validation)
    name = given.name or f"learned-{given.target}"
    model = _make_model(name, given.target, training)
    given.out.write_text(model.to_json(), encoding="utf-8")
    return model


def _check_options(given: argparse.Namespace) -> None:
    """Raise ValueError for options that cannot be followed, before anything is scored."""
    if not given.out.parent.is_dir():
        raise ValueError(
            f"{given.out}: there is no folder {given.out.parent}; create it first"
        )
    if given.references is not None and given.references < 1:
        raise ValueError("--references: give a number from 1")
    if given.name and is_known(given.name):
        raise ValueError(f"--name: {given.name} is another metric; give a new name")


def _without(datasets: Sequence[Dataset], path: Path) -> list[Dataset]:
    """Leave out images that another folder has; ValueError where none is left."""
    other = load(path, silent)
    rest = [without_images(each, images_also_in(each, other)) for each in datasets]

    for before, after in zip(datasets, rest, strict=True):
        if after.references.empty:
            title = before.info.get("title", "the folder")
            raise ValueError(f"--without {path} has all images of {title}")
    return rest


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    with shell_output():
        return _status_of(parser().parse_args(arguments))


def _status_of(given: argparse.Namespace) -> int:
    """Run the command with these arguments, and print what becomes of it."""
    try:
        model = run(given)
    except FaultyDataset as error:
        print(f"{error.__notes__[0]}:\n{error}", file=sys.stderr)
        return REFUSED
    except (ValueError, OSError, RuntimeError) as error:
        print(f"{_PROGRAM}: {error}", file=sys.stderr)
        return REFUSED

    figures = ", ".join(
        f"{name.replace('_', ' ')} {value:g}"
        for name, value in model.training["figures"].items()
    )
    print(f"Trained {model.name} on {len(model.features)} metrics: {figures}.")
    print(f"The model is in {given.out}: give it to --model.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
