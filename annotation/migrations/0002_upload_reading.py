from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="upload",
            name="reading",
            field=models.JSONField(
                default=dict, help_text="how its files are read, by their names"
            ),
        ),
    ]
