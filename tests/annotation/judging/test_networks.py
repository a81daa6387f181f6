"""Many cookies of one network: what they may hold, and what they may give."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging import leases
from tercet.annotation.judging.annotators import new_annotator, personal_links
from tercet.annotation.judging.answers import AnswerMessage, undo, vote
from tercet.annotation.judging.leases import (
    IDLE_SECONDS,
    LEASES_AT_FIRST,
    MAX_HELD_BY_NEWCOMERS,
    assign,
    end_expired_leases,
    next_open_question,
    top_up_leases,
)
from tercet.annotation.judging.locked_annotator import lock_with_leases
from tercet.annotation.judging.networks import (
    most_of_network,
    network_code,
    note_network,
)
from tercet.annotation.models import Annotator, Answer, Lease, Study
from tercet.annotation.models.answer import Purpose, Side, Status
from tercet.annotation.models.study import LinkUsers, Outcome, State
from tercet.annotation.operations.deletion.deleting import delete_study, hasten_purge
from tercet.annotation.operations.deletion.purging import purge_due
from tercet.annotation.participation.sync import synchronize
from tercet.annotation.permissions import cookie_name
from tercet.annotation.quality.erasure import erase_annotator
from tercet.annotation.quality.exclusion import (
    exclude_annotator,
    exclude_vote,
    readmit_annotator,
    readmit_vote,
)
from tercet.annotation.requests import UNKNOWN_NETWORK
from tercet.annotation.studies.compaction import remove_former_keys
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.lifecycle import set_state
from tests.annotation.questions import (
    answer_all,
    claimed,
    counters,
    expire,
    only_question,
    recounted,
)
from tests.support.folders import dataset_folder

pytestmark = [pytest.mark.voting, pytest.mark.django_db]

HERE, THERE = "198.51.100.1", "203.0.113.7"
ELSEWHERE = "2001:db8:1:2::/64"


@pytest.fixture
def sixty(tmp_path: Path) -> Study:
    """A study of sixty questions with three votes each."""
    return study_of_dogs(tmp_path / "dogs", 4)


@pytest.fixture
def thirty(tmp_path: Path) -> Study:
    """A study of thirty questions with three votes each."""
    return study_of_dogs(tmp_path / "dogs", 2)


def study_of_dogs(folder: Path, pairs: int) -> Study:
    """A study of so many pairs with fifteen references each."""
    references = [("dog", f"a dog, seen {number} times") for number in range(15)]
    rows = [(f"p{n}", "dog", f"{n} dogs", f"no {n} dogs", "HC") for n in range(pairs)]
    dataset = import_dataset(
        load(dataset_folder(folder, references, rows)), "dogs", folder
    )

    return create_study(Study(dataset=dataset, title="Dogs", steps=[], break_every=0))


@pytest.fixture
def anywhere(study: Study) -> Study:
    """Twelve questions with three votes each, by a link for people anywhere."""
    study.link_users = LinkUsers.ANYWHERE
    study.save()
    return study


def somebody(study: Study, network: str) -> Annotator:
    person = new_annotator(Study.objects.get(pk=study.pk))
    note_network(person, network)
    return person


def join(study: Study, address: str) -> tuple[Client, Annotator]:
    """Somebody new at the shared link, with a browser of their own."""
    browser = Client(REMOTE_ADDR=address)
    browser.post(reverse("join", args=[study.join_code]))
    key, *_signature = browser.cookies[cookie_name(study.name)].value.split(":")

    return browser, Annotator.objects.get(pk=key)


def page(browser: Client, study: Study) -> str:
    return browser.get(reverse("judge", args=[study.name])).text


def wait(seconds: int) -> None:
    """Let time pass for all that has been stored."""
    span = timedelta(seconds=seconds)
    Lease.objects.update(
        expires_at=F("expires_at") - span, created_at=F("created_at") - span
    )
    Answer.objects.update(created_at=F("created_at") - span)
    Annotator.objects.update(waiting_since=F("waiting_since") - span)


def shares(study: Study) -> list[int]:
    """The votes and leases that each network has of each question."""
    rows = Annotator.objects.exclude(network="")
    given = [
        *Answer.objects.counted()
        .filter(annotator__in=rows)
        .values_list("question", "annotator__network"),
        *Lease.objects.filter(
            live=True, purpose=Purpose.STUDY, annotator__in=rows
        ).values_list("question", "annotator__network"),
    ]

    return [given.count(each) for each in set(given)]


# People who ask and never vote


def test_cookies_that_never_vote_end_the_study_for_nobody(thirty: Study) -> None:
    """The cookies ask for more than all votes of the study."""
    idle = [join(thirty, HERE if number % 2 else THERE)[1] for number in range(24)]
    honest, person = join(thirty, "192.0.2.99")

    for _ in range(400):
        for each in idle:
            top_up_leases(each, LEASES_AT_FIRST)

        shown = page(honest, thirty)
        assert "completion code:" not in shown

        if lease := person.leases.filter(live=True).first():
            vote(lease.key, Side.LEFT)
        else:
            assert "Please wait a moment" in shown

        wait(15)
        if person.answers.count() == 30:
            break

    assert person.answers.counted().count() == 30, "all there is"
    assert "completion code:" in page(honest, thirty)
    assert counters(thirty) == recounted(thirty)


def test_newcomers_of_one_network_hold_a_bounded_number_of_questions(
    sixty: Study,
) -> None:
    people = [somebody(sixty, HERE) for _ in range(15)]
    held = [len(top_up_leases(person, LEASES_AT_FIRST)) for person in people]

    assert sum(held) == MAX_HELD_BY_NEWCOMERS
    assert (
        len(top_up_leases(somebody(sixty, THERE), LEASES_AT_FIRST)) == LEASES_AT_FIRST
    )

    vote(claimed(people[0]).key, Side.LEFT)
    assert len(top_up_leases(people[-1], LEASES_AT_FIRST)) == LEASES_AT_FIRST


def test_cookies_that_voted_once_and_then_only_ask_hold_nothing_for_long(
    study: Study,
) -> None:
    idle = [somebody(study, f"192.0.2.{number}") for number in range(3)]
    for person in idle:
        vote(top_up_leases(person, 12)[0].key, Side.LEFT)

    honest = somebody(study, HERE)
    wait(IDLE_SECONDS - 10)

    assert answer_all(honest) == 0

    wait(11)
    for person in idle:
        assert len(top_up_leases(person, 12)) == 11
    assert answer_all(honest) == 11
    assert counters(study) == recounted(study)


@pytest.mark.parametrize("users", [LinkUsers.PLACE, LinkUsers.ANYWHERE])
def test_idle_cookies_of_ones_network_send_nobody_away(
    sixty: Study, users: str
) -> None:
    Study.objects.update(link_users=users)
    idle = [somebody(sixty, HERE) for _ in range(MAX_HELD_BY_NEWCOMERS)]

    for _ in range(3):
        for person in idle:
            top_up_leases(person, LEASES_AT_FIRST)
        wait(IDLE_SECONDS + 1)

    browser, person = join(sixty, HERE)
    assert "Please wait a moment" not in page(browser, sixty)
    assert answer_all(person) == 60
    assert counters(sixty) == recounted(sixty)


def test_who_is_too_many_at_first_waits_and_is_not_sent_away(sixty: Study) -> None:
    first = [
        somebody(sixty, HERE) for _ in range(MAX_HELD_BY_NEWCOMERS // LEASES_AT_FIRST)
    ]
    for person in first:
        top_up_leases(person, LEASES_AT_FIRST)

    browser, late = join(sixty, HERE)
    assert "Please wait a moment" in page(browser, sixty)

    vote(claimed(first[0]).key, Side.LEFT)
    assert "Please wait a moment" not in page(browser, sixty)

    late.refresh_from_db()
    assert (late.outcome, late.waiting_since) == ("", None)


def test_who_has_not_voted_gets_no_second_set_of_questions(sixty: Study) -> None:
    person = somebody(sixty, HERE)
    assert len(top_up_leases(person, LEASES_AT_FIRST)) == LEASES_AT_FIRST

    wait(3600)
    end_expired_leases(sixty)

    assert len(top_up_leases(person, LEASES_AT_FIRST)) == 1

    vote(claimed(person).key, Side.LEFT)
    assert len(top_up_leases(person, LEASES_AT_FIRST)) == LEASES_AT_FIRST


def test_who_has_judged_waits_for_the_last_questions_or_finishes(study: Study) -> None:
    browser, person = join(study, HERE)
    others = [somebody(study, network) for network in ("1", "2", "3")]

    for other in others:
        vote(claimed(other).key, Side.LEFT)
        assert len(top_up_leases(other, 11)) == 11

    Annotator.objects.filter(pk=person.pk).update(judged=1)
    assert "Please wait a moment" in page(browser, study)

    wait(24 * 3600)
    Lease.objects.update(
        created_at=timezone.now(), expires_at=timezone.now() + timedelta(hours=1)
    )

    assert "completion code:" not in page(browser, study)

    finish = reverse("step_finish", args=[study.name])
    shown = browser.post(finish, follow=True).text
    person.refresh_from_db()

    assert person.outcome == Outcome.DONE
    assert person.code in shown
    assert "completion code:" in page(browser, study), "and it stays so"


def test_nobody_finishes_while_there_are_questions_for_them(study: Study) -> None:
    browser, person = join(study, HERE)
    vote(claimed(person).key, Side.LEFT)
    browser.post(reverse("step_finish", args=[study.name]))

    person.refresh_from_db()
    assert person.outcome == ""


# One person with many cookies


def test_one_address_gives_its_share_of_the_votes_and_no_more(sixty: Study) -> None:
    Study.objects.update(link_users=LinkUsers.ANYWHERE)
    cookies = [join(sixty, HERE)[1] for _ in range(12)]

    assert sum(answer_all(cookie) for cookie in cookies) == 60, (
        "one of three votes on each"
    )
    assert not any(answer_all(join(sixty, HERE)[1]) for _ in range(2))
    assert [answer_all(join(sixty, each)[1]) for each in (THERE, "2001:db8::1")] == [
        60,
        60,
    ]
    assert sixty.questions.progress()["finished"] == 60


def test_a_link_for_one_place_takes_all_votes_from_one_network(study: Study) -> None:
    Study.objects.update(link_users=LinkUsers.PLACE)
    assert [answer_all(join(study, HERE)[1]) for _ in range(3)] == [12, 12, 12]


def test_an_ipv6_customer_is_one_network(anywhere: Study) -> None:
    addresses = ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1")
    assert [answer_all(join(anywhere, each)[1]) for each in addresses] == [12, 0, 0]


def test_addresses_that_cannot_be_read_are_one_network(anywhere: Study) -> None:
    assert [answer_all(join(anywhere, each)[1]) for each in ("", "unix:")] == [12, 0]
    assert answer_all(somebody(anywhere, UNKNOWN_NETWORK)) == 0


@pytest.mark.parametrize(
    ("needed", "most"), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 2), (6, 2), (7, 3), (9, 4)]
)
def test_a_network_gives_a_minority_of_the_votes_of_each_question(
    anywhere: Study, needed: int, most: int
) -> None:
    assert most_of_network(needed) == most

    anywhere.questions.update(needed=needed)
    votes = [answer_all(somebody(anywhere, HERE)) for _ in range(most + 1)]

    assert votes == [12] * most + [0]
    assert max(shares(anywhere)) == most


def test_people_of_personal_links_are_not_limited(anywhere: Study) -> None:
    [invited] = personal_links(anywhere, ["Ann"])
    note_network(invited, HERE)

    assert invited.network == ""
    assert answer_all(invited) == 12


def test_who_finds_a_question_just_before_others_of_the_network_does_not_get_it(
    anywhere: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_question(anywhere)
    faster, slower = somebody(anywhere, HERE), somebody(anywhere, HERE)
    found = next_open_question(lock_with_leases(slower.pk), -1)
    assert found is not None
    claimed(faster)

    monkeypatch.setattr(leases, "next_open_question", lambda *_args: found)
    assert assign(lock_with_leases(slower.pk), 1) == []
    assert shares(anywhere) == [1]
    assert counters(anywhere) == recounted(anywhere)


def test_a_late_vote_counts_only_within_the_share_of_its_network(
    anywhere: Study,
) -> None:
    question = only_question(anywhere)
    late, other = somebody(anywhere, HERE), somebody(anywhere, HERE)
    lease = claimed(late)
    expire(lease)
    end_expired_leases(anywhere)

    vote(claimed(other).key, Side.LEFT)
    assert vote(lease.key, Side.LEFT).status == Status.SURPLUS
    assert shares(anywhere) == [1]

    question.refresh_from_db()
    assert question.answers == 1


def test_an_undone_vote_keeps_its_place_in_the_share(anywhere: Study) -> None:
    only_question(anywhere)
    person, other = somebody(anywhere, HERE), somebody(anywhere, HERE)
    cast = vote(claimed(person).key, Side.LEFT)
    assert cast.key is not None

    undo(cast.key)
    assert answer_all(other) == 0
    assert answer_all(person) == 1


def test_votes_that_count_again_stay_within_the_share_of_their_network(
    anywhere: Study,
) -> None:
    only_question(anywhere)
    one, two, three = (somebody(anywhere, HERE) for _ in range(3))
    first = vote(claimed(one).key, Side.LEFT)
    exclude_annotator(one, None, "a reason")
    second = vote(claimed(two).key, Side.LEFT)
    exclude_vote(second, None, "a reason")

    vote(claimed(three).key, Side.LEFT)

    assert readmit_annotator(one, None) == (0, 1)
    assert readmit_vote(second, None)

    statuses = Answer.objects.filter(pk__in=[first.pk, second.pk]).values_list(
        "status", flat=True
    )

    assert set(statuses) == {Status.SURPLUS}
    assert shares(anywhere) == [1]


def test_gold_checks_count_only_within_the_share_of_their_network(
    anywhere: Study,
) -> None:
    question = only_question(anywhere)
    anywhere.questions.update(gold="B")
    Study.objects.update(gold_rate=1)
    for network in (HERE, HERE, THERE):
        vote(claimed(somebody(anywhere, network)).key, Side.LEFT)

    question.refresh_from_db()
    assert question.answers == 2
    assert Answer.objects.filter(purpose=Purpose.GOLD).count() == 1
    assert shares(anywhere) == [1, 1]


def test_a_vote_takes_one_statement_more_with_the_limit_than_without(
    study: Study,
) -> None:
    counted = []
    for users in (LinkUsers.PLACE, LinkUsers.ANYWHERE):
        Study.objects.update(link_users=users)
        person = somebody(study, users)
        synchronize(person.pk, [])
        held = synchronize(
            person.pk, [AnswerMessage(claimed(person).key, {"side": "left"})]
        ).leases
        with CaptureQueriesContext(connection) as queries:
            reply = synchronize(
                person.pk, [AnswerMessage(held[0].key, {"side": "left"})]
            )

        assert len(reply.leases) == len(held)

        counted.append(len(queries.captured_queries))

    without, with_limit = counted
    assert with_limit <= without + 1 <= 14


# What is stored of an address


def test_networks_are_codes_that_no_key_leads_back_from_once_a_study_is_closed(
    study: Study,
) -> None:
    _browser, person = join(study, HERE)
    study.refresh_from_db()

    assert person.network == network_code(study, HERE) != network_code(study, THERE)
    assert HERE not in person.network

    set_state(study, State.CLOSED, None)
    study.refresh_from_db()

    assert study.network_key == ""
    assert network_code(study, HERE) != network_code(study, HERE), (
        "a key that nobody keeps"
    )

    Study.objects.update(link_users=LinkUsers.PLACE)
    set_state(study, State.OPEN, None)
    _browser, again = join(study, HERE)

    assert again.network != person.network


def pause_and_delete(study: Study) -> None:
    set_state(study, State.PAUSED, None)
    delete_study(study, None)
    hasten_purge(study, None)
    purge_due()


def close(study: Study) -> None:
    set_state(study, State.CLOSED, None)


def key_in_files(key: str) -> bool:
    """Whether a key of networks is in the files of the database."""
    if connection.vendor == "sqlite":
        files = Path(connection.settings_dict["NAME"]).parent.glob("*.sqlite3*")
        return any(key.encode() in file.read_bytes() for file in files)

    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute(
            "SELECT pg_read_binary_file(pg_relation_filepath('annotation_study'))"
        )

        return key.encode() in bytes(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [close, pause_and_delete])
def test_no_file_of_the_database_has_the_key_of_a_study_that_has_ended(
    study: Study, end: Callable[[Study], None]
) -> None:
    somebody(study, HERE)
    study.refresh_from_db()

    assert key_in_files(study.network_key)

    key = study.network_key
    end(study)

    for _attempt in range(1_000):
        if not key_in_files(key):
            return
        assert connection.vendor == "postgresql"
        remove_former_keys()  # it keeps what older transactions may see, such as other tests'

    pytest.fail("the key stays")


def test_nothing_is_stored_of_the_network_of_who_declines(study: Study) -> None:
    Study.objects.update(steps=["consent"])
    browser = Client(REMOTE_ADDR=HERE)
    browser.post(reverse("join", args=[study.join_code]), {"agree": "no"})

    assert study.annotators.get().network == ""

    step = reverse("step_consent", args=[study.name])
    for answer in ("later", "yes"):
        browser.post(step, {"agree": answer})

    assert study.annotators.get().network == network_code(Study.objects.get(), HERE)


def test_nothing_is_left_of_the_network_of_who_is_erased(study: Study) -> None:
    person = somebody(study, HERE)
    code = person.network
    answer_all(person)

    successor = erase_annotator(person, None)
    assert (successor.answers.count(), successor.network) == (12, "")
    assert not Annotator.objects.filter(network=code).exists()
