"""The audit log in words."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from analysis.dataset.study_settings import setting_called
from annotation.models import Event
from annotation.models.study import Outcome, Rank, State

WHAT: dict[str, Promise] = {
    "made": gettext_lazy("Made the study"),
    "copied": gettext_lazy("Made it as a copy"),
    "imported": gettext_lazy("Made the study from an import"),
    "exported names": gettext_lazy("Exported the study with names"),
    "made it open": gettext_lazy("Opened the study"),
    "made it paused": gettext_lazy("Paused the study"),
    "made it closed": gettext_lazy("Closed the study"),
    "raised votes": gettext_lazy("Raised the votes a triplet"),
    "changed settings": gettext_lazy("Changed settings"),
    "changed exits": gettext_lazy("Changed where people leave to"),
    "chose gold": gettext_lazy("Chose gold triplets"),
    "removed gold": gettext_lazy("Removed a gold triplet"),
    "made links": gettext_lazy("Made personal links"),
    "gave role": gettext_lazy("Gave a role"),
    "took role": gettext_lazy("Took a role away"),
    "excluded annotator": gettext_lazy("Excluded an annotator"),
    "readmitted annotator": gettext_lazy("Readmitted an annotator"),
    "excluded vote": gettext_lazy("Excluded a vote"),
    "readmitted vote": gettext_lazy("Readmitted a vote"),
}
DETAILS: dict[str, Promise] = {
    "annotator": pgettext_lazy("log", "annotator"),
    "links": gettext_lazy("for"),
    "questions": gettext_lazy("pair, reference, answer"),
    "reason": gettext_lazy("reason"),
    "source": gettext_lazy("of"),
    "surplus": gettext_lazy("votes that came too late"),
    "user": gettext_lazy("account"),
    "vote": gettext_lazy("vote"),
    "votes": gettext_lazy("votes"),
}
VALUES: dict[str, Promise | str] = {
    **{
        value.value: value.label
        for values in (State, Rank)
        for value in values
    }
}
CHANGES = {"changed settings", "changed exits"}
"""Events whose details are what was and what is now, by name."""

SHORT = 160
"""Characters of a detail that are shown without being asked for."""


@dataclass(frozen=True)
class Line:
    """A detail of an event: what it is now, and what it was where that is known."""

    label: str
    now: str
    was: str | None = None

    def __str__(self) -> str:
        was = "" if self.was is None else f"{self.was} → "
        return f"{self.label}: {was}{self.now}"

    @property
    def is_long(self) -> bool:
        return len(self.now) + len(self.was or "") > SHORT


def title_of(event: Event) -> str:
    return str(WHAT.get(event.what) or event.what.capitalize())


def lines_of(event: Event) -> list[Line]:
    details = dict(event.details)
    if event.what in CHANGES:
        return [
            Line(label_of(name), said(now), said(was))
            for name, (was, now) in details.items()
        ]
    was, now = details.pop("was", None), details.pop("now", None)
    lines = [
        Line(label_of(name), said(value))
        for name, value in details.items()
        if value != ""
    ]
    if was is not None and now is not None:
        lines.append(Line("", said(now), said(was)))
    elif was is not None or now is not None:
        lines.append(
            Line(_("was") if now is None else _("now"), said(now or was))
        )
    return lines


def label_of(name: str) -> str:
    """What a detail is called: a setting, an outcome, or another."""
    if name in Outcome.values:
        return str(Outcome(name).label)
    if name in DETAILS:
        return str(DETAILS[name])
    setting = setting_called(name)
    return _(setting.label) if setting and setting.label else name


def said(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(said(each) for each in value if each != "") or _(
            "empty"
        )
    if value is None or value == "":
        return _("empty")
    return (
        str(VALUES.get(value, value)) if isinstance(value, str) else str(value)
    )
