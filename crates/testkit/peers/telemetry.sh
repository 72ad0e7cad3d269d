#!/bin/sh
# Prepares a folder with mlflow, which reads traces back that Candor sends: telemetry.sh FOLDER (about 850 MB)
# What is there already is not fetched again.
set -eu

folder=${1:?usage: telemetry.sh FOLDER}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if ! cmp -s "$here/telemetry.txt" "$folder/requirements.txt"; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/telemetry.txt" >&2
    cp "$here/telemetry.txt" "$folder/requirements.txt"
fi
