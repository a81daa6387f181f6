"""Time this library and its peers on the same captions in the same run, and print the ratios.

``python -m benchmarks.metrics`` runs all items, ``python -m benchmarks.metrics coco-bleu`` one.
Needs locks/benchmarks.txt and Java; peers that are not there are left out, and said to be.
Nothing is downloaded. Every time is the best of a few, in one process. Peers that would score all
reference counts anew are timed at a few counts, between which the rest is interpolated; ``--full``
times them at every one. Ours is warm: its loops are compiled, its data mapped; the first line says
what that took in this run.

``--former FOLDER`` times a checkout of another version in turns with this one instead of peers.
"""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.captions import Texts, Tokenized, coco_val2014, many_references
from benchmarks.former import in_turns
from benchmarks.peers import Peer
from tercet.metrics import (
    BAGS,
    COCO_NAMES,
    DocumentsMode,
    compare,
    corpus_scores,
    file_order,
    names,
)
from tercet.metrics.core.arrays import FloatArray

PACKAGES = "numpy scipy numba pycocoevalcap nltk rouge-score sacrebleu rouge-score-rs bleuscore POT"
BLEU = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")
SEVEN_BAGS = [f"BAST-{bag}" for bag in BAGS]
WMD = ("WMD", "WMD-max", "RWMD")
SEVEN = tuple(name for name in COCO_NAMES if name in names())
PATIENCE_SECONDS = 10.0
UNKNOWN = np.array([np.nan, np.nan])


@dataclass(frozen=True)
class Options:
    """best_of: how often to time. full: peers at every count. images: of COCO, or all."""

    best_of: int
    full: bool
    images: int | None


@dataclass(frozen=True)
class Timed:
    """How long some work took: by the clock, and of this process's processor time.

    The second is what counts on a machine that does other work; it knows nothing of Java's.
    """

    who: str
    seconds: FloatArray
    remark: str = ""


def best(work: Callable[[], object], times: int) -> FloatArray:
    """The fewest seconds (clock, processor) of some runs; long work is not run again."""
    fastest = np.array([np.inf, np.inf])
    started = perf_counter()
    for _ in range(times):
        before = np.array([perf_counter(), process_time()])
        work()
        fastest = np.minimum(
            fastest, np.array([perf_counter(), process_time()]) - before
        )
        if perf_counter() - started > PATIENCE_SECONDS:
            break
    return fastest


def score_all(
    captions: Tokenized, wanted: Sequence[str], documents: DocumentsMode = "pool"
) -> dict[str, Any]:
    """Scores for every reference count, from tokens."""
    gathered = captions.corpus(documents)
    return compare(gathered, wanted).accumulate(file_order(gathered))


def coco_evaluation(texts: Texts) -> dict[str, float]:
    """Corpus figures of all COCO metrics, from strings."""
    gathered = texts.corpus()
    return corpus_scores(compare(gathered, SEVEN), file_order(gathered))


@cache
def abstract_tokens() -> Tokenized:
    """The captions with many references, tokenized."""
    return many_references().tokenized()


@cache
def coco_texts(images: int | None) -> Texts:
    """The captions of COCO."""
    return coco_val2014(images)


@cache
def coco_tokens(images: int | None) -> Tokenized:
    """The captions of COCO, tokenized."""
    return coco_texts(images).tokenized()


def every_count(captions: Tokenized, peer: Peer, full: bool) -> tuple[FloatArray, str]:
    """Seconds of a peer for all reference counts together, and how many were timed."""
    most = captions.texts.most
    few = sorted({1, max(1, most // 4), max(1, most // 2), most})
    counts = list(range(1, most + 1)) if full else few
    seconds = [best(partial(peer, *captions.joined(k)), 1) for k in counts]
    total = [
        np.interp(range(1, most + 1), counts, each).sum()
        for each in zip(*seconds, strict=True)
    ]
    return np.array(
        total
    ), "" if full else f"timed at k = {', '.join(map(str, counts))}"


def counts_item(
    wanted: Sequence[str],
    rivals: dict[str, Peer],
    documents: DocumentsMode,
    options: Options,
) -> list[Timed]:
    """All reference counts of the captions with many references."""
    captions = abstract_tokens()
    ours = best(partial(score_all, captions, wanted, documents), options.best_of)
    timed = [Timed("ours", ours)]
    for name, peer in rivals.items():
        if why := peers.missing(name):
            timed.append(Timed(name, UNKNOWN, why))
        else:
            timed.append(Timed(name, *every_count(captions, peer, options.full)))
    return timed


def coco_item(
    wanted: Sequence[str], rivals: dict[str, Peer], options: Options
) -> list[Timed]:
    """One metric on COCO, from tokens."""
    captions = coco_tokens(options.images)
    ours = best(partial(score_all, captions, wanted), options.best_of)
    return [Timed("ours", ours), *_rivals(rivals, captions.joined(), options)]


def tokenizing_item(options: Options) -> list[Timed]:
    """The captions of COCO from strings to tokens."""
    texts = coco_texts(options.images)
    ours = Timed("ours", best(texts.tokenized, options.best_of))
    given = texts.references, texts.candidates
    return [ours, *_rivals(peers.TOKENIZERS, given, options)]


def together_item(options: Options) -> list[Timed]:
    """Tokenizing and all COCO metrics, as one evaluation."""
    texts = coco_texts(options.images)
    ours = Timed(
        "ours", best(partial(coco_evaluation, texts), options.best_of), " ".join(SEVEN)
    )
    return [
        ours,
        *_rivals({"pycocoevalcap (Java)": _peer_evaluation}, _given(texts), options),
    ]


def _peer_evaluation(
    references: peers.References, candidates: peers.Candidates
) -> None:
    known, wanted = peers.java_tokenizer(references, candidates)
    tokens = (list(known.values()), [captions[0] for captions in wanted.values()])
    for scorer in (peers.coco_bleu, peers.coco_rouge, peers.coco_cider):
        scorer(*tokens)
    if "METEOR" in SEVEN:
        peers.coco_meteor(*tokens)


def _given(texts: Texts) -> tuple[peers.References, peers.Candidates]:
    return texts.references, texts.candidates


def _rivals(
    rivals: dict[str, Peer],
    given: tuple[peers.References, peers.Candidates],
    options: Options,
) -> list[Timed]:
    timed = []
    for name, peer in rivals.items():
        why = peers.missing(name)
        if not why and "Java" in name and peer is not peers.java_tokenizer:
            peers.warm_meteor()
        seconds = UNKNOWN if why else best(partial(peer, *given), options.best_of)
        timed.append(Timed(name, seconds, why))
    return timed


def items() -> dict[str, Callable[[Options], list[Timed]]]:
    """The work items by name; those of METEOR where it is there."""
    meteor = "METEOR" in names()
    with_counts = {
        "counts-cider": (["CIDEr-D"], peers.CIDER, "pool"),
        "counts-cider-k": (["CIDEr-D"], peers.CIDER, "k"),
        "counts-bleu": (BLEU, peers.BLEU, "pool"),
        "counts-rouge": (["ROUGE-L"], peers.ROUGE, "pool"),
        **({"counts-meteor": (["METEOR"], peers.METEOR, "pool")} if meteor else {}),
        **(_tuple_items() if "tuple-F" in names() else {}),
        **({"counts-wmd": (WMD, {}, "pool")} if "WMD" in names() else {}),
    }
    on_coco = {
        "coco-cider": (["CIDEr-D"], peers.CIDER),
        "coco-bleu": (BLEU, peers.BLEU),
        "coco-rouge": (["ROUGE-L"], peers.ROUGE),
        **({"coco-meteor": (["METEOR"], peers.METEOR)} if meteor else {}),
        **(_wmd_items() if "WMD" in names() else {}),
    }
    chosen: dict[str, Callable[[Options], list[Timed]]] = {}
    for name, (wanted, rivals, documents) in with_counts.items():
        mode: DocumentsMode = "k" if documents == "k" else "pool"
        chosen[name] = partial(counts_item, wanted, rivals, mode)
    chosen["coco-tokenizing"] = tokenizing_item
    for name, (wanted, rivals) in on_coco.items():
        chosen[name] = partial(coco_item, wanted, rivals)
    chosen["coco-together"] = together_item
    return chosen


def _tuple_items() -> dict[str, tuple[Sequence[str], dict[str, Peer], str]]:
    """Metrics of parsed captions, which have no peer that runs without a download.

    Captions are parsed once and kept on disk: the best of a few runs has them.
    """
    return {
        "counts-tuples": (["tuple-F", "tuple-C"], {}, "pool"),
        "counts-bast": (SEVEN_BAGS, {}, "pool"),
        "counts-spider": (["SPIDEr-T"], {}, "pool"),
    }


def _wmd_items() -> dict[str, tuple[Sequence[str], dict[str, Peer]]]:
    """Word mover's distances, of which only the exact one has a peer."""
    return {"coco-wmd": (["WMD"], peers.WMD), "coco-rwmd": (["RWMD"], {})}


def report(item: str, timed: list[Timed]) -> str:
    """The times of one item as lines: who, seconds, how many times ours, remarks."""
    return "\n".join(
        f"{item:<16}{each.who:<22}{_times(each, timed[0])}  {each.remark}"
        for each in timed
    )


def _times(timed: Timed, ours: Timed) -> str:
    """Seconds and ratio by the clock, then by the processor."""
    pairs = zip(timed.seconds.tolist(), ours.seconds.tolist(), strict=True)
    texts = [f"{seconds:9.3f} s {seconds / least:7.1f} x" for seconds, least in pairs]
    return texts[0] if "Java" in timed.who else "   ".join(texts)


def compare_versions(chosen: Sequence[str], given: argparse.Namespace) -> None:
    """Print the times of items by another version and by this one, and their ratio."""
    for item in chosen:
        ours, theirs = in_turns(item, given.images, given.former, given.best_of)
        former = Timed("former", theirs)
        print(report(item, [Timed("present", ours), former]), flush=True)


def machine() -> str:
    """The machine and the versions, for the record."""
    versions = []
    for package in PACKAGES.split():
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} -")
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count()
    )
    head = f"{_processor()}, {cores} cores, {platform.system()}, Python {platform.python_version()}"
    return f"{head}\n{', '.join(versions)}"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    models = [
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    ]
    return models[0] if models else platform.processor() or platform.machine()


def warm_up(chosen: Sequence[str]) -> float:
    """Compile and load what the items use, on two captions; gives the seconds that it took."""
    texts = Texts(
        "", [["a dog runs"], ["two cats sleep"]], ["a dog", "cats sleep"], [0, 1]
    )
    wanted = [
        n
        for n in SEVEN
        if n != "METEOR" or any("meteor" in c or "tog" in c for c in chosen)
    ]
    before = perf_counter()
    for documents in ("pool", "k"):
        score_all(texts.tokenized(), wanted, "k" if documents == "k" else "pool")
    return perf_counter() - before


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen items and print them as they come."""
    known = items()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.metrics", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "items", nargs="*", help=f"of {', '.join(known)}; all without any"
    )
    parser.add_argument("--best-of", type=int, default=3, help="times to run each (3)")
    parser.add_argument(
        "--full", action="store_true", help="peers at every reference count"
    )
    parser.add_argument("--images", type=int, help="only the first images of COCO")
    parser.add_argument("--former", type=Path, help="a checkout to time in turns")
    given = parser.parse_args(arguments)
    if unknown := [item for item in given.items if item not in known]:
        parser.error(f"no item {', '.join(unknown)}: there are {', '.join(known)}")
    chosen = given.items or list(known)
    print(machine())
    print(
        f"load {os.getloadavg()[0]:.1f}; seconds and ratios by the clock, then of the processor"
    )
    if given.former:
        compare_versions(chosen, given)
        return 0
    print(
        f"{many_references().name}; first scores in this process: {warm_up(chosen):.2f} s"
    )
    options = Options(given.best_of, given.full, given.images)
    for item in chosen:
        print(report(item, known[item](options)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
