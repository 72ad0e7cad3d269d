//! Any bytes as what an agent's program prints: an answer or a failure, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_agents::fuzzing::agent_answer(data));
