"""The link by which accounts enrol in a challenge."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0049_metrics_from_outside'),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='join_code',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='of the link by which accounts enrol; empty while it is closed', max_length=40),
        ),
    ]
