//! What README and the first pages of the book tell a newcomer to type, typed.

use std::path::Path;
use std::process::Command;

use crate::support::{Candor, Said};

/// The block of code for a shell that follows a sentence of a document.
fn block_after(document: &str, sentence: &str) -> String {
    block_of("sh", document, sentence).replace("cargo run -- ", "candor ")
}

/// The block of code in a language that follows a sentence of a document.
fn block_of(language: &str, document: &str, sentence: &str) -> String {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document)).unwrap();
    let (_, after) =
        text.split_once(sentence).unwrap_or_else(|| panic!("{document} does not say `{sentence}`"));
    let (_, block) = after.split_once(&format!("```{language}\n")).unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// Types a text into a shell in the folder, where `candor` is on the path.
fn typed(candor: &Candor, text: &str) -> Said {
    let program = Path::new(env!("CARGO_BIN_EXE_candor")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-ec", text]).current_dir(candor.folder()).env("PATH", path).env("LC_ALL", "C.UTF-8");
    for key in ["CANDOR_CONFIG", "CANDOR_LANG", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(key);
    }
    command.env("CANDOR_DATA", candor.path("data")).env("OLLAMA_HOST", "127.0.0.1:9");
    Said::of(command.output().unwrap())
}

#[test]
fn a_newcomer_gets_from_the_readme_to_a_run_of_their_own_agent_in_five_commands() {
    // spec: findings UX-07 UX-09
    let block = block_after("README.md", "From nothing to a finished run of your own agent:");
    assert!(block.lines().count() <= 5, "{block}");
    let candor = Candor::new();
    let said = typed(&candor, &block).ended_with(0);
    said.shows(&["word counter", "## Result"]);
    assert!(candor.path("my-agents/agents/word_counter.py").exists());
    // What the documents say that it writes is what it writes.
    let written = std::fs::read_to_string(candor.path("my-agents/candor.toml")).unwrap();
    for (document, sentence) in
        [("README.md", "## Your own agents"), ("docs/agents.md", "## Programs and services")]
    {
        let shown = block_of("toml", document, sentence);
        assert!(written.contains(&shown), "{document}: {shown}\nis not in\n{written}");
    }
}

#[test]
fn the_readmes_own_files_are_analysed() {
    // spec: findings UX-09
    let block = block_after("README.md", "## Your own files");
    let candor = Candor::new();
    let folder = candor.path("my-folder");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("sales.csv"), "region,revenue\nnorth,120\nsouth,80\nnorth,30\n").unwrap();
    let first = block.lines().take(2).collect::<Vec<_>>().join("\n");
    typed(&candor, &first).ended_with(0).shows(&["Goal reached"]);
    let made = walk(&folder.join("candor-output"));
    let report = made.iter().find(|path| path.ends_with("report.md")).unwrap();
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("north") && report.contains("150"), "{report}");
}

#[test]
fn the_cases_of_the_page_on_packs_hold() {
    // spec: findings UX-09
    let candor = Candor::new();
    candor.run(["packs", "new", "words"]).ended_with(0);
    let found = walk(candor.folder()).into_iter().find(|path| path.ends_with("cases.toml")).unwrap();
    std::fs::write(&found, block_of("toml,cases", "docs/packs.md", "## Criteria and cases")).unwrap();
    candor.run(["packs", "test", "words"]).ended_with(0).shows(&["1 of 1 cases hold"]);
}

/// Every file below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn the_first_screen_of_the_readme_says_what_it_is_why_and_how_to_begin() {
    // spec: findings UX-11
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("README.md")).unwrap();
    let parts = ["turns a goal", "<picture>", "| | Candor |", "cargo run -- run", "cargo xtask verify"];
    let lines = parts.map(|part| text.lines().position(|line| line.contains(part)).expect(part));
    assert!(lines.is_sorted() && lines[4] < 55, "{lines:?}");
    // What is measured stands in one place, and the table says the same.
    let measured = std::fs::read_to_string(root.join("docs/performance.md")).unwrap();
    let row = text.lines().find(|line| line.starts_with("| 1,000 durable runs")).unwrap();
    let (_, figures) = row.split_once("at once").unwrap();
    let figures: Vec<&str> =
        figures.split(|it: char| !it.is_ascii_digit()).filter(|it| it.len() > 1).collect();
    assert!(figures.len() > 2, "{row}");
    figures
        .iter()
        .for_each(|figure| assert!(measured.contains(figure), "docs/performance.md has no {figure}"));
}

#[test]
fn the_first_example_of_the_readme_reaches_its_goal() {
    // spec: findings UX-09
    let block = block_after("README.md", "from the sentence to the result:");
    typed(&Candor::new(), &block).ended_with(0).shows(&["Goal reached", "sample data"]);
}

#[test]
fn the_failures_of_the_readme_end_as_it_says() {
    // spec: findings UX-09
    let block = block_after("README.md", "makes an agent misbehave");
    let ends = block.lines().filter(|line| line.starts_with("candor ")).map(|line| {
        let said = typed(&Candor::new(), line);
        let (_, meant) = line.rsplit_once("# ").unwrap();
        (meant.to_owned(), said)
    });
    for (meant, said) in ends {
        match meant.as_str() {
            // Nobody is there to be asked, so it ends with what could be done.
            "asks you" => assert!(matches!(said.code, 1 | 3), "{meant}: {}", said.stdout),
            _ => _ = said.ended_with(0),
        }
    }
}

#[test]
fn the_first_pages_of_the_book_work_as_written() {
    // spec: findings UX-09
    let candor = Candor::new();
    let first = block_after("docs/getting-started.md", "## The first run");
    typed(&candor, &first).ended_with(0).shows(&["Goal reached", "## "]);
    let own = block_after("docs/getting-started.md", "## An agent of your own");
    typed(&candor, &own).ended_with(0);
}
