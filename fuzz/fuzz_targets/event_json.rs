//! Any bytes as an event in JSON: read or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_testkit::fuzzing::event_json(data));
