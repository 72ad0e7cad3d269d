//! The installation's own key for the tags of what was redacted: the same value has the same tag as long as it is kept.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;

type Key = [u8; 16];

/// The key of this process where no data folder has one yet. Words are redacted before the first run makes the folder: with another key
/// afterwards, equal values would have different tags in the first run and in all others.
static NEW: OnceLock<Key> = OnceLock::new();

/// The key of a data folder, or what will be its key once there is a folder.
pub(crate) fn of(folder: &Path) -> Key {
    kept(folder).unwrap_or_else(|| {
        keep(folder);
        // Another process may have been first.
        kept(folder).unwrap_or_else(of_process)
    })
}

/// Keeps a key in a data folder that has none. Where that fails, tags hold for this process only: nothing depends on more.
pub(crate) fn keep(folder: &Path) {
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path(folder));
    let _ = file.and_then(|mut file| file.write_all(&of_process()));
}

fn path(folder: &Path) -> std::path::PathBuf {
    folder.join("redaction.key")
}

fn kept(folder: &Path) -> Option<Key> {
    let mut key = Key::default();
    fs::File::open(path(folder)).and_then(|mut file| file.read_exact(&mut key)).is_ok().then_some(key)
}

fn of_process() -> Key {
    *NEW.get_or_init(|| {
        let mut key = Key::default();
        let _ = fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut key));
        key
    })
}
