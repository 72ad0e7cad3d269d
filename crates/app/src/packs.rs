//! The packs: those that come with Candor, and those in the folders that the configuration names.

use std::path::{Path, PathBuf};

use candor_phases::Pack;
use candor_phases::pack::RECOVERY_FILE;

use crate::config::Config;
use crate::error::AppError;

/// The file that describes a pack.
const PACK_FILE: &str = "pack.toml";

/// A pack and where its files are.
pub struct FoundPack {
    /// The pack.
    pub pack: Pack,
    files: Files,
}

enum Files {
    /// They are part of the program.
    BuiltIn(&'static [(&'static str, &'static str)]),
    /// They are in a folder.
    Folder(PathBuf),
}

/// The files of the general pack.
const GENERAL: &[(&str, &str)] = &[(PACK_FILE, include_str!("../../../packs/general/pack.toml"))];

/// The packs that come with Candor.
const BUILT_IN: [(&str, &[(&str, &str)]); 2] = [("travel", TRAVEL), ("general", GENERAL)];

/// The files of the travel pack.
const TRAVEL: &[(&str, &str)] = &[
    (PACK_FILE, include_str!("../../../packs/travel/pack.toml")),
    (RECOVERY_FILE, include_str!("../../../packs/travel/recovery.toml")),
    ("flights.json", include_str!("../../../packs/travel/flights.json")),
    ("hotels.json", include_str!("../../../packs/travel/hotels.json")),
    ("activities.json", include_str!("../../../packs/travel/activities.json")),
    ("transport.json", include_str!("../../../packs/travel/transport.json")),
];

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

    /// Where it comes from, for people.
    pub fn source(&self) -> String {
        match &self.files {
            Files::BuiltIn(_) => "comes with Candor".to_owned(),
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
    for (name, files) in BUILT_IN {
        if packs.iter().any(|found: &FoundPack| found.pack.name == name) {
            continue;
        }
        let text = |file: &str| files.iter().find(|(known, _)| *known == file).map(|(_, text)| *text);
        let own = text(PACK_FILE).unwrap_or_default();
        let pack = read(own, text(RECOVERY_FILE), &format!("the {name} pack: "))?;
        packs.push(FoundPack { pack, files: Files::BuiltIn(files) });
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
