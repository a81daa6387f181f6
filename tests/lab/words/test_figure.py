"""The plot of words: names of words."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from tercet.lab.words.figure import words_figure


def test_the_curve_of_the_model_is_smooth_and_names_do_not_cover_each_other() -> None:
    words = ["balloon", "cat", "watering", "snowman", "is", "green", "hat"]
    recall = [0.99, 0.9, 0.88, 0.6, 0.1, 0.12, 0.02]
    table = pd.DataFrame(
        {
            "references": 4,
            "word": words,
            "recall": recall,
            "precision": [1.0, 0.99, 0.98, 0.97, 0.4, 0.41, 0.01],
        }
    )

    figure = words_figure(table)

    [axes] = figure.axes
    curve = np.asarray(axes.lines[1].get_xydata(), float)
    drawn = np.interp([0, 20, 100], curve[:, 0], curve[:, 1])

    assert drawn == pytest.approx([0, 100 * 0.8 / 1.2096, 100])

    figure.draw_without_rendering()
    names = {text.get_text(): text.get_window_extent() for text in axes.texts}
    plt.close(figure)

    assert {"balloon", "snowman", "is"} <= set(names)
    assert "hat" not in names
    for one, other in combinations(names.values(), 2):
        assert not one.overlaps(other)
