"""Label Studio: exports as JSON, JSON-MIN and CSV.

In JSON, each annotation of a task has results, one for each question that was answered.
"""

from dataclasses import replace

from tercet.analysis.layouts.layout import Layout, roles_by_name
from tercet.analysis.roles.roles import Role, Roles
from tercet.analysis.tables.file_tables import FileTable

_RESULT = "annotations.result."
_VALUE = f"{_RESULT}value."
_KNOWN = {
    "annotator": "annotations.completed_by.email annotations.completed_by annotator",
    "leave_out": "annotations.was_cancelled",
    "seconds": "annotations.lead_time lead_time",
    "not_used": (
        "id annotation_id inner_id project meta created_at updated_at annotations.created_at "
        "annotations.updated_at total_annotations"
    ),
}


def _matches(table: FileTable) -> bool:
    header = {*table.header}
    is_json = any(name.startswith(_RESULT) for name in header)
    return is_json or {"annotation_id", "lead_time"} <= header


def _tidy(table: FileTable) -> FileTable:
    """Give each question a column with what was answered."""
    frame = table.frame
    if f"{_RESULT}from_name" not in frame:
        return table
    questions = [name for name in frame[f"{_RESULT}from_name"].unique() if name]
    columns = [name for name in table.header if name.startswith(_VALUE)]
    answered = frame[f"{_RESULT}from_name"]
    for question in questions:
        cells = frame[f"{_RESULT}from_name"].where(answered == question, "")
        cells = cells.mask(answered == question, "")
        for column in columns:
            is_answer = (answered == question) & (cells == "")
            cells = cells.mask(is_answer, frame[column])
        frame = frame.assign(**{question: cells})
    frame = frame.drop(columns=columns)
    header = tuple(name for name in frame.columns if name != "line")
    return replace(table, header=header, frame=frame)


def _roles(table: FileTable) -> Roles:
    """Give the role of a question by the kind of its results."""
    roles = dict(roles_by_name(table.header, _KNOWN))
    people = [name for name, (role, _) in roles.items() if role == Role.ANNOTATOR]
    if not people and "annotations.completed_by.id" in table.header:
        roles["annotations.completed_by.id"] = Role.ANNOTATOR, ""
    for name in people[1:]:
        roles[name] = Role.UNUSED, ""
    if f"{_RESULT}type" not in table.frame:
        return roles
    kinds = table.frame[[f"{_RESULT}from_name", f"{_RESULT}type"]].drop_duplicates()
    for question, kind in kinds.itertuples(index=False, name=None):
        if question and kind in ("pairwise", "choices"):
            roles[question] = Role.CHOICE, ""
        elif question and kind in ("rating", "number"):
            roles[question] = Role.RATING, question
    return roles


def _is_noise(name: str) -> bool:
    is_own = not name.startswith("data.") and "." in name
    return is_own or name in " ".join(_KNOWN.values()).split() or name in _FIELDS


_FIELDS = {
    "file_upload",
    "drafts",
    "predictions",
    "cancelled_annotations",
    "total_predictions",
    "comment_count",
    "updated_by",
    "comment_authors",
    "unresolved_comment_count",
    "last_comment_updated_at",
}
LAYOUT = Layout("Label Studio", _matches, _roles, _tidy, _is_noise)
