"""Archive and delete studies, challenges and datasets: the forms, and what their views share."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.urls import reverse

from tercet.annotation.models import Challenge, Dataset, Study
from tercet.annotation.requests import UserRequest
from tercet.annotation.responses import is_ticked, refusals_shown, show_success
from tercet.annotation.studies.lifecycle import set_archived

T = TypeVar("T", Study, Challenge, Dataset)

_ARCHIVED = {
    Study: "The study is archived.",
    Challenge: "The challenge is archived.",
    Dataset: "The dataset is archived.",
}
_LISTED = {
    Study: "The study is out of the archive.",
    Challenge: "The challenge is out of the archive.",
    Dataset: "The dataset is out of the archive.",
}
_DELETED = {
    Study: "Deleted the study “%(title)s”.",
    Challenge: "Deleted the challenge “%(title)s”.",
    Dataset: "Deleted %(dataset)s.",
}


class DeletionForm(forms.Form):
    """The title of what is to be deleted, typed again."""

    title = forms.CharField(
        label="Type the title to confirm",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, title: str, data: Any = None) -> None:
        super().__init__(data, auto_id="delete-%s")
        self.wanted = " ".join(title.split())

    def clean_title(self) -> str:
        """Compare the titles, without regard to spaces that a page does not show."""
        title = " ".join(self.cleaned_data["title"].split())
        if title != self.wanted:
            message = "Nothing was deleted: the title is “%(title)s”."
            raise forms.ValidationError(message % {"title": self.wanted})

        return title


def change_archive(request: UserRequest, owned: Study | Challenge | Dataset) -> bool:
    """Archive something, or take it out of the archive; return whether it was archived."""
    archived = is_ticked(request, "archived")
    texts = _ARCHIVED if archived else _LISTED

    with refusals_shown(request):
        set_archived(owned, archived, request.user)
        show_success(request, texts[type(owned)])
        return archived
    return False


def delete_by(
    delete: Callable[[T, User], None], request: UserRequest, owned: T
) -> bool:
    """Delete something, and say so or why not; return whether it is deleted.

    The message has the address that takes it back, which `owned/undo.html` makes a button.
    """
    titles = {"title": owned.title, "dataset": owned.title}

    with refusals_shown(request):
        delete(owned, request.user)
        text = str(_DELETED[type(owned)]) % titles
        undo = reverse("deleted_take_back", args=[owned._meta.model_name, owned.pk])
        messages.success(request, text, extra_tags=undo)
        return True
    return False
