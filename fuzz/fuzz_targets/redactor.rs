//! Any text, and any JSON: redacting twice changes nothing more, and no known secret is left.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_testkit::fuzzing::redactor(data));
