"""The groups of the settings page: what is changed in each, and which are open."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django import forms
from django.utils.translation import gettext as _

from tercet.annotation.models import Study
from tercet.annotation.models.study import Outcome
from tercet.annotation.studies.changed_settings import changed_settings
from tercet.annotation.web.studies.forms import ExitForm, SettingsForm

CARDS = {
    "basics": ("basics",),
    "question": ("question",),
    "participation": ("participation",),
    "texts": ("texts",),
    "questionnaires": ("questionnaires",),
    "pace": ("pace",),
    "checks": ("checks",),
    "winners": ("results",),
    "doors": ("access", "parameters", "proof"),
    "recruitment": ("recruitment",),
    "exits": ("ending",),
    "bonus": ("bonus",),
}
"""The cards of settings in each group, by the anchor of the group."""
OPEN = {"basics"}
"""Groups that are open at first."""


@dataclass(frozen=True)
class _SettingGroup:
    """A group of settings; `changes` are the settings that differ from a new study."""

    changes: list[str]
    faulty: list[forms.BoundField] = field(default_factory=list)
    is_open: bool = False


def setting_groups(
    study: Study,
    form: SettingsForm,
    exits: Mapping[Outcome, ExitForm],
    opened: Collection[str],
) -> dict[str, _SettingGroup]:
    """Return the groups of the settings page by anchor.

    Those are open that were `opened`, and those in which the form has a change or an error.
    """
    changes = changed_settings(study)
    changes["ending"] += _exits_in_words(study)
    fields = form.cards
    fields["proof"].append(form["crowd_key"])
    fields["ending"] += [each for exit_form in exits.values() for each in exit_form]

    groups = {}
    for anchor, cards in CARDS.items():
        in_group = [each for card in cards for each in fields[card]]
        faulty = [each for each in in_group if each.errors]
        is_edited = form.is_bound and any(
            each.name in each.form.changed_data for each in in_group
        )

        groups[anchor] = _SettingGroup(
            [change for card in cards for change in changes[card]],
            faulty,
            bool(faulty) or is_edited or anchor in OPEN or anchor in opened,
        )

    return groups


def _exits_in_words(study: Study) -> list[str]:
    outcomes = [row.get_outcome_display() for row in study.exits.all()]
    text = _("code or redirect URL for: %(outcomes)s")
    return [text % {"outcomes": ", ".join(outcomes)}] if outcomes else []
