"""Rules of bonuses are removed. Their columns are dropped in the next release.

What people had earned by a rule is stored with them.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import Count, F, Q

from tercet.annotation.migrations._removed import write_removed


def keep_bonuses(apps: Any, _editor: object) -> None:
    """Write the rules, and store what everybody who finished has earned.

    People who are excluded may be included again, so that they have earned it, too.
    """
    studies = apps.get_model("annotation", "Study").objects.exclude(bonus=0)
    rules = studies.order_by("pk").values("name", "bonus", "bonus_gold")
    write_removed("bonuses", list(rules))

    annotators = apps.get_model("annotation", "Annotator").objects
    finished = annotators.filter(is_test=False, outcome="done")
    for study in studies:
        people = finished.filter(study=study)
        if study.bonus_gold == 0:
            people.update(bonus=study.bonus)
            continue

        for person, asked, right in gold_of(apps, study):
            if right / asked >= study.bonus_gold:
                people.filter(pk=person).update(bonus=study.bonus)


def gold_of(apps: Any, study: Any) -> Any:
    """Return each person of a study, how many gold questions they answered, and how many right."""
    answers = apps.get_model("annotation", "Answer").objects.order_by()
    valid = answers.filter(question__study=study, status="valid")
    gold = valid.exclude(question__gold="").exclude(purpose="repeat")

    is_right = Q(choice=F("question__gold"))
    counts = gold.values("annotator").annotate(
        asked=Count("pk"), right=Count("pk", filter=is_right)
    )
    return counts.values_list("annotator", "asked", "right")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0058_remove_webhooks")]

    operations = [
        migrations.AddField(
            model_name="annotator",
            name="bonus",
            field=models.FloatField(db_default=0, default=0),
        ),
        migrations.RunPython(keep_bonuses, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("study", "bonus"),
                migrations.RemoveField("study", "bonus_gold"),
            ]
        ),
    ]
