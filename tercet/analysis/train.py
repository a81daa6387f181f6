"""`tercet train FOLDER --out MODEL.json`: train a metric on people's judgments."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import scipy

from tercet import __version__, metrics
from tercet.analysis.__main__ import load
from tercet.analysis.evaluation.evaluate import evaluate, only_pairs
from tercet.analysis.evaluation.training_examples import (
    NamedExamples,
    digests,
    first_references,
    images_also_in,
    joined,
    pair_examples,
    rated_examples,
    without_images,
    written_examples,
)
from tercet.analysis.progress import silent
from tercet.analysis.scoring.options import LEARNED, Options
from tercet.analysis.scoring.workers import one_thread
from tercet.analysis.stats.scores.human_model import (
    Layers,
    share_right,
    tau_c_with,
    train_network,
)
from tercet.analysis.stats.scores.weights import E, Numbers, PairExamples, train
from tercet.analysis.tables.csv_tables import FaultyDataset
from tercet.analysis.tables.rows import captions_by_image
from tercet.analysis.tables.schema import DIGEST_VERSION, Dataset
from tercet.metrics import Model
from tercet.metrics.arguments import (
    REFUSED,
    add_shell_options,
    be_quiet,
    program,
    refused,
    shell_output,
    words,
)
from tercet.metrics.composed.learned import check_unseen, scaled
from tercet.metrics.registry import is_known

_HUMAN_OR_MACHINE = "human-or-machine"
_PROGRAM = program("train")
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

    def pairs_of(self, dataset: Dataset) -> NamedExamples[PairExamples]:
        """Score the pairs of a dataset."""
        pairs = only_pairs(dataset)
        results = evaluate(pairs, self.options)
        return pair_examples(results)

    def ratings_of(self, dataset: Dataset) -> NamedExamples[Numbers]:
        """Score the ratings of a dataset."""
        none = dataset.pairs[:0]
        rated = replace(dataset, pairs=none, votes=dataset.votes[:0])
        results = evaluate(rated, self.options)
        return rated_examples(results)


def _learn_winner(given: _Training) -> Model:
    """Train a weighted sum to predict the winners of pairs."""
    found = joined(list(map(given.pairs_of, given.datasets)))
    return _learn_weights("pairs", found, "pairs with a winner", given)


def _learn_rating(given: _Training) -> Model:
    """Train a weighted sum to predict ratings."""
    found = joined(list(map(given.ratings_of, given.datasets)))
    return _learn_weights("ratings", found, "ratings", given)


def _learn_weights(
    name: str, found: NamedExamples[E], what: str, given: _Training
) -> Model:
    """Train a weighted sum on examples, which are counted by this name."""
    _check_size(found.examples.size, what)
    model = train(found.examples, given.generator)

    layer = model.layer(*found.limits)
    figures = {name: len(found.examples.target), "penalty": model.penalty}
    return _model(found, (layer,), figures)


def _learn_human_or_machine(given: _Training) -> Model:
    """Train a network to tell who wrote a caption (NNEval, Sharif et al. 2018)."""
    if given.validation is None:
        raise ValueError(
            f"--target {_HUMAN_OR_MACHINE} chooses the best epoch by ratings: name a folder with "
            "ratings.csv by --validation"
        )

    found = joined(
        [written_examples(each, given.options, given.count) for each in given.datasets]
    )
    is_human = found.examples.target == 1
    humans = np.count_nonzero(is_human)
    machines = np.count_nonzero(~is_human)
    _check_size(
        int(min(humans, machines)), "captions of people and as many of machines"
    )

    judged = given.ratings_of(given.validation).of(found.names).examples
    judged = replace(judged, features=scaled(judged.features, *found.limits))
    inputs = scaled(found.scores, *found.limits)
    network = train_network(inputs, is_human, tau_c_with(judged), given.generator)

    figures = {
        "captions": len(inputs),
        "epoch": network.epoch,
        "validation_tau_c": network.agreement,
        "captions_told_apart": share_right(network.layers, inputs, is_human),
    }
    return _model(found, network.layers, figures)


def _check_size(size: int, what: str) -> None:
    if size < _LEAST_EXAMPLES:
        raise ValueError(f"a model takes {_LEAST_EXAMPLES} {what}; there are {size}")


def _model(found: NamedExamples[E], layers: Layers, figures: dict[str, float]) -> Model:
    """Return a model without a name; figures say what there was, and what was chosen."""
    names = tuple(found.names)
    return Model("", "", names, *found.limits, layers, training={"figures": figures})


_TARGETS: dict[str, tuple[str, Callable[[_Training], Model]]] = {
    "winner": ("pairs", _learn_winner),
    "rating": ("ratings", _learn_rating),
    _HUMAN_OR_MACHINE: ("candidates", _learn_human_or_machine),
}
"""From which table of a dataset each target is learned, and how."""


def _check_tables(target: str, datasets: Sequence[Dataset]) -> None:
    """Raise ValueError if a dataset has nothing to learn the target from."""
    table, _learn = _TARGETS[target]

    for each in datasets:
        if getattr(each, table).empty:
            title = each.info.get("title", "a folder")
            raise ValueError(
                f"--target {target} learns from {table}.csv, which {title} does not have: "
                "name other folders, or another --target"
            )


@one_thread
def _make_model(name: str, target: str, given: _Training) -> Model:
    """Train a model of this name, and say what it is trained on.

    ValueError if there is too little, or the validation has images of the training.
    """
    if given.validation:
        images = captions_by_image(given.validation.references)
        check_unseen(name, digests(given.datasets), images)

    _table, learn = _TARGETS[target]
    model = learn(given)
    options = asdict(given.options.named)
    kept = ("metrics", "documents", "tokenizer", "exclude_identical", "seed")
    software = {"numpy": np.__version__, "scipy": scipy.__version__}
    every = (*given.datasets, *([given.validation] if given.validation else []))

    return replace(
        model,
        name=name,
        target=target,
        training_images=digests(every),
        training={
            **model.training,
            "references": given.count or "all",
            "options": {each: options[each] for each in kept},
            "data": list(map(_describe, every)),
            "software": metrics.made_with(model.features),
            "versions": {"tercet": __version__} | software,
        },
    )


def _describe(dataset: Dataset) -> dict[str, object]:
    title = dataset.info.get("title", "")
    return {"title": title, "sha256": dataset.sha256, "digest": DIGEST_VERSION}


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__)
    add = parser.add_argument
    add_shell_options(parser)
    add("folder", type=Path, nargs="+", help="dataset folder, or a zip of one")
    add("--out", type=Path, required=True, help="file for the model, JSON")
    add(
        "--target",
        choices=list(_TARGETS),
        default="winner",
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
    if given.target != _HUMAN_OR_MACHINE:
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
        dataset = load(given.validation, silent)
        validation = first_references(dataset, given.references)

    training = _Training(datasets, options, given.references, validation)
    name = given.name or f"learned-{given.target}"
    model = _make_model(name, given.target, training)
    text = model.to_json()
    given.out.write_text(text, encoding="utf-8")
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
        given = parser().parse_args(arguments)
        be_quiet(given.quiet)
        return _status_of(given)


def _status_of(given: argparse.Namespace) -> int:
    """Run the command with these arguments, and print what becomes of it."""
    try:
        model = run(given)
    except (ValueError, OSError, RuntimeError) as error:
        return refused_dataset(_PROGRAM, error)

    figures = ", ".join(
        f"{name.replace('_', ' ')} {value:g}"
        for name, value in model.training["figures"].items()
    )
    print(f"Trained {model.name} on {len(model.features)} metrics: {figures}.")
    print(f"The model is in {given.out}: give it to --model.")
    return 0


def refused_dataset(command: str, error: Exception) -> int:
    """Print the error that ends a command, with the folder at fault; return its exit status."""
    if not isinstance(error, FaultyDataset):
        return refused(command, error)

    print(f"{error.__notes__[0]}:\n{error}", file=sys.stderr)
    return REFUSED


if __name__ == "__main__":
    sys.exit(main())
