"""Fill the image of each question from its pair, some thousand rows at a time."""

from django.db import migrations
from django.db.models import Max, OuterRef, Subquery

BATCH = 10_000


def fill(apps, _editor):
    """Fill the images that are missing; begun again, it goes on where it stopped."""
    questions = apps.get_model("annotation", "Question").objects
    pairs = apps.get_model("annotation", "Pair").objects
    image = pairs.filter(pk=OuterRef("pair")).values("image")

    last = questions.aggregate(last=Max("pk"))["last"] or 0
    for first in range(0, last + 1, BATCH):
        batch = questions.filter(pk__gte=first, pk__lt=first + BATCH, image=None)
        batch.update(image=Subquery(image))


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0046_subjects")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
