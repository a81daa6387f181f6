"""Accounts for a challenge from a CSV file, with a name and perhaps a team on each line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from tercet.analysis.formats.entries import read_table
from tercet.analysis.tables.csv_injection import escaped
from tercet.analysis.tables.csv_tables import Problem, Table, csv_text, printable
from tercet.analysis.texts import Text
from tercet.analysis.texts import gettext as _
from tercet.annotation.accounts.creation import invite
from tercet.annotation.accounts.passwords import password_link
from tercet.annotation.challenges.people.enrolment import MOST_ENROLLED
from tercet.annotation.challenges.people.teams import set_team
from tercet.annotation.models import Challenge, Event
from tercet.annotation.models.challenge import LONGEST_TEAM, ChallengeRank

_COLUMNS = ("account", "team", "link")


@dataclass(frozen=True)
class _Row:
    """An account and its team, empty for none; both as on a line of the file."""

    line: int
    account: str
    team: str


def read_roster(path: Path, challenge: Challenge) -> tuple[list[_Row], list[Problem]]:
    """Return the accounts of a file, and everything that is wrong with them."""
    table = Table(path.name, ("account",), ("team",))
    sheet = read_table(path, table)
    if sheet.problems:
        return [], sheet.problems

    columns = ["line", *table.columns]
    frame = sheet.frame[columns]
    cells = frame.itertuples(index=False)
    rows = [
        _Row(int(line), account.strip(), " ".join(team.split()))
        for line, account, team in cells
    ]
    return rows, list(_problems(path.name, rows, challenge))


def _problems(file: str, rows: list[_Row], challenge: Challenge) -> Iterator[Problem]:
    names = [row.account for row in rows]
    enrolled = challenge.roles.filter(user__username__in=names)
    known = set(enrolled.values_list("user__username", flat=True))
    accounts = User.objects.filter(username__in=names)
    taken = set(accounts.values_list("username", flat=True)) - known

    first: dict[str, int] = {}
    for row in rows:
        if fault := _fault(row, first, taken):
            column, value, what, remedy = fault
            yield Problem(file, what, remedy, row.line, column, printable(value))
        first.setdefault(row.account, row.line)

    if challenge.roles.count() + len(set(first) - known) > MOST_ENROLLED:
        what = _(
            "has too many accounts: at most {most:,} take part", most=MOST_ENROLLED
        )
        yield Problem(file, what, _("Leave some out"))


def _fault(
    row: _Row, first: Mapping[str, int], taken: set[str]
) -> tuple[str, str, Text, Text] | None:
    """Say which column and value is wrong, what, and what to do about it."""
    name = row.account
    if not _is_username(name):
        what = _("is no name for an account")
        remedy = _("Write up to 150 letters, digits and @ . + - _, without spaces")
        return "account", name, what, remedy

    if name in first:
        what = _("repeats line {line}", line=first[name])
        return "account", name, what, _("Keep one of the two")

    if name in taken:
        what = _("is the name of an account that has no role in this challenge")
        remedy = _("Choose another name, or assign the account a role")
        return "account", name, what, remedy

    if len(row.team) > LONGEST_TEAM:
        what = _("is longer than {limit:,} characters", limit=LONGEST_TEAM)
        return "team", row.team, what, _("Shorten the name")

    return None


def _is_username(name: str) -> bool:
    try:
        User._meta.get_field("username").clean(name, None)
    except ValidationError:
        return False
    return True


@transaction.atomic
def enrol_roster(challenge: Challenge, rows: list[_Row], by: User) -> dict[str, User]:
    """Create the accounts that there are not yet, all or none, and put all into their teams.

    A row without a team leaves the team of its account as it is. New accounts have no password.
    Returns the accounts of the rows, by name.
    """
    challenge.lock()
    names = [row.account for row in rows]
    accounts = {each.username: each for each in User.objects.filter(username__in=names)}

    for row in rows:
        if row.account not in accounts:
            account = User(username=row.account)
            invite(account, by, challenge=challenge.name)
            challenge.roles.create(user=account, rank=ChallengeRank.SUBMITTER)
            accounts[row.account] = account
        if row.team:
            set_team(challenge, accounts[row.account], row.team, by)

    return accounts


def links_csv(challenge: Challenge, accounts: Mapping[str, User], site: str) -> str:
    """Return a link for each account to set its password, as CSV; `site` is before the paths.

    Only accounts that were created for this challenge and never used have one: with it, they
    belong to whoever opens it.
    """
    created = Event.objects.filter(
        what="invited account", details__challenge=challenge.name
    )
    names = set(created.values_list("details__user", flat=True))
    roles = challenge.roles.select_related("team")
    roles = roles.filter(user__in=accounts.values()).order_by("user__username")

    rows = []
    for role in roles:
        account = accounts[role.user.username]
        is_unused = not account.has_usable_password() and account.last_login is None
        is_ours = account.username in names and is_unused
        link = site + password_link(account) if is_ours else ""
        rows.append((account.username, str(role.team or ""), link))

    frame = pd.DataFrame(rows, columns=list(_COLUMNS), dtype="str")
    return csv_text(escaped(frame), _COLUMNS)
