//! Any bytes as lines on the bus between agents: read or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_agents::fuzzing::bus_message(data));
