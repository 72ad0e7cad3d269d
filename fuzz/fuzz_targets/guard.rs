//! Any text as a request or an agent's answer: examined for orders to models, never a panic.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = candor_language::guard::examine(&String::from_utf8_lossy(data), None);
});
