"""People vote while the site fails around them; `benchmarks.chaos` is the long form."""

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from benchmarks import chaos
from benchmarks.chaos import Chaos, StubbornCrowd, recount
from benchmarks.crowd import filled_study, people_of
from tercet.annotation.judging.quotas import recount as set_counters
from tercet.annotation.models import Answer, Lease, Study
from tests.annotation.judging.children import environment
from tests.annotation.judging.test_crashes import finish
from tests.annotation.kinds import SENT

pytestmark = [pytest.mark.voting, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("kind", SENT)
def test_nothing_is_lost_or_counted_twice_while_everything_fails(
    kind: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chaos, "PAUSE", 0.2)
    settings.MEDIA_ROOT.mkdir(parents=True)
    (settings.MEDIA_ROOT.parent / "static").mkdir()
    study = filled_study(1_000, 1, 0, 1, votes=3, protocol=kind)
    Study.objects.update(enforced_seconds=0)
    people = people_of(study, 40)
    crowd = StubbornCrowd(f"/studies/{study.name}/sync/", people, answer=SENT[kind])

    site = Chaos(crowd, settings.MEDIA_ROOT.parent, environment())
    faults = [site.step_clock, site.pause_process, site.kill_process, site.send_slowly]
    if connection.vendor == "sqlite":  # a PostgreSQL server is shared with other tests
        faults.append(site.fill_disk)

    try:
        site.run(faults, end=0)
    finally:
        # The site has stopped. What a full disk left of the files beside SQLite's goes with the
        # last connection; later tests of this process would otherwise meet it.
        connection.close()

    assert set(site.done.values()) == {1}
    assert recount(study, crowd).is_sound
    assert crowd.sent_twice

    study.questions.filter(all_answers=None).delete()
    finish(study)
    assert set(study.questions.values_list("answers", "leases")) == {(3, 0)}
    givers = Answer.objects.counted().values_list("question", "annotator")
    assert len(givers) == len(set(givers)) == 3 * study.questions.count()


def test_the_recount_finds_what_is_wrong() -> None:
    study = filled_study(50, 50, 1, 10, votes=3)
    set_counters(study.questions.all())
    crowd = StubbornCrowd("", [], confirmed=["6e1d9a4e-0000-4000-8000-000000000000"])

    found = recount(study, crowd)
    assert (found.lost, found.doubled, found.surplus, found.miscounted) == (1, 0, 0, 0)

    vote = Answer.objects.order_by("pk")[0]
    other = study.annotators.exclude(answers__question=vote.question)[0]
    Answer.objects.create(question=vote.question, annotator=other, choice="B")

    found = recount(study, crowd)
    assert (found.surplus, found.miscounted) == (1, 1)
    assert "1 lost, 0 doubled, 1 surplus counted, 1 counters differ" in str(found)
    assert not Lease.objects.exists()
