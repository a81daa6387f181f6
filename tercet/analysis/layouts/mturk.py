"""Amazon Mechanical Turk: the results of a batch.

Inputs and answers are `Input.NAME` and `Answer.NAME`; a form of crowd elements has all answers of
an assignment as JSON in `Answer.taskAnswers`, and radio buttons as a true or false for each.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from tercet.analysis.layouts.layout import Layout, called, with_pressed_buttons
from tercet.analysis.tables.file_tables import FileTable
from tercet.analysis.tables.json_tables import cell_of

_OWN = {"HITId", "WorkerId", "AssignmentId"}
_TASK = "Answer.taskAnswers"


def _matches(table: FileTable) -> bool:
    is_batch = len(_OWN & {*table.header}) > 0
    return is_batch and any(
        name.startswith(("Input.", "Answer.")) for name in table.header
    )


def _tidy(table: FileTable) -> FileTable:
    """Give each answer a column, and radio buttons one with the name of the button."""
    frame = table.frame
    if _TASK in table.header:
        answers = pd.DataFrame(
            [dict(_answers(cell)) for cell in frame[_TASK]], index=frame.index
        )
        frame = frame.drop(columns=_TASK).join(answers.fillna("").astype("str"))

    answers_only = [name for name in frame.columns if name.startswith("Answer.")]
    frame = with_pressed_buttons(frame, answers_only, ".")
    header = tuple(name for name in frame.columns if name != "line")
    return replace(table, header=header, frame=frame)


def _answers(cell: str) -> Iterator[tuple[str, str]]:
    try:
        found = json.loads(cell or "[]")
    except ValueError:
        yield _TASK, cell
        return
    for answers in found if isinstance(found, list) else [found]:
        for name, value in answers.items() if isinstance(answers, dict) else ():
            if isinstance(value, dict):
                pressed = [key for key, each in value.items() if each is True]
                texts = [each for each in value.values() if isinstance(each, str)]
                value = (pressed or texts or [""])[0]
            yield f"Answer.{name}", cell_of(value)


LAYOUT = Layout(
    "Amazon Mechanical Turk, results of a batch",
    _matches,
    called(
        annotator="WorkerId",
        leave_out="AssignmentStatus",
        seconds="WorkTimeInSeconds",
        not_used="Title Description Keywords HITId AssignmentId Approve Reject RequesterFeedback",
    ),
    _tidy,
    lambda name: not name.startswith(("Input.", "Answer.")),
)
