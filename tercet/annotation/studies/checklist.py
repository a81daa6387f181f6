"""What a study that is not open still needs, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Max
from django.urls import reverse

from tercet.analysis.number_texts import counted, plural
from tercet.annotation.judging.kinds import kind_of
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
    images = dataset.images.count()
    references = Reference.objects.filter(image__dataset=dataset).count()
    text = f"{intcomma(images)} images, {intcomma(references)} references"
    link = _Action(dataset.title, dataset.get_absolute_url())
    return ListedStep("Data", text, True, link if user.is_staff else None)


def _pairs(study: Study, totals: Mapping[str, int]) -> ListedStep:
    if not kind_of(study).chooses:
        questions, needed = (intcomma(totals[name]) for name in ("triplets", "needed"))
        text = f"{questions} questions, {needed} answers needed"
        return ListedStep("Questions", text, totals["triplets"] > 0, None)

    pairs = intcomma(study.dataset.pairs.count())
    questions, votes = intcomma(totals["triplets"]), intcomma(totals["needed"])
    text = f"{pairs} pairs, {questions} questions, {votes} votes needed"
    link = _Action("Look at them", _address("study_pairs", study))
    return ListedStep("Pairs", text, totals["triplets"] > 0, link)


def _texts(study: Study) -> ListedStep:
    """What annotators read is done where opening would warn of nothing."""
    title, settings = "Texts", _address("study_settings", study)
    if _was_opened(study):
        text = "The study was opened with its texts."
        return ListedStep(title, text, True, _Action("Settings", settings))
    if missing := texts.missing_facts(study):
        text = f"Not filled in for the consent: {', '.join(missing)}."
        return ListedStep(title, text, False, _Action("Fill it in", settings))

    faulty = [*texts.steps_in_english(study), *texts.steps_without_text(study)]
    if faulty:
        steps = ", ".join(dict.fromkeys(faulty))
        text = f"Without a text in the language of the captions: {steps}."
        address = reverse("study_setting_group", args=[study.name, "texts"])
        return ListedStep(title, text, False, _Action("Write texts", address))

    text = "Everything that annotators read is filled in."
    return ListedStep(title, text, True, _Action("Settings", settings))


def _trial(study: Study) -> ListedStep:
    """A trial is done until the settings change."""
    title = "Try it"
    trials = study.annotators.filter(is_test=True)
    tried_at = trials.aggregate(at=Max("created_at"))["at"]
    if _was_opened(study):
        text = "The study was tried." if tried_at else "It was opened untried."
        return ListedStep(title, text, True, None)

    button = _Action(title, _address("study_try", study), is_form=True)
    if not tried_at:
        return ListedStep(title, "Nobody has tried the study yet.", False, button)

    changed = study.events.filter(what__in=CHANGES).first()
    if changed and changed.at >= tried_at:
        text = "The settings have changed since the study was tried."
        return ListedStep(title, text, False, button)
    return ListedStep(title, "The study was tried with these settings.", True, button)


def _opening(study: Study, totals: Mapping[str, int]) -> ListedStep:
    title, address = "Open", f"{_address('study_settings', study)}#state"
    if study.state == State.CLOSED:
        text = "The study has ended."
        if totals["finished"] < totals["triplets"]:
            text += " Reopen it to collect the missing votes."
        return ListedStep(title, text, True, _Action("Settings", address))
    if study.state == State.PAUSED:
        text = "The study is paused; no new questions are shown."
        return ListedStep(title, text, False, _Action("Resume the study", address))

    link = _Action("Open the study", address)
    return ListedStep(title, _before_opening(study), False, link)


def _before_opening(study: Study) -> str:
    """Say who will be able to take part, or what has to be said first."""
    if study.link_is_open and study.link_users == LinkUsers.UNASKED:
        return "Say first who uses the shared link."
    if without_code := labels_without_code(study):
        return f"No completion code of the platform for: {', '.join(without_code)}."
    if entries := open_entries(study):
        return f"Ways to take part: {', '.join(entries)}, personal links, and roles."
    return "Only people with a personal link or a role can take part."


def _pay(study: Study, user: User) -> ListedStep:
    """The pay list has to be downloaded once everybody has judged who will."""
    count = people_to_pay(study).count()
    is_sent = study.events.filter(what="exported pay list").exists()
    text = (
        f"{intcomma(count)} people have judged." if count else "Nobody has judged yet."
    )
    if is_sent:
        text += " The pay list was downloaded."

    is_done = study.state == State.CLOSED and (is_sent or not count)
    link = _Action("Pay list", _address("study_pay", study))
    return ListedStep("Pay", text, is_done, link if is_owner(user, study) else None)


def _results(
    study: Study,
    votes: int,
    latest: Evaluation | None,
    done: Evaluation | None,
    *,
    is_current: bool,
) -> ListedStep:
    title, noun = "Results", kind_of(study).answer
    if latest and latest.unfinished:
        return ListedStep(title, "The results are being computed.", False, None)
    if done and is_current:
        text = f"Computed from {counted(done.votes, noun)}."
        return ListedStep(title, text, True, None)
    if not votes:
        return ListedStep(title, f"There are no {noun}s yet.", False, None)

    text = f"{counted(votes, noun)} {plural(votes, 'is', 'are')} in; there are no results yet."
    if done:
        text = f"The results are not of the {counted(votes, noun)} that count now."
    button = _Action("Compute results", _address("study_evaluate", study), is_form=True)
    return ListedStep(title, text, False, button)
