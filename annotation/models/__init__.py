"""What Tercet keeps: datasets, studies, votes, and the results computed from them."""

from annotation.models.dataset import Candidate, Dataset, Image, Pair, Reference
from annotation.models.evaluation import Evaluation
from annotation.models.study import Annotator, Study, Triplet
from annotation.models.upload import Upload
from annotation.models.vote import Lease, Vote

__all__ = [
    "Annotator",
    "Candidate",
    "Dataset",
    "Evaluation",
    "Image",
    "Lease",
    "Pair",
    "Reference",
    "Study",
    "Triplet",
    "Upload",
    "Vote",
]
