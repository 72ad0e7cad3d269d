//! The rule that texts for people use the field's established words.
//!
//! Looked at are the documents, the help texts and the catalogues of sentences; identifiers and tests are not.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::problem::Problem;
use super::source::Source;

/// What is not said, and what is said in its place.
const WORDS: [(&str, &str); 33] = [
    ("kept for good", "recorded permanently"),
    ("agents elsewhere", "remote agents"),
    ("submitted elsewhere", "remote task … submitted"),
    ("left in peace", "circuit open"),
    ("stand ready", "pre-warmed"),
    ("speaks openai's form", "OpenAI-compatible"),
    ("a run anew", "restart a run"),
    ("can do no harm", "in a sandbox"),
    ("world of its own", "sandboxed"),
    ("run_ and some letters", "[default: generated]"),
    ("at most so many", "maximum number of …"),
    ("may this plan run", "approve this plan?"),
    ("guidance is awaited", "waiting for your input"),
    ("gave less than", "degraded"),
    ("less than usual", "degraded mode"),
    ("changed anything in the world", "no side effects recorded"),
    ("nobody is there to be asked", "unattended"),
    ("as is done then", "used default …"),
    ("made good by", "recovered by"),
    ("nobody drives", "no active driver"),
    ("can be relied on to", "confidence"),
    ("is none of these", "invalid choice"),
    ("what stands here", "values shown"),
    ("your leave", "require approval"),
    ("goes round in circles", "loop detected"),
    ("takes it up again", "resumes it"),
    ("eight rooms", "eight phases"),
    ("the staff", "the agent registry"),
    ("works a list of steps off", "works through a list of steps"),
    ("be asked by others", "serve"),
    ("rule-based twin", "rule-based fallback"),
    ("the house's", "the project's"),
    ("if not said", "if unset"),
];

/// Files of code whose texts people read: help texts and catalogues.
fn is_for_people(path: &str) -> bool {
    [
        "crates/cli/src/args/",
        "crates/cli/src/view/words/",
        "crates/planning/src/texts/",
        "crates/projections/src/words",
    ]
    .iter()
    .any(|start| path.starts_with(start))
}

/// The words of one file of code.
pub(super) fn check(source: &Source) -> Vec<Problem> {
    if !is_for_people(&source.path) {
        return Vec::new();
    }
    found(&source.path, &source.text)
}

/// The words of the documents and of the example of a configuration.
pub(super) fn check_documents(root: &Path) -> Result<Vec<Problem>> {
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "candor.example.toml"]
            .map(str::to_owned)
            .to_vec();
    for entry in fs::read_dir(root.join("docs"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    let mut problems = Vec::new();
    for name in names {
        problems.extend(found(&name, &fs::read_to_string(root.join(&name)).unwrap_or_default()));
    }
    Ok(problems)
}

fn found(path: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.to_lowercase();
        for (word, better) in WORDS.iter().filter(|(word, _)| line.contains(word)) {
            problems.push(Problem::at(path, number, format!("say `{better}`, not `{word}`")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures::source;
    use super::*;

    #[test]
    fn odd_words_are_found_in_texts_for_people_only() {
        let text = "/// Maximum number of runs\n/// At most so many\n";
        let problems = check(&source("crates/cli/src/args/list.rs", text));
        assert_eq!(problems.len(), 1);
        assert!(problems.first().is_some_and(|it| it.to_string().contains("maximum number of")));
        assert!(check(&source("crates/engine/src/decide.rs", text)).is_empty());
    }
}
