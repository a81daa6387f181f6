"""Score captions in a shell: ``tercet score --references R --candidates C --out SCORES.csv``.

Prints the corpus figures of the COCO caption evaluation, and writes each caption's scores. With
``--explain IMAGE``, prints why the candidates of one image have their scores.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from shutil import get_terminal_size
from threading import Event, Thread
from typing import NamedTuple, TextIO, TypeAlias, get_args

import numpy as np
from tqdm import tqdm

from tercet.metrics import (
    ALL,
    COCO,
    COCO_NAMES,
    TOKENIZERS,
    Combination,
    Documents,
    DocumentsMode,
    Inputs,
    Model,
    Scores,
    check_unseen,
    explainable,
    left_out,
    made_with,
    names,
    read_documents,
    read_model,
    resolve,
    score,
    weighed,
)
from tercet.metrics.arguments import (
    COMBINE_HELP,
    MODEL_HELP,
    add_caption_files,
    add_program_options,
    add_shell_options,
    add_strict,
    be_quiet,
    counts,
    hides_progress,
    print_note,
    program,
    refused,
    shell_output,
    tell_failed,
    words,
)
from tercet.metrics.core.jit import first_calls
from tercet.metrics.core.quiet import PATIENCE_SECONDS
from tercet.metrics.core.string_array import StringArray
from tercet.metrics.corpus_scores import Totals
from tercet.metrics.explain.composites import is_explainable
from tercet.metrics.explain.run import explain_image
from tercet.metrics.explain.text import as_text, filled
from tercet.metrics.json_lines import (
    Item,
    for_capevalkit,
    items_together,
    joined,
    score_lines,
)
from tercet.metrics.outside.command import with_programs
from tercet.metrics.outside.measured import failed_checks
from tercet.metrics.registry import Named, ToScore, measure_all
from tercet.metrics.score_tables import count_all
from tercet.metrics.scoring import check_documents, totals_of
from tercet.metrics.selection import Selection, select
from tercet.metrics.text.csv_lines import csv_lines
from tercet.metrics.text.files import (
    CANDIDATES,
    REFERENCES,
    STANDARD,
    CaptionFile,
    InputError,
    check_images,
    load,
)
from tercet.metrics.text.inputs import check

HEADER = ("image", "caption", "metric", "reference_count", "score")

Note: TypeAlias = Callable[[str], None]


class Figure(NamedTuple):
    """A metric's figure for all candidates together; without a count, with all references."""

    metric: str
    coco_name: str
    reference_count: int | None
    captions: int
    score: float


class _ScoredCandidates(NamedTuple):
    """Candidates with their scores: with each number of references, or with all."""

    candidates: CaptionFile
    totals: list[Totals]
    selection: Selection
    measured: list[ToScore]

    def rows(self) -> Iterator[tuple[str, str, str, int, float]]:
        """The rows of the output.

        Each candidate has one for each metric and each number of references that its image has.
        """
        images = list(self.candidates.images)
        image_numbers = self.candidates.image.tolist()

        for number, caption in enumerate(self.candidates.captions):
            image = images[image_numbers[number]]
            for metric in self.totals[0].scores:
                for total in self.totals:
                    if used := int(total.used[number]):
                        value = float(total.scores[metric][number])
                        yield image, caption, metric, used, value

    def figures(self) -> Iterator[Figure]:
        """The corpus figures with each number of references."""
        for total in self.totals:
            captions = int(np.count_nonzero(total.used))

            for name, value in total.figures().items():
                yield Figure(name, COCO_NAMES.get(name, ""), total.k, captions, value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with its arguments, by default the command line's.

    Returns 0 if it succeeded; with a message on standard error, 3 if a metric from outside failed,
    and 2 for anything else.
    """
    with shell_output():
        options = _parser().parse_args(arguments)
        be_quiet(options.quiet)
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        if ALL in (options.metrics or ()):
            for line in left_out():
                print_note(f"Note: {line}.")
        _check(options)
        if options.jsonl or options.predictions:
            _score_items(options)
            return 0
        failed: list[str] = []
        if options.explain:
            output = _explained(options)
        else:
            output, failed = _scored(options)
    except BrokenPipeError:
        raise
    except (OSError, ValueError, RuntimeError) as error:
        return refused(program("score"), error)

    # Escapes stand for what the standard output cannot show.
    encoding = sys.stdout.encoding or "utf-8"
    shown = output.encode(encoding, "backslashreplace").decode(encoding)
    is_piped = options.out == STANDARD
    print(shown, file=sys.stderr if is_piped else sys.stdout)

    return tell_failed(failed, options.strict)


def _score_items(options: argparse.Namespace) -> None:
    """Score items of JSON Lines; write lines as they are scored, or what capevalkit reads."""
    wanted = _wanted(options)
    documents = _documents(options.documents)
    is_counted = isinstance(documents, str) and documents != COCO and weighed(wanted)

    def scored(references: list[list[str]], candidates: list[str]) -> Scores:
        return score(
            references=references,
            candidates=candidates,
            metrics=wanted,
            tokenize=TOKENIZERS[options.tokenizer],
            documents=documents,
        )

    if options.predictions:
        read = joined(options.predictions, options.references)
        text = for_capevalkit(read, scored)
        with _written(options.out) as output:
            print(text, file=output)
        return

    parts: Iterable[list[Item]] = items_together(options.jsonl)
    if is_counted:
        parts = [list(chain.from_iterable(parts))]
    with _written(options.out) as output:
        for part in parts:
            for line in score_lines(part, scored):
                print(line, file=output)
            output.flush()


def _wanted(options: argparse.Namespace) -> tuple[Named, ...]:
    """Return the metrics that are named, and those that are programs."""
    named = resolve(options.metrics)
    return with_programs(named, options.metric_command, options.metric_limits)


def _selected(options: argparse.Namespace, names: Sequence[Named]) -> Selection:
    """Add the combinations and models that are wanted to metrics."""
    combinations = [Combination.read(formula) for formula in options.combine]
    models = [read_model(path) for path in options.model]
    return select(names, [*combinations, *models])


def _scored(options: argparse.Namespace) -> tuple[str, list[str]]:
    """Score all candidates and write the outputs.

    Returns the corpus figures as text, and the checks that metrics from outside did not pass.
    """
    selection = _selected(options, _wanted(options))
    scored = _score_files(options, selection)
    _write_outputs(scored, options)

    table = _table(list(scored.figures()))
    text = "\n".join([table, *scored.selection.made_with()])

    return text, failed_checks(scored.measured, selection.outside)


def _explained(options: argparse.Namespace) -> str:
    """Explain the scores of the candidates of one image, as text."""
    metrics, selection = _to_explain(options)
    with _progress() as note:
        note("reading")
        inputs, candidates = _read(options, selection.models)
        image = _image_number(options.explain, inputs, candidates)
        if selection.standardized:
            (*_, full), _measured = _score(inputs, selection, options, note)
            selection = selection.fitted(full.scores)

        note("explaining")
        explained = explain_image(
            inputs,
            image,
            metrics,
            selection.composites,
            TOKENIZERS[options.tokenizer],
            _documents(options.documents),
        )

    width = get_terminal_size().columns
    references = inputs.references[image]
    lines = [f"Image {options.explain}, {len(references)} references:"]
    for number, caption in enumerate(references, start=1):
        lines.append(filled(f"{number:>2} {caption}", width, 3))

    blocks = ["\n".join(lines)]
    for caption, by_metric in explained:
        blocks.append(f"Candidate: {caption}")
        blocks += [as_text(each, width) for each in by_metric]

    return "\n\n".join(blocks)


def _image_number(image: str, inputs: Inputs, candidates: CaptionFile) -> int:
    """The number of an image that has candidates; InputError for another."""
    if image in candidates.images:
        rows = candidates.image == candidates.images[image]
        return int(inputs.candidate_image[rows][0])

    alike = get_close_matches(image, candidates.images, cutoff=0.5)
    ending = f"; did you mean {', '.join(alike)}?" if alike else "."

    raise InputError(f"--explain {image}: no candidate is of this image{ending}")


def _score_files(
    options: argparse.Namespace, selection: Selection
) -> _ScoredCandidates:
    """Score the candidates of one file by the references of another."""
    with _progress() as note:
        note("reading")
        inputs, candidates = _read(options, selection.models)
        totals, measured = _score(inputs, selection, options, note)

    if selection.standardized:
        full = totals.pop()
        selection = selection.fitted(full.scores)
    for each in totals:
        each.scores = selection.complete(each.scores)

    return _ScoredCandidates(candidates, totals, selection, measured)


def _score(
    inputs: Inputs, selection: Selection, options: argparse.Namespace, note: Note
) -> tuple[list[Totals], list[ToScore]]:
    """Return the scores with each number of references, and what was measured for them.

    Those with all references come last if the selection takes these.
    """
    names = selection.to_score
    counts = options.counts or (None,)
    if selection.standardized:
        counts = (*counts, None)

    tokenize = TOKENIZERS[options.tokenizer]
    documents = _documents(options.documents)
    check_documents(inputs, documents, names)

    note("counting document frequencies")
    if options.write_documents is not None:
        count_all(inputs, tokenize).write(options.write_documents)

    def note_batch(number: int, batches: int) -> None:
        note(f"comparing, batch {number} of {batches}")

    needed = [count or -1 for count in counts]
    with first_calls(inputs.comparisons):
        measured = measure_all(names, inputs, documents, needed, note_batch)
        totals = totals_of(inputs, measured, tokenize, documents, counts, note_batch)

    return totals, measured


def _read(
    options: argparse.Namespace, models: Sequence[Model] = ()
) -> tuple[Inputs, CaptionFile]:
    """Read the captions to compare, and the candidates as they stand in their file."""
    known = load(options.references, REFERENCES)
    candidates = load(options.candidates, CANDIDATES)
    try:
        check_images(candidates, known.images, options.several, options.subset)
    except InputError as error:
        raise InputError(
            f"{options.candidates} against {options.references}: {error}"
        ) from error

    used = [
        image
        for image in known.images
        if image in candidates.images or not options.subset
    ]
    references = known.by_image(np.array([known.images[image] for image in used]))
    most = int(references.sizes.max())
    wanted = max(options.counts or (0,))
    if wanted > most:
        raise InputError(
            f"--counts {wanted}: no image of {options.references} has more than "
            f"{most} references; give {most} or less"
        )

    number = {image: number for number, image in enumerate(used)}
    judged: dict[str, StringArray] = {}
    if models:
        judged = {image: references[number[image]] for image in candidates.images}
    for model in models:
        check_unseen(model.name, model.training_images, judged)

    images = np.array([number[image] for image in candidates.images])[candidates.image]

    return check(references, candidates.captions, images), candidates


def _documents(chosen: str) -> Documents:
    modes: dict[str, DocumentsMode] = {mode: mode for mode in get_args(DocumentsMode)}
    if chosen in modes:
        return modes[chosen]
    try:
        return read_documents(chosen)
    except FileNotFoundError as error:
        raise ValueError(
            f"--documents takes {', '.join(modes)} too: {error}"
        ) from error


def _check(options: argparse.Namespace) -> None:
    """Check what can be known before the work begins."""
    _check_form(options)
    if options.documents == COCO and options.tokenizer != "ptb":
        raise ValueError(f"--documents {COCO} holds PTB tokens; leave --tokenizer out")
    if options.figures is not None and options.figures.suffix.lower() not in (
        ".csv",
        ".json",
    ):
        raise ValueError(f"--figures {options.figures}: name it .csv or .json")

    given = (options.jsonl, options.predictions, options.candidates, options.references)
    sources = [path for path in given if path is not None]
    if sources.count(STANDARD) > 1:
        raise ValueError(
            "--references and --candidates: only one can be standard input"
        )

    read = {path.resolve() for path in sources}
    for path in (options.out, options.figures, options.write_documents):
        if path is None or path == STANDARD:
            continue
        if not path.parent.is_dir():
            raise ValueError(
                f"{path}: there is no folder {path.parent}; create it first"
            )
        if path.resolve() in read:
            raise ValueError(f"{path} is read: write to another file")


def _check_form(options: argparse.Namespace) -> None:
    """Raise ValueError unless the options say in one form what to score."""
    needed: tuple[str, ...] = ()
    if options.jsonl:
        form = "--jsonl"
    elif options.predictions:
        needed, form = ("references", "out"), "--predictions"
    else:
        needed, form = ("references", "candidates"), "captions"

    for name in needed:
        if getattr(options, name) is None:
            raise ValueError(f"{form} need --{name}".replace("--out", "--output"))
    if form == "captions":
        return

    scoring = ("metrics", "metric_command", "metric_limits", "tokenizer", "documents")
    taken = (*scoring, "out", "quiet", form[2:], *needed)
    for name, value in vars(options).items():
        if value and name not in taken:
            option = name.replace("_", "-")
            raise ValueError(f"{form} takes no --{option}: leave it out")


def _to_explain(options: argparse.Namespace) -> tuple[list[str], Selection]:
    """Return the metrics to explain, and the composites; note those that have no explanation.

    Raises ValueError for options that an explanation has no use for.
    """
    for name in ("counts", "out", "figures", "write_documents"):
        if getattr(options, name):
            option = name.replace("_", "-")
            raise ValueError(
                f"--explain prints the scores of one image with all its references: "
                f"leave out --{option}"
            )

    wanted = resolve(options.metrics)
    made = _selected(options, ())
    built_in = explainable(wanted)
    sums = tuple(each for each in made.composites if is_explainable(each))
    explained = [*built_in, *(each.name for each in sums)]

    others = [each for each in (*wanted, *made.names) if each not in explained]
    if not explained:
        raise ValueError(f"{others[0]} has no explanation; choose other --metrics")
    for name in others:
        print_note(f"Note: {name} has no explanation.")

    return built_in, Selection(tuple(each.name for each in sums), sums)


def _write_outputs(scored: _ScoredCandidates, options: argparse.Namespace) -> None:
    if options.out is not None:
        _write_csv(options.out, HEADER, scored.rows())

    if options.figures is not None and options.figures.suffix.lower() == ".csv":
        _write_csv(options.figures, Figure._fields, scored.figures())
    elif options.figures is not None:
        figures = [figure._asdict() for figure in scored.figures()]
        chosen: dict[str, object] = {
            "tokenizer": options.tokenizer,
            "documents": options.documents,
        }
        if extras := made_with(scored.selection.to_score):
            chosen["extras"] = extras
        if composites := scored.selection.made_with():
            chosen["composites"] = composites
        text = json.dumps({**chosen, "figures": figures}, indent=1)
        options.figures.write_text(text + "\n", encoding="utf-8")


def _write_csv(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    with _written(path) as file:
        file.writelines(csv_lines([header]))
        file.writelines(csv_lines(rows))


def _written(path: Path | None) -> AbstractContextManager[TextIO]:
    """Open a file to write; the standard output without one."""
    if path in (None, STANDARD):
        return nullcontext(sys.stdout)
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="")


def _table(figures: list[Figure]) -> str:
    """The figures as text: a row for each metric, a column for each number of references."""
    columns: dict[str, dict[str, str]] = {}
    for figure in figures:
        k = figure.reference_count
        head = "all references" if k is None else f"k = {k}"
        columns.setdefault(head, {})[figure.metric] = f"{figure.score:.3f}"

    names = list(dict.fromkeys(figure.metric for figure in figures))
    width = max(12, *(len(name) + 1 for name in names))
    heads = "".join(f"{head:>16}" for head in columns)
    lines = [f"{'metric':<{width}}{'COCO name':<11}{heads}"]

    for name in names:
        cells = "".join(f"{column[name]:>16}" for column in columns.values())
        lines.append(f"{name:<{width}}{COCO_NAMES.get(name, ''):<11}{cells}")

    return "\n".join(lines)


@contextmanager
def _progress() -> Iterator[Note]:
    """A function that names the next step; shown on a terminal once the work takes seconds."""
    finished = Event()
    with tqdm(disable=hides_progress(), delay=PATIENCE_SECONDS, leave=False) as bar:

        def note(step: str) -> None:
            bar.set_description(step, refresh=False)
            bar.update()

        def show() -> None:
            if not finished.wait(PATIENCE_SECONDS):
                bar.refresh()
                while not finished.wait(1):
                    bar.refresh()

        watcher = Thread(target=show, daemon=True)
        watcher.start()
        try:
            yield note
        finally:
            finished.set()
            watcher.join()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=program("score"),
        description="Score candidate captions by the references of their images.",
    )
    _add_inputs(parser)
    _add_choices(parser)
    _add_outputs(parser)
    add_strict(parser)
    add_shell_options(parser)

    return parser


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    add_caption_files(parser, "one for each image")
    add = parser.add_argument

    add(
        "--jsonl",
        type=Path,
        nargs="?",
        const=STANDARD,
        help="score lines of JSON with id, candidate and references instead, each as it comes "
        "unless document frequencies are counted; from standard input without a file",
    )
    add(
        "--predictions",
        type=Path,
        help="score lines of JSON with id and caption, and write what capevalkit reads",
    )
    add(
        "--several",
        action="store_true",
        help="allow any number of candidates for an image",
    )
    add(
        "--subset",
        action="store_true",
        help="leave out images without candidates, also when CIDEr counts document frequencies",
    )


def _add_choices(parser: argparse.ArgumentParser) -> None:
    metrics = (
        f"names, comma separated, of {', '.join(names())}; or all; docs/metrics.md lists variants. "
        "Default: the seven of COCO"
    )
    documents = (
        "where CIDEr counts document frequencies: in all references (pool), in the first k, in all "
        "with an image counted once for each candidate (rows), or in a table. Default: pool"
    )
    add = parser.add_argument

    add("--metrics", type=words, help=metrics)
    add_program_options(parser)
    add(
        "--counts",
        type=counts,
        help="numbers of references, such as 1-48 or 1,5,10. Default: all of them",
    )
    add(
        "--tokenizer",
        choices=TOKENIZERS,
        default="ptb",
        help="how captions become words: as in the evaluation of COCO (ptb, the default), in "
        "lower case without punctuation (plain), or that with each character of a script without "
        "spaces as a word (characters)",
    )
    add(
        "--documents",
        default="pool",
        metavar=f"pool|k|rows|{COCO}|FILE",
        help=documents,
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument

    add("--combine", action="append", default=[], metavar="FORMULA", help=COMBINE_HELP)
    add(
        "--model",
        action="append",
        type=Path,
        default=[],
        metavar="MODEL.JSON",
        help=MODEL_HELP,
    )
    add(
        "--explain",
        metavar="IMAGE",
        help="print why the candidates of this image have their scores, instead of the table",
    )
    add(
        "--out",
        "--output",
        type=Path,
        help="CSV file for the score of each caption; - for standard output",
    )
    add(
        "--figures",
        type=Path,
        help="CSV or JSON file for the corpus scores, those of the table",
    )
    add(
        "--write-documents",
        type=Path,
        metavar="FILE",
        help="file for the document frequencies of the references, for --documents FILE",
    )


if __name__ == "__main__":
    sys.exit(main())
