//! Every key of the configuration that the program accepts is in the example, and so on the page that is made from it.
//!
//! The program itself says which keys it accepts: a key that nobody knows is refused with the names of those that it knows.

use std::collections::BTreeSet;
use std::fs;

use candor_app::config::Config;

use super::{root, section_of};

/// A key that no section has.
const UNKNOWN: &str = "zzyx";

/// Sections whose keys are names that people choose, with a name for one; and those that are lists.
const NAMED: [(&str, &str); 2] = [("models", "balanced"), ("tools.servers", "clock")];

/// Keys that the program sets itself, or that are there to be refused.
const NOT_FOR_PEOPLE: [&str; 6] = [
    // Said by [approval] allow and [code] timeout, and known from the command and the models.
    "limits.allow",
    "limits.code_timeout",
    "limits.direct",
    "limits.revise_with_model",
    // A key in the file is refused with a word on where it belongs.
    "models.balanced.api_key",
    // Candor itself.
    "tools.builtin.launcher",
];

/// The keys that a section accepts; nothing if it is no section.
fn accepted(header: &str) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("candor.toml");
    fs::write(&path, format!("{header}\n{UNKNOWN} = 1\n")).unwrap();
    let said = Config::load(Some(&path)).err()?.to_string();
    let (_, names) = said.split_once(&format!("unknown field `{UNKNOWN}`, expected "))?;
    // What follows the names is a suggestion.
    let names = names.split(';').next().unwrap_or(names);
    Some(names.split('`').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Every path of keys below a section, `prefix` included in it.
fn walk(prefix: &str, found: &mut BTreeSet<String>) {
    let header = |path: &str| match path {
        "" => String::new(),
        path => format!("[{path}]"),
    };
    let keys = accepted(&header(prefix)).or_else(|| accepted(&format!("[[{prefix}]]"))).unwrap_or_default();
    for key in keys {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        let below = NAMED.iter().find(|(section, _)| *section == path);
        match below {
            Some((section, name)) => walk(&format!("{section}.{name}"), found),
            // A list of tables below a list cannot be probed by its header alone, and has no keys of its own here.
            None if accepted(&header(&path)).is_some() || accepted(&format!("[[{path}]]")).is_some() => {
                walk(&path, found);
            }
            None => {}
        }
        found.insert(path);
    }
}

#[test]
fn every_key_that_is_accepted_is_in_the_example() {
    // spec: findings UX-10
    let mut keys = BTreeSet::new();
    walk("", &mut keys);
    assert!(keys.len() > 100, "only {} keys were found: {keys:?}", keys.len());
    let example = fs::read_to_string(root().join("candor.example.toml")).unwrap();
    let mut section = String::new();
    // Every word of a section's lines: keys stand in them with `=`, in headers, in tables in one line, and in explanations.
    let mut words: BTreeSet<(String, String)> = BTreeSet::new();
    for line in example.lines() {
        if let Some(begun) = section_of(line) {
            section = begun;
        }
        let parts = line.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        words.extend(parts.map(|word| (section.clone(), word.to_owned())));
    }
    let missing: Vec<&String> = keys
        .iter()
        .filter(|path| {
            let (section, key) = (path.split('.').next().unwrap(), path.rsplit('.').next().unwrap());
            !words.contains(&(section.to_owned(), key.to_owned())) && !NOT_FOR_PEOPLE.contains(&path.as_str())
        })
        .collect();
    assert!(missing.is_empty(), "not in candor.example.toml: {missing:#?}");
}
