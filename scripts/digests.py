"""Print a digest of every file that the project writes from the demo and other dataset folders.

Run it before and after a change that must not alter any output, and compare:

    python scripts/digests.py > before.txt
    python scripts/digests.py [FOLDER ...] | diff before.txt -

The files are the report of each folder, the scores of the demo's references, and the demo study,
imported into an empty database and exported again.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples" / "demo"


def main(folders: list[str]) -> None:
    for folder in [DEMO, *map(Path, folders)]:
        print_outputs(
            f"report of {folder.name}",
            ["-m", "analysis", str(folder.resolve())],
        )

    references, candidates = DEMO / "references.csv", DEMO / "candidates.csv"
    given = [
        "--references",
        str(references),
        "--candidates",
        str(candidates),
        "--several",
    ]
    print_outputs("scores", ["-m", "metrics", *given], "scores.csv")

    print_outputs(
        "study",
        ["manage.py", "export_study", "demo-triplet"],
        prepare=load_demo,
    )


def load_demo() -> None:
    """Import the demo into an empty database."""
    run(["manage.py", "migrate", "-v", "0"])
    run(["manage.py", "import_dataset", str(DEMO), "--name", "demo"])


def print_outputs(
    name: str, command: list[str], out: str = "out", prepare: object = None
) -> None:
    """Run a command with `--out`, and print the digest of each file that it writes."""
    with TemporaryDirectory() as folder:
        os.environ["DATA_DIR"] = folder
        os.environ["SECRET_KEY"] = (
            "only for the digests, signs nothing of value"
        )

        if callable(prepare):
            prepare()

        written = Path(folder, out)
        run([*command, "--out", str(written)])

        files = [written] if written.is_file() else sorted(written.rglob("*"))
        for file in files:
            if file.is_file():
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
                print(
                    f"{digest}  {name}: {file.relative_to(folder)}", flush=True
                )


def run(command: list[str]) -> None:
    subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
