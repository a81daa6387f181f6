"""Rename triplets to questions, and votes to answers.

The code of the version before cannot use the renamed tables: stop the site for this migration.
Constraints and indexes that name renamed fields are removed before and made again after, as SQLite
cannot rename the fields otherwise. Others keep their names: on SQLite each would copy the table.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

REMOVED_CONSTRAINTS = {
    "triplet": [
        "triplet_once",
        "pairwise_triplet_once",
        "triplet_position_once",
        "votes_as_needed",
        "triplet_answer",
    ],
    "vote": ["one_vote_each"],
    "lease": ["lease_once"],
    "remark": ["remark_once", "comment_once"],
}
REMOVED_INDEXES = {
    "triplet": ["open_triplets", "gold_triplets"],
    "vote": ["votes_of_an_annotator", "excluded_votes"],
}
RENAMED_FIELDS = [
    ("question", "votes", "answers"),
    ("question", "answer", "gold"),
    ("answer", "triplet", "question"),
    ("lease", "triplet", "question"),
    ("remark", "triplet", "question"),
]

CONSTRAINTS = {
    "question": [
        models.UniqueConstraint(
            fields=["study", "pair", "reference"], name="question_once"
        ),
        models.UniqueConstraint(
            fields=["study", "pair"],
            name="pair_question_once",
            condition=Q(reference=None),
        ),
        models.UniqueConstraint(
            fields=["study", "position"],
            name="question_position_once",
            condition=Q(needed__gte=0),
        ),
        models.CheckConstraint(
            condition=Q(needed__gte=F("answers") + F("leases")),
            name="answers_as_needed",
        ),
        models.CheckConstraint(
            condition=Q(gold__in=["", "B", "C"]), name="question_gold"
        ),
    ],
    "answer": [
        models.UniqueConstraint(
            fields=["question", "annotator", "purpose"],
            name="one_answer_each",
            condition=Q(status="valid"),
        ),
    ],
    "lease": [
        models.UniqueConstraint(
            fields=["question", "annotator", "purpose"], name="lease_once"
        )
    ],
    "remark": [
        models.UniqueConstraint(fields=["annotator", "question"], name="remark_once"),
        models.UniqueConstraint(
            fields=["annotator"], name="comment_once", condition=Q(question=None)
        ),
    ],
}
INDEXES = {
    "question": [
        models.Index(
            fields=["study", "position"],
            name="open_questions",
            condition=Q(stopped=False) & Q(answers__lt=F("needed") - F("leases")),
        ),
        models.Index(
            fields=["study", "position"], name="gold_questions", condition=~Q(gold="")
        ),
    ],
    "answer": [
        models.Index(fields=["annotator", "id"], name="answers_of_an_annotator"),
        models.Index(
            fields=["status_at"],
            name="excluded_answers",
            condition=Q(status="excluded"),
        ),
    ],
}
RELATED = [
    (
        "question",
        "study",
        models.ForeignKey(
            "annotation.study",
            django.db.models.deletion.CASCADE,
            related_name="questions",
            db_index=False,
        ),
    ),
    (
        "question",
        "pair",
        models.ForeignKey(
            "annotation.pair",
            django.db.models.deletion.PROTECT,
            related_name="questions",
        ),
    ),
    (
        "answer",
        "question",
        models.ForeignKey(
            "annotation.question",
            django.db.models.deletion.PROTECT,
            related_name="all_answers",
        ),
    ),
    (
        "answer",
        "annotator",
        models.ForeignKey(
            "annotation.annotator",
            django.db.models.deletion.PROTECT,
            null=True,
            related_name="answers",
            db_index=False,
            help_text="Empty: unknown.",
        ),
    ),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0044_annotator_names")]
    operations = [
        *(
            migrations.RemoveConstraint(model, name)
            for model, names in REMOVED_CONSTRAINTS.items()
            for name in names
        ),
        *(
            migrations.RemoveIndex(model, name)
            for model, names in REMOVED_INDEXES.items()
            for name in names
        ),
        migrations.RenameModel("Triplet", "Question"),
        migrations.RenameModel("Vote", "Answer"),
        *(migrations.RenameField(*field) for field in RENAMED_FIELDS),
        *(migrations.AlterField(*field) for field in RELATED),
        *(
            migrations.AddConstraint(model, constraint)
            for model, constraints in CONSTRAINTS.items()
            for constraint in constraints
        ),
        *(
            migrations.AddIndex(model, index)
            for model, indexes in INDEXES.items()
            for index in indexes
        ),
    ]
