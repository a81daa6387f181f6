"""Add what questions of other kinds are about, and answers that are no choice."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

IS_CHOICE = Q(choice__in=["B", "C", "tie"], content=None)
IS_CONTENT = Q(choice="", content__isnull=False)


def _key(model, **options):
    return models.ForeignKey(
        f"annotation.{model}",
        django.db.models.deletion.PROTECT,
        null=True,
        **options,
    )


class Migration(migrations.Migration):
    dependencies = [("annotation", "0045_questions_and_answers")]
    operations = [
        migrations.RemoveConstraint("answer", "vote_choice"),
        migrations.RemoveConstraint("question", "question_gold"),
        migrations.RemoveConstraint("study", "study_protocol"),
        migrations.AddField("question", "image", _key("image", related_name="+")),
        migrations.AddField(
            "question",
            "candidate",
            _key("candidate", related_name="+", db_index=False),
        ),
        migrations.AlterField("question", "pair", _key("pair", related_name="questions")),
        migrations.AlterField("question", "gold", models.TextField(blank=True)),
        migrations.AlterField(
            "lease",
            "b_side",
            models.CharField(
                blank=True, choices=[("left", "Left"), ("right", "Right")], max_length=5
            ),
        ),
        migrations.AlterField(
            "answer",
            "choice",
            models.CharField(
                blank=True,
                choices=[("B", "B"), ("C", "C"), ("tie", "Tie")],
                max_length=3,
            ),
        ),
        migrations.AddField(
            "answer",
            "content",
            models.JSONField(null=True, help_text="What is answered but a choice."),
        ),
        migrations.AddConstraint(
            "answer",
            models.CheckConstraint(
                condition=IS_CHOICE | IS_CONTENT, name="answer_choice_or_content"
            ),
        ),
    ]
