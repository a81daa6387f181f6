"""Who may see what: every address for everybody, and the cookie that makes somebody known."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import transaction
from django.http import FileResponse, HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tercet.analysis.dataset.folder import load
from tercet.annotation.datasets.importing import import_dataset
from tercet.annotation.judging.annotators import personal_links
from tercet.annotation.judging.kinds import kind_of
from tercet.annotation.models import Annotator, Image, Study, Submission, Upload
from tercet.annotation.models.computation import JobState
from tercet.annotation.models.study import Accounts, Rank
from tercet.annotation.permissions import cookie_name
from tercet.annotation.studies.creation import create_study
from tercet.annotation.studies.tokens import create_token
from tests.annotation.challenges.conftest import new_challenge, score, submit
from tests.annotation.full import SVG
from tests.annotation.kinds import study_of
from tests.support.addresses import addresses
from tests.support.browsers import logged_in
from tests.support.folders import dataset_folder

pytestmark = pytest.mark.django_db

LOGIN = "the login page"
Outcome = int | str
OK, MOVED, FAULTY_MESSAGE, UNKNOWN, FORBIDDEN, MISSING, WRONG_METHOD, FAULTY = (
    200,
    302,
    400,
    401,
    403,
    404,
    405,
    422,
)
WHO = (
    "stranger",
    "joined",
    "account",
    "annotator",
    "researcher",
    "owner",
    "administrator",
)
"""`joined` came by the join link; `account` has no role in the study, which only invited accounts
may judge in; the next three have one."""


@dataclass(frozen=True)
class Row:
    """What an address answers to each of WHO."""

    method: str
    outcomes: tuple[Outcome, ...]


def office(method: str = "get", outcome: Outcome = OK) -> Row:
    """For administrators."""
    return Row(method, (LOGIN, LOGIN, *(FORBIDDEN,) * 4, outcome))


def owners(method: str = "post", outcome: Outcome = MOVED) -> Row:
    return Row(method, (LOGIN, LOGIN, MISSING, *(FORBIDDEN,) * 2, outcome, outcome))


def research(method: str = "get", outcome: Outcome = OK) -> Row:
    return Row(method, (LOGIN, LOGIN, MISSING, FORBIDDEN, *(outcome,) * 3))


def judging(
    method: str, outcome: Outcome, to_stranger: Outcome, to_account: Outcome
) -> Row:
    """For who may judge."""
    return Row(method, (to_stranger, outcome, to_account, *(outcome,) * 4))


def submitters(method: str = "get", outcome: Outcome = OK) -> Row:
    """For who may submit to a challenge of invited accounts, whose leaderboard is for these."""
    return Row(method, (LOGIN, LOGIN, MISSING, MISSING, *(outcome,) * 3))


def own_submission(method: str, outcome: Outcome) -> Row:
    """For who submitted it, an administrator."""
    return Row(method, (LOGIN, LOGIN, *(MISSING,) * 4, outcome))


def challenge_owners(method: str = "get", outcome: Outcome = OK) -> Row:
    return Row(method, (LOGIN, LOGIN, MISSING, MISSING, FORBIDDEN, outcome, outcome))


def everybody(method: str, outcome: Outcome) -> Row:
    return Row(method, (outcome,) * 7)


STEPS = [
    "step_consent",
    "step_instructions",
    "step_comprehension",
    "step_practice",
    "step_questionnaire",
    "step_finish",
    "step_rest",
    "step_stop",
    "step_resume",
]
"""Addresses of the forms of judging pages."""
ROWS = {
    "home": Row("get", (*(OK,) * 6, MOVED)),
    "example_question": everybody("get", MISSING),
    "documentation": everybody("get", OK),
    "documentation_picture": everybody("get", MISSING),
    "healthz": everybody("get", OK),
    "readyz": everybody("get", OK),
    "metrics": everybody("get", MISSING),
    "system": office(),
    "system_try_again": office("post", MISSING),
    "system_log": office(),
    "system_log_file": office(),
    "access": office(),
    "join": judging("get", MOVED, OK, OK),
    "crowd": everybody("get", OK),
    "personal": everybody("get", OK),
    "account": Row("get", (LOGIN, LOGIN, *(OK,) * 5)),
    "prove": Row("get", (LOGIN, LOGIN, *(OK,) * 5)),
    "second_factor": Row("get", (LOGIN, LOGIN, *(OK,) * 5)),
    "second_factor_remove": Row("post", (LOGIN, LOGIN, *(MOVED,) * 5)),
    "sign_out_everywhere": everybody("post", LOGIN),
    "erase_own_account": Row("get", (LOGIN, LOGIN, *(OK,) * 5)),
    "accounts": office(),
    "account_erase": office("get", MOVED),
    "account_page": office(),
    "account_link": office("post"),
    "account_state": office("post", MOVED),
    "account_administrator": office("post", MOVED),
    "account_role": office("post", FAULTY),
    "password_reset": everybody("get", OK),
    "datasets": office(),
    "dataset_left_out": office("get", MISSING),
    "upload": office(),
    "upload_check": office(),
    "upload_import": office("post", FAULTY),
    "upload_discard": office("post", MOVED),
    "upload_problems": office("get", MISSING),
    "dataset": office(),
    "dataset_pairs": office("post", FAULTY),
    "dataset_pairs_back": office("post", MOVED),
    "dataset_about": office("post", FAULTY),
    "dataset_delete": office("post", FAULTY),
    "dataset_archive": office("post", MOVED),
    "dataset_download": office(),
    "image": judging("get", OK, MISSING, MISSING),
    "studies": Row("get", (LOGIN, LOGIN, FORBIDDEN, FORBIDDEN, OK, OK, OK)),
    "study_new": office(),
    "study": research(),
    "study_evaluate": research("post", MOVED),
    "study_status": research(),
    "study_plot": research("get", MISSING),
    "study_share": owners("post", MISSING),
    "study_share_back": owners("post", MISSING),
    "shared_view": everybody("get", MISSING),
    "shared_file": everybody("get", MISSING),
    "study_file": research(),
    "study_settings": research(),
    "study_setting_group": research(),
    "study_preview": research("post"),
    "study_state": owners(),
    "study_votes": owners(),
    "study_copy": owners(),
    "study_archive": owners(),
    "study_delete": owners("post", FAULTY),
    "study_gold": owners("get", OK),
    "study_people": research(),
    "study_links": owners("get", OK),
    "study_pay": owners("get", OK),
    "study_pay_file": owners("get", OK),
    "study_role": owners("post", FAULTY),
    "study_role_remove": owners(),
    "study_log": research(),
    "study_api": owners("get", OK),
    "study_api_revoke": owners(),
    "study_pairs": research(),
    "study_pair": research(),
    "study_adjudicate": owners("post", FAULTY),
    "study_adjudicate_withdraw": owners(),
    "study_progress": research(),
    "study_free": owners(),
    "study_quality": research(),
    "study_sentences": research("get", MISSING),  # the study asks for choices
    "sentences_accept": research("post", MISSING),
    "sentences_use": owners("post", MISSING),
    "study_without": research(),
    "study_annotator": research(),
    "annotator_erase": owners(),
    "annotator_exclude": research("post", MOVED),
    "annotator_readmit": research("post", MOVED),
    "vote_exclude": research("post", MOVED),
    "vote_readmit": research("post", MOVED),
    "judge": judging("get", OK, LOGIN, MISSING),
    "study_try": research("post", MOVED),
    "study_step": everybody("post", MOVED),
    **dict.fromkeys(STEPS, judging("post", MOVED, LOGIN, MISSING)),
    "offline": everybody("get", OK),
    "sync": everybody("post", FAULTY_MESSAGE),
    "cast_vote": everybody("post", MOVED),
    "undo_vote": everybody("post", MOVED),
    "report_question": everybody("post", MOVED),
    "leave_comment": judging("post", MOVED, LOGIN, MISSING),
    "challenges": everybody("get", OK),
    "challenge_new": office(),
    "challenge": submitters(),
    "challenge_leaderboard": submitters(),
    "challenge_leaderboard_file": submitters(),
    "challenge_images": submitters(),
    "challenge_development": submitters("get", MISSING),
    "challenge_submit": submitters(),
    "challenge_submissions": challenge_owners(),
    "submission": submitters(),
    "submission_file": Row("get", (LOGIN, LOGIN, MISSING, MISSING, MISSING, OK, OK)),
    "submission_scores": challenge_owners(),
    "submission_shown": challenge_owners("post", MOVED),
    "submission_details": own_submission("get", OK),
    "submission_final": own_submission("post", MOVED),
    "submission_withdrawn": own_submission("post", MOVED),
    "challenge_enrolment": challenge_owners("post", MOVED),
    "challenge_join": everybody("get", MISSING),
    "deleted": Row("get", (LOGIN, LOGIN, *(OK,) * 5)),
    "deleted_take_back": Row("post", (LOGIN, LOGIN, *(MISSING,) * 5)),
    "deleted_purge": office("post", MISSING),
    "challenge_settings": challenge_owners(),
    "challenge_people": challenge_owners(),
    "challenge_role": challenge_owners("post", FAULTY),
    "challenge_team": challenge_owners("post", MOVED),
    "challenge_role_remove": challenge_owners("post", MOVED),
    "challenge_api": submitters(),
    "challenge_api_revoke": submitters("post", MOVED),
    "challenge_studies": challenge_owners(),
    "challenge_phase": challenge_owners("post", MOVED),
    "challenge_archive": challenge_owners("post", MOVED),
    "challenge_delete": challenge_owners("post", FAULTY),
}
SENT = {
    "join": everybody("post", MOVED),
    "crowd": everybody("post", OK),
    "personal": everybody("post", MOVED),
    "prove": Row("post", (LOGIN, LOGIN, *(FAULTY,) * 5)),
    "second_factor": Row("post", (LOGIN, LOGIN, *(FAULTY,) * 5)),
    "password_reset": everybody("post", OK),
    "erase_own_account": Row("post", (LOGIN, LOGIN, *(FAULTY,) * 5)),
    "account_erase": office("post", MOVED),
    "accounts": office("post", FAULTY),
    "upload": office("post"),
    "study_new": office("post"),
    "study_settings": owners(),
    "study_setting_group": owners("post", FAULTY),
    "study_gold": owners(),
    "study_api": owners("post", OK),
    "study_links": owners("post", FAULTY),
    "challenge_new": office("post", FAULTY),
    "challenge_submit": submitters("post"),
    "challenge_join": everybody("post", MISSING),
    "submission_details": own_submission("post", FAULTY),
    "challenge_settings": challenge_owners("post", FAULTY),
    "challenge_api": submitters("post"),
    "challenge_studies": challenge_owners("post", FAULTY),
}
"""The forms of pages that are shown as well."""
FORMS = {name: row for name, row in ROWS.items() if row.method == "post"} | SENT
PARTS = {"group": "basics", "page": "studies", "section": "pay-people"}
"""The parts of addresses that name a group of settings, or a section of the documentation."""
PAIR_PAGES = ("study_pair", "study_adjudicate", "study_adjudicate_withdraw")
VOUCHED = {"sync"}
"""What needs no token of a form: the keys in a message are known to nobody else."""
Address = Callable[[str], str]
Browsers = Callable[[str], Client]


@pytest.fixture
def study(request: pytest.FixtureRequest, study: Study, tmp_path: Path) -> Study:
    """Of invited accounts only, and of triplets unless a test names another kind."""
    kind = getattr(request, "param", "triplet")
    if kind != "triplet":
        study = study_of(kind, tmp_path / "kind")
    study.accounts = Accounts.INVITED
    study.save()
    return study


OPERATIONS = ("progress", "votes", "results")
ADDITIONS = ("references", "pairs")
"""What the API of a study reads, and adds to the dataset of a draft."""
SCORES = ("challenge_leaderboard_file", "submission", "submission_scores")
"""Addresses of challenges that show scores."""


@pytest.fixture
def users(study: Study, administrator: User, person: User) -> dict[str, User]:
    """Those of WHO that have an account."""
    made = {"account": person, "administrator": administrator}
    for rank in (Rank.ANNOTATOR, Rank.RESEARCHER, Rank.OWNER):
        made[rank] = User.objects.create_user(rank)
        study.roles.create(user=made[rank], rank=rank)

    return made


@pytest.fixture
def submission(
    users: dict[str, User], administrator: User, tmp_path: Path
) -> Submission:
    """A submission to a challenge of invited accounts."""
    settings = {"submitters": "invited", "leaderboard": "submitters"}
    challenge = new_challenge(tmp_path / "hidden", administrator, **settings)
    challenge.roles.create(user=users["researcher"], rank="submitter")
    challenge.roles.create(user=users["owner"], rank="owner")

    return submit(challenge, administrator)


def keys_of(study: Study, administrator: User) -> dict[str, int]:
    """The key of what a page is about, by the page's name; there is a picture."""
    image = study.dataset.images.get(name="dog")
    Image.objects.filter(pk=image.pk).update(file="dog.svg")
    study.dataset.folder.mkdir(parents=True)
    (study.dataset.folder / "dog.svg").write_text(SVG)
    accounts = [name for name in ROWS if name.startswith("account_")]

    return {
        "image": image.pk,
        **dict.fromkeys(accounts, administrator.pk),
        **dict.fromkeys(("deleted_take_back", "deleted_purge", "study_share_back"), 0),
        **dict.fromkeys(PAIR_PAGES, study.dataset.pairs.earliest("pk").pk),
    }


@pytest.fixture
def address(study: Study, submission: Submission, administrator: User) -> Address:
    """The address of each page, about things that exist."""
    keys = keys_of(study, administrator)
    upload = Upload.objects.create(
        file=ContentFile(b"no zip", "small.zip"),
        name="small",
        created_by=administrator,
        state=JobState.DONE,
        result={"counts": {}},
    )
    (holder,) = personal_links(study, ["holder"])
    routes = addresses()

    def find(name: str) -> str:
        is_of_study = routes[name].startswith("studies/")
        values = PARTS | {
            "code": study.crowd_code if name == "crowd" else study.join_code,
            "kind": "study",
            "token": holder.token,
            "key": upload.key,
            "pk": keys.get(name, holder.pk),
            "file": (
                "pay.csv" if name == "study_pay_file" else kind_of(study).table.file
            ),
            "number": 1,
            "plot": "accuracy",
            "name": study.name if is_of_study else study.dataset.name,
        }

        if routes[name].startswith("challenges/"):
            if name in SCORES:
                score(submission)
            challenge = submission.challenge
            values |= {"name": challenge.name, "key": submission.key, "form": "csv"}

        wanted = {
            key: value for key, value in values.items() if f":{key}>" in routes[name]
        }
        return reverse(name, kwargs=wanted)

    return find


@pytest.fixture
def browsers(study: Study, users: dict[str, User]) -> Browsers:
    """A browser of each of WHO, with the cookies of one who has just come."""
    first = {who: browser_of(user) for who, user in users.items()}
    first |= {"stranger": Client(), "joined": Client()}
    first["joined"].post(reverse("join", args=[study.join_code]))

    def make(who: str) -> Client:
        browser = Client()
        browser.cookies.update(first[who].cookies)
        return browser

    return make


def browser_of(user: User, *, checks: bool = False) -> Client:
    return logged_in(user, enforce_csrf_checks=checks)


@contextmanager
def undone() -> Iterator[None]:
    """Take back what happens meanwhile."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)

    cache.clear()


def outcome(response: HttpResponseBase) -> Outcome:
    if isinstance(response, FileResponse):
        response.getvalue()
    if response.status_code == MOVED and response["Location"].startswith(
        reverse("login")
    ):
        return LOGIN

    return response.status_code


def test_every_address_has_a_row() -> None:
    assert set(addresses()) == set(ROWS)


def test_everybody_sees_what_they_may(address: Address, browsers: Browsers) -> None:
    seen = {name: outcomes(ROWS[name], name, address, browsers) for name in ROWS}
    assert seen == {name: row.outcomes for name, row in ROWS.items()}


WITHOUT_PAIRS = {
    "study_pairs": research("get", MISSING),
    "study_without": research("get", MISSING),
}
OF_KINDS: dict[str, dict[str, Row]] = {
    "pairwise": {},
    "rating": WITHOUT_PAIRS,
    "sentence": WITHOUT_PAIRS
    | {
        "study_gold": owners("get", MISSING),
        "study_sentences": research(),
        "sentences_accept": research("post", MOVED),
        "sentences_use": Row(
            "post", (LOGIN, LOGIN, MISSING, *(FORBIDDEN,) * 3, FAULTY)
        ),
    },
}
"""What other kinds answer where triplets answer otherwise."""


@pytest.mark.parametrize("study", OF_KINDS, indirect=True)
def test_everybody_sees_and_changes_what_they_may_of_every_kind(
    study: Study, address: Address, browsers: Browsers
) -> None:
    routes = addresses()
    names = [name for name in ROWS if routes[name].startswith(("studies/", "images/"))]
    seen = {name: outcomes(ROWS[name], name, address, browsers) for name in names}
    others = {
        name: found for name, found in seen.items() if found != ROWS[name].outcomes
    }
    assert others == {
        name: row.outcomes for name, row in OF_KINDS[study.protocol].items()
    }


def test_everybody_changes_what_they_may(address: Address, browsers: Browsers) -> None:
    seen = {name: outcomes(SENT[name], name, address, browsers) for name in SENT}
    assert seen == {name: row.outcomes for name, row in SENT.items()}


def outcomes(
    row: Row, name: str, address: Address, browsers: Browsers
) -> tuple[Outcome, ...]:
    """What each of WHO sees, one after the other."""
    with undone():
        path, method = address(name), row.method.upper()
        return tuple(outcome(browsers(who).generic(method, path)) for who in WHO)


def test_only_a_form_changes_anything(address: Address, browsers: Browsers) -> None:
    seen = {}
    for name, row in ROWS.items():
        wrong = "GET" if row.method == "post" else "DELETE"
        with undone():
            seen[name] = outcome(
                browsers("administrator").generic(wrong, address(name))
            )

    expected = dict.fromkeys(ROWS, WRONG_METHOD) | dict.fromkeys(FORMS_ON_PAGES, MOVED)
    assert seen == expected


FORMS_ON_PAGES = {
    "account_role",
    "challenge_delete",
    "challenge_role",
    "dataset_about",
    "dataset_delete",
    "dataset_pairs",
    "sentences_use",
    "study_adjudicate",
    "study_delete",
    "study_role",
    "study_step",
    "upload_import",
    *STEPS,
}
"""Addresses that take a form, show it again where it is refused, and else lead to its page."""


def test_a_form_of_another_site_changes_nothing(
    address: Address, administrator: User
) -> None:
    browser = browser_of(administrator, checks=True)
    for name in FORMS.keys() - VOUCHED:
        with undone():
            response = browser.post(address(name))
        assert response.status_code == FORBIDDEN, name
        assert "Please send the form again" in response.getvalue().decode(), name


def test_login_leads_back_to_the_page(address: Address) -> None:
    for name in [name for name, row in ROWS.items() if row.outcomes[0] == LOGIN]:
        with undone():
            path, method = address(name), ROWS[name].method
            response = Client().generic(method.upper(), path)

        back = path if method == "get" else BACK.get(name, reverse("home"))
        assert response["Location"].startswith(f"{reverse('login')}?next={back}"), name


BACK = dict.fromkeys(STEPS, "/studies/")
"""Where a login leads from an address that only takes a POST, if not to the start page."""


@pytest.mark.parametrize(
    "name",
    ["dataset", "study", "study_settings", "study_quality", "study_status", "judge"],
)
def test_what_does_not_exist_is_missing(name: str, office: Client) -> None:
    assert office.get(reverse(name, args=["nothing"])).status_code == MISSING


def test_a_study_of_others_looks_like_one_that_does_not_exist(
    study: Study, browsers: Browsers
) -> None:
    routes = addresses()
    names = [
        name
        for name in ROWS
        if name.startswith(("study", "judge", "sync", "cast", "undo"))
    ]

    for name in [name for name in names if "<slug:name>" in routes[name]]:
        for who in ("stranger", "account"):
            with undone():
                looks_missing(name, routes[name], study.name, browsers(who))


def looks_missing(name: str, route: str, study: str, browser: Client) -> None:
    """Compare what is answered about a study and about one that does not exist."""
    values = {"file": "votes.csv", "pk": 1, "group": "basics", "plot": "accuracy"}
    more = {key: value for key, value in values.items() if f":{key}>" in route}
    method = ROWS[name].method.upper()
    existing, missing = (
        browser.generic(method, reverse(name, kwargs={"name": each, **more}))
        for each in (study, "n" * len(study))
    )

    assert existing.status_code == missing.status_code, name

    location = existing.get("Location", "").replace(study, "n" * len(study))
    assert location == missing.get("Location", ""), name


@pytest.mark.voting
def test_no_address_has_a_nul_character(office: Client) -> None:
    """PostgreSQL takes none in a text."""
    for path in all_paths(get_resolver().url_patterns):
        for number, _found in enumerate(PLACEHOLDER.findall(path)):
            before = PLACEHOLDER.sub("1", path, count=number) if number else path
            faulty = PLACEHOLDER.sub("1", PLACEHOLDER.sub("a%00b", before, count=1))
            assert office.get("/" + faulty).status_code == MISSING, faulty
            assert office.post("/" + faulty).status_code == MISSING, faulty

        plain = PLACEHOLDER.sub("1", path)
        if plain not in {"healthz", "readyz"}:  # which read nothing of it
            answer = office.get(f"/{plain}?find=a%00&prolific=%00&page=%00")
            assert answer.status_code == MISSING, plain


PLACEHOLDER = re.compile(r"<[^>]+>")


def all_paths(
    patterns: Sequence[URLPattern | URLResolver], prefix: str = ""
) -> Iterator[str]:
    """The address of each page of the site, those of Django's libraries included."""
    for each in patterns:
        address = prefix + str(each.pattern).replace("(?P<url>.*)$", "<path:url>")
        if isinstance(each, URLResolver):
            yield from all_paths(each.url_patterns, address)
        else:
            yield address


def test_an_unknown_join_link_is_missing(study: Study) -> None:
    assert Client().get(reverse("join", args=["nonsense"])).status_code == MISSING


def test_a_person_without_rights_is_told_in_words(person: User, study: Study) -> None:
    study.roles.create(user=person, rank=Rank.ANNOTATOR)
    response = browser_of(person).get(study.get_absolute_url())

    assert response.status_code == FORBIDDEN
    assert "You do not have access to this page" in response.getvalue().decode()


def test_pages_are_safe_from_frames_and_guesses_of_type(office: Client) -> None:
    response = office.get(reverse("studies"))
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_nothing_is_kept_by_browsers_or_proxies_but_images(
    address: Address, browsers: Browsers
) -> None:
    for name, row in ROWS.items():
        for who in ("stranger", "administrator"):
            with undone():
                response = browsers(who).generic(row.method.upper(), address(name))
                outcome(response)
            is_kept = (name, response.status_code) == ("image", OK)
            assert ("no-store" in response["Cache-Control"]) != is_kept, name
            assert "private" in response["Cache-Control"], name


def test_only_scripts_of_this_site_run(office: Client) -> None:
    for address in (reverse("studies"), reverse("admin:index"), "/nothing-here/"):
        policy = office.get(address)["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "object-src 'none'" in policy


# The API


@pytest.fixture
def tokens(study: Study, administrator: User) -> dict[str, str]:
    """What programs may send: the study's token, one that it had before, and another study's."""
    other = create_study(Study(dataset=study.dataset, title="Other", steps=[]))
    replaced = create_token(study, administrator)
    return {
        "right": create_token(study, administrator),
        "replaced": replaced,
        "of another study": create_token(other, administrator),
        "none": "",
    }


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("sent", ["right", "replaced", "of another study", "none"])
def test_only_the_token_of_a_study_opens_its_api(
    operation: str, sent: str, study: Study, tokens: dict[str, str]
) -> None:
    header = {"Authorization": f"Bearer {tokens[sent]}"}
    existing, missing = (
        Client().get(reverse(f"api:{operation}", args=[name]), headers=header)
        for name in (study.name, "nothing")
    )

    allowed = MISSING if operation == "results" else OK
    assert existing.status_code == (allowed if sent == "right" else UNKNOWN)
    assert missing.status_code == UNKNOWN

    if sent != "right":
        assert existing.content == missing.content


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_account_alone_does_not_open_the_api(
    operation: str, study: Study, office: Client
) -> None:
    address = reverse(f"api:{operation}", args=[study.name])
    assert office.get(address).status_code == UNKNOWN


def test_reading_changes_nothing(study: Study, tokens: dict[str, str]) -> None:
    header = {"Authorization": f"Bearer {tokens['right']}"}
    for operation in OPERATIONS:
        address = reverse(f"api:{operation}", args=[study.name])
        assert Client().post(address, headers=header).status_code == WRONG_METHOD


@pytest.mark.parametrize("sent", ["replaced", "of another study", "none"])
@pytest.mark.parametrize("operation", ADDITIONS)
def test_only_the_token_of_a_study_adds_to_it(
    operation: str, sent: str, study: Study, tokens: dict[str, str], office: Client
) -> None:
    header = {"Authorization": f"Bearer {tokens[sent]}"}
    address = reverse(f"api:{operation}", args=[study.name])

    for browser in (Client(), office):
        answer = browser.post(
            address, {}, content_type="application/json", headers=header
        )
        assert answer.status_code == UNKNOWN


def test_the_description_of_the_api_is_for_everybody() -> None:
    assert Client().get("/api/openapi.json").status_code == OK
    assert Client().get("/api/docs").status_code == OK


# The cookie of a join link


@pytest.fixture
def joined(study: Study) -> Client:
    browser = Client()
    browser.post(reverse("join", args=[study.join_code]))
    return browser


def judges(browser: Client, study: Study) -> bool:
    return outcome(browser.get(reverse("judge", args=[study.name]))) == OK


def test_the_cookie_is_the_annotator(joined: Client, study: Study) -> None:
    assert judges(joined, study)
    assert Annotator.objects.count() == 1


def test_the_cookie_is_out_of_reach_of_scripts_and_lasts(
    joined: Client, study: Study
) -> None:
    cookie = joined.cookies[cookie_name(study.name)]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] >= 30 * 24 * 3600


@pytest.mark.parametrize(
    "change", [lambda text: f"9{text}", lambda text: text[:-1], lambda _: "1"]
)
def test_a_cookie_that_was_tampered_with_is_nobody(
    joined: Client, study: Study, change: Callable[[str], str]
) -> None:
    cookie = joined.cookies[cookie_name(study.name)]
    joined.cookies[cookie_name(study.name)] = change(cookie.value)
    assert not judges(joined, study)


def test_the_cookie_of_one_study_is_nobody_in_another(
    joined: Client, study: Study
) -> None:
    other = create_study(Study(dataset=study.dataset, title="Other", steps=[]))
    joined.cookies[cookie_name(other.name)] = joined.cookies[
        cookie_name(study.name)
    ].value

    assert not judges(joined, other)


def test_the_cookie_of_somebody_who_is_gone_is_nobody(
    joined: Client, study: Study
) -> None:
    Annotator.objects.all().delete()
    assert not judges(joined, study)


def test_a_person_who_joined_before_logging_in_stays_the_same_annotator(
    joined: Client, study: Study, person: User
) -> None:
    joined.force_login(person)
    assert judges(joined, study)
    assert Annotator.objects.get().user is None


def test_images_are_for_the_studies_of_their_dataset(
    joined: Client, study: Study, address: Address, tmp_path: Path
) -> None:
    assert outcome(joined.get(address("image"))) == OK

    folder = dataset_folder(tmp_path / "other")
    other = create_study(
        Study(dataset=import_dataset(load(folder), "other", folder), title="Other")
    )
    guest = Client()

    guest.post(reverse("join", args=[other.join_code]))
    assert judges(guest, other)
    assert outcome(guest.get(address("image"))) == MISSING
