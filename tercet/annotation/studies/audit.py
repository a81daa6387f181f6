"""The audit log: record every change of a study, and describe it in words."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from tercet.analysis.tables.settings import Choice
from tercet.analysis.tables.study_settings import setting_called
from tercet.annotation.judging.answers import UNDONE
from tercet.annotation.models import Event, Study
from tercet.annotation.models.study import Outcome, Rank

TITLES: dict[str, Promise] = {
    "made": gettext_lazy("Created the study"),
    "copied": gettext_lazy("Created the study as a copy"),
    "imported": gettext_lazy("Created the study from an import"),
    "exported names": gettext_lazy("Exported the study with names"),
    "exported pay list": gettext_lazy("Exported the pay list"),
    "made it open": gettext_lazy("Opened the study"),
    "made it paused": gettext_lazy("Paused the study"),
    "made it closed": gettext_lazy("Closed the study"),
    "archived": gettext_lazy("Archived the study"),
    "took from archive": gettext_lazy("Took the study out of the archive"),
    "deleted study": gettext_lazy("Deleted a study"),
    "archived dataset": gettext_lazy("Archived a dataset"),
    "took dataset from archive": gettext_lazy("Took a dataset out of the archive"),
    "changed dataset": gettext_lazy("Changed the details of a dataset"),
    "deleted dataset": gettext_lazy("Deleted a dataset"),
    "took back": gettext_lazy("Took back what was deleted"),
    "hastened purge": gettext_lazy("Ordered to delete for good at once"),
    "purged": gettext_lazy("Deleted for good"),
    "imported dataset": gettext_lazy("Imported a dataset"),
    "wrote backup": gettext_lazy("Wrote a backup"),
    "restored backup": gettext_lazy("Restored a backup"),
    "tried tasks again": gettext_lazy("Let failed tasks begin again"),
    "left out lines": gettext_lazy("Imported a dataset without some lines"),
    "generated pairs": gettext_lazy("Generated pairs"),
    "took back pairs": gettext_lazy("Took back generated pairs"),
    "invited account": gettext_lazy("Created an account"),
    "linked identity": gettext_lazy(
        "Linked an account with the OpenID Connect provider"
    ),
    "made password link": gettext_lazy("Created a link to set a password"),
    "deactivated account": gettext_lazy("Deactivated an account"),
    "erased account": gettext_lazy("Erased an account"),
    "reactivated account": gettext_lazy("Reactivated an account"),
    "made administrator": gettext_lazy("Gave an account administrator rights"),
    "took administrator": gettext_lazy("Removed administrator rights from an account"),
    "made challenge": gettext_lazy("Created a challenge"),
    "changed challenge": gettext_lazy("Changed a challenge"),
    "archived challenge": gettext_lazy("Archived a challenge"),
    "took challenge from archive": gettext_lazy("Took a challenge out of the archive"),
    "gave challenge role": gettext_lazy("Assigned a role in a challenge"),
    "took challenge role": gettext_lazy("Removed a role in a challenge"),
    "changed team": gettext_lazy("Changed the team of an account in a challenge"),
    "opened enrolment": gettext_lazy("Opened a link to enrol in a challenge"),
    "closed enrolment": gettext_lazy("Closed the link to enrol in a challenge"),
    "created own account": gettext_lazy("Created an account by such a link"),
    "enrolled": gettext_lazy("Enrolled in a challenge"),
    "announced": gettext_lazy("Announced something in a challenge"),
    "retracted": gettext_lazy("Removed an announcement of a challenge"),
    "deleted challenge": gettext_lazy("Deleted a challenge"),
    "raised votes": gettext_lazy("Increased the votes per question"),
    "changed settings": gettext_lazy("Changed settings"),
    "changed exits": gettext_lazy("Changed completion codes and redirects"),
    "chose gold": gettext_lazy("Added gold questions"),
    "removed gold": gettext_lazy("Removed a gold question"),
    "made links": gettext_lazy("Created personal links"),
    "shared view": gettext_lazy("Shared a view of the results"),
    "took view back": gettext_lazy("Took back a shared view of the results"),
    "made token": gettext_lazy("Created an API token"),
    "revoked token": gettext_lazy("Revoked the API token"),
    "added webhook": gettext_lazy("Added a webhook"),
    "removed webhook": gettext_lazy("Removed a webhook"),
    "gave role": gettext_lazy("Assigned a role"),
    "took role": gettext_lazy("Removed a role"),
    "added to dataset": gettext_lazy("Added to the dataset over the API"),
    "adjudicated": gettext_lazy("Decided a pair"),
    "withdrew adjudication": gettext_lazy("Withdrew the decision on a pair"),
    "freed questions": gettext_lazy("Freed held questions"),
    "erased annotator": gettext_lazy("Erased a person"),
    "excluded annotator": gettext_lazy("Excluded an annotator"),
    "readmitted annotator": gettext_lazy("Included an annotator again"),
    "excluded vote": gettext_lazy("Excluded a vote"),
    "readmitted vote": gettext_lazy("Included a vote again"),
    UNDONE: gettext_lazy("Undid a vote"),
}
"""The title of each kind of event, by the name under which it is stored."""
LABELS: dict[str, Promise] = {
    "challenge": gettext_lazy("challenge"),
    "crowd_key": gettext_lazy("key for signed links"),
    "annotator": pgettext_lazy("log", "annotator"),
    "annotators": gettext_lazy("annotators"),
    "bytes": gettext_lazy("bytes"),
    "dataset": gettext_lazy("dataset"),
    "file": gettext_lazy("file"),
    "freed": gettext_lazy("questions"),
    "images": gettext_lazy("images"),
    "lines": gettext_lazy("lines"),
    "links": gettext_lazy("for"),
    "name": gettext_lazy("short name"),
    "pair": gettext_lazy("pair"),
    "pairs": gettext_lazy("pairs"),
    "references": gettext_lazy("references"),
    "questions": gettext_lazy("pair, reference, answer"),
    "reading": gettext_lazy("columns"),
    "reason": gettext_lazy("reason"),
    "settings": gettext_lazy("settings"),
    "source": gettext_lazy("of"),
    "study": gettext_lazy("study"),
    "surplus": gettext_lazy("surplus votes"),
    "task": gettext_lazy("task"),
    "tasks": gettext_lazy("tasks"),
    "url": gettext_lazy("address"),
    "user": gettext_lazy("account"),
    "view": gettext_lazy("view"),
    "vote": gettext_lazy("vote"),
    "votes": gettext_lazy("votes"),
}
VALUES: dict[str, Promise | str] = {
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
        lines.append(Line(_("was"), _in_words(was)))
    elif now is not None:
        lines.append(Line(_("now"), _in_words(now)))

    return lines


def _line(name: str, now: object, *was: object) -> Line:
    setting = setting_called(name)
    label = _(setting.label) if setting and setting.label else name
    if name in LABELS:
        label = str(LABELS[name])
    if name in Outcome.values:
        label = str(Outcome(name).label)

    return Line(label, *(_setting_in_words(name, value) for value in (now, *was)))


def _setting_in_words(name: str, value: object) -> str:
    """Return the value of a setting; of one with choices, the label of the choice."""
    setting = setting_called(name)
    if isinstance(setting, Choice) and value in setting.choices:
        return _(setting.choices[str(value)])
    if name in _PLAIN_NUMBERS:
        return str(value)

    return _in_words(value)


def _in_words(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(_in_words(each) for each in value if each != "") or _("empty")
    if value is None or value == "":
        return _("empty")
    if isinstance(value, str):
        return str(VALUES.get(value, value))

    return str(intcomma(value)) if isinstance(value, int) else str(value)
