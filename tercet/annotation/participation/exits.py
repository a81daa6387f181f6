"""When people finish: the redirect URL, and the completion code.

A study either has no codes of a platform: then each person gets a code of their own, which the pay
list has, too. Or it has some: then people of the platform are shown only these, since it refuses
others, and who ends in a way that has none is asked to return the task.
"""

from urllib.parse import quote

from tercet.annotation.judging.codes import code_of
from tercet.annotation.models import Annotator, Exit, Study
from tercet.annotation.models.study import Outcome

_CODE_PLACEHOLDER = "{code}"
"""Stands for the completion code in a redirect URL."""


def exit_of(study: Study, outcome: str) -> Exit:
    """Return the exit for an outcome, an empty one where the study sets none."""
    exits = {each.outcome: each for each in study.exits.all()}
    return exits.get(outcome) or Exit(study=study, outcome=outcome)


def _is_for_platform(chosen: Exit) -> bool:
    """Return whether an exit tells a platform how somebody finished."""
    return bool(chosen.code) or bool(chosen.url and _CODE_PLACEHOLDER not in chosen.url)


def has_platform_codes(study: Study) -> bool:
    """Return whether a study has a code, or a redirect URL with a code, of a platform."""
    return any(_is_for_platform(chosen) for chosen in study.exits.all())


def outcomes_without_code(study: Study) -> list[Outcome]:
    """Return the outcomes without a code of the platform, where others have one.

    People who do not consent need none.
    """
    chosen = {each.outcome for each in study.exits.all() if _is_for_platform(each)}
    if not chosen:
        return []

    outcomes = [each for each in Outcome if each != Outcome.SCREENED_OUT]
    return [each for each in outcomes if each not in chosen]


def must_return(annotator: Annotator, outcome: str) -> bool:
    """Return whether somebody whom a platform sent has no code of it, if they end in this way."""
    study = annotator.study
    return bool(annotator.external_id) and outcome in outcomes_without_code(study)


def completion_code(annotator: Annotator) -> str:
    """Return the code for an annotator's outcome: the study's, their own, a new one, or none.

    Who declines gets a code only where the study sets one, or sends it to the platform.
    """
    study = annotator.study
    chosen = exit_of(study, annotator.outcome)
    sends_code = _CODE_PLACEHOLDER in chosen.url
    needs_none = chosen.outcome == Outcome.SCREENED_OUT and not sends_code
    if annotator.external_id and has_platform_codes(study):
        needs_none = True
    if chosen.code or needs_none:
        return chosen.code

    is_of_study = study.exits.filter(code=annotator.code).exists()
    has_own = annotator.code and not is_of_study
    return annotator.code if has_own else code_of(f"end of {annotator.pk}")


def shown_code(annotator: Annotator) -> str:
    """Return the completion code that the last page shows; empty for people who need none."""
    if annotator.outcome == Outcome.SCREENED_OUT:
        return exit_of(annotator.study, annotator.outcome).code

    has_judged = annotator.outcome in {Outcome.DONE, Outcome.STOPPED}
    return annotator.code if annotator.external_id or has_judged else ""


def exit_url(annotator: Annotator) -> str:
    """Return the redirect URL for the annotator, with {code} and {person} filled in.

    It is empty where it needs a code and there is none.
    """
    values = {_CODE_PLACEHOLDER: annotator.code, "{person}": annotator.external_id}
    url = exit_of(annotator.study, annotator.outcome).url
    if _CODE_PLACEHOLDER in url and not annotator.code:
        return ""

    for placeholder, value in values.items():
        url = url.replace(placeholder, quote(value, safe=""))

    return url
