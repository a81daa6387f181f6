"""Restarts of the site while people vote; `benchmarks.restarts` is the long form."""

import pytest
from pytest_django.fixtures import Settings

from benchmarks.crowd import check, filled_study, people_of
from benchmarks.restarts import Crowd, restart_while_voting
from tests.annotation.judging.children import environment


@pytest.mark.django_db(transaction=True)
def test_no_request_fails_and_no_vote_is_lost_when_the_site_is_restarted(
    settings: Settings,
) -> None:
    settings.MEDIA_ROOT.mkdir(parents=True)
    (settings.MEDIA_ROOT.parent / "static").mkdir()
    study = filled_study(500, 50, 0.2, 10, votes=3)
    crowd = Crowd(f"/studies/{study.name}/sync/", people_of(study, 4))

    one_process = {"WEB_CONCURRENCY": "1", "READING_SPEED": "1000000"}
    restart_while_voting(crowd, 2, environment() | one_process)

    assert set(crowd.outcomes) == {"200"}

    check(study, crowd.confirmed)
