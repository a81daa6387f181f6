"""Studies that people judged in before: their counters, and annotators who have begun already."""

from django.db import migrations
from django.db.models import Case, Count, IntegerField, OuterRef, Subquery, Sum, When
from django.db.models.functions import Coalesce


def total(rows, value):
    sums = rows.filter(triplet=OuterRef("pk")).order_by().values("triplet")
    summed = sums.annotate(total=Sum(value, output_field=IntegerField())).values("total")
    return Coalesce(Subquery(summed), 0)


def carry_over(apps, editor):
    model = {name: apps.get_model("annotation", name) for name in ("Vote", "Lease", "Triplet")}
    votes = model["Vote"].objects.filter(status="valid")
    leases = model["Lease"].objects.filter(live=True)
    lead = Case(When(choice="B", then=1), When(choice="C", then=-1), default=0)
    lean = Case(When(b_side="left", then=1), When(b_side="right", then=-1), default=0)
    model["Triplet"].objects.update(lead=total(votes, lead), lean=total(votes, lean) + total(leases, lean))
    people = apps.get_model("annotation", "Annotator").objects
    given = model["Vote"].objects.filter(annotator=OuterRef("pk")).exclude(status="superseded")
    counted = given.order_by().values("annotator").annotate(count=Count("pk")).values("count")
    people.update(step="judging", judged=Coalesce(Subquery(counted), 0))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_running_a_study")]
    operations = [migrations.RunPython(carry_over, migrations.RunPython.noop)]
