"""The tables of django-axes go: versions before 0.2 kept attempts of a day in them."""

from django.db import migrations

TABLES = (
    "axes_accessattemptexpiration",
    "axes_accessattempt",
    "axes_accessfailurelog",
    "axes_accesslog",
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0069_second_factors_of_allauth")]

    operations = [
        migrations.RunSQL(f"DROP TABLE IF EXISTS {table}", migrations.RunSQL.noop)
        for table in TABLES
    ]
