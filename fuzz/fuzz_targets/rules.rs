//! Any bytes as a file of rules, in each format: read or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_testkit::fuzzing::rules(data));
