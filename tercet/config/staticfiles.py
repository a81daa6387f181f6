"""Static files under names that change with their contents, so browsers may keep them for good."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Rewrite the imports of JavaScript modules to the names of the imported files, too."""

    support_js_module_import_aggregation = True
