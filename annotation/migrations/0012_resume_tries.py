from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0011_pace'),
    ]

    operations = [
        migrations.AddField(
            model_name='annotator',
            name='resume_tries_until',
            field=models.DateTimeField(null=True),
        ),
    ]
