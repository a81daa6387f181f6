"""Pairs from candidates, as section 6 of the CIDEr paper makes them.

HC: two human candidates of one image. HI: one of the image and one human sentence of another
image, drawn at random. HM: a human and a machine candidate of one image. MM: two systems on one
image, every system in about as many pairs.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.dataset.csv_tables import in_order
from analysis.dataset.schema import CATEGORIES, HUMAN, PAIRS

CONSIDERED = 50_000
"""So many possible pairs of a category, and 20 for each one wanted, are chosen from."""


class TooFewCandidates(ValueError):
    """More pairs of some category are wanted than the candidates allow."""

    def __init__(
        self, wanted: Mapping[str, int], possible: Mapping[str, int]
    ) -> None:
        self.possible = dict(possible)
        short = [
            f"{name}: {count:,} wanted, {possible[name]:,} possible"
            for name, count in wanted.items()
            if count > possible[name]
        ]
        super().__init__(
            f"Too few candidates ({'; '.join(short)}). Ask for fewer, or add some."
        )


def make_pairs(
    candidates: pd.DataFrame,
    counts: Mapping[str, int],
    generator: np.random.Generator,
) -> pd.DataFrame:
    """So many pairs of each category, with the images used evenly, and B and C by chance.

    `candidates` has the columns image, caption, source; the result those of pairs.csv. Raises
    TooFewCandidates, which says how many pairs of each category are possible.
    """
    wanted = {name: counts.get(name, 0) for name in CATEGORIES}
    candidates = candidates.reset_index(drop=True)
    options = of_one_image(candidates)
    possible = count_options(candidates, options)
    if any(wanted[name] > possible[name] for name in CATEGORIES):
        raise TooFewCandidates(wanted, possible)
    options["HI"] = with_foreign(candidates, wanted["HI"], generator)
    chosen = [
        named(
            choose(options[name], wanted[name], candidates, generator),
            name,
            generator,
        )
        for name in CATEGORIES
    ]
    return pd.concat(chosen, ignore_index=True)[list(PAIRS.columns)]


def possible_pairs(candidates: pd.DataFrame) -> dict[str, int]:
    """How many pairs of each category can be made."""
    candidates = candidates.reset_index(drop=True)
    return count_options(candidates, of_one_image(candidates))


def count_options(
    candidates: pd.DataFrame, options: Mapping[str, pd.DataFrame]
) -> dict[str, int]:
    counts = {name: len(table) for name, table in options.items()}
    counts["HI"] = possible_foreign(candidates)
    return {name: counts[name] for name in CATEGORIES}


def considered(wanted: int) -> int:
    return CONSIDERED + 20 * wanted


def of_one_image(candidates: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All HC, HM and MM pairs that can be made: image and rows `first`, `second`.

    Two captions are one pair, whoever wrote them: HC before HM before MM.
    """
    rows = candidates.reset_index(names="row")[
        ["row", "image", "caption", "source"]
    ]
    both = rows.merge(rows, on="image", suffixes=("_1", "_2"))
    both = both[
        (both["row_1"] < both["row_2"])
        & (both["caption_1"] != both["caption_2"])
    ]
    humans = (both[["source_1", "source_2"]] == HUMAN).sum(axis=1)
    both = both.join(in_order(both["caption_1"], both["caption_2"])).assign(
        humans=humans
    )
    both = both[(humans > 0) | (both["source_1"] != both["source_2"])]
    both = both.sort_values("humans", ascending=False, kind="stable")
    pairs = both.drop_duplicates(["image", "least", "most"])
    pairs = pairs.rename(columns={"row_1": "first", "row_2": "second"})
    return {
        name: pairs[pairs["humans"] == count]
        for count, name in ((2, "HC"), (1, "HM"), (0, "MM"))
    }


def human(candidates: pd.DataFrame) -> pd.DataFrame:
    return candidates[candidates["source"] == HUMAN].drop_duplicates(
        ["image", "caption"]
    )


def possible_foreign(candidates: pd.DataFrame) -> int:
    """How many pairs of a human candidate and a human sentence that its image does not have."""
    humans = human(candidates)
    known = candidates[candidates["caption"].isin(humans["caption"])]
    own = known.groupby("image")["caption"].nunique()
    return int(
        (
            humans.groupby("image").size()
            * (humans["caption"].nunique() - own)
        ).sum()
    )


def with_foreign(
    candidates: pd.DataFrame, wanted: int, generator: np.random.Generator
) -> pd.DataFrame:
    """HI pairs: all that can be made, or at random many more than are wanted."""
    humans = human(candidates)
    texts = humans.drop_duplicates("caption")
    size = len(humans) * len(texts)
    most = considered(wanted) * size // max(possible_foreign(candidates), 1)
    draws = (
        np.arange(size)
        if size <= most
        else np.unique(generator.integers(size, size=most))
    )
    own, foreign = (
        humans.iloc[draws // len(texts)],
        texts.iloc[draws % len(texts)],
    )
    pairs = pd.DataFrame(
        {"image": own["image"].to_numpy(), "first": own.index}
    )
    pairs["second"] = foreign.index
    shown = pd.MultiIndex.from_arrays([pairs["image"], foreign["caption"]])
    return pairs[
        ~shown.isin(pd.MultiIndex.from_frame(candidates[["image", "caption"]]))
    ]


def choose(
    options: pd.DataFrame,
    count: int,
    candidates: pd.DataFrame,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """`count` of the options: least used systems first, then least used images, then chance."""
    options = options.sample(
        min(len(options), considered(count)), random_state=generator
    )
    image, images = codes(options["image"])
    system, systems = codes(
        candidates["source"].where(candidates["source"] != HUMAN)
    )
    sides = [
        system[options[side].to_numpy(dtype=int)]
        for side in ("first", "second")
    ]
    used_images = np.zeros(images)
    used_systems = np.zeros(
        systems + 1
    )  # the last, at -1, is that of humans and stays 0
    free, taken = np.zeros(len(options)), []
    for _ in range(count):
        use = sum(used_systems[side] for side in sides)
        best = int(np.argmin(free + use * (count + 1) + used_images[image]))
        free[best] = np.inf
        taken.append(best)
        used_images[image[best]] += 1
        for side in sides:
            used_systems[side[best]] += side[best] >= 0

    return as_pairs(options.iloc[taken], candidates)


def as_pairs(chosen: pd.DataFrame, candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the captions and sources of the chosen options."""
    first, second = (
        candidates.loc[chosen[side]] for side in ("first", "second")
    )

    return pd.DataFrame(
        {
            "image": chosen["image"].to_numpy(),
            "candidate_b": first["caption"].to_numpy(),
            "candidate_c": second["caption"].to_numpy(),
            "source_b": first["source"].to_numpy(),
            "source_c": second["source"].to_numpy(),
        }
    )


def codes(values: "pd.Series[str]") -> tuple[NDArray[np.int64], int]:
    """A number for each distinct value (-1 for none), and how many there are."""
    numbers, distinct = pd.factorize(values)
    return numbers, len(distinct)


def named(
    chosen: pd.DataFrame, category: str, generator: np.random.Generator
) -> pd.DataFrame:
    """The pairs with names and a category, every other one swapped, by chance which."""
    swapped = generator.permutation(len(chosen)) % 2 == 0
    pairs = chosen.copy()
    for column in ("candidate", "source"):
        b, c = f"{column}_b", f"{column}_c"
        pairs.loc[swapped, [b, c]] = chosen.loc[swapped, [c, b]].to_numpy()
    names = [f"{category}-{number:04}" for number in range(1, len(pairs) + 1)]
    return pairs.assign(pair=names, category=category, winner="")
