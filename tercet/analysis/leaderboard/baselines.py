"""Captions that need no system: what a leaderboard is read against."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator


def random_captions(
    references: Sequence[Sequence[str]], generator: Generator
) -> list[str]:
    """Draw for each image one of the references of another image, each other image as likely.

    Raises
    ------
    ValueError
        If there are fewer than two images.
    """
    images = len(references)
    if images < 2:
        raise ValueError("A caption of another image needs at least two images.")

    further = generator.integers(1, images, images)
    others = (np.arange(images) + further) % images
    shares = generator.random(images)

    captions = []
    for image, share in zip(others.tolist(), shares.tolist(), strict=True):
        of_image = references[image]
        captions.append(of_image[int(share * len(of_image))])

    return captions


def most_frequent_caption(references: Sequence[Sequence[str]]) -> list[str]:
    """Repeat, for each image, the reference that occurs most often; of several, the first.

    Letter case and blanks around a caption do not count.
    """
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}

    for captions in references:
        for caption in captions:
            key = caption.strip().lower()
            counts[key] += 1
            written.setdefault(key, caption)

    [(most, _count)] = counts.most_common(1)
    return [written[most]] * len(references)
