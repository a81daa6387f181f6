"""The groups of the settings of a study, each with a page of its own."""

from dataclasses import dataclass
from itertools import chain

from django.urls import reverse

from tercet.annotation.judging.kinds import hidden_settings
from tercet.annotation.models import Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.studies.changed_settings import CARDS, changed_settings

_ENDING = "ending"


@dataclass(frozen=True)
class SettingGroup:
    """A group of settings: those of its `cards`, and what the log calls further ones in `also`.

    A group with an empty slug has the address of the settings.
    """

    slug: str
    title: str
    cards: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def template(self) -> str:
        return f"studies/settings/groups/{self.slug or 'before'}.html"

    @property
    def names(self) -> list[str]:
        """The settings of the group, as the log names them."""
        in_cards = chain.from_iterable(CARDS[card] for card in self.cards)
        return [*in_cards, *self.also]

    @property
    def has_exits(self) -> bool:
        """Whether completion codes and redirect URLs belong to the group."""
        return _ENDING in self.cards

    def means_in(self, study: Study) -> bool:
        """Return whether a study has any of the settings, or the group has none."""
        return not self.names or not hidden_settings(study).issuperset(self.names)

    def address_in(self, study: Study) -> str:
        if not self.slug:
            return reverse("study_settings", args=[study.name])

        return reverse("study_setting_group", args=[study.name, self.slug])

    def preview_in(self, study: Study) -> str:
        """Return the address that previews the texts of the group."""
        return reverse("study_preview", args=[study.name, self.slug or "before"])


BEFORE = SettingGroup(
    "", "Before you open", ("participation",), ("link_is_open", "link_users")
)
"""The seven settings that opening asks for; the first page of the settings."""
WHOLE = SettingGroup("whole", "More votes, copy, delete")
_MORE = (
    SettingGroup("basics", "The study", ("basics",)),
    SettingGroup("question", "The question", ("question",)),
    SettingGroup("sentences", "Rules for sentences", ("sentences",)),
    SettingGroup("texts", "Texts for annotators", ("texts",)),
    SettingGroup("questionnaires", "Questionnaires", ("questionnaires",)),
    SettingGroup("pace", "Judgments per person", ("pace",)),
    SettingGroup("checks", "Checks", ("checks",)),
    SettingGroup("winners", "Adjudication", ("results",)),
    SettingGroup(
        "doors", "Who can take part", ("access", "parameters", "proof"), ("crowd_key",)
    ),
    SettingGroup("recruitment", "How people are recruited", ("recruitment",)),
    SettingGroup("exits", "When people finish", (_ENDING,), tuple(Outcome.values)),
)
GROUPS = {group.slug: group for group in (*_MORE, WHOLE)}
"""The groups by the end of their addresses, all but the first."""


@dataclass(frozen=True)
class _Entry:
    """A group in the index; `changes` is what differs from a new study."""

    group: SettingGroup
    address: str
    changes: list[str]


def index_of(study: Study) -> list[tuple[str, list[_Entry]]]:
    """Return the parts of the index of all groups."""
    changes = changed_settings(study)
    outcomes = [row.get_outcome_display() for row in study.exits.all()]
    text = "code or redirect URL for: %(outcomes)s"
    changes[_ENDING] += [text % {"outcomes": ", ".join(outcomes)}] if outcomes else []

    def entry(group: SettingGroup) -> _Entry:
        own = [change for card in group.cards for change in changes[card]]
        return _Entry(group, group.address_in(study), own)

    return [
        ("To open the study", [entry(BEFORE)]),
        ("All other settings", [entry(each) for each in _MORE if each.means_in(study)]),
        ("Afterwards", [entry(WHOLE)]),
    ]
