#!/bin/sh
# Compiles a crate of this workspace so that it reports to libFuzzer which code was reached and what was compared. Cargo calls it
# for the crates of the workspace and for nothing else (RUSTC_WORKSPACE_WRAPPER); the flags are those of cargo-fuzz without
# sanitizers, which need another toolchain.
case " $* " in
  *" --crate-name "*)
    exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
      -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
      -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0 ;;
  *) exec "$@" ;;
esac
