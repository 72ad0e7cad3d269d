#!/bin/sh
# test.sh BINARY: packs a binary that is built already in each way, installs it into an empty place, and runs it there.
set -eu
binary="$(realpath "${1:?usage: test.sh BINARY}")"
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# The README's first example, as a person would type it.
goal="$(sed -n 's/^cargo run -- run "\(.*\)"$/\1/p' "$here/../README.md" | sed 's/\\\$/$/g')"
export CANDOR_DATA="$work/data"

fail() {
  echo "test: $*" >&2
  exit 1
}
[ -n "$goal" ] || fail "the README has no first example"

finishes() {
  (cd "$work" && "$1" run "$goal") | grep -q "Goal reached" || fail "$1 did not reach the goal"
}

strip -o "$work/candor" "$binary"

# The installer: right, wrong and missing checksums.
machine="$(uname -m)"
archive="candor-$machine-unknown-linux-musl.tar.gz"
release="$work/releases/download/v0"
mkdir -p "$release"
tar -czf "$release/$archive" -C "$work" candor
(cd "$release" && sha256sum "$archive" > SHA256SUMS)
install() { CANDOR_RELEASES="file://$work/releases" CANDOR_VERSION=v0 CANDOR_BIN="$work/$1" sh "$here/install.sh"; }
install good
finishes "$work/good/candor"
sed -i 's/^./x/' "$release/SHA256SUMS"
if install wrong 2> "$work/said"; then fail "a wrong checksum was accepted"; fi
grep -q "checksum mismatch" "$work/said" || fail "a wrong checksum was not told"
: > "$release/SHA256SUMS"
if install none 2> "$work/said"; then fail "a missing checksum was accepted"; fi
[ ! -e "$work/wrong/candor" ] && [ ! -e "$work/none/candor" ] || fail "it was installed all the same"
echo "installer: ok"

# npm.
case "$machine" in x86_64) cpu=x64 ;; *) cpu=arm64 ;; esac
node "$here/npm/build.mjs" 0.0.1 "$work/npm" "linux-$cpu=$work/candor"
for package in "linux-$cpu" candor-engine; do
  (cd "$work/npm/$package" && npm pack --silent --pack-destination "$work" > /dev/null)
done
npm install --silent --global --prefix "$work/prefix" --omit=optional "$work"/candor-engine-[0-9]*.tgz "$work"/candor-engine-linux-*.tgz
finishes "$work/prefix/bin/candor"
code=0
(cd "$work" && "$work/prefix/bin/candor" status no_such_run) 2> /dev/null || code=$?
[ "$code" = 2 ] || fail "the exit code was $code"
echo "npm: ok"

# The wheel, from a development build: it is the packing that is tried here.
if command -v maturin > /dev/null; then
  (cd "$here/pypi" && maturin build --quiet --profile dev --out "$work/wheels")
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --no-index "$work"/wheels/candor_engine-*.whl
  finishes "$work/venv/bin/candor"
  echo "wheel: ok"
else
  echo "wheel: not tried, maturin is not on the PATH"
fi
