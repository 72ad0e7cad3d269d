//! The packs: those that come with Candor, and those in the folders that the configuration names.

use std::io;
use std::path::{Path, PathBuf};

use candor_phases::Pack;
use candor_phases::pack::RECOVERY_FILE;
use candor_ports::private;
use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::data::DataFolder;
use crate::error::AppError;

/// The file that describes a pack.
const PACK_FILE: &str = "pack.toml";

/// A pack and where its files are.
#[derive(Clone)]
pub struct FoundPack {
    /// Pack as it was read.
    pub pack: Pack,
    files: Files,
}

#[derive(Clone)]
enum Files {
    /// They are part of the program.
    BuiltIn(&'static [BuiltInFile]),
    /// They are in a folder.
    Folder(PathBuf),
}

/// A file that is part of the program: its name and its text.
type BuiltInFile = (&'static str, &'static str);

/// The files of a pack that comes with Candor.
macro_rules! built_in {
    ($pack:literal: $($file:literal),+ $(,)?) => {
        &[$(($file, include_str!(concat!("../../../packs/", $pack, "/", $file)))),+]
    };
}

/// The packs that come with Candor.
const BUILT_IN: &[&[BuiltInFile]] = &[
    built_in!("travel": "pack.toml", "recovery.toml", "flights.json", "hotels.json", "activities.json", "transport.json", "cases.toml"),
    built_in!("general": "pack.toml"),
    built_in!(
        "data": "pack.toml", "cases.toml", "data.py", "tables.py", "columns.py", "request.py", "compute.py", "charts.py", "report.py", "verify.py",
    ),
    built_in!(
        "repo": "pack.toml", "cases.toml", "repo.py", "tree.py", "leaks.py", "survey.py", "checks.py", "findings.py", "verify.py",
    ),
];

/// Where the files of a pack are for programs: in its folder, or in the data folder once they are written there.
#[derive(Clone)]
pub(crate) struct PackFiles {
    files: Files,
    /// Where those of a built-in pack are written; the name has the digest of their content.
    written: PathBuf,
}

impl PackFiles {
    /// The folder with the files. Those of a built-in pack are written if they are not there as they should be.
    pub(crate) fn place(&self) -> io::Result<PathBuf> {
        let files = match &self.files {
            Files::Folder(folder) => return std::fs::canonicalize(folder),
            Files::BuiltIn(files) => files,
        };
        private::create_dir_all(&self.written)?;
        for (name, text) in *files {
            let path = self.written.join(name);
            if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
                continue;
            }
            // Another process may read or write the same file now: it is never there in part.
            let part = self.written.join(format!("{name}.{}.part", std::process::id()));
            private::write(&part, text)?;
            std::fs::rename(&part, &path)?;
        }
        std::fs::canonicalize(&self.written)
    }
}

impl FoundPack {
    /// The text of one of the pack's files.
    pub fn file(&self, name: &str) -> Option<String> {
        match &self.files {
            Files::BuiltIn(files) => {
                files.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
            }
            // A pack reads its own folder and nothing else.
            Files::Folder(folder) if is_plain(name) => std::fs::read_to_string(folder.join(name)).ok(),
            Files::Folder(_) => None,
        }
    }

    /// Its files as programs find them.
    pub(crate) fn files_in(&self, data: &DataFolder) -> PackFiles {
        let mut digest = Sha256::new();
        if let Files::BuiltIn(files) = &self.files {
            for (name, text) in *files {
                digest.update(name);
                digest.update([0]);
                digest.update(text);
                digest.update([0]);
            }
        }
        let digest: String = candor_model::hex(digest.finalize().iter().take(8));
        let written = data.packs().join(format!("{}-{digest}", self.pack.name));
        PackFiles { files: self.files.clone(), written }
    }

    /// Where it comes from, for people.
    pub fn source(&self) -> String {
        match &self.files {
            Files::BuiltIn(_) => say!("comes with Candor", "viene con Candor"),
            Files::Folder(folder) => folder.display().to_string(),
        }
    }
}

fn is_plain(name: &str) -> bool {
    Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Finds all packs; one of the configuration's takes the place of one of ours with the same name.
pub(crate) fn find(config: &Config) -> Result<Vec<FoundPack>, AppError> {
    let mut packs = Vec::new();
    for folder in &config.packs.folders {
        let folder = config.folder.join(folder);
        let text = crate::config::read_text(&folder.join(PACK_FILE))?;
        let rules = folder.join(RECOVERY_FILE);
        let rules = rules.exists().then(|| crate::config::read_text(&rules)).transpose()?;
        let shown = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        packs.push(FoundPack { pack: read(&text, rules.as_deref(), &shown)?, files: Files::Folder(folder) });
    }
    for files in BUILT_IN {
        let text = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        let name = text(PACK_FILE).unwrap_or_default();
        let pack = read(name, text(RECOVERY_FILE), recorded!("a pack that comes with Candor: "))?;
        if !packs.iter().any(|found| found.pack.name == pack.name) {
            packs.push(FoundPack { pack, files: Files::BuiltIn(files) });
        }
    }
    Ok(packs)
}

/// Reads a pack and the rules beside it; an error names the file.
fn read(text: &str, rules: Option<&str>, shown: &str) -> Result<Pack, AppError> {
    let at = |file: &str, error| AppError::usage(format!("{shown}{file}: {error}"));
    let pack = Pack::from_toml(text).map_err(|error| at(PACK_FILE, error))?;
    match rules {
        Some(rules) => pack.with_recovery(rules).map_err(|error| at(RECOVERY_FILE, error)),
        None => Ok(pack),
    }
}
