//! `candor rules check`: whether a file of rules can be used, and where it cannot.

use std::path::Path;

use candor_app::config::{read_rules, read_text};
use candor_planning::conflict::ConflictRules;
use candor_planning::guardrails::Guardrails;
use candor_planning::roster::Roster;
use candor_planning::scaling::ScalingRules;
use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::args::{RulesArgs, RulesCommand, RulesKind};
use crate::failure::{Failure, code};
use crate::output;

/// The names that a file of each kind has at its top.
const TOP_NAMES: [(RulesKind, &[&str]); 4] = [
    (RulesKind::Guardrails, &["rules", "globalSettings"]),
    (RulesKind::Scaling, &["matrix", "classes"]),
    (RulesKind::Conflicts, &["model", "approach", "priority", "tie", "security", "dataLoss"]),
    (RulesKind::Roster, &["agents", "phases"]),
];

pub(crate) fn rules(args: &RulesArgs) -> Result<u8, Failure> {
    let RulesCommand::Check { file, kind, json: as_json } = &args.command;
    let kind = match kind {
        Some(kind) => *kind,
        None => guessed(file)?,
    };
    let told = checked(kind, file)?;
    let name = kind.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    if *as_json {
        output::print_json(&json!({ "file": file, "kind": name, "ok": true, "rules": told }))?;
    } else {
        output::print(&say!(
            "{}: {name}, {told}, can be used\n",
            "{}: {name}, {told}, se puede usar\n",
            file.display()
        ))?;
    }
    Ok(code::DONE)
}

/// Reads the file as what it is meant to be, and counts what is in it.
fn checked(kind: RulesKind, file: &Path) -> Result<String, Failure> {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    Ok(match kind {
        RulesKind::Guardrails => {
            counted(read_rules::<Guardrails>(file)?.rules().len(), word!("rule", "regla"))
        }
        RulesKind::Scaling => {
            read_rules::<ScalingRules>(file)?;
            word!("the whole range of complexities", "todo el rango de complejidades").to_owned()
        }
        RulesKind::Conflicts => {
            read_rules::<ConflictRules>(file)?;
            word!("every kind of conflict", "todo tipo de conflictos").to_owned()
        }
        RulesKind::Roster => counted(read_rules::<Roster>(file)?.agents().count(), word!("agent", "agente")),
    })
}

/// What a file is about, by the names at its top.
fn guessed(file: &Path) -> Result<RulesKind, Failure> {
    let names = top_names(file)?;
    let has = |known: &[&str]| names.iter().any(|name| known.contains(&name.as_str()));
    let fitting = TOP_NAMES.iter().find(|(_, known)| has(known)).map(|(kind, _)| *kind);
    fitting.ok_or_else(|| {
        Failure::usage(say!("{}: does not say what its rules are about; name it with --kind guardrails, scaling, conflicts or \
             roster", "{}: no dice de qué tratan sus reglas; indicarlo con --kind guardrails, scaling, conflicts o roster",
            file.display()
        ))
    })
}

fn top_names(file: &Path) -> Result<Vec<String>, Failure> {
    let text = read_text(file)?;
    let is_json = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let read: Option<Map<String, Value>> =
        if is_json { serde_json::from_str(&text).ok() } else { toml::from_str(&text).ok() };
    match read {
        Some(fields) => Ok(fields.into_iter().map(|(name, _)| name).collect()),
        // What cannot be read at all is told by whoever reads such files, with the line.
        None => checked(RulesKind::Guardrails, file).map(|_| Vec::new()),
    }
}
