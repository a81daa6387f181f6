from pathlib import Path
from shutil import copytree

import pytest
from django.utils import timezone

from analysis.dataset.schema import Dataset as Frames
from annotation.exchange.importing import import_dataset
from annotation.models import Evaluation, Study
from annotation.models.evaluation import State


@pytest.fixture
def voted(db: None, voted_frames: Frames, tmp_path: Path) -> Study:
    """Four pairs, twelve triplets, all 36 votes, two of three for B; no evaluation yet."""
    return import_dataset(voted_frames, "voted", tmp_path).studies.get()


@pytest.fixture
def evaluated(voted: Study, results: Path) -> Study:
    done = Evaluation.objects.create(
        study=voted, state=State.DONE, progress=1, votes=36, finished_at=timezone.now()
    )
    copytree(results, done.folder)
    return voted
