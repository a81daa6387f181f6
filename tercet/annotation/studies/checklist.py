"""What a study that is not open still needs, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Max
from django.urls import reverse

from tercet.annotation.models import Evaluation, Reference, Study
from tercet.annotation.models.study import Accounts, LinkUsers, State
from tercet.annotation.participation import texts
from tercet.annotation.participation.exits import outcomes_without_code
from tercet.annotation.quality.payment import people_to_pay
from tercet.annotation.studies.audit import CHANGES
from tercet.annotation.studies.roles import is_owner


@dataclass(frozen=True)
class _Action:
    """A link to the page of a step, or a button that sends a form to it."""

    label: str
    address: str
    is_form: bool = False


@dataclass(frozen=True)
class ListedStep:
    """A step with its state in words; the first that is not done comes `next`."""

    title: str
    text: str
    is_done: bool
    action: _Action | None
    is_next: bool = False


def checklist(
    study: Study,
    user: User,
    totals: Mapping[str, int],
    latest: Evaluation | None,
    done: Evaluation | None,
    is_current: bool,
) -> list[ListedStep]:
    """Return the steps of a study in their order.

    The number of statements does not depend on the size of the study.

    Parameters
    ----------
    study : Study
    user : User
        Only what this account may open has a link.
    totals : mapping from str to int
        The counts of `QuestionQuerySet.progress`.
    latest, done : Evaluation or None
        The newest computation, and the newest that has results.
    is_current : bool
        Whether these are of the votes that count now.
    """
    steps = [
        _data(study, user),
        _pairs(study, totals),
        _texts(study),
        _trial(study),
        _opening(study, totals),
        _pay(study, user),
        _results(study, totals["votes"], latest, done, is_current=is_current),
    ]
    left = [number for number, step in enumerate(steps) if not step.is_done]
    for number in left[:1]:
        steps[number] = replace(steps[number], is_next=True)

    return steps


def open_entries(study: Study) -> list[str]:
    """Return the ways to take part in a study besides personal links and roles."""
    entries = (
        (study.link_is_open, "the shared link"),
        (study.crowd_is_open, "the crowdsourcing link"),
        (study.accounts == Accounts.ALL, "every account"),
    )
    return [name for is_open, name in entries if is_open]


def labels_without_code(study: Study) -> list[str]:
    """Return the ways to end for which the platform's people get no code, though others do."""
    return [str(outcome.label) for outcome in outcomes_without_code(study)]


def _was_opened(study: Study) -> bool:
    return study.state != State.DRAFT


def _address(view: str, study: Study) -> str:
    return reverse(view, args=[study.name])


def _data(study: Study, user: User) -> ListedStep:
    dataset = study.dataset
    references = Reference.objects.filter(image__dataset=dataset)
    counts = {
        "images": intcomma(dataset.images.count()),
        "references": intcomma(references.count()),
    }
    text = "%(images)s images, %(references)s references"
    filled = text % counts

    address = dataset.get_absolute_url()
    link = _Action(dataset.title, address)
    title = "Data"
    return ListedStep(title, filled, True, link if user.is_staff else None)


def _pairs(study: Study, totals: Mapping[str, int]) -> ListedStep:
    counts = {
        "pairs": intcomma(study.dataset.pairs.count()),
        "questions": intcomma(totals["triplets"]),
        "votes": intcomma(totals["needed"]),
    }
    text = "%(pairs)s pairs, %(questions)s questions, %(votes)s votes needed"
    filled = text % counts

    label = "Look at them"
    address = _address("study_pairs", study)
    link = _Action(label, address)
    title = "Pairs"
    return ListedStep(title, filled, totals["triplets"] > 0, link)


def _texts(study: Study) -> ListedStep:
    """What annotators read is done where opening would warn of nothing."""
    missing = texts.missing_facts(study)
    in_english = texts.steps_in_english(study)
    empty = texts.steps_without_text(study)
    faulty = dict.fromkeys([*in_english, *empty])

    text = "Everything that annotators read is filled in."
    label = "Settings"
    address = _address("study_settings", study)
    if missing:
        text = "Not filled in for the consent: %(facts)s."
        text %= {"facts": ", ".join(missing)}
        label = "Fill it in"
    elif faulty:
        text = "Without a text in the language of the captions: %(steps)s."
        text %= {"steps": ", ".join(faulty)}
        label = "Write texts"
        address = reverse("study_setting_group", args=[study.name, "texts"])

    link = _Action(label, address)
    is_complete = not (missing or faulty)
    if _was_opened(study):
        text = "The study was opened with its texts."
    title = "Texts"
    return ListedStep(title, text, is_complete or _was_opened(study), link)


def _trial(study: Study) -> ListedStep:
    """A trial is done until the settings change."""
    title = "Try it"
    trials = study.annotators.filter(is_test=True)
    latest = trials.aggregate(at=Max("created_at"))
    tried_at = latest["at"]
    changes = study.events.filter(what__in=CHANGES)
    changed = changes.first()
    is_recent = bool(tried_at and (changed is None or tried_at > changed.at))

    text = "Nobody has tried the study yet."
    if tried_at:
        text = "The settings have changed since the study was tried."
    if is_recent:
        text = "The study was tried with these settings."
    if _was_opened(study):
        text = "The study was tried." if tried_at else "It was opened untried."
        return ListedStep(title, text, True, None)

    address = _address("study_try", study)
    button = _Action(title, address, is_form=True)
    return ListedStep(title, text, is_recent, button)


def _opening(study: Study, totals: Mapping[str, int]) -> ListedStep:
    label = "Open the study"
    text = _before_opening(study)
    is_closed = study.state == State.CLOSED
    if study.state == State.PAUSED:
        label = "Resume the study"
        text = "The study is paused; no new questions are shown."
    elif is_closed:
        label = "Settings"
        text = "The study has ended."
        if totals["finished"] < totals["triplets"]:
            text = "The study has ended. Reopen it to collect the missing votes."

    address = _address("study_settings", study)
    link = _Action(label, f"{address}#state")
    title = "Open"
    return ListedStep(title, text, is_closed, link)


def _before_opening(study: Study) -> str:
    """Say who will be able to take part, or what has to be said first."""
    entries = open_entries(study)
    text = "Only people with a personal link or a role can take part."
    if entries:
        text = "Ways to take part: %(entries)s, personal links, and roles."
        text %= {"entries": ", ".join(entries)}
    if study.link_is_open and study.link_users == LinkUsers.UNASKED:
        text = "Say first who uses the shared link."
    elif without_code := labels_without_code(study):
        outcomes = ", ".join(without_code)
        text = f"No completion code of the platform for: {outcomes}."

    return text


def _pay(study: Study, user: User) -> ListedStep:
    """The pay list has to be downloaded once everybody has judged who will."""
    people = people_to_pay(study)
    count = people.count()
    lists = study.events.filter(what="exported pay list")
    is_sent = lists.exists()

    text = "Nobody has judged yet."
    if count:
        text = "%(people)s people have judged."
        text %= {"people": intcomma(count)}
    if is_sent:
        sent = "The pay list was downloaded."
        text = f"{text} {sent}"

    is_over = study.state == State.CLOSED
    is_done = is_over and (is_sent or not count)
    label = "Pay list"
    address = _address("study_pay", study)
    link = _Action(label, address)
    title = "Pay"
    return ListedStep(title, text, is_done, link if is_owner(user, study) else None)


def _results(
    study: Study,
    votes: int,
    latest: Evaluation | None,
    done: Evaluation | None,
    *,
    is_current: bool,
) -> ListedStep:
    title = "Results"
    if latest and latest.unfinished:
        text = "The results are being computed."
        return ListedStep(title, text, False, None)
    if done and is_current:
        text = "Computed from %(votes)s votes."
        text %= {"votes": intcomma(done.votes)}
        return ListedStep(title, text, True, None)
    if not votes:
        text = "There are no votes yet."
        return ListedStep(title, text, False, None)

    text = "%(votes)s votes are in; there are no results yet."
    if done:
        text = "%(votes)s votes count now; the results are not computed from these."
    text %= {"votes": intcomma(votes)}
    label = "Compute results"
    address = _address("study_evaluate", study)
    button = _Action(label, address, is_form=True)
    return ListedStep(title, text, False, button)
