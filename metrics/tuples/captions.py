"""The tuples of captions: from the disk, or parsed on all processors."""

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence

from tqdm import tqdm

from metrics.array_file import cache_directory
from metrics.tuples import extraction, parser
from metrics.tuples.extraction import Tuple
from metrics.tuples.store import TupleStore

FILE = "tuples.sqlite"

_CHUNK = 500
"""Captions that are parsed, and kept, at a time."""
_FEW = 2 * _CHUNK
"""Captions that one process parses sooner than several have loaded the model."""

TuplesByCaption = dict[str, frozenset[Tuple]]


def tuples_of(captions: Iterable[str]) -> TuplesByCaption:
    """Return the tuples of captions; each distinct one is parsed once and kept on disk.

    The database is in the directory that the environment variable TERCET_CACHE names, or in the
    user's cache directory. A progress bar is shown on a terminal.

    Parameters
    ----------
    captions : iterable of str
        Words with spaces in between.

    Returns
    -------
    dict from str to frozenset of tuple of str

    Raises
    ------
    MissingParserError
        If spaCy or the model is not installed.
    """
    distinct = list(dict.fromkeys(captions))
    software = f"tuples {extraction.VERSION}, {parser.software()}"
    store = TupleStore(cache_directory() / FILE, software)

    known = store.read(distinct)
    unknown = [caption for caption in distinct if caption not in known]

    with tqdm(
        desc="Parsing captions, once",
        total=len(unknown),
        unit=" captions",
        disable=None if unknown else True,
    ) as bar:
        for parsed in _parsed(unknown):
            store.write(parsed)
            known |= parsed
            bar.update(len(parsed))

    return known


def _parsed(captions: Sequence[str]) -> Iterator[TuplesByCaption]:
    """Yield the tuples of captions chunk by chunk, as they are ready."""
    chunks = [
        captions[start : start + _CHUNK]
        for start in range(0, len(captions), _CHUNK)
    ]

    # A worker of an analysis is one of several processes already.
    is_worker = multiprocessing.parent_process() is not None
    if is_worker or len(captions) <= _FEW:
        yield from map(_parse, chunks)
        return

    from joblib import Parallel, delayed

    workers = Parallel(n_jobs=-1, return_as="generator_unordered")
    yield from workers(delayed(_parse)(chunk) for chunk in chunks)


def _parse(captions: Sequence[str]) -> TuplesByCaption:
    return dict(zip(captions, parser.parse(captions), strict=True))
