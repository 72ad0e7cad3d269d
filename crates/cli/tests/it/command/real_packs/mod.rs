//! Packs that work on a person's own files, from a folder with nothing of Candor's in it.

mod data;
mod programs;
mod repo;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Candor, Events};

/// The last value of an output, whichever task gave it.
pub(super) fn output<'e>(events: &'e Events, name: &str) -> &'e Value {
    let feedback = events.report()["result"]["feedback"].as_array().unwrap();
    feedback.iter().rev().find_map(|it| it["actual_outputs"].get(name)).unwrap_or(&Value::Null)
}

/// The text of the report that a run wrote.
pub(super) fn report(candor: &Candor, events: &Events) -> String {
    fs::read_to_string(candor.path(output(events, "report_file").as_str().unwrap())).unwrap()
}

pub(super) fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
