//! Tests that cannot run on this machine: reported, so that they do not count as passed in silence.
//!
//! The test harness of Rust has no result "did not run" that is decided at run time. A test that lacks its model,
//! its peer or a permission calls [`skipped`] and returns; `cargo xtask verify` sets [`LIST_VARIABLE`], and shows
//! at its end what stands in that file.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// The variable that names the file to which a line is appended for each test that did not run.
pub const LIST_VARIABLE: &str = "CANDOR_TEST_SKIPS";

/// Reports that the calling test, or a part of it, does not run here, and why.
///
/// Call it on the thread of the test: its name is the name of the test.
pub fn skipped(why: impl Display) {
    eprintln!("skipped: {why}");
    if let Some(file) = std::env::var_os(LIST_VARIABLE) {
        let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
        let thread = std::thread::current();
        let line = line(&package, thread.name().unwrap_or("?"), &why.to_string());
        if let Err(error) = append(Path::new(&file), &line) {
            eprintln!("{} cannot be written: {error}", file.display());
        }
    }
}

/// What was found; where it was not, the calling test is reported as skipped.
pub fn or_skipped<T, E: Display>(found: Result<T, E>) -> Option<T> {
    found.inspect_err(|why| skipped(why)).ok()
}

/// Package, test and reason, parted by tabs. The reason is one line: a line is a test.
fn line(package: &str, test: &str, why: &str) -> String {
    let why: Vec<&str> = why.split_whitespace().collect();
    format!("{package}\t{test}\t{}\n", why.join(" "))
}

/// One write to the end: tests of several processes append at the same time.
fn append(file: &Path, line: &str) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_of_several_lines_stays_one_line_and_lines_are_appended() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("skips");
        append(&file, &line("candor-llm", "chat_smol::answers", "no model:\n\tfetch it")).unwrap();
        append(&file, &line("candor-tools", "servers::time", "no peers")).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            text,
            "candor-llm\tchat_smol::answers\tno model: fetch it\ncandor-tools\tservers::time\tno peers\n"
        );
    }
}
