"""The tables of version 0.1.0, whose databases have this migration on record as their last one."""

import django.core.validators
import django.db.models.deletion
import functools
import django.db.models.expressions
import django.utils.timezone
import tercet.annotation.models.study
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Dataset',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=100, unique=True)),
                ('title', models.CharField(max_length=2000)),
                ('description', models.TextField(blank=True)),
                ('licence', models.CharField(blank=True, max_length=2000)),
                ('citation', models.TextField(blank=True)),
                ('url', models.CharField(blank=True, max_length=2000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Upload',
            fields=[
                ('key', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('file', models.FileField(upload_to='uploads')),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('reading', models.JSONField(default=dict, help_text='how its files are read, by their names')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Image',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('file', models.CharField(blank=True, max_length=300)),
                ('url', models.CharField(blank=True, max_length=2000)),
                ('alt', models.TextField(blank=True)),
                ('listed', models.BooleanField(default=False, help_text='It stands in images.csv.')),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='images', to='annotation.dataset')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('dataset', 'name'), name='image_name_once')],
            },
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=120, unique=True)),
                ('title', models.CharField(blank=True, help_text='Annotators see it. Empty: named after the dataset and the protocol.', max_length=2000, verbose_name='title')),
                ('protocol', models.CharField(choices=[('triplet', 'Triplet: which is more similar to A?'), ('pairwise', 'Pairwise: which describes the image better?')], default='triplet', max_length=10, verbose_name='protocol')),
                ('votes', models.PositiveIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='votes a triplet')),
                ('references', models.PositiveIntegerField(blank=True, help_text='So many are drawn for each pair. Empty: all that its image has.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)], verbose_name='references a pair')),
                ('seed', models.PositiveIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(2147483647)], verbose_name='seed')),
                ('join_code', models.CharField(default=tercet.annotation.models.study.join_code, editable=False, max_length=20, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('accounts', models.CharField(choices=[('all', 'every account'), ('invited', 'invited accounts only')], default='all', max_length=10, verbose_name='accounts that may judge')),
                ('break_every', models.PositiveIntegerField(default=50, help_text='0: never.', validators=[django.core.validators.MaxValueValidator(2147483647)], verbose_name='offer a break every so many judgments')),
                ('comprehension', models.TextField(blank=True, verbose_name='comprehension questions')),
                ('consent', models.TextField(blank=True, verbose_name='consent')),
                ('crowd_is_open', models.BooleanField(default=False, verbose_name='the crowd link lets people in')),
                ('fastest', models.FloatField(default=1, help_text='A vote given faster was hardly read.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(600)], verbose_name='speed floor in seconds')),
                ('gold_rate', models.FloatField(default=0, help_text='Questions with a known answer, mixed in unseen: 0.05 is one in twenty.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(0.5)], verbose_name='share of gold triplets')),
                ('instructions', models.TextField(blank=True, verbose_name='instructions')),
                ('language', models.CharField(default='en', max_length=35, validators=[django.core.validators.RegexValidator('^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$', 'Use a language tag such as en, de, ar or zh-Hans.')], verbose_name='language of the captions')),
                ('link_is_open', models.BooleanField(default=True, verbose_name='the shared link lets people in')),
                ('most', models.PositiveIntegerField(blank=True, help_text='Checks included. Empty: as many as there are.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)], verbose_name='judgments a person may give')),
                ('person_parameter', models.CharField(default='PROLIFIC_PID', max_length=60, verbose_name='person')),
                ('practice', models.TextField(blank=True, verbose_name='practice questions')),
                ('repeat_rate', models.FloatField(default=0, help_text="The person's own earlier questions, asked again with the sides swapped.", validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(0.5)], verbose_name='share of repeats')),
                ('session_parameter', models.CharField(blank=True, default='SESSION_ID', max_length=60, verbose_name='session')),
                ('state', models.CharField(choices=[('draft', 'draft'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default='open', max_length=10)),
                ('steps', models.JSONField(blank=True, default=functools.partial(list, *(['consent', 'instructions', 'comprehension', 'practice'],), **{}), verbose_name='steps before judging')),
                ('stop_early', models.BooleanField(default=False, help_text='This never changes a winner; it leaves fewer votes to study agreement with.', verbose_name='stop a pair once its lead exceeds what is left')),
                ('study_parameter', models.CharField(blank=True, default='STUDY_ID', max_length=60, verbose_name='study')),
                ('ties', models.BooleanField(default=False, help_text='It counts as half a vote for each side.', verbose_name="offer “can't tell”")),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='annotation.dataset')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['-created_at', '-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('votes__gte', 1)), name='study_votes_from_1'), models.CheckConstraint(condition=models.Q(('protocol__in', ['triplet', 'pairwise'])), name='study_protocol'), models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'open', 'paused', 'closed'])), name='study_state')],
            },
        ),
        migrations.CreateModel(
            name='Candidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('caption', models.TextField()),
                ('source', models.CharField(blank=True, max_length=200)),
                ('listed', models.BooleanField(default=False, help_text='It stands in candidates.csv: pairs may be made from it.')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='annotation.image')),
            ],
        ),
        migrations.CreateModel(
            name='Reference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('caption', models.TextField()),
                ('author', models.CharField(blank=True, max_length=200)),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='references', to='annotation.image')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('image', 'number'), name='reference_number_once'), models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='reference_number_from_1')],
            },
        ),
        migrations.CreateModel(
            name='Role',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.CharField(choices=[('owner', 'owner'), ('researcher', 'researcher'), ('annotator', 'annotator')], max_length=10)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='study_roles', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='roles', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'user'), name='role_once'), models.CheckConstraint(condition=models.Q(('rank__in', ['owner', 'researcher', 'annotator'])), name='role_rank')],
            },
        ),
        migrations.CreateModel(
            name='Exit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('outcome', models.CharField(choices=[('done', 'done'), ('failed', 'failed the comprehension questions'), ('screened_out', 'did not consent'), ('no_work', 'found no question left')], max_length=12)),
                ('code', models.CharField(blank=True, max_length=60, verbose_name='code')),
                ('url', models.CharField(blank=True, max_length=2000, validators=[django.core.validators.RegexValidator('^https?://[^\\s]+$', 'Give a whole address that begins with https://.')], verbose_name='address to go on to')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exits', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'outcome'), name='exit_once')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('what', models.CharField(max_length=40)),
                ('details', models.JSONField(default=dict)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.study')),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Evaluation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('progress', models.FloatField(default=0)),
                ('message', models.TextField(blank=True)),
                ('votes', models.PositiveIntegerField(default=0, help_text='Valid votes that it saw.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('reported_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='annotation.study')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('study',), name='one_evaluation_at_a_time')],
            },
        ),
        migrations.CreateModel(
            name='Annotator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('place', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, help_text='Empty: unknown.', null=True)),
                ('asked_at', models.DateTimeField(null=True)),
                ('asking', models.UUIDField(null=True)),
                ('code', models.CharField(blank=True, max_length=60)),
                ('excluded_at', models.DateTimeField(null=True)),
                ('excluded_reason', models.TextField(blank=True)),
                ('external', models.JSONField(default=dict)),
                ('external_id', models.CharField(blank=True, max_length=200)),
                ('finished_at', models.DateTimeField(null=True)),
                ('is_test', models.BooleanField(default=False)),
                ('judged', models.PositiveIntegerField(default=0)),
                ('label', models.CharField(blank=True, max_length=200)),
                ('lean', models.IntegerField(default=0)),
                ('outcome', models.CharField(blank=True, choices=[('done', 'done'), ('failed', 'failed the comprehension questions'), ('screened_out', 'did not consent'), ('no_work', 'found no question left')], max_length=12)),
                ('practised', models.PositiveIntegerField(default=0)),
                ('rested', models.PositiveIntegerField(default=0)),
                ('step', models.CharField(choices=[('consent', 'Consent'), ('instructions', 'Instructions'), ('comprehension', 'Comprehension questions'), ('practice', 'Practice with feedback'), ('judging', 'Judging')], default='consent', max_length=15)),
                ('token', models.CharField(blank=True, max_length=40)),
                ('tries', models.PositiveIntegerField(default=0)),
                ('turns', models.PositiveIntegerField(default=0)),
                ('excluded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='annotators', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotators', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'name'), name='annotator_name_once'), models.UniqueConstraint(fields=('study', 'user'), name='annotator_user_once'), models.UniqueConstraint(condition=models.Q(('token', ''), _negated=True), fields=('token',), name='annotator_token_once'), models.UniqueConstraint(condition=models.Q(('label', ''), _negated=True), fields=('study', 'label'), name='annotator_label_once'), models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('study', 'external_id'), name='annotator_external_id_once')],
            },
        ),
        migrations.CreateModel(
            name='Pair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('category', models.CharField(choices=[('HC', 'two correct human captions'), ('HI', 'a human caption and one of another image'), ('HM', 'human and machine'), ('MM', 'two machines')], max_length=2)),
                ('winner', models.CharField(blank=True, help_text='The published decision, B or C, if there is one.', max_length=1)),
                ('b', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.candidate')),
                ('c', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.candidate')),
                ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='annotation.dataset')),
                ('image', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='annotation.image')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('dataset', 'name'), name='pair_name_once'), models.CheckConstraint(condition=models.Q(('b', models.F('c')), _negated=True), name='pair_of_two_candidates'), models.CheckConstraint(condition=models.Q(('category__in', ['HC', 'HI', 'HM', 'MM'])), name='pair_category'), models.CheckConstraint(condition=models.Q(('winner__in', ['', 'B', 'C'])), name='pair_winner')],
            },
        ),
        migrations.CreateModel(
            name='Triplet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(help_text='Its place in the order of asking.')),
                ('needed', models.PositiveIntegerField()),
                ('votes', models.PositiveIntegerField(default=0)),
                ('leases', models.PositiveIntegerField(default=0)),
                ('answer', models.CharField(blank=True, max_length=1)),
                ('lead', models.IntegerField(default=0)),
                ('lean', models.IntegerField(default=0)),
                ('stopped', models.BooleanField(default=False)),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='triplets', to='annotation.pair')),
                ('reference', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.reference')),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='triplets', to='annotation.study')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('stopped', False), ('votes__lt', django.db.models.expressions.CombinedExpression(models.F('needed'), '-', models.F('leases')))), fields=['study', 'position'], name='open_triplets'), models.Index(condition=models.Q(('answer', ''), _negated=True), fields=['study', 'position'], name='gold_triplets')],
                'constraints': [models.UniqueConstraint(fields=('study', 'pair', 'reference'), name='triplet_once'), models.UniqueConstraint(condition=models.Q(('reference', None)), fields=('study', 'pair'), name='pairwise_triplet_once'), models.CheckConstraint(condition=models.Q(('needed__gte', django.db.models.expressions.CombinedExpression(models.F('votes'), '+', models.F('leases')))), name='votes_as_needed'), models.CheckConstraint(condition=models.Q(('answer__in', ['', 'B', 'C'])), name='triplet_answer'), models.UniqueConstraint(condition=models.Q(('needed__gte', 0)), fields=('study', 'position'), name='triplet_position_once')],
            },
        ),
        migrations.CreateModel(
            name='Lease',
            fields=[
                ('key', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('b_side', models.CharField(choices=[('left', 'Left'), ('right', 'Right')], max_length=5)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('live', models.BooleanField(default=True)),
                ('purpose', models.CharField(choices=[('study', 'Study'), ('gold', 'Gold'), ('repeat', 'Repeat'), ('test', 'Test')], default='study', max_length=6)),
                ('turn', models.IntegerField(default=0)),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='leases', to='annotation.annotator')),
                ('triplet', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.triplet')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('live', True)), fields=['expires_at'], name='live_leases')],
                'constraints': [models.UniqueConstraint(fields=('triplet', 'annotator', 'purpose'), name='lease_once')],
            },
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('choice', models.CharField(choices=[('B', 'B'), ('C', 'C'), ('tie', 'Tie')], max_length=3)),
                ('b_side', models.CharField(blank=True, choices=[('left', 'Left'), ('right', 'Right')], max_length=5)),
                ('seconds', models.FloatField(help_text='From being shown to the vote.', null=True)),
                ('active_seconds', models.FloatField(help_text="The same by the browser's clock, hidden and idle times left out.", null=True)),
                ('created_at', models.DateTimeField(db_index=True, null=True)),
                ('key', models.UUIDField(help_text='That of the lease it came from.', null=True, unique=True)),
                ('status', models.CharField(choices=[('valid', 'Valid'), ('superseded', 'Superseded'), ('excluded', 'Excluded'), ('surplus', 'Surplus')], default='valid', max_length=10)),
                ('status_at', models.DateTimeField(null=True)),
                ('status_reason', models.TextField(blank=True)),
                ('purpose', models.CharField(choices=[('study', 'Study'), ('gold', 'Gold'), ('repeat', 'Repeat'), ('test', 'Test')], default='study', max_length=6)),
                ('annotator', models.ForeignKey(db_index=False, help_text='Empty: unknown.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='annotation.annotator')),
                ('status_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('triplet', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='cast', to='annotation.triplet')),
            ],
            options={
                'indexes': [models.Index(fields=['annotator', 'id'], name='votes_of_an_annotator')],
                'constraints': [models.CheckConstraint(condition=models.Q(('choice__in', ['B', 'C', 'tie'])), name='vote_choice'), models.CheckConstraint(condition=models.Q(('status__in', ['valid', 'superseded', 'excluded', 'surplus'])), name='vote_status'), models.CheckConstraint(condition=models.Q(('b_side__in', ['', 'left', 'right'])), name='vote_b_side'), models.UniqueConstraint(condition=models.Q(('status', 'valid')), fields=('triplet', 'annotator', 'purpose'), name='one_vote_each'), models.CheckConstraint(condition=models.Q(('purpose__in', ['study', 'gold', 'repeat', 'test'])), name='vote_purpose')],
            },
        ),
    ]
