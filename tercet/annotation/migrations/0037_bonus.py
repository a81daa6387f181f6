"""What version 0.2.0 changed in the tables of 0.1.0; its databases have this on record."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import functools
import secrets
import tercet.annotation.models.challenge
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_the_way_to_an_open_triplet'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RenameField(
            model_name='study',
            old_name='most',
            new_name='max_judgments',
        ),
        migrations.RenameField(
            model_name='study',
            old_name='fastest',
            new_name='min_seconds',
        ),
        migrations.CreateModel(
            name='AccountSession',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('device', models.CharField(blank=True, max_length=200)),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.CharField(choices=[('B', 'B'), ('C', 'C'), ('tie', 'Tie')], max_length=3)),
                ('reason', models.TextField(blank=True)),
                ('adjudicator', models.CharField(blank=True, max_length=200)),
                ('decided_at', models.DateTimeField(null=True)),
                ('superseded_at', models.DateTimeField(null=True)),
                ('made_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.pair')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='annotation.study')),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('superseded_at', None)), fields=('study', 'pair'), name='one_decision_on_a_pair'), models.CheckConstraint(condition=models.Q(('decision__in', ['B', 'C', 'tie'])), name='adjudication_decision')],
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='api_token', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='Arrivals',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.CharField(max_length=64)),
                ('full_until', models.DateTimeField()),
                ('queued', models.PositiveIntegerField(default=0)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='arrivals', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'address'), name='arrivals_once')],
            },
        ),
        migrations.CreateModel(
            name='Challenge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True)),
                ('rules', models.TextField(blank=True)),
                ('metrics', models.JSONField(default=list)),
                ('counts', models.JSONField(default=list)),
                ('seed', models.PositiveIntegerField(default=0)),
                ('opens_at', models.DateTimeField(blank=True, null=True)),
                ('closes_at', models.DateTimeField(blank=True, null=True)),
                ('per_day', models.PositiveIntegerField(blank=True, null=True)),
                ('in_all', models.PositiveIntegerField(blank=True, null=True)),
                ('submitters', models.CharField(choices=[('all', 'every account'), ('invited', 'accounts with a role in this challenge')], default='all', max_length=10)),
                ('scores_shown', models.CharField(choices=[('at_once', 'at once'), ('after_end', 'after the end')], default='at_once', max_length=10)),
                ('leaderboard', models.CharField(choices=[('public', 'everybody, without an account'), ('submitters', 'accounts that may submit'), ('owners', 'nobody else')], default='public', max_length=10)),
                ('anonymous', models.BooleanField(default=False)),
                ('ladder', models.BooleanField(default=False)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('board_revision', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('archived_at', models.DateTimeField(editable=False, null=True)),
                ('board_at', models.DateTimeField(editable=False, null=True)),
                ('board_people', models.TextField(blank=True, editable=False)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='challenges', to='annotation.dataset')),
                ('development', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.dataset')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('per_day__gte', 1), ('in_all__gte', 1)), name='challenge_limits_from_1'), models.CheckConstraint(condition=models.Q(('opens_at__lt', models.F('closes_at'))), name='challenge_opens_before_it_closes'), models.CheckConstraint(condition=models.Q(('submitters__in', ['all', 'invited']), ('scores_shown__in', ['at_once', 'after_end']), ('leaderboard__in', ['public', 'submitters', 'owners'])), name='challenge_choices'), models.CheckConstraint(condition=models.Q(('dataset', models.F('development')), _negated=True), name='challenge_two_datasets')],
            },
        ),
        migrations.CreateModel(
            name='ColumnMapping',
            fields=[
                ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('dialect', models.JSONField()),
                ('used_at', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name='FileCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='file_checks', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='FilledQuestionnaire',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('time', models.CharField(choices=[('before', 'Questionnaire before judging'), ('after', 'Questionnaire after judging')], max_length=6)),
                ('answers', models.JSONField(default=dict)),
                ('annotator', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='questionnaires', to='annotation.annotator')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('annotator', 'time'), name='questionnaire_once'), models.CheckConstraint(condition=models.Q(('time__in', ['before', 'after'])), name='questionnaire_time')],
            },
        ),
        migrations.CreateModel(
            name='Identity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('issuer', models.CharField(max_length=2000)),
                ('subject', models.CharField(max_length=255)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='identities', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'identities',
                'constraints': [models.UniqueConstraint(fields=('issuer', 'subject'), name='identity_once'), models.UniqueConstraint(fields=('user', 'issuer'), name='one_identity_at_an_issuer')],
            },
        ),
        migrations.CreateModel(
            name='Remark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('language', 'not in the language of the study'), ('broken', 'broken or cut off'), ('offensive', 'offensive'), ('other', 'something else'), ('comment', 'comment at the end')], max_length=10)),
                ('text', models.TextField(blank=True)),
                ('skipped', models.BooleanField(default=False)),
                ('written_at', models.DateTimeField(auto_now=True)),
                ('annotator', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='remarks', to='annotation.annotator')),
                ('triplet', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.triplet')),
            ],
            options={
                'ordering': ['-written_at', '-pk'],
                'constraints': [models.UniqueConstraint(fields=('annotator', 'triplet'), name='remark_once'), models.UniqueConstraint(condition=models.Q(('triplet', None)), fields=('annotator',), name='comment_once'), models.CheckConstraint(condition=models.Q(('reason__in', ['language', 'broken', 'offensive', 'other', 'comment'])), name='remark_reason')],
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('quality', 'Quality'), ('progress', 'Progress')], max_length=10)),
                ('content', models.JSONField(null=True)),
                ('state', models.CharField(blank=True, max_length=100)),
                ('computed_at', models.DateTimeField(null=True)),
                ('requested_at', models.DateTimeField(null=True)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'kind'), name='snapshot_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['quality', 'progress'])), name='snapshot_kind')],
            },
        ),
        migrations.CreateModel(
            name='Ticket',
            fields=[
                ('key', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('enters_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tickets', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=2000)),
                ('secret', models.CharField(default=secrets.token_urlsafe, max_length=60)),
                ('knows_end', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='annotation.study')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('study', 'url'), name='webhook_url_once')],
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('heard_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['started_at', 'name'],
            },
        ),
        migrations.CreateModel(
            name='ChallengeRole',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.CharField(choices=[('owner', 'owner'), ('submitter', 'submitter')], max_length=10)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='roles', to='annotation.challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='challenge_roles', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('challenge', 'user'), name='challenge_role_once'), models.CheckConstraint(condition=models.Q(('rank__in', ['owner', 'submitter'])), name='challenge_role_rank')],
            },
        ),
        migrations.CreateModel(
            name='ChallengeStudy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='annotation.challenge')),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='comparison', to='annotation.study')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='ChallengeToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='annotation.challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('challenge', 'user'), name='challenge_token_once')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('what', models.CharField(choices=[('study.finished', 'study finished'), ('result.ready', 'result ready'), ('test', 'test')], max_length=20)),
                ('content', models.JSONField()),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('delivered', 'delivered'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('tried_at', models.DateTimeField(null=True)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='annotation.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('progress', models.FloatField(default=0)),
                ('attempts', models.PositiveSmallIntegerField(db_default=0, default=0)),
                ('message', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('reported_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('number', models.PositiveIntegerField()),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('system', models.CharField(max_length=80)),
                ('description', models.TextField(blank=True)),
                ('link', models.URLField(blank=True)),
                ('training', models.CharField(blank=True, max_length=500)),
                ('file', models.FileField(upload_to=tercet.annotation.models.challenge.file_path)),
                ('file_name', models.CharField(max_length=200)),
                ('digest', models.CharField(max_length=64)),
                ('signature', models.TextField(blank=True)),
                ('splits', models.JSONField(default=list)),
                ('shown', models.BooleanField(default=True, help_text='Its owners do not hide it.')),
                ('on_board', models.BooleanField(default=False, help_text='It stands on the stored leaderboard.')),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.challenge')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('challenge', 'number'), name='submission_number_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='submission_number_from_1')],
            },
        ),
        migrations.AddField(
            model_name='annotator',
            name='next_vote_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='annotator',
            name='refused',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='annotator',
            name='resume_code',
            field=models.CharField(blank=True, max_length=20),
        ),
        migrations.AddField(
            model_name='annotator',
            name='resume_tries_until',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='annotator',
            name='waiting_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name='annotator',
            name='outcome',
            field=models.CharField(blank=True, choices=[('done', 'done'), ('failed', 'failed the comprehension questions'), ('screened_out', 'did not consent'), ('no_work', 'no questions left'), ('stopped', 'stopped early')], max_length=12),
        ),
        migrations.AddField(
            model_name='dataset',
            name='archived_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='attempts',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='counts',
            field=models.TextField(blank=True, db_default='', default='', help_text='Reference counts to report, such as 1-12; empty: all, and the usual in tables.'),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='final_votes',
            field=models.PositiveIntegerField(help_text='Votes at the end of the study that started it; empty where it was asked for.', null=True),
        ),
        migrations.AlterField(
            model_name='event',
            name='study',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.study'),
        ),
        migrations.AlterField(
            model_name='exit',
            name='outcome',
            field=models.CharField(choices=[('done', 'done'), ('failed', 'failed the comprehension questions'), ('screened_out', 'did not consent'), ('no_work', 'no questions left'), ('stopped', 'stopped early')], max_length=12),
        ),
        migrations.RemoveConstraint(
            model_name='pair',
            name='pair_of_two_candidates',
        ),
        migrations.RemoveConstraint(
            model_name='pair',
            name='pair_category',
        ),
        migrations.AlterField(
            model_name='pair',
            name='category',
            field=models.CharField(blank=True, max_length=60),
        ),
        migrations.RemoveConstraint(
            model_name='role',
            name='role_rank',
        ),
        migrations.AlterField(
            model_name='role',
            name='rank',
            field=models.CharField(choices=[('owner', 'owner'), ('adjudicator', 'adjudicator'), ('researcher', 'researcher'), ('annotator', 'annotator')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='role',
            constraint=models.CheckConstraint(condition=models.Q(('rank__in', ['owner', 'adjudicator', 'researcher', 'annotator'])), name='role_rank'),
        ),
        migrations.AddField(
            model_name='study',
            name='approval_rate',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='archived_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='bonus',
            field=models.FloatField(db_default=0, default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000)]),
        ),
        migrations.AddField(
            model_name='study',
            name='bonus_gold',
            field=models.FloatField(db_default=0.8, default=0.8, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='study',
            name='collected_elsewhere',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='study',
            name='contact',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='countries',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='crowd_key',
            field=models.TextField(blank=True, editable=False, help_text='Verifies signed links; never exported.'),
        ),
        migrations.AddField(
            model_name='study',
            name='crowd_proof',
            field=models.CharField(choices=[('code', 'not at all; in another browser, people enter their resume code'), ('jwt', 'by a token that Prolific signs and adds (parameter prolific_token)'), ('hmac', 'by a signature that a server of yours adds (HMAC-SHA256, parameter signature)')], db_default='code', default='code', max_length=10),
        ),
        migrations.AddField(
            model_name='study',
            name='debrief',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='study',
            name='duration',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='enforced_seconds',
            field=models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(60)]),
        ),
        migrations.AddField(
            model_name='study',
            name='ethics_approval',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='institution',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='is_example',
            field=models.BooleanField(default=False, editable=False, help_text='Everybody may see its result on the start page.'),
        ),
        migrations.AddField(
            model_name='study',
            name='joins_per_hour',
            field=models.PositiveIntegerField(blank=True, default=60, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000)]),
        ),
        migrations.AddField(
            model_name='study',
            name='label_a',
            field=models.CharField(blank=True, db_default='', default='', max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='label_left',
            field=models.CharField(blank=True, db_default='', default='', max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='label_right',
            field=models.CharField(blank=True, db_default='', default='', max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='label_tie',
            field=models.CharField(blank=True, db_default='', default='', max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='offline_questions',
            field=models.PositiveIntegerField(db_default=4, default=4, validators=[django.core.validators.MinValueValidator(4), django.core.validators.MaxValueValidator(50)]),
        ),
        migrations.AddField(
            model_name='study',
            name='pay',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='platform_study',
            field=models.CharField(blank=True, db_default='', default='', max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='question',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='question_help',
            field=models.CharField(blank=True, db_default='', default='', max_length=2000),
        ),
        migrations.AddField(
            model_name='study',
            name='question_order',
            field=models.CharField(choices=[('same', 'the same for everyone'), ('shuffled', 'shuffled for each person'), ('blocks', 'in blocks of 50, shuffled for each person')], db_default='same', default='same', max_length=10),
        ),
        migrations.AddField(
            model_name='study',
            name='questionnaire_after',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='study',
            name='questionnaire_before',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='study',
            name='recruitment_platform',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='study',
            name='skips',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='study',
            name='winners',
            field=models.CharField(choices=[('votes', 'by votes only'), ('decisions', 'adjudicated pairs by the decision')], db_default='votes', default='votes', max_length=10),
        ),
        migrations.AddField(
            model_name='study',
            name='withdrawal',
            field=models.CharField(blank=True, db_default='', default='', max_length=2000),
        ),
        migrations.AlterField(
            model_name='study',
            name='accounts',
            field=models.CharField(choices=[('all', 'every account'), ('invited', 'invited accounts only')], default='all', max_length=10),
        ),
        migrations.AlterField(
            model_name='study',
            name='break_every',
            field=models.PositiveIntegerField(default=50, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(2147483647)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='comprehension',
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='consent',
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='crowd_is_open',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='study',
            name='gold_rate',
            field=models.FloatField(default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(0.5)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='instructions',
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='language',
            field=models.CharField(default='en', max_length=35, validators=[django.core.validators.RegexValidator('^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$', 'Write a code such as en, de or pt-BR, not the name of a language.')]),
        ),
        migrations.AlterField(
            model_name='study',
            name='link_is_open',
            field=models.BooleanField(default=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='max_judgments',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='min_seconds',
            field=models.FloatField(default=1, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(600)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='person_parameter',
            field=models.CharField(default='PROLIFIC_PID', max_length=60),
        ),
        migrations.AlterField(
            model_name='study',
            name='practice',
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='protocol',
            field=models.CharField(choices=[('triplet', 'Triplet: which is more similar to A?'), ('pairwise', 'Pairwise: which describes the image better?')], default='triplet', max_length=10),
        ),
        migrations.AlterField(
            model_name='study',
            name='references',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='repeat_rate',
            field=models.FloatField(default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(0.5)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='seed',
            field=models.PositiveIntegerField(default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(2147483647)]),
        ),
        migrations.AlterField(
            model_name='study',
            name='session_parameter',
            field=models.CharField(blank=True, default='SESSION_ID', max_length=60),
        ),
        migrations.AlterField(
            model_name='study',
            name='steps',
            field=models.JSONField(blank=True, default=functools.partial(list, *(['consent', 'instructions', 'comprehension', 'practice'],), **{})),
        ),
        migrations.AlterField(
            model_name='study',
            name='stop_early',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='study',
            name='study_parameter',
            field=models.CharField(blank=True, default='STUDY_ID', max_length=60),
        ),
        migrations.AlterField(
            model_name='study',
            name='ties',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='study',
            name='title',
            field=models.CharField(blank=True, max_length=2000),
        ),
        migrations.AlterField(
            model_name='study',
            name='votes',
            field=models.PositiveIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)]),
        ),
        migrations.AlterModelOptions(
            name='upload',
            options={'ordering': ['-created_at']},
        ),
        migrations.AddField(
            model_name='upload',
            name='attempts',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='upload',
            name='choices',
            field=models.JSONField(db_default={}, default=dict, help_text='how people want its files to be read, until the next check'),
        ),
        migrations.AddField(
            model_name='upload',
            name='dataset',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='annotation.dataset'),
        ),
        migrations.AddField(
            model_name='upload',
            name='finished_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='upload',
            name='language',
            field=models.CharField(db_default='en', default='en', max_length=10),
        ),
        migrations.AddField(
            model_name='upload',
            name='message',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AddField(
            model_name='upload',
            name='order',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='upload',
            name='progress',
            field=models.FloatField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='upload',
            name='reported_at',
            field=models.DateTimeField(auto_now_add=True, db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AddField(
            model_name='upload',
            name='result',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='upload',
            name='state',
            field=models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], db_default='waiting', default='waiting', max_length=10),
        ),
        migrations.AddField(
            model_name='upload',
            name='work',
            field=models.CharField(choices=[('check', 'Check'), ('import', 'Import')], db_default='check', default='check', max_length=6),
        ),
        migrations.AddIndex(
            model_name='vote',
            index=models.Index(condition=models.Q(('status', 'excluded')), fields=['status_at'], name='excluded_votes'),
        ),
    ]
