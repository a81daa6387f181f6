"""What is extracted from parsed captions: from the disk, or parsed on all processors."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from tqdm import tqdm

from tercet.lab.tuples import extraction, parser, roles
from tercet.lab.tuples.extraction import Tuple
from tercet.lab.tuples.parsed_caption import Word
from tercet.lab.tuples.store import TupleStore
from tercet.metrics.core.caches import cache_directory
from tercet.metrics.corpora.corpus import Corpus

FILE = "tuples.sqlite"

_CHUNK = 500
"""Captions that are parsed, and kept, at a time."""
_FEW = 2 * _CHUNK
"""Captions that one process parses sooner than several have loaded the model."""

_TuplesByCaption = dict[str, frozenset[Tuple]]


class Extract(NamedTuple):
    """Something that is extracted from the parse of a caption, and kept on disk."""

    name: str
    version: int
    of: Callable[[Sequence[Word]], frozenset[Tuple]]


TUPLES = Extract("tuples", extraction.VERSION, extraction.extract)
ROLES = Extract("roles", roles.VERSION, roles.semantic_tuples)
TAGS = Extract(
    "tags", 1, lambda words: frozenset((each.text, each.tag) for each in words)
)
"""Each word of a caption with its tag of the Penn Treebank."""

_ALL = {each.name: each for each in (TUPLES, ROLES, TAGS)}


def tuples_of(captions: Iterable[str], extract: Extract = TUPLES) -> _TuplesByCaption:
    """Return the tuples of captions; each distinct one is parsed once and kept on disk.

    captions: words with spaces in between. extract: what to return; a caption that is parsed for
    one of `TUPLES`, `ROLES` and `TAGS` is parsed for all.

    Raises MissingParserError if spaCy or the model is not installed.
    """
    distinct = list(dict.fromkeys(captions))
    path = cache_directory() / FILE
    software = parser.software()
    stores = {
        each.name: TupleStore(path, f"{each.name} {each.version}, {software}")
        for each in _ALL.values()
    }

    known = stores[extract.name].read(distinct)
    unknown = [caption for caption in distinct if caption not in known]

    with tqdm(
        desc="Parsing captions, once",
        total=len(unknown),
        unit=" captions",
        disable=None if unknown else True,
    ) as bar:
        for parsed in _parsed(unknown):
            for name, tuples in parsed.items():
                stores[name].write(tuples)

            known |= parsed[extract.name]
            bar.update(len(parsed[extract.name]))

    return known


def tuples_in(
    corpus: Corpus, extract: Extract = TUPLES
) -> tuple[list[frozenset[Tuple]], list[frozenset[Tuple]]]:
    """Return the tuples of each reference and of each candidate of a corpus."""
    references, candidates = (
        [" ".join(caption) for caption in captions.spelled(corpus.words)]
        for captions in (corpus.references, corpus.candidates)
    )
    known = tuples_of([*references, *candidates], extract)

    return ([known[text] for text in references], [known[text] for text in candidates])


def _parsed(captions: Sequence[str]) -> Iterator[dict[str, _TuplesByCaption]]:
    """Yield what is extracted from captions chunk by chunk, as they are ready."""
    chunks = [
        captions[start : start + _CHUNK] for start in range(0, len(captions), _CHUNK)
    ]

    # A worker of an analysis is one of several processes already.
    is_worker = multiprocessing.parent_process() is not None
    if is_worker or len(captions) <= _FEW:
        yield from map(_parse, chunks)
        return

    from joblib import Parallel, delayed

    workers = Parallel(n_jobs=-1, return_as="generator_unordered")
    yield from workers(delayed(_parse)(chunk) for chunk in chunks)


def _parse(captions: Sequence[str]) -> dict[str, _TuplesByCaption]:
    """Parse captions; returns what is extracted from them, by its name."""
    parsed = dict(zip(captions, parser.parse(captions), strict=True))

    return {
        name: {caption: extract.of(words) for caption, words in parsed.items()}
        for name, extract in _ALL.items()
    }
