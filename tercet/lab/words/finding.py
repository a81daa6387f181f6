"""Words that people agree on, and how systems choose them (COCO captions paper, section 4.2)."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from tercet.analysis.evaluation.results import Results
from tercet.analysis.findings.finding import Content, Plot, finding
from tercet.analysis.findings.first_sentence import NONE
from tercet.analysis.findings.needs import SEVERAL_REFERENCES
from tercet.analysis.number_texts import fixed
from tercet.analysis.stats.resampling import group_numbers
from tercet.analysis.superlatives import Ranking, Wording, quoted
from tercet.analysis.tables.rows import where
from tercet.analysis.tables.schema import PEOPLE
from tercet.lab.words.agreement import (
    Agreement,
    WordCounts,
    count_words,
    model_precision,
    people_agreement,
)
from tercet.lab.words.figure import PART_TITLES, parts_figure, words_figure
from tercet.lab.words.parts_of_speech import parsed_by, parts_of_speech
from tercet.lab.words.systems import word_systems

_FREQUENT_WORDS = 100

_MOST_REPEATED = (
    "Of the {{number}} most frequent words but English function words, people repeat {{first}} "
    "most: when one person's caption has {them}, so has another's in {{high}} % of cases, and "
    "least {{last}}: {{low}} %."
)
_REPEATED = Wording(
    one=_MOST_REPEATED.format(them="it"),
    several=_MOST_REPEATED.format(them="one of them"),
    level="People repeat the {number} most frequent words but English function words equally "
    "often: when one person's caption has one of them, so has another's in {high} % of cases.",
)
_SHOWS = (
    "Precision against recall of each word when one person's caption predicts the "
    "others', by number of references"
)
_SHOWS_PARTS = (
    "Precision against recall of nouns, verbs and adjectives when one person's caption "
    "predicts the others'"
)
MOST = 1_000
"""Words that are looked at, as in the paper."""
COUNTS = (1, 2, 3, 4)
"""Numbers of references, as in figure 3 of the paper; the most that there are comes last."""
_FUNCTION_WORDS = frozenset(
    """
    a about above across after against all along also am among an and another any are around as
    at away be because been before behind being below beneath beside between both but by can
    could did do does doing down during each either for from had has have he her hers him his
    how i if in inside into is it its itself just me my near next no nor not of off on onto or
    other our out outside over own past she so some such than that the their them themselves
    then there these they this those through to together too toward towards under until up upon
    very was we were what when where which while who whose why will with within without would
    you your 's n't
    """.split()  # noqa: SIM905
)
"""They have little to do with an image: in the tables they are marked, in the plot left out."""

SYSTEM = ["source", "by", "references"]
"""The columns that name a system, where its words are from, and the number of references."""
_ALL_WORDS = "all"
"""Function words among them; the parts of speech have none."""

MEANING = (
    "The references of an image are taken as predictions of each other, word by word, over all "
    "choices of one as the prediction and of k others as references. Recall is how often a word "
    "that people use is used by one more person, and does not depend on k; precision is how "
    "often a word that one person uses is used by the others. Words with a high recall can be "
    "demanded of a system; the rest is a matter of taste. The line is a model in which every "
    "person names a thing that is there with the same chance. Precision and recall of a system "
    "are those of its captions, and its precision at human recall is that of the words whose "
    "recall is at least that of people. With scores of words (word_scores.csv), it is the "
    "precision where recall, from the highest score down, reaches that of people, interpolated "
    "linearly between two points. Beside it stands the precision of people for the same words. "
    "The column by says whether a row is of a system's captions or of its scores of words; "
    "positives counts the references with the word among k of each image, on average."
)


@finding(
    title="Words that people agree on",
    source="COCO captions paper, section 4.2 and figure 3",
    meaning=MEANING,
    needs=(SEVERAL_REFERENCES,),
    place=121,
)
def words(results: Results) -> Content:
    """Tabulate how well people predict each other's words, and systems people's words."""
    references = results.references
    tokenize = results.tokenize
    images = group_numbers(references, ["image"])
    tokens = [tokenize(text) for text in references["caption"]]
    counts = count_words(tokens, images, MOST)
    parts = [""] * len(counts.words)
    if results.may_be_english:
        parts = parts_of_speech(counts.words, tokens)

    people = counts.histograms()
    most = max(people) - 1
    used = sorted({k for k in (*COUNTS, most) if k <= most})
    found = {k: people_agreement(people, k) for k in used}

    table = _table(counts, found, parts)
    systems = word_systems(results, counts, found, parts)
    drawn = [k for k in used if k in COUNTS]
    last = max(drawn)
    shown = where(table, function_word=False, references=drawn)
    means = _means(table, systems)
    of_last = where(systems, references=last)
    return Content(
        tables={"words_means": means, "words": table, "words_systems": of_last},
        plots=_plots(shown, last),
        notes=tuple(_notes(results, parts)),
        sentence=_sentence(shown),
    )


def _notes(results: Results, parts: Sequence[str]) -> Iterator[str]:
    """Say what parsed the captions, or that nothing knows their language."""
    if any(parts):
        yield parsed_by()
    elif not results.may_be_english:
        yield (
            "Parts of speech are left out: the parser knows English only, and the captions are in "
            "another language."
        )


def _plots(shown: pd.DataFrame, last: int) -> dict[str, Plot]:
    """Return the plots by number of references, and by part of speech if it is known."""
    draw = partial(words_figure, shown)
    plots = {"words": Plot(draw, _SHOWS)}
    of_last = where(shown, part_of_speech=PART_TITLES, references=last)
    if len(of_last):
        draw = partial(parts_figure, of_last)
        plots["words_parts"] = Plot(draw, _SHOWS_PARTS)
    return plots


def _table(
    counts: WordCounts, found: dict[int, Agreement], parts: Sequence[str]
) -> pd.DataFrame:
    """Return a row for each number of references and word, the most frequent word first."""
    measures = ("positives", "recall", "precision", "low", "high")
    tables = []

    for k, agreement in found.items():
        columns = {
            "references": k,
            "word": counts.words,
            "part_of_speech": parts,
            "function_word": [word in _FUNCTION_WORDS for word in counts.words],
            "captions": counts.frequency,
            **{name: getattr(agreement, name) for name in measures},
            "model": model_precision(agreement.recall, k),
        }
        tables.append(pd.DataFrame(columns))

    return pd.concat(tables, ignore_index=True)


def _means(table: pd.DataFrame, systems: pd.DataFrame) -> pd.DataFrame:
    """Return means over words, all of them and each part of speech: of people, then of systems."""
    is_function_word = table["function_word"]
    function_words = set(table.loc[is_function_word, "word"])
    rows = []
    for k, own in table.groupby("references", sort=True):
        for part, chosen in _by_part(own, function_words):
            people = {"source": PEOPLE, "references": k, "part_of_speech": part}
            rows.append(people | _means_of_people(chosen))

    for key, own in systems.groupby(SYSTEM, sort=True):
        system = dict(zip(SYSTEM, key, strict=True))
        for part, chosen in _by_part(own, function_words):
            means = _means_of_system(chosen)
            rows.append(system | {"part_of_speech": part} | means)

    return pd.DataFrame(rows)


def _by_part(
    table: pd.DataFrame, function_words: set[str]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield all words, then each part of speech without function words."""
    yield _ALL_WORDS, table
    is_content = ~table["word"].isin(function_words)
    content_words = table[is_content]
    for part in PART_TITLES:
        chosen = where(content_words, part_of_speech=part)
        if len(chosen):
            yield part, chosen


def _means_of_people(table: pd.DataFrame) -> dict[str, object]:
    """Return means over words; the weighted one counts each as often as references have it."""
    known = table.dropna(subset="precision")
    precision = known["precision"]
    weights = known["positives"]
    weighted = np.average(precision, weights=weights) if any(weights) else np.nan

    return {
        "words": len(known),
        "precision": table["precision"].mean(),
        "recall": table["recall"].mean(),
        "model_precision": table["model"].mean(),
        "weighted_precision": float(weighted),
    }


def _means_of_system(table: pd.DataFrame) -> dict[str, object]:
    """Return means over a system's words, people's words, and words at human recall."""
    used = table.dropna(subset=["precision", "recall"])
    reached = table.dropna(subset="precision_at_human_recall")

    return {
        "words": len(used),
        "precision": used["precision"].mean(),
        "recall": used["recall"].mean(),
        "people_precision": used["people_precision"].mean(),
        "people_recall": used["people_recall"].mean(),
        "words_at_human_recall": len(reached),
        "precision_at_human_recall": reached["precision_at_human_recall"].mean(),
        "people_precision_there": reached["people_precision"].mean(),
    }


def _sentence(table: pd.DataFrame) -> str:
    """Name the frequent words that people repeat most and least often."""
    fewest = table["references"].min()
    known = where(table, references=fewest).dropna(subset="recall")
    frequent = known.head(_FREQUENT_WORDS)
    if len(frequent) < 2:
        return NONE

    recall = Ranking.of(frequent.set_index("word")["recall"])
    return _REPEATED.said(
        recall,
        quoted,
        high=fixed(100 * recall.highest, 0),
        low=fixed(100 * recall.lowest, 0),
    )
