"""Which section of the documentation concerns a page of the site."""

from django.http import HttpRequest

from tercet.annotation.documentation.rendering import address_of

SECTIONS = {
    "": "index",
    "access": "deploying#personal-data",
    "account": "deploying#accounts",
    "annotator": "studies#check-quality",
    "cast_vote": "annotators#judge",
    "challenge": "challenges",
    "challenge_api": "api#submit-to-a-challenge",
    "challenge_leaderboard": "challenges#how-the-leaderboard-is-computed",
    "challenge_settings": "challenges#settings",
    "challenge_studies": "challenges#the-human-column",
    "challenge_submit": "challenges#result-files",
    "crowd": "annotators",
    "dataset": "dataset",
    "dataset_download": "dataset#export",
    "deleted": "studies#archive-and-delete",
    "erase_own_account": "deploying#personal-data",
    "example": "annotators#judge",
    "join": "annotators",
    "judge": "annotators#judge",
    "leave_comment": "annotators#judge",
    "login": "deploying#accounts",
    "password": "deploying#accounts",
    "personal": "annotators#come-back",
    "prove": "deploying#accounts",
    "report_question": "annotators#judge",
    "sentences": "studies#collect-sentences",
    "second_factor": "deploying#accounts",
    "shared": "studies#read-the-results",
    "sign_out_everywhere": "deploying#accounts",
    "studies": "studies",
    "study": "studies",
    "study_adjudicate": "studies#decide-disputed-pairs",
    "study_annotator": "studies#check-quality",
    "study_api": "api#operations",
    "study_file": "dataset#export",
    "study_gold": "studies#check-quality",
    "study_links": "studies#give-access",
    "study_new": "studies#choose-a-protocol",
    "study_pair": "studies#decide-disputed-pairs",
    "study_pay": "studies#pay-people",
    "study_people": "studies#give-access",
    "study_preview": "studies#what-annotators-do",
    "study_quality": "studies#check-quality",
    "study_role": "studies#give-access",
    "study_setting_group": "dataset#study-settings",
    "study_setting_group checks": "studies#check-quality",
    "study_setting_group doors": "studies#limit-what-one-network-gives",
    "study_setting_group exits": "studies#pay-people",
    "study_setting_group question": "studies#ask-your-own-question",
    "study_setting_group questionnaires": "studies#ask-about-people",
    "study_setting_group sentences": "studies#collect-sentences",
    "study_setting_group texts": "studies#what-annotators-do",
    "study_setting_group whole": "studies#archive-and-delete",
    "study_setting_group winners": "studies#decide-disputed-pairs",
    "study_sentences": "studies#collect-sentences",
    "study_settings": "studies#state-what-ethics-boards-and-readers-ask-for",
    "step_": "annotators#judge",
    "study_step": "annotators#judge",
    "study_try": "annotators#judge",
    "study_without": "studies#check-quality",
    "submission": "challenges#how-scores-are-computed",
    "sync": "annotators#judge",
    "system": "deploying#the-page-system",
    "undo_vote": "annotators#judge",
    "upload": "dataset#files-and-columns",
    "upload_check": "dataset#lines-with-problems",
    "upload_problems": "dataset#lines-with-problems",
    "vote": "studies#check-quality",
}
"""Page and heading by the beginning of the name of a view, perhaps with a group of settings."""


def documentation(request: HttpRequest) -> dict[str, str]:
    """Give templates the address of the section that concerns the page of a request."""
    match = request.resolver_match
    group = match.kwargs.get("group", "") if match else ""
    view = match.url_name or "" if match else ""
    page, _mark, anchor = section_of(f"{view} {group}".strip()).partition("#")

    return {"documentation": address_of(page, anchor)}


def section_of(view: str) -> str:
    """Return the section of the longest beginning of a view's name that has one."""
    beginnings = [name for name in SECTIONS if view.startswith(name)]
    return SECTIONS[max(beginnings, key=len)]
