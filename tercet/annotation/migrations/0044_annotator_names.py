"""Plain names of five columns in the code; the database keeps its own, for the last version."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0043_paths_of_waiting_jobs'),
    ]

    operations = [
        operation
        for former, name, field in (
            ('place', 'position', models.PositiveIntegerField(db_column='place', default=0)),
            ('turns', 'leases_given', models.PositiveIntegerField(db_column='turns', default=0)),
            ('lean', 'left_balance', models.IntegerField(db_column='lean', default=0)),
            ('rested', 'judged_at_break', models.PositiveIntegerField(db_column='rested', default=0)),
            ('asking', 'current_lease', models.UUIDField(db_column='asking', null=True)),
        )
        for operation in (
            migrations.AlterField('annotator', former, field),
            migrations.RenameField('annotator', former, name),
        )
    ]
