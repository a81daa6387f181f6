
import django.core.validators
import functools
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0005_the_way_to_an_open_triplet'),
    ]

    operations = [
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
            name='fastest',
            field=models.FloatField(default=1, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(600)]),
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
            field=models.CharField(default='en', max_length=35, validators=[django.core.validators.RegexValidator('^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$', 'Use a language tag such as en, de, ar or zh-Hans.')]),
        ),
        migrations.AlterField(
            model_name='study',
            name='link_is_open',
            field=models.BooleanField(default=True),
        ),
        migrations.AlterField(
            model_name='study',
            name='most',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2147483647)]),
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
    ]
