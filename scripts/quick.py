"""Check and test what changed: `make quick`, or `python scripts/quick.py [COMMIT]`.

Changed is what differs from a commit, by default the last one. Its tests are those of the same
name, as tests mirror the tree; tests that changed are run themselves. Browser tests are left to
`make test`.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent


def main(commit: str = "HEAD") -> int:
    changed = changed_files(commit)
    if not changed:
        print("No Python file has changed.")
        return 0

    tests = find_tests(changed)
    commands = [
        ["ruff", "format", "--check", *changed],
        ["ruff", "check", *changed],
        ["lint-imports"],
        ["mypy"],
    ]
    if tests:
        commands.append(["pytest", "-q", *tests])

    for name, *arguments in commands:
        print(f"{name}: {len(changed)} files" if name == "ruff" else name, flush=True)
        status = subprocess.run([BIN / name, *arguments], cwd=ROOT, check=False)
        if status.returncode:
            return status.returncode
    return 0


def changed_files(commit: str) -> list[str]:
    """Return the Python files that differ from a commit, and new ones."""
    differing = ["git", "diff", "--name-only", "--diff-filter=d", commit]
    new = ["git", "ls-files", "--others", "--exclude-standard"]
    names = {
        name
        for command in (differing, new)
        for name in subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    }
    return sorted(name for name in names if name.endswith(".py"))


def find_tests(files: Iterable[str]) -> list[str]:
    """Return the test files of the files; browser tests excepted."""
    tests = set()
    for file in map(Path, files):
        is_test = file.parts[0] == "tests" and file.name.startswith("test_")
        inside = file.relative_to("tercet") if file.parts[0] == "tercet" else file
        test = file if is_test else "tests" / inside.parent / f"test_{file.name}"
        if (ROOT / test).is_file() and "browser" not in test.parts:
            tests.add(str(test))
    return sorted(tests)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
