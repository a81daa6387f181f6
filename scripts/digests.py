"""Print a digest of every file that the project writes from the demo and other dataset folders.

Run it before and after a change that must not alter any output, and compare:

    python scripts/digests.py > before.txt
    python scripts/digests.py [FOLDER ...] | diff before.txt -

The files are the report of each folder, the scores of the demo's references, the demo study,
imported into an empty database and exported again, and the pages of a site with the demo. Captions
of COCO are scored where a file of references and one of results are among the arguments:

    python scripts/digests.py --captions reference_captions.json results.json [FOLDER ...]
"""

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples" / "demo"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--captions", nargs=2, type=Path, default=[])
    options = parser.parse_args()

    for folder in [DEMO, *options.folders]:
        print_outputs(
            f"report of {folder.name}", ["-m", "tercet.analysis", str(folder.resolve())]
        )

    print_scores(DEMO / "references.csv", DEMO / "candidates.csv", "--several")
    if options.captions:
        print_scores(*options.captions)

    print_outputs("pages", ["-m", "scripts.site_pages"], option="")
    print_outputs(
        "study", ["manage.py", "export_study", "demo-triplet"], prepare=load_demo
    )


def print_scores(references: Path, candidates: Path, *further: str) -> None:
    """Print the digest of the scores of captions."""
    files = {"--references": references, "--candidates": candidates}
    given = [
        part for name, file in files.items() for part in (name, str(file.resolve()))
    ]
    print_outputs(
        f"scores of {candidates.name}",
        ["-m", "tercet.metrics", *given, *further],
        "scores.csv",
    )


def load_demo() -> None:
    """Import the demo into an empty database."""
    run(["manage.py", "migrate", "-v", "0"])
    run(["manage.py", "import_dataset", str(DEMO), "--name", "demo"])


def print_outputs(
    name: str,
    command: list[str],
    out: str = "out",
    prepare: object = None,
    option: str = "--out",
) -> None:
    """Run a command that writes a file or a folder, and print the digest of each file."""
    with TemporaryDirectory() as folder:
        os.environ["DATA_DIR"] = folder
        os.environ["SECRET_KEY"] = "only for the digests, signs nothing of value"

        if callable(prepare):
            prepare()

        written = Path(folder, out)
        run([*command, *([option] if option else []), str(written)])

        files = [written] if written.is_file() else sorted(written.rglob("*"))
        for file in files:
            if file.is_file():
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
                print(f"{digest}  {name}: {file.relative_to(folder)}", flush=True)


def run(command: list[str]) -> None:
    subprocess.run(
        [sys.executable, *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )


if __name__ == "__main__":
    main()
