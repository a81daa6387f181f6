"""What the site exports is imported, and exported again byte for byte."""

from pathlib import Path

import pytest

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.models import Study
from tercet.annotation.results.table_files import FORMATS, write_tables
from tests.annotation.full import full_folder
from tests.support.folders import contents

pytestmark = pytest.mark.django_db


def imported(folder: Path, name: str) -> Study:
    return import_dataset(load(folder), name, folder).studies.get()


@pytest.mark.parametrize("name", FORMATS)
def test_tables_with_types_are_exported_again_byte_for_byte(
    tmp_path: Path, name: str
) -> None:
    if name == "parquet":
        pytest.importorskip("arro3.io", reason="the extra parquet is not installed")
    study = imported(full_folder(tmp_path / "full"), "full")
    write_tables(study, name, tmp_path / "one")
    again = imported(tmp_path / "one", "again")
    write_tables(again, name, tmp_path / "two")

    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert one == two
