import numpy as np

from tercet.analysis.stats.shared_captions import crosses_parts, image_groups

# Images 0 and 1 share a caption, 1 and 2 another one; 3 and 4 share none.
IMAGE = np.array([0, 0, 1, 1, 2, 3, 4])
TEXT = np.array([0, 1, 1, 2, 2, 3, 4])


def test_images_are_grouped_through_captions_of_others() -> None:
    first, second, third, *others = image_groups(IMAGE, TEXT)
    assert first == second == third
    assert len({first, *others}) == 3


def test_captions_are_found_that_images_of_other_parts_have() -> None:
    part = np.array([0, 0, 1, 1, 1, 0, 1])
    assert crosses_parts(TEXT, part).tolist() == [
        False,
        True,
        True,
        False,
        False,
        False,
        False,
    ]
