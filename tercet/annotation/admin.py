"""Django's own pages of accounts, for emergencies; no page links to them."""

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from allauth.socialaccount.admin import SocialApp, SocialToken
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from tercet.annotation.accounts.forms import AdminLoginForm
from tercet.annotation.accounts.passwords import password_link

admin.site.login_form = AdminLoginForm
admin.site.unregister(User)
# Secrets, and what the site does not use of allauth; who people are at the provider stays.
admin.site.unregister([Authenticator, EmailAddress, SocialApp, SocialToken])


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Accounts; only superusers create links for other superusers."""

    actions = ("create_password_links",)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Accounts are erased under Accounts: the list of erasures knows them then."""
        return False

    @admin.action(
        permissions=["change"], description="Create a link to set a new password"
    )
    def create_password_links(
        self, request: HttpRequest, users: "QuerySet[User]"
    ) -> None:
        """Show a link for each of the selected accounts."""
        if not request.user.is_superuser:
            users = users.filter(is_superuser=False)

        for user in users:
            path = password_link(user)
            link = request.build_absolute_uri(path)
            text = "Link to set a new password of %(user)s: %(link)s"
            messages.info(request, text % {"user": user, "link": link})
