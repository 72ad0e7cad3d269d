//! Any bytes as a damaged log: repaired or refused, and what is saved can be read; never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_testkit::fuzzing::repair(data));
