"""Generate pairs from candidates, as in section 6 of the CIDEr paper.

HC: two human candidates of one image. HI: one of the image and one human sentence of another
image, drawn at random. HM: a human and a machine candidate of one image. MM: two systems on one
image, every system in about as many pairs.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tercet.analysis.number_texts import counted, plural
from tercet.analysis.tables.csv_tables import in_order
from tercet.analysis.tables.rows import are_among
from tercet.analysis.tables.schema import CAPTION, CATEGORIES, HUMAN, PAIRS
from tercet.metrics import FloatArray

_SAMPLED = 50_000
"""Options that are sampled for a category, besides `_SAMPLED_PER_PAIR` for each wanted pair."""
_SAMPLED_PER_PAIR = 20


class TooFewCandidates(ValueError):
    """More pairs of some category are wanted than the candidates allow."""

    def __init__(self, wanted: Mapping[str, int], possible: Mapping[str, int]) -> None:
        self.possible = dict(possible)
        short = []
        for name, count in wanted.items():
            if count > possible[name]:
                said = f"{name}: {count:,} wanted, {possible[name]:,} possible"
                short.append(str(said))

        message = (
            f"Too few candidates ({'; '.join(short)}). Ask for fewer, or add some."
        )
        super().__init__(message)


def make_pairs(
    candidates: pd.DataFrame,
    counts: Mapping[str, int],
    generator: np.random.Generator,
    known: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Generate pairs that use images and systems evenly, with B and C in random order.

    Parameters
    ----------
    candidates
        With the columns image, caption, source.
    counts
        How many pairs of each category; none of those that are left out.
    generator
        The source of randomness.
    known
        Pairs that there are already, with the columns of pairs.csv: none of them is generated
        again, and images and systems are used evenly together with those of the same category.

    Returns
    -------
    pandas.DataFrame
        With the columns of pairs.csv.

    Raises
    ------
    TooFewCandidates
        With the number of pairs of each category that are possible.
    """
    wanted = {name: counts.get(name, 0) for name in CATEGORIES}
    candidates = candidates.reset_index(drop=True)

    known = PAIRS.empty() if known is None else known
    options = _new_of_one_image(candidates, known)
    possible = _count_options(candidates, options, known)
    if any(wanted[name] > possible[name] for name in CATEGORIES):
        raise TooFewCandidates(wanted, possible)

    foreign = _with_foreign(candidates, wanted["HI"], possible["HI"], generator)
    options["HI"] = _without(foreign, candidates, known)

    made = []
    for name in CATEGORIES:
        before = known[known["category"] == name]
        chosen = _choose(options[name], wanted[name], candidates, before, generator)
        first = _last_number(known, name) + 1
        made.append(_named(chosen, name, first, generator))

    return pd.concat(made, ignore_index=True)[list(PAIRS.columns)]


def possible_pairs(candidates: pd.DataFrame, known: pd.DataFrame) -> dict[str, int]:
    """Count how many pairs of each category can be generated besides those that are known."""
    candidates = candidates.reset_index(drop=True)
    options = _new_of_one_image(candidates, known)
    return _count_options(candidates, options, known)


def merged_captions(candidates: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the candidates whose caption is in pairs of their image under other sources only."""
    columns = ["image", "caption", "source"]
    sides = [
        pairs[["image", f"candidate_{side}", f"source_{side}"]].set_axis(
            columns, axis=1
        )
        for side in "bc"
    ]
    shown = pd.concat(sides)
    shown = shown[shown["source"] != ""]
    is_shown = are_among(candidates, shown, CAPTION)
    return candidates[is_shown & ~are_among(candidates, shown, columns)]


def merged_in_words(count: int) -> str:
    """Say how many candidates have a caption that is compared under another source."""
    has = plural(count, "has", "have")
    return (
        f"{counted(count, 'candidate')} {has} the caption of another source of the same image: "
        "equal captions were merged, and are compared under one source."
    )


def _count_options(
    candidates: pd.DataFrame, options: Mapping[str, pd.DataFrame], known: pd.DataFrame
) -> dict[str, int]:
    counts = {name: len(table) for name, table in options.items()}
    used = (known["category"] == "HI").sum()
    counts["HI"] = max(_possible_foreign(candidates) - int(used), 0)
    return {name: counts[name] for name in CATEGORIES}


def _new_of_one_image(
    candidates: pd.DataFrame, known: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Find all possible HC, HM and MM pairs that are not known."""
    found = _of_one_image(candidates)
    return {
        name: _without(options, candidates, known) for name, options in found.items()
    }


def _without(
    options: pd.DataFrame, candidates: pd.DataFrame, known: pd.DataFrame
) -> pd.DataFrame:
    """Return the options that are no known pair, in either order of B and C."""
    if known.empty:
        return options

    captions = candidates["caption"]
    first = captions.loc[options["first"]].set_axis(options.index)
    second = captions.loc[options["second"]].set_axis(options.index)
    new = in_order(first, second).assign(image=options["image"])
    old = in_order(known["candidate_b"], known["candidate_c"])
    old = old.assign(image=known["image"])

    is_known = are_among(new, old, ["image", "least", "most"])
    return options[~is_known]


def _sample_size(wanted: int) -> int:
    return _SAMPLED + _SAMPLED_PER_PAIR * wanted


def _of_one_image(candidates: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Find all possible HC, HM and MM pairs: image and rows `first`, `second` of the candidates.

    Two captions are one pair, whoever wrote them: HC takes precedence over HM, and HM over MM.
    """
    columns = ["row", "image", "caption", "source"]
    rows = candidates.reset_index(names="row")[columns]

    both = rows.merge(rows, on="image", suffixes=("_1", "_2"))
    is_new = both["row_1"] < both["row_2"]
    both = both[is_new & (both["caption_1"] != both["caption_2"])]

    humans = (both[["source_1", "source_2"]] == HUMAN).sum(axis=1)
    both = both.join(in_order(both["caption_1"], both["caption_2"]))
    both = both.assign(humans=humans)
    both = both[(humans > 0) | (both["source_1"] != both["source_2"])]

    both = both.sort_values("humans", ascending=False, kind="stable")
    pairs = both.drop_duplicates(["image", "least", "most"])
    pairs = pairs.rename(columns={"row_1": "first", "row_2": "second"})

    return {
        name: pairs[pairs["humans"] == count]
        for count, name in ((2, "HC"), (1, "HM"), (0, "MM"))
    }


def _human(candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the human candidates, each caption of an image once."""
    is_human = candidates["source"] == HUMAN
    humans = candidates[is_human]
    return humans.drop_duplicates(CAPTION)


def _possible_foreign(candidates: pd.DataFrame) -> int:
    """Count the pairs of a human candidate and a human sentence that its image does not have."""
    humans = _human(candidates)
    known = candidates[candidates["caption"].isin(humans["caption"])]
    own = known.groupby("image")["caption"].nunique()

    foreign = humans["caption"].nunique() - own
    return int((humans.groupby("image").size() * foreign).sum())


def _with_foreign(
    candidates: pd.DataFrame, wanted: int, possible: int, generator: np.random.Generator
) -> pd.DataFrame:
    """Return HI pairs: all of them, or a random sample of many more than are wanted."""
    humans = _human(candidates)
    texts = humans.drop_duplicates("caption")

    size = len(humans) * len(texts)
    most = _sample_size(wanted) * size // max(possible, 1)
    draws = np.arange(size)
    if size > most:
        draws = np.unique(generator.integers(size, size=most))

    own = humans.iloc[draws // len(texts)]
    foreign = texts.iloc[draws % len(texts)]
    pairs = pd.DataFrame({"image": own["image"].to_numpy(), "first": own.index})
    pairs["second"] = foreign.index

    known = pd.MultiIndex.from_frame(candidates[CAPTION])
    shown = pd.MultiIndex.from_arrays([pairs["image"], foreign["caption"]])
    return pairs[~shown.isin(known)]


def _choose(
    options: pd.DataFrame,
    count: int,
    candidates: pd.DataFrame,
    before: pd.DataFrame,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Choose options of the least used systems, then of the least used images, then at random.

    The pairs that were there before count as uses.
    """
    size = min(len(options), _sample_size(count))
    options = options.sample(size, random_state=generator)

    image, images = pd.factorize(options["image"])
    machines = candidates["source"].where(candidates["source"] != HUMAN)
    system, systems = pd.factorize(machines)
    sides = [system[options[side].to_numpy(dtype=int)] for side in ("first", "second")]

    used_images = _uses(before["image"], images)
    # The last count, at -1, belongs to humans and stays 0.
    both_sources = pd.concat([before["source_b"], before["source_c"]])
    used_systems = np.append(_uses(both_sources, systems), 0)
    # Systems come first: no use of images may outweigh one of theirs.
    weight = count + int(used_images.sum()) + 1
    free = np.zeros(len(options))
    taken = []

    for _number in range(count):
        use = sum(used_systems[side] for side in sides)
        best = int(np.argmin(free + use * weight + used_images[image]))
        free[best] = np.inf
        taken.append(best)

        used_images[image[best]] += 1
        for side in sides:
            used_systems[side[best]] += side[best] >= 0

    chosen = options.iloc[taken]
    return _as_pairs(chosen, candidates)


def _uses(column: "pd.Series[str]", names: "pd.Index[str]") -> FloatArray:
    """Count how often each name is in a column."""
    counts = column.value_counts().reindex(names, fill_value=0)
    return np.asarray(counts, dtype=float)


def _as_pairs(chosen: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the captions and sources of the chosen options."""
    first = candidates.loc[chosen["first"]]
    second = candidates.loc[chosen["second"]]

    columns = {
        "image": chosen["image"],
        "candidate_b": first["caption"],
        "candidate_c": second["caption"],
        "source_b": first["source"],
        "source_c": second["source"],
    }
    return pd.DataFrame({name: each.to_numpy() for name, each in columns.items()})


def _last_number(known: pd.DataFrame, category: str) -> int:
    """Return the highest number in the names of pairs that are named after a category."""
    names = known["pair"].astype("str")
    digits = names.str.extract(rf"^{category}-(\d{{1,18}})$", expand=False)
    return max(map(int, digits.dropna()), default=0)


def _named(
    chosen: pd.DataFrame, category: str, first: int, generator: np.random.Generator
) -> pd.DataFrame:
    """Add category and names, numbered from `first`, and swap B and C of a random half."""
    swapped = generator.permutation(len(chosen)) % 2 == 0
    pairs = chosen.copy()

    for column in ("candidate", "source"):
        b = f"{column}_b"
        c = f"{column}_c"
        pairs.loc[swapped, [b, c]] = chosen.loc[swapped, [c, b]].to_numpy()

    numbers = range(first, first + len(pairs))
    names = [f"{category}-{number:04}" for number in numbers]
    return pairs.assign(pair=names, category=category, winner="")
