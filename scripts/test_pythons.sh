#!/bin/sh
# Build the wheel, and test `metrics` and `analysis` from it on every supported Python that is
# installed, outside the checkout. Called by `make test-pythons`.
set -eu
PYTHON=${PYTHON:-python3.11}
VERSIONS=${VERSIONS:-3.11 3.12 3.13}

# The path of the interpreter of a version: on the PATH, or among those of pyenv.
find_python() {
  for python in "$(command -v "python$1")" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    if "$python" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}

checkout=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

"$PYTHON" -m pip wheel -q --disable-pip-version-check --no-deps --wheel-dir "$work" .
wheel=$(ls "$work"/tercet-*.whl)
"$PYTHON" -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['test'], sep='\n')" \
  >"$work/test.txt"
# pip takes constraints with hashes for files that it has to check.
sed -n 's/ \\$//p' locks/dev.txt | grep == >"$work/constraints.txt"

# Only the tests and their data: what they import is the installed wheel.
mkdir -p "$work/tercet/tests"
cp tests/*.py "$work/tercet/tests"
cp -R tests/metrics tests/analysis tests/lab tests/support "$work/tercet/tests"
cp -R examples scripts "$work/tercet"
[ ! -d ../shared ] || ln -s "$checkout/../shared" "$work/shared"

tested=
failed=
for version in $VERSIONS; do
  python=$(find_python "$version")
  if [ -z "$python" ]; then
    echo "*** Python $version is not installed: not tested. ***"
    continue
  fi

  echo "Python $version: $python"
  environment="$work/python$version"
  "$python" -m venv "$environment"
  "$environment/bin/pip" install -q --disable-pip-version-check \
    "$wheel[analysis,cluster]" -r "$work/test.txt" -c "$work/constraints.txt"

  tested="$tested $version"
  (
    cd "$work/tercet"
    "$environment/bin/pytest" -q -W error --import-mode=importlib -o pythonpath=. \
      ${PYTEST_ARGUMENTS:--n 2 --dist worksteal} tests/metrics tests/analysis tests/lab tests/test_tercet.py \
      tests/test_examples.py
  ) || failed="$failed $version"
done

echo "Tested on Python:${tested:- none}. Failed:${failed:- none}."
[ -n "$tested" ] && [ -z "$failed" ]
