//! What stands in the way of the phases after this one: a file that the request works from and that is not there.
//!
//! A file that the request names may also be one to write. Only where the words before its name say that it is read, its
//! absence blocks; in doubt the run goes on, and says that the file could not be read.

use candor_model::ReadFile;
use candor_text::fold;

use crate::PhaseContext;

/// Words between a verb or preposition and the name of a file.
const FILLERS: &[&str] = &[
    "the", "a", "an", "file", "files", "attached", "our", "my", "this", "el", "la", "los", "las", "archivo",
    "fichero", "mi", "nuestro", "adjunto", "both", "and", "y", "e",
];
/// After these words, what is named is read.
const READ: &[&str] = &[
    "read",
    "open",
    "load",
    "parse",
    "summarise",
    "summarize",
    "review",
    "analyse",
    "analyze",
    "translate",
    "proofread",
    "inspect",
    "compare",
    "transcribe",
    "import",
    "debug",
    "fix",
    "refactor",
    "from",
    "using",
    "lee",
    "leer",
    "abre",
    "resume",
    "revisa",
    "analiza",
    "traduce",
    "corrige",
    "compara",
    "desde",
    "usando",
    "segun",
];
/// After these words too, unless something is written.
const PERHAPS_READ: &[&str] = &["in", "of", "with", "against", "to", "en", "de", "con", "contra"];
/// Words of a clause that writes something.
const WRITE: &[&str] = &[
    "write", "save", "store", "put", "create", "generate", "export", "record", "document", "append", "add",
    "output", "convert", "copy", "rename", "move", "escribe", "guarda", "crea", "genera", "exporta", "anota",
    "copia", "anade",
];

/// The files that the request works from and that are not there, a line each.
pub(super) fn missing(cx: &PhaseContext<'_>, files: &[String]) -> Vec<String> {
    let absent = |file: &&ReadFile| file.text.is_err() && file.modified.is_none();
    let absent = files.iter().filter_map(|path| cx.files.get(path)).filter(absent);
    let needed = absent.filter(|file| is_read(cx.request, &file.path));
    let line = |file: &ReadFile| {
        let why = file.text.as_ref().err().map(String::as_str).unwrap_or_default();
        format!("the request works from {}, and that cannot be read: {why}", file.path)
    };
    needed.map(line).collect()
}

/// Whether the words before a file's name say that it is read.
fn is_read(request: &str, path: &str) -> bool {
    let Some(at) = request.find(path) else { return false };
    let before = request.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', ';', '!', '?']).map_or(0, |at| at + 1);
    let sentence = before.get(start..).unwrap_or_default();
    let sentence = sentence.rsplit(". ").next().unwrap_or_default();
    let words: Vec<String> = sentence.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let is_file = |word: &String| word.contains('.');
    let telling = words.iter().rev().find(|word| !FILLERS.contains(&word.as_str()) && !is_file(word));
    let writes = words.iter().any(|word| WRITE.contains(&word.as_str()));
    telling
        .is_some_and(|word| READ.contains(&word.as_str()) || !writes && PERHAPS_READ.contains(&word.as_str()))
}

fn bare(word: &str) -> String {
    fold(word.trim_matches(|letter: char| !letter.is_alphanumeric())).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_is_told_from_one_that_is_written() {
        for (request, path) in [
            ("Summarise notes.txt for the board", "notes.txt"),
            ("Write a report from the file `data/rows.csv`", "data/rows.csv"),
            ("Compare old.json and new.json", "new.json"),
            ("Count the ferns in specimens.csv", "specimens.csv"),
            ("Buy milk. Traduce el archivo carta.md al inglés", "carta.md"),
        ] {
            assert!(is_read(request, path), "{request}");
        }
        for (request, path) in [
            ("Write the findings to report.md", "report.md"),
            ("Save the birds in birds.csv", "birds.csv"),
            ("Create report.md", "report.md"),
            ("Escribe un resumen en resumen.md", "resumen.md"),
            ("notes.txt", "notes.txt"),
        ] {
            assert!(!is_read(request, path), "{request}");
        }
    }
}
