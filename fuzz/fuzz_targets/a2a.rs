//! Any bytes as an A2A card and as a stream of events: read or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_agents::fuzzing::a2a(data));
