#!/bin/sh
# Tests the package with the real frameworks from PyPI and scripted models: test.sh FOLDER
# Each framework has an environment of its own in the folder, since they need different versions of the same libraries.
# What is there already is not fetched again.
set -eu

folder=${1:?usage: test.sh FOLDER}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"
cd "$here"

while read -r package tests; do
    environment="$folder/${package%%=*}"
    if [ "$(cat "$environment/fetched" 2>/dev/null)" != "$package" ]; then
        rm -rf "$environment"
        python3 -m venv "$environment"
        "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$package"
        echo "$package" >"$environment/fetched"
    fi
    echo "== $package: $tests"
    # shellcheck disable=SC2086 # several names of tests
    PYTHONPATH=src PYTHONDONTWRITEBYTECODE=1 "$environment/bin/python" -W ignore -m unittest $tests
done <frameworks.txt
