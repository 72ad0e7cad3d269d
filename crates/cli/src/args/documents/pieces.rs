//! The other pieces of code in the documents: packs are loaded, JSON is read, Python is compiled.

use std::fs;
use std::process::{Command, Stdio};

use super::{blocks, documents};

/// The least that a pack has; the pieces add to it.
const PACK: &str = "name = \"party\"\ndescription = \"Parties\"\ngoal_type = \"party\"\nkeywords = [\"party\"]\n\
    [[categories]]\nname = \"venue\"\n";

#[test]
fn every_piece_of_a_pack_in_the_documents_can_be_loaded() {
    // spec: findings UX-09
    let mut read = 0;
    for (name, text) in documents() {
        for (start, block) in blocks(&text, "toml,pack") {
            let pack = candor_phases::Pack::from_toml(&format!("{PACK}{block}"));
            assert!(pack.is_ok(), "{name}, block at line {start}: {:?}\n{block}", pack.err());
            read += 1;
        }
    }
    assert!(read > 3, "only {read} packs were found");
}

#[test]
fn every_piece_of_json_in_the_documents_can_be_read() {
    // spec: findings UX-09
    let mut read = 0;
    for (name, text) in documents() {
        for (start, block) in blocks(&text, "json") {
            let value: Result<serde_json::Value, _> = serde_json::from_str(&block);
            assert!(value.is_ok(), "{name}, block at line {start}: {:?}\n{block}", value.err());
            read += 1;
        }
    }
    assert!(read >= 3, "only {read} pieces were found");
}

#[test]
fn every_piece_of_python_in_the_documents_compiles() {
    // spec: findings UX-09
    let folder = tempfile::tempdir().unwrap();
    let mut read = 0;
    for (name, text) in documents() {
        for (start, block) in blocks(&text, "python") {
            let path = folder.path().join("piece.py");
            fs::write(&path, &block).unwrap();
            let mut python = Command::new("python3");
            let said = python.args(["-m", "py_compile"]).arg(&path).stdin(Stdio::null()).output().unwrap();
            assert!(
                said.status.success(),
                "{name}, block at line {start}: {}\n{block}",
                String::from_utf8_lossy(&said.stderr)
            );
            read += 1;
        }
    }
    assert!(read >= 1, "no piece was found");
}

#[test]
fn every_block_of_code_in_the_documents_is_of_a_kind_that_is_checked() {
    // spec: findings UX-09
    // `rust` is compiled as a doctest of the engine, `toml,cases` is tried by a test of the command, `text` is no code.
    const CHECKED: [&str; 8] = ["sh", "toml", "toml,pack", "toml,cases", "json", "python", "rust", "text"];
    for (name, text) in documents() {
        let mut inside = false;
        for (number, line) in (1..).zip(text.lines()) {
            let Some(info) = line.trim_start().strip_prefix("```") else { continue };
            inside = !inside;
            assert!(
                !inside || CHECKED.contains(&info.trim()),
                "{name}, line {number}: `{info}` is not checked"
            );
        }
    }
}
