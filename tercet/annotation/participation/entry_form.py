"""Forms of people who enter a study."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tercet.annotation.accounts.rate_limits import Limit, TooMany, give_back, use
from tercet.annotation.judging.annotators import (
    FORGET_TRY_AFTER,
    RESUME_TRIES,
    TooManyTries,
)
from tercet.annotation.models import Annotator, Study

_RESUME_LIMIT = Limit(RESUME_TRIES, FORGET_TRY_AFTER)


class ResumeForm(forms.Form):
    """The resume code of a person who continues in another browser."""

    code = forms.CharField(
        label=gettext_lazy("Resume code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters"}
        ),
    )

    def __init__(
        self,
        find: Callable[[str], Annotator | None],
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Take what returns the person of a code; it raises TooManyTries."""
        super().__init__(data)
        self.find = find

    def clean_code(self) -> Annotator:
        try:
            annotator = self.find(self.cleaned_data["code"])
        except TooManyTries:
            raise forms.ValidationError(
                _("Too many wrong codes. Wait a few minutes and try again.")
            ) from None

        if annotator is None:
            raise forms.ValidationError(
                _("This is not your resume code. Check it and try again.")
            )

        return annotator


def find_by_resume_code(study: Study, text: str, network: str) -> Annotator | None:
    """Return whom a resume code of the shared link names; count a wrong code.

    Raises TooManyTries, whether the code is right or wrong: guessing is limited for each network in
    each study.
    """
    limits = {f"resume code of study {study.pk} from {network}": _RESUME_LIMIT}
    try:
        use(limits)
    except TooMany:
        raise TooManyTries from None

    people = study.annotators.filter(external_id="").exclude(resume_code="")
    given = "".join(filter(str.isalnum, text.upper()))
    found = people.filter(resume_code=f"{given[:4]}-{given[4:]}").first()
    if found:
        give_back(limits)
    return found
