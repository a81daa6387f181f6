"""Submissions that their submitters withdraw."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0050_enrolment'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='withdrawn',
            field=models.BooleanField(db_default=False, default=False, help_text='Its submitter has taken it off the leaderboard.'),
        ),
    ]
