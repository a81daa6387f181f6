#!/bin/sh
# Look for known vulnerabilities of the locked versions, and for packages whose licence the
# documentation does not name. Called by `make audit`.
set -eu
PYTHON=${PYTHON:-python3.11}
BIN=${BIN:-.venv/bin}
PIP_AUDIT=2.10.1

"$BIN/python" -m scripts.licences
git diff --exit-code --stat docs/licences.md || { echo "docs/licences.md was out of date: commit it."; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work"
"$work/bin/pip" install -q --disable-pip-version-check "pip-audit==$PIP_AUDIT"

# The lock of development has the packages of the site and of the documentation, too.
found=0
for lock in dev embed benchmarks; do
  "$work/bin/pip-audit" --progress-spinner off --disable-pip --require-hashes -r "locks/$lock.txt" >"$work/out" 2>&1 || found=1
  if unknown=$(grep -cE "could not be audited|Error|Max retries" "$work/out"); then
    grep -vE "could not be audited|Skip Reason|^-|No known vulnerabilities" "$work/out" || true
    echo "*** locks/$lock.txt: the data of known vulnerabilities were not reached for $unknown packages. ***"
    found=2
  else
    cat "$work/out"
  fi
done
exit $found
