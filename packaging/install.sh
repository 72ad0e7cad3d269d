#!/bin/sh
# Installs the command `candor` from a release: downloads the archive for this machine, compares its SHA-256 with the release's
# SHA256SUMS, and puts the binary into ~/.local/bin. Nothing is installed if the checksum differs or is missing.
#
#   CANDOR_VERSION   the release, such as v0.2.0 [default: the latest]
#   CANDOR_BIN       the directory for the binary [default: ~/.local/bin]
#   CANDOR_RELEASES  where releases are [default: the repository's]
set -eu

# The release workflow writes the repository in here.
repository="@REPOSITORY@"
releases="${CANDOR_RELEASES:-https://github.com/$repository/releases}"
version="${CANDOR_VERSION:-latest}"
bin="${CANDOR_BIN:-$HOME/.local/bin}"

fail() {
  echo "install: $*" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null 2>&1 || fail "$1 is needed and was not found"
}

target() {
  os="$(uname -s)" machine="$(uname -m)"
  case "$machine" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no release for $machine; build it with cargo" ;;
  esac
  case "$os" in
    Linux) echo "$machine-unknown-linux-musl" ;;
    Darwin) echo "$machine-apple-darwin" ;;
    *) fail "there is no release for $os; build it with cargo" ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "sha256sum or shasum is needed to verify the download"
  fi
}

need curl
need tar
archive="candor-$(target).tar.gz"
case "$version" in
  latest) from="$releases/latest/download" ;;
  *) from="$releases/download/$version" ;;
esac
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

curl -fsSL "$from/$archive" -o "$work/$archive" || fail "could not download $from/$archive"
curl -fsSL "$from/SHA256SUMS" -o "$work/SHA256SUMS" || fail "could not download $from/SHA256SUMS"
expected="$(grep " [*]\{0,1\}$archive\$" "$work/SHA256SUMS" | cut -d ' ' -f 1)"
[ -n "$expected" ] || fail "SHA256SUMS has no line for $archive"
actual="$(sha256 "$work/$archive")"
[ "$expected" = "$actual" ] || fail "checksum mismatch for $archive: expected $expected, got $actual"

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$bin"
# Renamed into place: a running candor keeps its own file.
cp "$work/candor" "$bin/.candor.new"
chmod 755 "$bin/.candor.new"
mv "$bin/.candor.new" "$bin/candor"
echo "installed $("$bin/candor" --version) in $bin"
case ":$PATH:" in
  *":$bin:"*) ;;
  *) echo "add $bin to your PATH, for instance: export PATH=\"$bin:\$PATH\"" ;;
esac
