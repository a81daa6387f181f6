"""Generate pairs from candidates, as in section 6 of the CIDEr paper.

HC: two human candidates of one image. HI: one of the image and one human sentence of another
image, drawn at random. HM: a human and a machine candidate of one image. MM: two systems on one
image, every system in about as many pairs.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tercet.analysis.tables.csv_tables import in_order
from tercet.analysis.tables.schema import CATEGORIES, HUMAN, PAIRS
from tercet.analysis.texts import gettext as _

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
                said = _(
                    "{category}: {wanted:,} wanted, {possible:,} possible",
                    category=name,
                    wanted=count,
                    possible=possible[name],
                )
                short.append(str(said))

        message = _(
            "Too few candidates ({categories}). Ask for fewer, or add some.",
            categories="; ".join(short),
        )
        super().__init__(message)


def make_pairs(
    candidates: pd.DataFrame, counts: Mapping[str, int], generator: np.random.Generator
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

    options = _of_one_image(candidates)
    possible = _count_options(candidates, options)
    if any(wanted[name] > possible[name] for name in CATEGORIES):
        raise TooFewCandidates(wanted, possible)

    options["HI"] = _with_foreign(candidates, wanted["HI"], generator)

    made = []
    for name in CATEGORIES:
        chosen = _choose(options[name], wanted[name], candidates, generator)
        made.append(_named(chosen, name, generator))

    return pd.concat(made, ignore_index=True)[list(PAIRS.columns)]


def possible_pairs(candidates: pd.DataFrame) -> dict[str, int]:
    """Count how many pairs of each category can be generated."""
    candidates = candidates.reset_index(drop=True)
    return _count_options(candidates, _of_one_image(candidates))


def _count_options(
    candidates: pd.DataFrame, options: Mapping[str, pd.DataFrame]
) -> dict[str, int]:
    counts = {name: len(table) for name, table in options.items()}
    counts["HI"] = _possible_foreign(candidates)
    return {name: counts[name] for name in CATEGORIES}


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
    return humans.drop_duplicates(["image", "caption"])


def _possible_foreign(candidates: pd.DataFrame) -> int:
    """Count the pairs of a human candidate and a human sentence that its image does not have."""
    humans = _human(candidates)
    known = candidates[candidates["caption"].isin(humans["caption"])]
    own = known.groupby("image")["caption"].nunique()

    foreign = humans["caption"].nunique() - own
    return int((humans.groupby("image").size() * foreign).sum())


def _with_foreign(
    candidates: pd.DataFrame, wanted: int, generator: np.random.Generator
) -> pd.DataFrame:
    """Return HI pairs: all possible ones, or a random sample of many more than are wanted."""
    humans = _human(candidates)
    texts = humans.drop_duplicates("caption")

    size = len(humans) * len(texts)
    possible = max(_possible_foreign(candidates), 1)
    most = _sample_size(wanted) * size // possible
    draws = np.arange(size)
    if size > most:
        draws = np.unique(generator.integers(size, size=most))

    own = humans.iloc[draws // len(texts)]
    foreign = texts.iloc[draws % len(texts)]
    pairs = pd.DataFrame({"image": own["image"].to_numpy(), "first": own.index})
    pairs["second"] = foreign.index

    known = pd.MultiIndex.from_frame(candidates[["image", "caption"]])
    shown = pd.MultiIndex.from_arrays([pairs["image"], foreign["caption"]])
    return pairs[~shown.isin(known)]


def _choose(
    options: pd.DataFrame,
    count: int,
    candidates: pd.DataFrame,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Choose options: those of the least used systems, then images, then at random."""
    size = min(len(options), _sample_size(count))
    options = options.sample(size, random_state=generator)

    image, images = pd.factorize(options["image"])
    machines = candidates["source"].where(candidates["source"] != HUMAN)
    system, systems = pd.factorize(machines)
    sides = [system[options[side].to_numpy(dtype=int)] for side in ("first", "second")]

    used_images = np.zeros(len(images))
    # The last one, at -1, is that of humans and stays 0.
    used_systems = np.zeros(len(systems) + 1)
    free = np.zeros(len(options))
    taken = []

    for _number in range(count):
        use = sum(used_systems[side] for side in sides)
        best = int(np.argmin(free + use * (count + 1) + used_images[image]))
        free[best] = np.inf
        taken.append(best)

        used_images[image[best]] += 1
        for side in sides:
            used_systems[side[best]] += side[best] >= 0

    chosen = options.iloc[taken]
    return _as_pairs(chosen, candidates)


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


def _named(
    chosen: pd.DataFrame, category: str, generator: np.random.Generator
) -> pd.DataFrame:
    """Add names and the category, and swap B and C of a random half of the pairs."""
    swapped = generator.permutation(len(chosen)) % 2 == 0
    pairs = chosen.copy()

    for column in ("candidate", "source"):
        b = f"{column}_b"
        c = f"{column}_c"
        pairs.loc[swapped, [b, c]] = chosen.loc[swapped, [c, b]].to_numpy()

    names = [f"{category}-{number:04}" for number in range(1, len(pairs) + 1)]
    return pairs.assign(pair=names, category=category, winner="")
