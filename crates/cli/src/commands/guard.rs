//! `candor guard`: what the guardrails find in a text, without running anything.

use std::path::Path;
use std::sync::Arc;

use candor_app::App;
use candor_model::GuardFinding;
use candor_phases::examine;
use candor_ports::Embedder;
use serde_json::{Map, Value, json};

use super::batch;
use super::run::read;
use crate::args::{GlobalOptions, GuardArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn guard(global: &GlobalOptions, args: &GuardArgs) -> Result<u8, Failure> {
    let guard = Guard::new(global)?;
    if args.stdin {
        return batch::answer_lines(async |text| Ok(guard.as_json(&text))).await;
    }
    let text = match args.words.as_slice() {
        [] => read(Path::new("-"))?,
        words => words.join(" "),
    };
    if args.json {
        output::print_json(&guard.as_json(&text))?;
        return Ok(code::DONE);
    }
    let found = guard.examine(&text);
    if found.is_empty() {
        output::print(word!("Nothing found.\n", "No se encontró nada.\n"))?;
    }
    for (finding, quote) in found {
        output::print(&format!("{}  {}: {}\n", finding.severity.as_str(), finding.rule, finding.message))?;
        if !quote.is_empty() {
            output::print(&format!("         “{quote}”\n"))?;
        }
    }
    Ok(code::DONE)
}

/// The guardrails as they are configured.
struct Guard {
    app: App,
    meaning: Option<Arc<dyn Embedder>>,
}

impl Guard {
    fn new(global: &GlobalOptions) -> Result<Self, Failure> {
        let app = App::build(global)?;
        let meaning = app.embedder()?;
        Ok(Self { app, meaning })
    }

    fn examine(&self, text: &str) -> Vec<(GuardFinding, String)> {
        let embed = |text: &str| self.meaning.as_ref().and_then(|meaning| meaning.at_once(text));
        examine(&self.app.config.rulebook, text, Some(&embed))
    }

    fn as_json(&self, text: &str) -> Map<String, Value> {
        let found = self.examine(text);
        let rows = found.iter().map(|(finding, quote)| {
            json!({ "rule": finding.rule, "severity": finding.severity, "quote": quote, "message": finding.message })
        });
        let rows: Vec<Value> = rows.collect();
        Map::from_iter([
            ("flagged".to_owned(), json!(!found.is_empty())),
            ("findings".to_owned(), json!(rows)),
        ])
    }
}
