"""Teams of challenges, and the submission that counts."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0056_shared_views'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='final',
            field=models.BooleanField(db_default=False, default=False, help_text='Its team or account is ranked with it alone.'),
        ),
        migrations.CreateModel(
            name='ChallengeTeam',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='annotation.challenge')),
            ],
        ),
        migrations.AddField(
            model_name='challengerole',
            name='team',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='roles', to='annotation.challengeteam'),
        ),
        migrations.AddField(
            model_name='submission',
            name='team',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.challengeteam'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(condition=models.Q(('final', True)), fields=('team',), name='submission_final_of_team'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(condition=models.Q(('final', True), ('team', None)), fields=('challenge', 'user'), name='submission_final_of_account'),
        ),
        migrations.AddConstraint(
            model_name='challengeteam',
            constraint=models.UniqueConstraint(fields=('challenge', 'name'), name='challenge_team_once'),
        ),
    ]
