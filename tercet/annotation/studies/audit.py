"""The audit log: record every change of a study, and describe it in words."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma

from tercet.annotation.judging.answers import UNDONE
from tercet.annotation.models import Event, Study
from tercet.annotation.models.study import Outcome, Rank
from tercet.annotation.studies.study_file import setting_called

TITLES: dict[str, str] = {
    "made": "Created the study",
    "copied": "Created the study as a copy",
    "imported": "Created the study from an import",
    "exported names": "Exported the study with names",
    "decided pay": "Decided on the pay of a person",
    "exported pay list": "Exported the pay list",
    "made it open": "Opened the study",
    "made it paused": "Paused the study",
    "made it closed": "Closed the study",
    "archived": "Archived the study",
    "took from archive": "Took the study out of the archive",
    "deleted study": "Deleted a study",
    "archived dataset": "Archived a dataset",
    "took dataset from archive": "Took a dataset out of the archive",
    "changed dataset": "Changed the details of a dataset",
    "deleted dataset": "Deleted a dataset",
    "took back": "Took back what was deleted",
    "hastened purge": "Ordered to delete for good at once",
    "purged": "Deleted for good",
    "imported dataset": "Imported a dataset",
    "wrote backup": "Wrote a backup",
    "restored backup": "Restored a backup",
    "tried tasks again": "Let failed tasks begin again",
    "left out lines": "Imported a dataset without some lines",
    "generated pairs": "Generated pairs",
    "took back pairs": "Took back generated pairs",
    "invited account": "Created an account",
    "linked identity": "Linked an account with the OpenID Connect provider",
    "made password link": "Created a link to set a password",
    "deactivated account": "Deactivated an account",
    "erased account": "Erased an account",
    "reactivated account": "Reactivated an account",
    "made administrator": "Gave an account administrator rights",
    "took administrator": "Removed administrator rights from an account",
    "made challenge": "Created a challenge",
    "changed challenge": "Changed a challenge",
    "archived challenge": "Archived a challenge",
    "took challenge from archive": "Took a challenge out of the archive",
    "gave challenge role": "Assigned a role in a challenge",
    "took challenge role": "Removed a role in a challenge",
    "changed team": "Changed the team of an account in a challenge",
    "opened enrolment": "Opened a link to enrol in a challenge",
    "closed enrolment": "Closed the link to enrol in a challenge",
    "created own account": "Created an account by such a link",
    "enrolled": "Enrolled in a challenge",
    "announced": "Announced something in a challenge",
    "retracted": "Removed an announcement of a challenge",
    "deleted challenge": "Deleted a challenge",
    "raised votes": "Increased the votes per question",
    "changed settings": "Changed settings",
    "changed exits": "Changed completion codes and redirects",
    "chose gold": "Added gold questions",
    "removed gold": "Removed a gold question",
    "made links": "Created personal links",
    "shared view": "Shared a view of the results",
    "took view back": "Took back a shared view of the results",
    "made token": "Created an API token",
    "revoked token": "Revoked the API token",
    "added webhook": "Added a webhook",
    "removed webhook": "Removed a webhook",
    "gave role": "Assigned a role",
    "took role": "Removed a role",
    "added to dataset": "Added to the dataset over the API",
    "adjudicated": "Decided a pair",
    "withdrew adjudication": "Withdrew the decision on a pair",
    "freed questions": "Freed held questions",
    "erased annotator": "Erased a person",
    "excluded annotator": "Excluded an annotator",
    "readmitted annotator": "Included an annotator again",
    "excluded vote": "Excluded a vote",
    "readmitted vote": "Included a vote again",
    "accepted sentences": "Accepted sentences",
    "used sentences": "Used the sentences as references of a dataset",
    UNDONE: "Undid a vote",
}
"""The title of each kind of event, by the name under which it is stored."""
LABELS: dict[str, str] = {
    "challenge": "challenge",
    "crowd_key": "key for signed links",
    "annotator": "annotator",
    "annotators": "annotators",
    "bytes": "bytes",
    "dataset": "dataset",
    "decision": "decision",
    "file": "file",
    "freed": "questions",
    "images": "images",
    "lines": "lines",
    "links": "for",
    "name": "short name",
    "pair": "pair",
    "pairs": "pairs",
    "references": "references",
    "questions": "pair, reference, answer",
    "reading": "columns",
    "reason": "reason",
    "sentences": "sentences",
    "settings": "settings",
    "source": "of",
    "study": "study",
    "surplus": "surplus votes",
    "task": "task",
    "tasks": "tasks",
    "url": "address",
    "user": "account",
    "view": "view",
    "vote": "vote",
    "votes": "votes",
}
VALUES: dict[str, str] = {
    **dict(Study._meta.get_field("state").flatchoices),
    **{rank.value: rank.label for rank in Rank},
}
NAMING = {"links"}
"""Details that may name annotators."""
CHANGES = {"changed settings", "changed exits"}
"""Events whose details are the old and the new value, by name."""
_PLAIN_NUMBERS = {"seed", "vote"}
"""Details whose numbers do not count anything."""
MAX_LENGTH = 160
"""Characters of a detail that are shown at once."""


@dataclass(frozen=True)
class Line:
    """A detail of an event: its new value, and its old one where that is known."""

    label: str
    now: str
    was: str | None = None

    def __str__(self) -> str:
        was = "" if self.was is None else f"{self.was} → "
        return f"{self.label}: {was}{self.now}"

    @property
    def is_long(self) -> bool:
        return len(self.now) + len(self.was or "") > MAX_LENGTH


def log(study: Study, by: User | None, what: str, **details: object) -> Event:
    """Record an event; `by` is None for a command."""
    return Event.objects.create(study=study, by=by, what=what, details=details)


def log_site(by: User | None, what: str, **details: object) -> Event:
    """Record an event that belongs to no study: of a dataset, or of a study that is deleted."""
    return Event.objects.create(by=by, what=what, details=details)


def title_of(event: Event) -> str:
    """Return an event's title."""
    return str(TITLES.get(event.what) or event.what.capitalize())


def lines_of(event: Event, *, names: bool = True) -> list[Line]:
    """Return an event's details, one line each; without `names`, those that name people."""
    details = dict(event.details)
    if not names:
        details = {name: value for name, value in details.items() if name not in NAMING}

    if event.what in CHANGES:
        return [_line(name, now, was) for name, (was, now) in details.items()]

    was = details.pop("was", None)
    now = details.pop("now", None)
    lines = [_line(name, value) for name, value in details.items() if value != ""]

    if was is not None and now is not None:
        lines.append(Line("", _in_words(now), _in_words(was)))
    elif was is not None:
        lines.append(Line("was", _in_words(was)))
    elif now is not None:
        lines.append(Line("now", _in_words(now)))

    return lines


def _line(name: str, now: object, *was: object) -> Line:
    setting = setting_called(name)
    label = str(setting.verbose_name) if setting else name
    if name in LABELS:
        label = str(LABELS[name])
    if name in Outcome.values:
        label = str(Outcome(name).label)

    return Line(label, *(_setting_in_words(name, value) for value in (now, *was)))


def _setting_in_words(name: str, value: object) -> str:
    """Return the value of a setting; of one with choices, the label of the choice."""
    setting = setting_called(name)
    labels = dict(setting.flatchoices) if setting else {}
    if isinstance(value, str) and value in labels:
        return str(labels[value])
    if name in _PLAIN_NUMBERS:
        return str(value)

    return _in_words(value)


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_in_words(each) for each in value if each != "") or "empty"
    if value is None or value == "":
        return "empty"
    if isinstance(value, str):
        return str(VALUES.get(value, value))

    return str(intcomma(value)) if isinstance(value, int) else str(value)
