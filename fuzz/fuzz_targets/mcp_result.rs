//! Any bytes as what an MCP server answers: read or refused, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| candor_tools::fuzzing::mcp_result(data));
