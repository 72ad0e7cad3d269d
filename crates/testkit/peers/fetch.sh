#!/bin/sh
# Prepares a folder with the real servers and agents that tests talk to: fetch.sh FOLDER
# What is there already is not fetched again. Ends with 0 when the folder is complete, with 1 and a word on stderr
# when something is missing; `cargo xtask verify`, which runs this, lists the tests that did not run without it.
set -eu

missing() {
    echo "no peers: $1" >&2
    exit 1
}

folder=${1:?usage: fetch.sh FOLDER}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"

if ! cmp -s "$here/package.json" "$folder/package.json" || [ ! -f "$folder/npm.done" ]; then
    command -v node >/dev/null || missing 'node is not installed'
    command -v npm >/dev/null || missing 'npm is not installed'
    rm -rf "$folder/node_modules" "$folder/npm.done"
    cp "$here/package.json" "$folder/package.json"
    npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 \
        || missing 'npm cannot install the MCP servers'
    touch "$folder/npm.done"
fi

if ! cmp -s "$here/requirements.txt" "$folder/python/requirements.txt"; then
    command -v python3 >/dev/null || missing 'python3 is not installed'
    rm -rf "$folder/python"
    python3 -m venv "$folder/python" || missing 'python3 cannot make a virtual environment (python3-venv)'
    "$folder/python/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r "$here/requirements.txt" >&2 || missing 'pip cannot install the Python peers'
    cp "$here/requirements.txt" "$folder/python/requirements.txt"
fi

# What tries the HTTP API against its own description; on its own, because it asks for other versions of the same libraries.
if ! cmp -s "$here/api.txt" "$folder/api/requirements.txt"; then
    rm -rf "$folder/api"
    python3 -m venv "$folder/api" || missing 'python3 cannot make a virtual environment (python3-venv)'
    "$folder/api/bin/python" -m pip install --quiet --disable-pip-version-check \
        -r "$here/api.txt" >&2 || missing 'pip cannot install schemathesis'
    cp "$here/api.txt" "$folder/api/requirements.txt"
fi

# The Python of the sandbox, with the libraries that workflows use. Everything that they need is listed: what
# PyMuPDF asks for besides is for layouts, and larger than all the rest.
if ! cmp -s "$here/sandbox.txt" "$folder/sandbox/requirements.txt"; then
    rm -rf "$folder/sandbox"
    python3 -m venv "$folder/sandbox" || missing 'python3 cannot make a virtual environment (python3-venv)'
    "$folder/sandbox/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        -r "$here/sandbox.txt" >&2 || missing "pip cannot install the sandbox's libraries"
    cp "$here/sandbox.txt" "$folder/sandbox/requirements.txt"
fi

# promtool checks what Prometheus is served and the alert rules. It is in Debian's package of Prometheus; elsewhere its
# test runs where it is installed, and says so where it is not.
if [ ! -x "$folder/promtool" ]; then
    if command -v promtool >/dev/null; then
        cp "$(command -v promtool)" "$folder/promtool"
    elif command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
        unpacked="$folder/prometheus"
        rm -rf "$unpacked" && mkdir -p "$unpacked"
        if (cd "$unpacked" && apt-get download prometheus >&2 && dpkg -x prometheus_*.deb . >&2); then
            mv "$unpacked/usr/bin/promtool" "$folder/promtool"
        else
            echo 'promtool could not be fetched; its test does not run' >&2
        fi
        rm -rf "$unpacked"
    else
        echo 'promtool is not installed; its test does not run' >&2
    fi
fi

# What packs the wheel and what builds the book are programs of `verify` itself, which says so where they are missing.
if ! cmp -s "$here/packing.txt" "$folder/packing/requirements.txt"; then
    rm -rf "$folder/packing"
    if python3 -m venv "$folder/packing" && "$folder/packing/bin/python" -m pip install --quiet \
        --disable-pip-version-check -r "$here/packing.txt" >&2; then
        cp "$here/packing.txt" "$folder/packing/requirements.txt"
    else
        echo 'pip cannot install maturin' >&2
    fi
fi

# Without its defaults mdbook neither serves nor watches, which is half of its dependencies, and without optimisation it builds
# the book in a second all the same.
mdbook=0.4.52
if [ "$("$folder/bin/mdbook" --version 2>/dev/null)" != "mdbook v$mdbook" ]; then
    "${CARGO:-cargo}" install mdbook --locked --version "$mdbook" --no-default-features --debug --quiet --force \
        --root "$folder" --target-dir "$folder/mdbook" >&2 || echo 'cargo cannot install mdbook' >&2
    rm -rf "$folder/mdbook"
fi
