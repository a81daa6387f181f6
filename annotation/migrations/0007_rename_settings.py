from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_setting_columns'),
    ]

    operations = [
        migrations.RenameField('study', 'most', 'max_judgments'),
        migrations.RenameField('study', 'fastest', 'min_seconds'),
    ]
