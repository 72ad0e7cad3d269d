//! What the words of a task tell of its files, its tools, its criterion and its size.

use std::collections::BTreeSet;

use candor_model::SubTask;
use candor_text::{Rule, Word};

/// Ends of names by which a file is recognised.
const ENDINGS: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "json", "jsonl", "toml", "yaml", "yml", "md", "txt", "csv",
    "tsv", "html", "css", "scss", "sql", "sh", "go", "java", "kt", "c", "cc", "cpp", "h", "hpp", "rb", "php",
    "xml", "pdf", "png", "jpg", "svg", "log", "lock", "ini", "cfg", "conf", "ipynb", "xlsx", "docx", "proto",
];

/// Folders with which a path begins that has no ending.
const ROOTS: &[&str] = &[
    "src", "lib", "app", "apps", "crates", "packages", "tests", "test", "docs", "scripts", "config", ".",
    "..",
];

/// The tools that words speak of. A cue that ends in `*` is the beginning of a word.
const TOOLS: &[(&str, &[&str])] = &[
    (
        "read",
        &[
            "read*", "open", "load*", "review*", "inspect*", "analy*", "summar*", "extract*", "lee", "leer",
            "revis*", "analiz*", "resum*",
        ],
    ),
    (
        "search",
        &[
            "search*",
            "find*",
            "look",
            "recommend*",
            "compare*",
            "locate",
            "list*",
            "busca*",
            "encuentra*",
            "encontrar",
            "compara*",
            "recomienda*",
        ],
    ),
    (
        "write",
        &[
            "write*",
            "creat*",
            "add*",
            "implement*",
            "edit*",
            "updat*",
            "draft*",
            "generat*",
            "fix*",
            "refactor*",
            "renam*",
            "document*",
            "prepar*",
            "escrib*",
            "crea*",
            "actualiz*",
            "redact*",
            "añad*",
        ],
    ),
    (
        "run",
        &[
            "run*",
            "test*",
            "execut*",
            "validat*",
            "verif*",
            "check*",
            "comput*",
            "calculat*",
            "build*",
            "deploy*",
            "compil*",
            "migrat*",
            "ejecut*",
            "prueba*",
            "valid*",
            "comprueb*",
            "comprobar",
            "calcul*",
        ],
    ),
    (
        "http",
        &[
            "http*",
            "download*",
            "fetch*",
            "url*",
            "website*",
            "book*",
            "order*",
            "pay*",
            "send*",
            "reserv*",
            "descarg*",
            "compra*",
            "envía*",
            "enviar",
        ],
    ),
    ("ask", &["ask*", "confirm*", "approv*", "interview*", "pregunt*", "confirma*", "aprob*"]),
];

/// Programs that check something by themselves.
const CHECKERS: &[&str] = &[
    "cargo test",
    "cargo clippy",
    "cargo check",
    "npm test",
    "npm run lint",
    "pytest",
    "go test",
    "make test",
    "mypy",
    "ruff check",
    "eslint",
    "tsc",
];

/// Words that say that a file comes into being.
const MAKING: &[&str] =
    &["write*", "creat*", "generat*", "save*", "add*", "escrib*", "crea*", "gener*", "guard*"];

/// The files that a text names, in its order.
#[must_use]
pub fn files_in(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let marks = |c: char| {
        matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | ',' | ';' | ':' | '«' | '»' | '!' | '?')
    };
    let names =
        text.split_whitespace().map(|word| word.trim_matches(marks).trim_end_matches(['.', ',', ';']));
    names.filter(|name| is_file(name)).filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

fn is_file(name: &str) -> bool {
    if name.contains("://") || name.starts_with("www.") || name.contains('@') {
        return false;
    }
    let is_plain =
        name.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '*' | '~'));
    let last = name.rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let has_ending = ending.is_some_and(|ending| ENDINGS.contains(&ending));
    let root = name.split_once('/').map(|(root, _)| root);
    is_plain && (has_ending || root.is_some_and(|root| ROOTS.contains(&root)))
}

/// The tools that a task's words speak of, at least one.
#[must_use]
pub fn tools_for(text: &str) -> Vec<String> {
    let found = TOOLS.iter().filter(|(_, cues)| has_word(text, cues)).map(|(tool, _)| (*tool).to_owned());
    let found: Vec<String> = found.collect();
    if found.is_empty() { vec!["read".to_owned()] } else { found }
}

/// How to tell that a task succeeded, in the language that the validation understands.
#[must_use]
pub fn criterion_for(task: &SubTask) -> Option<String> {
    let text = task.description.as_str();
    if let Some(checker) = checker_in(text) {
        return Some(format!("command: {checker}"));
    }
    let files = if has_word(text, MAKING) { files_in(text) } else { Vec::new() };
    if let ([file], false) = (files.as_slice(), files.iter().any(|file| file.contains('*'))) {
        return Some(format!("file exists: {file}"));
    }
    let named: Vec<&str> = task.expected_outputs.iter().map(String::as_str).collect();
    match named.as_slice() {
        [] => None,
        names if names.iter().all(|name| is_made_up(name)) => Some("outputs not empty".to_owned()),
        names => Some(format!("outputs expected: {}", names.join(", "))),
    }
}

/// Whether we made the name of an output up ourselves: it is nothing to hold an agent to.
#[must_use]
pub fn is_made_up(name: &str) -> bool {
    name.strip_prefix("output_").is_some_and(|n| n.parse::<usize>().is_ok())
}

/// The program that a text says to run as its check.
fn checker_in(text: &str) -> Option<&'static str> {
    let line = format!(" {} ", text.to_lowercase().replace(['`', '"', '\'', ',', ';', '(', ')'], " "));
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!(" {} ", line.trim_end_matches('.'));
    CHECKERS.iter().find(|checker| line.contains(&format!(" {checker} "))).copied()
}

/// What a task will probably take, in tokens: its words, and a share for each thing it reads or makes.
#[must_use]
pub fn tokens_for(task: &SubTask, files: usize) -> u32 {
    let words = task.description.as_str().split_whitespace().count();
    let things = 80 * task.expected_outputs.len() + 60 * task.dependencies.len() + 20 * task.inputs.len();
    u32::try_from(150 + 5 * words + 120 * files + things).unwrap_or(u32::MAX)
}

/// Whether a text has one of these words, in any case. A cue that ends in `*` is the beginning of a word.
#[must_use]
pub fn has_word(text: &str, cues: &[&str]) -> bool {
    let text = text.to_lowercase();
    Rule::Hyphenated.split(&text).any(|Word { text: word, .. }| {
        cues.iter()
            .any(|cue| cue.strip_suffix('*').map_or(word == *cue, |beginning| word.starts_with(beginning)))
    })
}
