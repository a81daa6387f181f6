"""Database models: datasets, studies, votes, challenges, and the results computed from them."""

from annotation.models.accounts.access import Access
from annotation.models.accounts.api_token import ApiToken
from annotation.models.accounts.identity import Identity
from annotation.models.accounts.rate_limit import RateLimit
from annotation.models.accounts.session import AccountSession
from annotation.models.adjudication import Adjudication
from annotation.models.annotator import Annotator
from annotation.models.challenge import (
    Challenge,
    ChallengeRole,
    ChallengeStudy,
    ChallengeToken,
    FileCheck,
    Submission,
)
from annotation.models.dataset import Candidate, Dataset, Image, Pair, Reference
from annotation.models.evaluation import Evaluation
from annotation.models.operations.webhook import Delivery, Webhook
from annotation.models.operations.worker import Worker
from annotation.models.participation.arrival import Arrivals, Ticket
from annotation.models.participation.questionnaire import FilledQuestionnaire
from annotation.models.participation.remark import Remark
from annotation.models.snapshot import Snapshot
from annotation.models.study import Event, Exit, Role, Study
from annotation.models.triplet import Triplet
from annotation.models.upload import ColumnMapping, Upload
from annotation.models.vote import Lease, Vote

__all__ = [
    "Access",
    "AccountSession",
    "Adjudication",
    "Annotator",
    "ApiToken",
    "Arrivals",
    "Candidate",
    "Challenge",
    "ChallengeRole",
    "ChallengeStudy",
    "ChallengeToken",
    "ColumnMapping",
    "Dataset",
    "Delivery",
    "Evaluation",
    "Event",
    "Exit",
    "FileCheck",
    "FilledQuestionnaire",
    "Identity",
    "Image",
    "Lease",
    "Pair",
    "RateLimit",
    "Reference",
    "Remark",
    "Role",
    "Snapshot",
    "Study",
    "Submission",
    "Ticket",
    "Triplet",
    "Upload",
    "Vote",
    "Webhook",
    "Worker",
]
