"""The environment of the commands that tests start as other processes."""

import os
import sys
from pathlib import Path

WITHOUT_EXTRAS = {
    "TERCET_SPACY_MODEL": "",
    "TERCET_VECTORS": "",
    "TERCET_EMBEDDING": "",
}
"""What is true without the extras `tuples`, `vectors` and `embed` is tested without them."""

KEPT = ("HOME", "LANG", "PATH", "OPENBLAS_NUM_THREADS")


def clean_environment(data: Path) -> dict[str, str]:
    """Return an environment with this Python first on the path, and a folder for a site's data."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    site = {"DATA_DIR": str(data), "SECRET_KEY": "r" * 50}

    return kept | WITHOUT_EXTRAS | site | {"PATH": path}
