"""Database models: datasets, studies, votes, challenges, and the results computed from them."""

from tercet.annotation.models.accounts import (
    Access,
    AccountSession,
    ApiToken,
    RateLimit,
)
from tercet.annotation.models.annotator import Annotator
from tercet.annotation.models.answer import Adjudication, Answer, Lease
from tercet.annotation.models.challenge import (
    Challenge,
    ChallengeRole,
    ChallengeStudy,
    ChallengeTeam,
    ChallengeToken,
    FileCheck,
    Submission,
)
from tercet.annotation.models.dataset import Candidate, Dataset, Image, Pair, Reference
from tercet.annotation.models.evaluation import (
    Evaluation,
    MetricVariant,
    SharedView,
    Snapshot,
)
from tercet.annotation.models.participation import (
    Arrivals,
    FilledQuestionnaire,
    Remark,
    Ticket,
)
from tercet.annotation.models.question import Question
from tercet.annotation.models.study import Event, Exit, Role, Study
from tercet.annotation.models.upload import ColumnMapping, Upload
from tercet.annotation.models.worker import Worker

__all__ = [
    "Access",
    "AccountSession",
    "Adjudication",
    "Annotator",
    "Answer",
    "ApiToken",
    "Arrivals",
    "Candidate",
    "Challenge",
    "ChallengeRole",
    "ChallengeStudy",
    "ChallengeTeam",
    "ChallengeToken",
    "ColumnMapping",
    "Dataset",
    "Evaluation",
    "Event",
    "Exit",
    "FileCheck",
    "FilledQuestionnaire",
    "Image",
    "Lease",
    "MetricVariant",
    "Pair",
    "Question",
    "RateLimit",
    "Reference",
    "Remark",
    "Role",
    "SharedView",
    "Snapshot",
    "Study",
    "Submission",
    "Ticket",
    "Upload",
    "Worker",
]
