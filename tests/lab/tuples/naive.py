"""tuple-F and tuple-C as they are defined, one tuple at a time: slow, and only to check."""

from collections.abc import Collection, Mapping, Sequence

from tercet.lab.tuples.extraction import Tuple

Synsets = Mapping[str, Sequence[int]]
Captions = Sequence[Collection[Tuple]]


def scores(
    candidate: Collection[Tuple], references: Captions, synsets: Synsets
) -> dict[str, float]:
    union = {each for reference in references for each in reference}
    confirmed = [each for each in candidate if has(union, each, synsets)]
    recalled = [each for each in union if has(candidate, each, synsets)]

    weight = {
        each: sum(each in reference for reference in references) for each in union
    }
    precision = share(len(confirmed), len(candidate))

    return {
        "tuple-F": f1(precision, share(len(recalled), len(union))),
        "tuple-C": f1(
            precision,
            share(sum(map(weight.__getitem__, recalled)), sum(weight.values())),
        ),
    }


def has(tuples: Collection[Tuple], wanted: Tuple, synsets: Synsets) -> bool:
    return any(match(each, wanted, synsets) for each in tuples)


def match(one: Tuple, other: Tuple, synsets: Synsets) -> bool:
    return len(one) == len(other) and all(
        a == b or set(synsets.get(a, ())) & set(synsets.get(b, ()))
        for a, b in zip(one, other, strict=True)
    )


def share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    product = 2 * precision * recall
    return share(product, precision + recall)
