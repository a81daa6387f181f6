"""What a study that is not open still needs, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _

from tercet.annotation.models import Evaluation, Reference, Study
from tercet.annotation.models.study import Accounts, LinkUsers, State
from tercet.annotation.participation import texts
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
    study: Study, user: User, totals: Mapping[str, int], done: Evaluation | None
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
    done : Evaluation or None
        The newest results.
    """
    steps = [
        _data(study, user),
        _pairs(study, totals),
        _texts(study),
        _trial(study),
        _opening(study, totals),
        _pay(study, user),
        _results(study, totals["votes"], done),
    ]
    left = [number for number, step in enumerate(steps) if not step.is_done]
    for number in left[:1]:
        steps[number] = replace(steps[number], is_next=True)

    return steps


def open_entries(study: Study) -> list[str]:
    """Return the ways to take part in a study besides personal links and roles."""
    entries = (
        (study.link_is_open, _("the shared link")),
        (study.crowd_is_open, _("the crowdsourcing link")),
        (study.accounts == Accounts.ALL, _("every account")),
    )
    return [name for is_open, name in entries if is_open]


def _was_opened(study: Study) -> bool:
    return study.state != State.DRAFT


def _data(study: Study, user: User) -> ListedStep:
    references = Reference.objects.filter(image__dataset=study.dataset_id)
    counts = {"images": study.dataset.images.count(), "references": references.count()}
    text = _("%(images)s images, %(references)s references")
    link = _Action(study.dataset.title, study.dataset.get_absolute_url())
    filled = text % {name: intcomma(count) for name, count in counts.items()}
    return ListedStep(_("Data"), filled, True, link if user.is_staff else None)


def _pairs(study: Study, totals: Mapping[str, int]) -> ListedStep:
    counts = {
        "pairs": intcomma(study.dataset.pairs.count()),
        "questions": intcomma(totals["triplets"]),
        "votes": intcomma(totals["needed"]),
    }
    text = _("%(pairs)s pairs, %(questions)s questions, %(votes)s votes needed")
    link = _Action(_("Look at them"), reverse("study_pairs", args=[study.name]))
    return ListedStep(_("Pairs"), text % counts, totals["triplets"] > 0, link)


def _texts(study: Study) -> ListedStep:
    """What annotators read is done where opening would warn of nothing."""
    missing = texts.missing_facts(study)
    faulty = [*texts.steps_in_english(study), *texts.steps_without_text(study)]
    text = _("Everything that annotators read is filled in.")
    link = _Action(_("Settings"), reverse("study_settings", args=[study.name]))

    if missing:
        text = _("Not filled in for the consent: %(facts)s.")
        text %= {"facts": ", ".join(missing)}
        link = replace(link, label=_("Fill it in"))
    elif faulty:
        text = _("Without a text in the language of the captions: %(steps)s.")
        text %= {"steps": ", ".join(dict.fromkeys(faulty))}
        address = reverse("study_setting_group", args=[study.name, "texts"])
        link = _Action(_("Write texts"), address)

    is_done = _was_opened(study) or not (missing or faulty)
    return ListedStep(_("Texts"), text, is_done, link)


def _trial(study: Study) -> ListedStep:
    """A trial is done until the settings change."""
    trials = study.annotators.filter(is_test=True)
    tried_at = trials.aggregate(at=Max("created_at"))["at"]
    changed = study.events.filter(what__in=CHANGES).first()
    is_recent = bool(tried_at and (changed is None or tried_at > changed.at))

    text = _("Nobody has tried the study yet.")
    if tried_at:
        text = _("The settings have changed since the study was tried.")
    if is_recent:
        text = _("The study was tried with these settings.")

    button = _Action(_("Try it"), reverse("study_try", args=[study.name]), True)
    return ListedStep(_("Try it"), text, is_recent or _was_opened(study), button)


def _opening(study: Study, totals: Mapping[str, int]) -> ListedStep:
    address = reverse("study_settings", args=[study.name])
    link = _Action(_("Open the study"), f"{address}#state")
    if study.state == State.CLOSED:
        text = _("The study has ended.")
        if totals["finished"] < totals["triplets"]:
            text = _("The study has ended. Reopen it to collect the missing votes.")
        return ListedStep(_("Open"), text, True, replace(link, label=_("Settings")))

    if study.state == State.PAUSED:
        text = _("The study is paused; no new questions are shown.")
        resume = replace(link, label=_("Resume the study"))
        return ListedStep(_("Open"), text, False, resume)

    return ListedStep(_("Open"), _before_opening(study), False, link)


def _before_opening(study: Study) -> str:
    """Say who will be able to take part, or what has to be said first."""
    entries = open_entries(study)
    text = _("Only people with a personal link or a role can take part.")
    if entries:
        text = _("Ways to take part: %(entries)s, personal links, and roles.")
        text %= {"entries": ", ".join(entries)}
    if study.link_is_open and study.link_users == LinkUsers.UNASKED:
        text = _("Say first who uses the shared link.")

    return text


def _pay(study: Study, user: User) -> ListedStep:
    """The pay list has to be downloaded once everybody has judged who will."""
    people = people_to_pay(study).count()
    is_sent = study.events.filter(what="exported pay list").exists()
    text = _("Nobody has judged yet.")
    if people:
        text = _("%(people)s people have judged.") % {"people": intcomma(people)}
    if is_sent:
        text = f"{text} {_('The pay list was downloaded.')}"

    is_done = study.state == State.CLOSED and (is_sent or not people)
    link = _Action(_("Pay list"), reverse("study_pay", args=[study.name]))
    return ListedStep(_("Pay"), text, is_done, link if is_owner(user, study) else None)


def _results(study: Study, votes: int, done: Evaluation | None) -> ListedStep:
    if done and done.votes >= votes:
        text = _("Computed from %(votes)s votes.") % {"votes": intcomma(done.votes)}
        return ListedStep(_("Results"), text, True, None)
    if not votes:
        return ListedStep(_("Results"), _("There are no votes yet."), False, None)

    address = reverse("study_evaluate", args=[study.name])
    text = _("%(votes)s votes are in; the results are not computed from all of them.")
    button = _Action(_("Compute results"), address, True)
    return ListedStep(_("Results"), text % {"votes": intcomma(votes)}, False, button)
