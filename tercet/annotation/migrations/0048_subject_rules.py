"""Each question has an image and one subject, which a study asks about once."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

HAS_CANDIDATE = Q(candidate__isnull=False)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0047_images_of_questions")]
    operations = [
        migrations.AlterField(
            "question",
            "image",
            models.ForeignKey(
                "annotation.image",
                django.db.models.deletion.PROTECT,
                related_name="+",
            ),
        ),
        migrations.AddConstraint(
            "question",
            models.CheckConstraint(
                condition=Q(candidate=None) | Q(pair=None, reference=None),
                name="question_subject",
            ),
        ),
        migrations.AddConstraint(
            "question",
            models.UniqueConstraint(
                fields=["study", "candidate"],
                name="candidate_question_once",
                condition=HAS_CANDIDATE,
            ),
        ),
        migrations.AddConstraint(
            "question",
            models.UniqueConstraint(
                fields=["study", "image"],
                name="image_question_once",
                condition=Q(pair=None, candidate=None),
            ),
        ),
        migrations.AddIndex(
            "question",
            models.Index(
                fields=["candidate"],
                name="questions_of_a_candidate",
                condition=HAS_CANDIDATE,
            ),
        ),
    ]
