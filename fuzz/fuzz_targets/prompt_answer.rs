//! Any text as a model's answer: read, repaired or refused within its bounds, never a panic; what was repaired is JSON.

#![no_main]

use candor_llm::json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(read) = json::read(&text) {
        let written = read.value.to_string();
        // Numbers beyond what JSON can hold are the one thing that may change.
        assert!(json::read(&written).is_ok(), "{written}");
    }
    let _ = json::read_strict(&text);
});
