//! Any bytes as the body of an agent behind HTTP: read or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_agents::fuzzing::http_answer(data));
