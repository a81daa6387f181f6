"""Notes on reference counts that not every image has."""

import numpy as np

from tercet.analysis.evaluation.results import Results


def with_cut_note(results: Results, *notes: str) -> tuple[str, ...]:
    """Return the notes of a finding by reference count, with the pairs behind each count first."""
    if not results.samples.pairs.is_ragged:
        return notes
    note = results.once(_cut_note)
    return (note, *notes)


def _cut_note(results: Results) -> str:
    """Say how many pairs stand behind each count, where images have different numbers of them."""
    available = results.samples.pairs.reference_counts
    pairs = []
    for count in np.unique(available).tolist():
        enough = np.count_nonzero(available >= count)
        pairs.append(f"{int(enough):,} with {count}")

    return (
        f"Images have {int(available.min())} to {int(available.max())} references (pairs with "
        f"at least so many: {', '.join(pairs)}). Rows and points named “all” give each pair all "
        f"references of its image; curves over the same pairs end at {results.full}, the "
        "smallest number."
    )


def partial_counts(results: Results) -> dict[int, int]:
    """Return the shown counts that some images do not have, with the numbers of pairs that do."""
    pairs = results.samples.pairs
    found = {}
    for count in results.counts:
        if isinstance(count, int) and count > results.full:
            found[count] = int(pairs.with_references(count).sum())
    return found
