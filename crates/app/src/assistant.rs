//! What the hook of a coding assistant keeps between its calls: one line of JSON per event, in the data folder.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use candor_planning::trust::{TrustEntry, TrustRecord};
use candor_ports::private;
use candor_text::both;

use crate::{AppError, DataFolder};

/// When there are more entries, the older half is dropped: what happened long ago says little of today.
const MOST_ENTRIES: usize = 4_000;

impl DataFolder {
    fn trust_path(&self) -> std::path::PathBuf {
        self.path().join("trust.jsonl")
    }

    /// What the assistant's sessions came to so far. Lines that nobody can read count for nothing.
    #[must_use]
    pub fn trust(&self) -> TrustRecord {
        TrustRecord::of(&self.trust_entries())
    }

    fn trust_entries(&self) -> Vec<TrustEntry> {
        let text = std::fs::read_to_string(self.trust_path()).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Keeps one event. Several sessions may do so at once: a line is written in one piece.
    pub fn note_trust(&self, entry: &TrustEntry) -> Result<(), AppError> {
        let path = self.trust_path();
        let failed = |error| {
            let path = path.display();
            AppError::failed(both!("could not write {path}: {error}", "no se pudo escribir {path}: {error}"))
        };
        private::create_dir_all(self.path()).map_err(failed)?;
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(private::FILE)
            .open(self.trust_path())
            .map_err(failed)?;
        file.write_all(line(entry).as_bytes()).map_err(failed)?;
        let entries = self.trust_entries();
        if entries.len() > MOST_ENTRIES {
            let kept: String = entries.iter().skip(MOST_ENTRIES / 2).map(line).collect();
            let beside = self.path().join("trust.jsonl.new");
            private::write(&beside, kept)
                .and_then(|()| std::fs::rename(&beside, self.trust_path()))
                .map_err(failed)?;
        }
        Ok(())
    }

    /// Forgets all of it.
    pub fn forget_trust(&self) -> Result<(), AppError> {
        match std::fs::remove_file(self.trust_path()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let path = self.trust_path();
                let path = path.display();
                Err(AppError::failed(both!(
                    "could not remove {path}: {error}",
                    "no se pudo borrar {path}: {error}"
                )))
            }
            _ => Ok(()),
        }
    }
}

fn line(entry: &TrustEntry) -> String {
    serde_json::to_string(entry).map(|line| line + "\n").unwrap_or_default()
}
