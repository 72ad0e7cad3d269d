//! The program that libFuzzer drives: one for all targets, since linking all of Candor fifteen times would take longer than
//! fuzzing it. `CANDOR_FUZZ` names the target.

#![no_main]
#![allow(clippy::panic, reason = "a fuzzer without a target must stop")]

use std::sync::LazyLock;

use candor_fuzz::{TARGETS, Target};

/// The target that the environment names.
static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("CANDOR_FUZZ").unwrap_or_default();
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("CANDOR_FUZZ names no target: `{name}`")).1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
