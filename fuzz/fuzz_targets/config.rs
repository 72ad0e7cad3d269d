//! Any text as a configuration: read or refused with its place, never a panic.

#![no_main]

use candor_app::config::Config;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("candor.toml");
    if std::fs::write(&path, data).is_ok()
        && let Err(error) = Config::load(Some(&path))
    {
        assert!(error.message.contains("candor.toml"), "{}", error.message);
    }
});
