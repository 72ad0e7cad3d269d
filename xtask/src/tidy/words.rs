//! The rule that texts for people use the field's established words.
//!
//! Looked at are the documents, the help texts and the catalogues of sentences; identifiers and tests are not.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::problem::Problem;
use super::source::Source;

/// What is not said, and what is said in its place.
const WORDS: [(&str, &str); 39] = [
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
    ("in spite of it", "despite …"),
    ("nobody here can", "no agent can"),
    ("begins by the clock", "schedules"),
    ("everything that holds", "the values in effect"),
    ("only think", "dry run"),
    ("| to | say |", "| task | command |"),
];

/// Where comments are texts for people: clap makes the help of them.
const HELP: &str = "crates/cli/src/args/";

/// Where code has texts for people: catalogues, and what the command, the installation and the server say.
const SAYS: [&str; 7] = [
    "crates/cli/src/commands/",
    "crates/cli/src/drive/",
    "crates/cli/src/view/",
    "crates/app/src/",
    "crates/server/src/",
    "crates/planning/src/texts/",
    "crates/projections/src/words",
];

/// The words of one file of code.
pub(super) fn check(source: &Source) -> Vec<Problem> {
    if source.path.starts_with(HELP) {
        return found(&source.path, &source.text);
    }
    if !SAYS.iter().any(|start| source.path.starts_with(start)) {
        return Vec::new();
    }
    // Comments are for those who read the code.
    let said = source.text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    found(&source.path, &said.collect::<Vec<_>>().join("\n"))
}

/// The words of the documents and of the example of a configuration.
pub(super) fn check_documents(root: &Path) -> Result<Vec<Problem>> {
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "candor.example.toml"]
            .map(str::to_owned)
            .to_vec();
    for folder in ["docs", "docs/decisions"] {
        for entry in fs::read_dir(root.join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.ends_with(".md").then(|| format!("{folder}/{name}")));
        }
    }
    let mut problems = Vec::new();
    for name in names {
        problems.extend(found(&name, &fs::read_to_string(root.join(&name)).unwrap_or_default()));
    }
    problems.extend(found("CHANGELOG.md", unreleased(&fs::read_to_string(root.join("CHANGELOG.md"))?)));
    Ok(problems)
}

/// The part of a changelog that is not released yet, with what stands before it; the rest is history.
fn unreleased(text: &str) -> &str {
    let after = text.split_once("## [Unreleased]").map_or("", |(_, after)| after);
    let rest = after.find("\n## [").map_or(0, |at| after.len() - at);
    text.get(..text.len() - rest).unwrap_or(text)
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
        let text = "// They are left in peace.\nlet said = \"left in peace\";\n";
        let problems = check(&source("crates/app/src/error.rs", text));
        assert_eq!(problems.len(), 1, "in what is said, not in comments");
    }

    #[test]
    fn only_what_is_not_released_of_a_changelog_is_checked() {
        let text = "# Changelog\n## [Unreleased]\n- new\n\n## [0.1.0]\n- left in peace\n";
        assert_eq!(unreleased(text), "# Changelog\n## [Unreleased]\n- new\n");
    }
}
