//! The installation's own key for the tags of what was redacted: the same value has the same tag as long as it is kept.

use std::fs;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::OnceLock;

use candor_ports::private;

type Key = [u8; 16];

/// The key of this process where no data folder has one yet. Words are redacted before the first run makes the folder: with another key
/// afterwards, equal values would have different tags in the first run and in all others.
static NEW: OnceLock<Key> = OnceLock::new();

/// The key of a data folder, or what will be its key once there is a folder.
pub(crate) fn of(folder: &Path) -> Key {
    kept(folder).or_else(|| settled(folder).ok()).unwrap_or_else(of_process)
}

/// Keeps a key in a data folder that has none. Where that fails, tags hold for this process only: nothing depends on more.
pub(crate) fn keep(folder: &Path) {
    let _ = of(folder);
}

fn path(folder: &Path) -> std::path::PathBuf {
    folder.join("redaction.key")
}

/// The key that is there and whole. Looking takes no lock, so that it also works where nothing may be written.
fn kept(folder: &Path) -> Option<Key> {
    read(&mut fs::File::open(path(folder)).ok()?)
}

fn read(file: &mut fs::File) -> Option<Key> {
    let mut key = Key::default();
    file.read_exact(&mut key).is_ok().then_some(key)
}

/// The key of the folder, written if there is none. A file that is not whole yet is being written by another process,
/// which holds the lock until it is; without one it was killed meanwhile, and the key is written anew.
fn settled(folder: &Path) -> io::Result<Key> {
    let mut options = fs::OpenOptions::new();
    let mut file =
        options.read(true).write(true).create(true).truncate(false).mode(private::FILE).open(path(folder))?;
    file.lock()?;
    if let Some(key) = read(&mut file) {
        return Ok(key);
    }
    file.rewind()?;
    let key = of_process();
    file.write_all(&key)?;
    Ok(key)
}

fn of_process() -> Key {
    *NEW.get_or_init(|| {
        let mut key = Key::default();
        let _ = fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut key));
        key
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_another_process_is_just_writing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let mut other = fs::File::create(path(folder.path())).unwrap();
        other.lock().unwrap();
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| of(folder.path()));
            std::thread::sleep(std::time::Duration::from_millis(100));
            other.write_all(&[9; 5]).unwrap();
            other.write_all(&[9; 11]).unwrap();
            other.unlock().unwrap();
            assert_eq!(asked.join().unwrap(), [9; 16]);
        });
    }

    #[test]
    fn a_key_of_which_a_killed_process_wrote_a_part_is_written_anew_and_then_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(path(folder.path()), [9; 5]).unwrap();
        let key = of(folder.path());
        assert_eq!(fs::read(path(folder.path())).unwrap(), key);
        fs::write(path(folder.path()), [7; 16]).unwrap();
        keep(folder.path());
        assert_eq!(of(folder.path()), [7; 16]);
    }

    #[test]
    fn a_folder_that_is_not_there_is_not_made() {
        let folder = tempfile::tempdir().unwrap().path().join("data");
        assert_eq!(of(&folder), of_process());
        assert!(!folder.exists());
    }
}
