"""Name and explain the settings of a study on their fields.

No column changes, so no SQL is run: SQLite would copy the table for the default of `steps`.
"""

import django.core.validators
import functools
import re
import tercet.annotation.models.study
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0067_remove_reading_of_uploads'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name='exit',
                    name='code',
                    field=models.CharField(blank=True, max_length=60, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='exit',
                    name='url',
                    field=models.CharField(blank=True, max_length=2000, validators=[django.core.validators.RegexValidator('^https?://[^\\s]+\\Z', 'Give a whole address that begins with https://.'), django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='address to go on to'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='accounts',
                    field=models.CharField(choices=[('all', 'every account'), ('invited', 'invited accounts only')], default='all', help_text='Invited accounts are those with a role on the page “Links and roles”.', max_length=10, verbose_name='accounts that may judge'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='approval_rate',
                    field=models.CharField(blank=True, db_default='', default='', help_text='The rate of approved earlier work that the platform asked for: “at least 95 %”.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='required approval rate'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='break_every',
                    field=models.PositiveIntegerField(default=50, help_text='0: never offer a break.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(2147483647)], verbose_name='judgments between breaks'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='collected_elsewhere',
                    field=models.BooleanField(db_default=False, default=False, help_text='Whether the votes were imported without a study.json: texts, annotators and settings are then unknown, and no more votes are needed than there are.'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='comprehension',
                    field=models.TextField(blank=True, help_text='Questions that people answer correctly before they judge.', verbose_name='comprehension questions'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='consent',
                    field=models.TextField(blank=True, help_text='What people agree to.', verbose_name='consent'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='contact',
                    field=models.CharField(blank=True, db_default='', default='', help_text='For questions and complaints: a name and an email address.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='countries',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“the United Kingdom and Ireland”, for example.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='crowd_is_open',
                    field=models.BooleanField(default=False, verbose_name='people can join through the crowdsourcing link'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='crowd_proof',
                    field=models.CharField(choices=[('code', 'not at all; in another browser, people enter their resume code'), ('jwt', 'by a token that Prolific signs and adds (parameter prolific_token)'), ('hmac', 'by a signature that a server of yours adds (HMAC-SHA256, parameter signature)')], db_default='code', default='code', max_length=10, verbose_name='how crowdsourcing links prove who people are'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='debrief',
                    field=models.TextField(blank=True, db_default='', default='', help_text='What the study was about, for example; you can use Markdown. People who are shown a text are not redirected automatically.', verbose_name='text after the last judgment'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='duration',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“About 20 minutes”, for example.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='enforced_seconds',
                    field=models.FloatField(blank=True, help_text='Leave empty for a minimum that depends on the length of the text; 0 accepts every vote.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(60)], verbose_name='reject votes faster than (seconds)'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='ethics_approval',
                    field=models.CharField(blank=True, db_default='', default='', help_text='Board and number: “the ethics board of the University of Example (2026-17)”.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='gold_rate',
                    field=models.FloatField(default=0, help_text='Questions with a known answer, mixed in unnoticed. 0.05 is one in twenty.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(0.5)], verbose_name='share of gold questions'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='institution',
                    field=models.CharField(blank=True, db_default='', default='', help_text='Who is responsible: “University of Example, Department of Linguistics”.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='instructions',
                    field=models.TextField(blank=True, help_text='The instructions that people read.', verbose_name='instructions'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='joins_per_hour',
                    field=models.PositiveIntegerField(blank=True, default=60, help_text='More people behind one IP address wait in a queue. Leave empty for no limit.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100000)], verbose_name='people per IP address and hour'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='label_a',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“Original text”, for example.', max_length=60, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='label of A'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='label_left',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“Translation 1”, for example.', max_length=60, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='label of the first option'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='label_right',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“Translation 2”, for example.', max_length=60, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='label of the second option'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='label_tie',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“Equally good”, for example.', max_length=60, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name="label of “can't tell”"),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='language',
                    field=models.CharField(default='en', help_text='A code such as en, de or pt-BR. Screen readers pronounce the captions in it, the default texts for annotators are in it where Tercet has them (English elsewhere), and the results name the metrics that are made for English.', max_length=35, validators=[django.core.validators.RegexValidator('^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*\\Z', 'Write a code such as en, de or pt-BR, not the name of a language.')], verbose_name='language of the captions'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='link_is_open',
                    field=models.BooleanField(default=True, verbose_name='people can join through the shared link'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='link_users',
                    field=models.CharField(choices=[('unasked', 'not asked'), ('place', 'people at one place'), ('anywhere', 'people anywhere')], db_default='unasked', default='unasked', help_text='Anywhere: one network gives at most 1 of 3 votes on a question, 2 of 5, or 3 of 7, so that one person with many browsers does not decide it. At one place, such as a class or a laboratory, people share a network, and there is no such limit.', max_length=10, verbose_name='who will use the shared link?'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='max_judgments',
                    field=models.PositiveIntegerField(blank=True, help_text='Checks count. Leave empty for no limit.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)], verbose_name='judgments per person, at most'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='min_seconds',
                    field=models.FloatField(default=1, help_text='The Quality page flags people with many such votes.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(600)], verbose_name='flag votes faster than (seconds)'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='offline_questions',
                    field=models.PositiveIntegerField(db_default=4, default=4, help_text='People can answer these without a connection. They are reserved for one person meanwhile, so a high number delays the end of the study.', validators=[django.core.validators.MinValueValidator(4), django.core.validators.MaxValueValidator(50)], verbose_name='questions loaded in advance'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='pay',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“9 GBP per hour”, for example; “nothing” if taking part is unpaid.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='person_parameter',
                    field=models.CharField(default='PROLIFIC_PID', help_text="The URL parameter with the crowdsourcing platform's id of the person.", max_length=60, verbose_name='person'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='platform_study',
                    field=models.CharField(blank=True, db_default='', default='', help_text='Links with another study id are refused. Leave empty to accept any.', max_length=60, verbose_name="platform's id of this study"),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='practice',
                    field=models.TextField(blank=True, help_text='Questions that people practise with; each is followed by the correct option.', verbose_name='practice questions'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='question',
                    field=models.CharField(blank=True, db_default='', default='', help_text='With a question of your own, write instructions and practice questions that match it: the default ones are about captions and are not shown.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='question_help',
                    field=models.CharField(blank=True, db_default='', default='', help_text='A line that stands below the question.', max_length=2000, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='help below the question'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='question_order',
                    field=models.CharField(choices=[('same', 'the same for everyone'), ('shuffled', 'shuffled for each person'), ('blocks', 'in blocks of 50, shuffled for each person')], db_default='same', default='same', help_text='One order for everyone finishes the questions one by one, but mixes up the effects of a question and of its position. Blocks are a compromise.', max_length=10, verbose_name='order of the questions'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='questionnaire_after',
                    field=models.TextField(blank=True, db_default='', default='', verbose_name='questionnaire after judging'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='questionnaire_before',
                    field=models.TextField(blank=True, db_default='', default='', verbose_name='questionnaire before judging'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='recruitment_platform',
                    field=models.CharField(blank=True, db_default='', default='', help_text='“Prolific” or “a course at our university”, for example.', max_length=200, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)], verbose_name='platform'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='references',
                    field=models.PositiveIntegerField(blank=True, help_text='Each of them makes a triplet with the pair. Leave empty to use all references of the image. Pairwise shows the image instead. Metrics use all references in any case.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)], verbose_name='references per pair'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='repeat_rate',
                    field=models.FloatField(default=0, help_text="The person's own earlier questions, repeated with the sides swapped.", validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(0.5)], verbose_name='share of repeats'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='seed',
                    field=models.PositiveIntegerField(default=0, help_text='The same seed gives the same questions.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(2147483647)]),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='session_parameter',
                    field=models.CharField(blank=True, default='SESSION_ID', help_text="The URL parameter with the crowdsourcing platform's id of the session.", max_length=60, verbose_name='session'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='skips',
                    field=models.BooleanField(db_default=False, default=False, help_text='A skipped question goes to somebody else. Everybody can report a problem with a question.', verbose_name='people may skip a question, with a reason'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='state',
                    field=models.CharField(choices=[('draft', 'draft'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default='open', help_text='Whether the study is collecting votes.', max_length=10),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='steps',
                    field=models.JSONField(blank=True, default=functools.partial(list, *(['consent', 'instructions', 'comprehension', 'practice'],), **{}), validators=[tercet.annotation.models.study.are_steps], verbose_name='steps before judging'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='stop_early',
                    field=models.BooleanField(default=False, help_text='This never changes a winner, but leaves fewer votes to measure agreement.', verbose_name='stop early once the winner can no longer change'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='study_parameter',
                    field=models.CharField(blank=True, default='STUDY_ID', help_text="The URL parameter with the crowdsourcing platform's id of the study.", max_length=60, verbose_name='study'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='ties',
                    field=models.BooleanField(default=False, help_text='It counts as half a vote for each side.', verbose_name="offer “can't tell”"),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='title',
                    field=models.CharField(blank=True, help_text='Annotators see it. Leave empty to name it after dataset and protocol.', max_length=2000),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='votes',
                    field=models.PositiveIntegerField(default=3, help_text='An odd number leaves fewer ties. You can add votes later, but not remove any.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='votes per question'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='winners',
                    field=models.CharField(choices=[('votes', 'by votes only'), ('decisions', 'adjudicated pairs by the decision')], db_default='votes', default='votes', help_text='Decisions on single pairs are never counted as votes. Compute the results again after a change.', max_length=10, verbose_name='winners in the results'),
                ),
                migrations.AlterField(
                    model_name='study',
                    name='withdrawal',
                    field=models.CharField(blank=True, db_default='', default='', help_text='How and until when people can have their data deleted.', max_length=2000, validators=[django.core.validators.RegexValidator(re.compile('[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]'), 'Remove the control characters.', inverse_match=True)]),
                ),
            ],
        ),
    ]
