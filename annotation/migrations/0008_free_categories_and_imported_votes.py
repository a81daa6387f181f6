
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0007_rename_settings'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='pair',
            name='pair_of_two_candidates',
        ),
        migrations.RemoveConstraint(
            model_name='pair',
            name='pair_category',
        ),
        migrations.AddField(
            model_name='study',
            name='collected_elsewhere',
            field=models.BooleanField(default=False),
        ),
        migrations.AlterField(
            model_name='pair',
            name='category',
            field=models.CharField(blank=True, max_length=60),
        ),
    ]
