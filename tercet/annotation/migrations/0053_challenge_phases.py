"""The development phase of challenges."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0052_deleted_for_a_day'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='test_from',
            field=models.DateTimeField(blank=True, help_text='When the test phase begins; before it, only the development split is scored.', null=True),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(('test_from', None), models.Q(('development__isnull', False), models.Q(('opens_at', None), ('opens_at__lt', models.F('test_from')), _connector='OR'), models.Q(('closes_at', None), ('test_from__lt', models.F('closes_at')), _connector='OR')), _connector='OR'), name='challenge_test_phase_between'),
        ),
    ]
