//! Files and folders that only their owner may read, whatever the umask.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The mode of folders.
pub const FOLDER: u32 = 0o700;
/// The mode of files.
pub const FILE: u32 = 0o600;

/// Makes a folder and those above it that are missing.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)
}

/// Opens an empty file for writing.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(FILE).open(path)
}

/// Writes a whole file.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    create(path)?.write_all(content.as_ref())
}

/// Takes a file or folder away from everyone but its owner; says whether others could use it before.
pub fn restrict(path: &Path) -> io::Result<bool> {
    let metadata = path.symlink_metadata()?;
    if metadata.is_symlink() || metadata.permissions().mode() & 0o077 == 0 {
        return Ok(false);
    }
    // What its owner may do with it stays: a program stays one.
    let mode = metadata.permissions().mode() & 0o700;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
    Ok(true)
}

/// How many entries are looked at, so that no start takes long; what is in a restricted folder is out of reach anyway.
const MOST_ENTRIES: usize = 10_000;

/// Restricts a folder and what is directly in it and, if it was open, everything below; says whether anything was open.
pub fn restrict_all(folder: &Path) -> io::Result<bool> {
    let was_open = restrict(folder)?;
    let mut any = was_open;
    let mut open = vec![folder.to_owned()];
    let mut seen = 0_usize;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)?.flatten() {
            seen = seen.saturating_add(1);
            if seen > MOST_ENTRIES {
                return Ok(any);
            }
            // What others removed meanwhile needs no care.
            any |= restrict(&entry.path()).unwrap_or(false);
            if was_open && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
    Ok(any)
}
