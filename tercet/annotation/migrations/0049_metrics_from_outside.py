"""Metrics from outside that results show, and the published datasets that datasets are from."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0048_subject_rules'),
    ]

    operations = [
        migrations.AddField(
            model_name='dataset',
            name='origin',
            field=models.CharField(blank=True, db_default='', max_length=2000),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='metrics',
            field=models.JSONField(blank=True, db_default=[], default=list, help_text='Enabled metrics from outside, by name, besides those of this site.'),
        ),
        migrations.CreateModel(
            name='MetricVariant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('family', models.CharField(max_length=200)),
                ('name', models.CharField(max_length=200)),
                ('version', models.CharField(max_length=200)),
                ('study', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='variants', to='annotation.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('study', 'family', 'name', 'version'), name='variant_once')],
            },
        ),
    ]
