//! What README and the first pages of the book tell a newcomer to type, typed.

use std::path::Path;
use std::process::Command;

use crate::support::{Candor, Said};

/// The block of code for a shell that follows a sentence of a document.
fn block_after(document: &str, sentence: &str) -> String {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document)).unwrap();
    let (_, after) =
        text.split_once(sentence).unwrap_or_else(|| panic!("{document} does not say `{sentence}`"));
    let (_, block) = after.split_once("```sh\n").unwrap();
    block.split_once("```").unwrap().0.replace("cargo run -- ", "candor ")
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
