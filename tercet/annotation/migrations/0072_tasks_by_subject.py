"""Tasks lie in the folder of their subject: jobs that wait in the queue are found there."""

from typing import Any

from django.db import migrations

SUBJECTS = {
    "compute": "results",
    "compute_snapshot": "results",
    "compute_scores": "challenges",
    "compute_boards": "challenges",
    "process_upload": "datasets",
}


def move(apps: Any, _editor: object) -> None:
    jobs = apps.get_model("django_tasks_database", "DBTaskResult").objects
    for name, subject in SUBJECTS.items():
        path = f"tercet.annotation.{subject}.tasks.{name}"
        jobs.filter(task_path=f"tercet.annotation.tasks.{name}").update(task_path=path)


def move_back(apps: Any, _editor: object) -> None:
    jobs = apps.get_model("django_tasks_database", "DBTaskResult").objects
    for name, subject in SUBJECTS.items():
        path = f"tercet.annotation.{subject}.tasks.{name}"
        jobs.filter(task_path=path).update(task_path=f"tercet.annotation.tasks.{name}")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0071_ties_of_published_pairs"),
        ("django_tasks_database", "0001_initial"),
    ]
    operations = [migrations.RunPython(move, move_back)]
