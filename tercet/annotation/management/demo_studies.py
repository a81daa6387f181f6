"""Small studies of ratings and of sentences for the demo, about its drawn scenes."""

from django.contrib.auth.models import User

from tercet.annotation.models import Dataset, Study
from tercet.annotation.models.study import State
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.results.tasks import request_evaluation
from tercet.annotation.studies.creation import create_draft
from tercet.annotation.studies.lifecycle import set_state

_SENTENCES, _WRITERS, _RATINGS, _RATERS, _RELIABILITY = 5, 4, 3, 6, 0.9


def load_demo_ratings(dataset: Dataset, owner: User) -> None:
    """Create a study of candidates beside their pictures, all rated; ask for its results."""
    study = Study(
        dataset=dataset,
        title="Demo: ratings",
        protocol="rating",
        votes=_RATINGS,
        shows_image=True,
    )
    _answered(study, owner, _RATERS)
    set_state(study, State.CLOSED, owner)
    request_evaluation(study)


def load_demo_sentences(dataset: Dataset, owner: User) -> None:
    """Create a study of which simulated annotators have written all but one per image."""
    study = Study(
        dataset=dataset, title="Demo: sentences", protocol="sentence", votes=_SENTENCES
    )
    _answered(study, owner, _WRITERS)


def _answered(study: Study, owner: User, annotators: int) -> None:
    """Create a study, and let simulated annotators answer until there is nothing for them."""
    set_state(create_draft(study, owner), State.OPEN, owner)
    for _ in simulate(study, range(1, annotators + 1), _RELIABILITY, {}, seed=0):
        pass
