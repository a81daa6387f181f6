"""A small sentence study for the demo, about its drawn scenes."""

from django.contrib.auth.models import User

from tercet.annotation.models import Dataset, Study
from tercet.annotation.models.study import State
from tercet.annotation.participation.simulation import simulate
from tercet.annotation.studies.creation import create_draft
from tercet.annotation.studies.lifecycle import set_state

_SENTENCES, _ANNOTATORS, _RELIABILITY = 5, 4, 0.9


def load_demo_sentences(dataset: Dataset, owner: User) -> None:
    """Create the study, of which simulated annotators have written all but one per image."""
    study = create_draft(
        Study(
            dataset=dataset,
            title="Demo: sentences",
            protocol="sentence",
            votes=_SENTENCES,
        ),
        owner,
    )
    set_state(study, State.OPEN, owner)
    for _ in simulate(study, range(1, _ANNOTATORS + 1), _RELIABILITY, {}, seed=0):
        pass
