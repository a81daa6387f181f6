from pathlib import Path

import pytest

from analysis.folder import load
from annotation.importing import import_dataset
from annotation.models import Annotator, Dataset, Study
from annotation.people import new_annotator
from annotation.triplets import create_study
from tests.folders import dataset_folder


@pytest.fixture
def dataset(db: None, tmp_path: Path) -> Dataset:
    """Two images with three references each, four pairs, no votes."""
    folder = dataset_folder(tmp_path / "small")
    return import_dataset(load(folder), "small", folder)


@pytest.fixture
def study(dataset: Dataset) -> Study:
    """Twelve triplets, three votes each."""
    return create_study(Study(dataset=dataset, title="Small study"))


@pytest.fixture
def annotator(study: Study) -> Annotator:
    return new_annotator(study)
