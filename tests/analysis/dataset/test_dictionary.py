from itertools import chain

import pytest

from tercet.analysis.dataset.dictionary import (
    COLUMNS,
    DICTIONARY,
    FILE,
    PAIR_WINNERS,
    TRIPLET_WINNERS,
    columns_of,
    dictionary,
)
from tercet.analysis.dataset.winners import margins, pair_winners, triplet_winners
from tercet.analysis.tables.csv_tables import Table
from tercet.analysis.tables.schema import STUDY_TABLES, TABLES, Dataset
from tercet.analysis.tables.settings import DEFUSED, DESCRIBED
from tests.analysis.frames import dataset
from tests.support.folders import three_votes

EXPORTED = [table for table in (*TABLES, *STUDY_TABLES) if table.file in DICTIONARY]


@pytest.fixture
def made() -> Dataset:
    return dataset(votes=three_votes())


def test_the_analysis_alone_has_tables_that_no_export_has() -> None:
    missing = {table.file for table in TABLES} - {table.file for table in EXPORTED}
    assert missing == {"scores.csv"}


@pytest.mark.parametrize("table", EXPORTED, ids=lambda table: table.file)
def test_every_column_of_a_table_is_explained(table: Table) -> None:
    assert columns_of(table.file) == table.columns


def test_every_setting_of_a_dataset_is_explained() -> None:
    assert columns_of("dataset.json") == (*DESCRIBED, DEFUSED)


def test_every_column_of_the_winners_is_explained(made: Dataset) -> None:
    pairs = pair_winners(made)
    documented = set(columns_of(PAIR_WINNERS))
    assert documented == {*pairs.columns, margins(pairs).name}
    assert set(columns_of(TRIPLET_WINNERS)) == set(triplet_winners(made).columns)


def test_the_dictionary_is_a_table_that_explains_itself() -> None:
    table = dictionary()
    assert tuple(table.columns) == COLUMNS == columns_of(FILE)
    assert len(table) == sum(map(len, DICTIONARY.values()))

    assert (table[["file", "column", "type", "meaning"]] != "").all(axis=None)
    assert not table.duplicated(["file", "column"]).any()


def test_every_meaning_is_a_sentence() -> None:
    for entry in chain.from_iterable(DICTIONARY.values()):
        assert entry.meaning[0].isupper(), entry
        assert entry.meaning.endswith("."), entry
