#!/bin/sh
# Write requirements.txt and the files in locks/: what pyproject.toml declares and what that needs,
# with the hashes of the files on all platforms. Versions stay as they are where they may; name
# packages to take new ones of them. Called by `make lock`.
set -eu
PYTHON=${PYTHON:-python3.11}
UV=0.13.9

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work"
"$work/bin/pip" install -q --disable-pip-version-check "uv==$UV"

upgrades=
for package; do
  upgrades="$upgrades --upgrade-package $package"
done

# Usage: lock FILE PYTHON OPTION…
lock() {
  file=$1
  python=$2
  shift 2
  "$work/bin/uv" pip compile -q --universal --python-version "$python" --generate-hashes --no-annotate --no-header \
    --no-emit-index-url --no-emit-find-links --output-file "$file" $upgrades "$@"
}

# Tools for development need 3.11.5, the site does not. All others take the versions of development.
lock locks/dev.txt 3.11.5 pyproject.toml --group dev \
  --extra site --extra sentry --extra oidc --extra tuples --extra vectors --extra cluster
alike="--constraints locks/dev.txt"
lock requirements.txt 3.11 pyproject.toml --extra site $alike
for extra in tuples vectors oidc sentry; do
  lock "locks/$extra.txt" 3.11 pyproject.toml --extra site --extra "$extra" $alike
done
lock locks/docs.txt 3.11.5 pyproject.toml --extra site --group docs $alike
lock locks/build.txt 3.11 --group build $alike
lock locks/benchmarks.txt 3.11 pyproject.toml --extra site --group benchmarks $alike
# Weights and tokenizer are installed alone: what they declare loads PyTorch and downloads models, 5.9 GB.
lock locks/embed.txt 3.11 --group encoder --no-deps
