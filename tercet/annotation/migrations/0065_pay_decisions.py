from django.db import migrations, models


def fill(apps, schema_editor):
    """Note the people who finished before the ids to approve were downloaded last."""
    events = apps.get_model("annotation", "Event").objects
    annotators = apps.get_model("annotation", "Annotator").objects
    exports = events.filter(what="exported pay list").order_by("at")
    last = {
        study: at
        for study, at, details in exports.values_list("study", "at", "details")
        if "approve.csv" in details.get("file", "")
    }
    for study, at in last.items():
        done = annotators.filter(study=study, outcome="done", excluded_at=None)
        done.filter(finished_at__lte=at).update(listed_at=at)


class Migration(migrations.Migration):

    dependencies = [("annotation", "0064_checks_of_an_annotator")]

    operations = [
        migrations.AddField(
            "annotator",
            "pay_decision",
            models.CharField(
                blank=True,
                choices=[
                    ("approve", "approve"),
                    ("part", "pay in part"),
                    ("none", "do not pay"),
                ],
                db_default="",
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            "annotator", "listed_at", models.DateTimeField(null=True)
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
