//! Files that are there whole, or not at all.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use candor_ports::private;

/// Writes a file under a name of its own first, so that whoever reads never sees a part of it.
pub(super) fn write_whole(file: &Path, text: &str) -> std::io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private::create_dir_all(folder)?;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{number}.part", std::process::id()));
    let part = file.with_file_name(name);
    let written = private::write(&part, text).and_then(|()| std::fs::rename(&part, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}
