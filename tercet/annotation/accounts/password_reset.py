"""Mail links to set a new password: by the worker, a few to each network, address and account."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit

from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.utils.translation import override
from django_tasks import TaskContext, task
from django_tasks_db.models import DBTaskResult

from tercet.annotation.accounts.passwords import link_tokens
from tercet.annotation.accounts.rate_limits import Limit, TooMany, use

REQUESTS_OF_NETWORK = Limit(10, timedelta(minutes=6))
"""Requests from one network."""
MAILS = Limit(3, timedelta(minutes=20))
"""Mails to one address, and for one account."""
_PRIORITY = 30
"""The priority of mails: people wait for them."""


def request_links(address: str, network: str, site: str, language: str) -> None:
    """Let the worker mail links to who has an address; raises TooMany for the network.

    The same is done for an address that nobody has. Too many requests for one address are ignored.
    """
    use({f"password reset from {network}": REQUESTS_OF_NETWORK})

    with suppress(TooMany):
        use({f"password reset to {address.casefold()}": MAILS})
        mail_links.enqueue(address, site, language)


@task(priority=_PRIORITY, takes_context=True)
def mail_links(context: TaskContext, address: str, site: str, language: str) -> None:
    """Mail links to the accounts with an address, and keep no record of the address."""
    form = _LimitedForm({"email": address})
    parts = urlsplit(site)

    try:
        with override(language):
            if form.is_valid():
                form.save(
                    parts.netloc,
                    use_https=parts.scheme == "https",
                    token_generator=link_tokens,
                )
    finally:
        own = DBTaskResult.objects.filter(pk=context.task_result.id)
        own.update(args_kwargs={"args": [], "kwargs": {}})


class _LimitedForm(PasswordResetForm):
    def get_users(self, email: str) -> Iterable[User]:
        """Return the accounts with an address that have not been sent too many links."""
        for user in super().get_users(email):
            with suppress(TooMany):
                use({f"password reset of account {user.pk}": MAILS})
                yield user
