"""Django's own pages of accounts, for emergencies; no page links to them."""

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from tercet.annotation.accounts.forms import AdminLoginForm
from tercet.annotation.accounts.passwords import password_link
from tercet.annotation.models import Identity

admin.site.login_form = AdminLoginForm
admin.site.unregister(User)


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


@admin.register(Identity)
class IdentityAdmin(admin.ModelAdmin[Identity]):
    """Who people are at the OpenID Connect provider; only superusers delete it."""

    list_display = ("user", "issuer", "subject")
    search_fields = ("user__username", "subject")
