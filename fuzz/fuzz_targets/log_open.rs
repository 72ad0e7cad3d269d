//! Any bytes as a log on the disk: opened, opened up to the damage, or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_testkit::fuzzing::log_open(data));
