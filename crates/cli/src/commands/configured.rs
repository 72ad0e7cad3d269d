//! `candor config show`: everything that holds, with the defaults that nobody changed.

use candor_app::App;
use serde_json::{Map, Value, json};

use super::models::row;
use crate::args::{ConfigArgs, ConfigCommand, GlobalOptions};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) fn config(global: &GlobalOptions, args: &ConfigArgs) -> Result<u8, Failure> {
    let ConfigCommand::Show { json: as_json } = &args.command;
    let app = App::build(global)?;
    let shown = in_force(&app)?;
    if *as_json {
        output::print_json(&shown)?;
    } else {
        let mut text = String::new();
        write("", &shown, &mut text);
        output::print(&text)?;
    }
    Ok(code::DONE)
}

/// Everything that holds, by the names of `candor.toml` and of the files of rules.
fn in_force(app: &App) -> Result<Value, Failure> {
    let config = &app.config;
    let rules = &config.rulebook;
    let from = (!config.path.as_os_str().is_empty()).then(|| config.path.display().to_string());
    let tiers: Map<String, Value> =
        config.models.tiers().map(|(tier, model)| (tier.as_str().to_owned(), row(tier, model))).collect();
    let agents: Vec<&str> = config.agents.iter().map(|agent| agent.agent_type.as_str()).collect();
    Ok(json!({
        "file": from,
        "data": app.data.path(),
        "limits": config.limits,
        "planning": {
            "min_agents": config.planning.min_agents,
            "instructions": config.planning.instructions,
        },
        "packs": {
            "folders": config.packs.folders, "agents": config.packs.agents,
            "allow_unconfined": config.packs.allow_unconfined,
        },
        "models": tiers,
        "breakers": config.breakers,
        "guardrails": with_rules(&config.guardrails.rules, &rules.guardrails, &[
            ("injection", json!(rules.injection)),
            ("secrets", json!(rules.secrets)),
        ])?,
        "scaling": with_rules(&config.scaling.rules, &rules.scaling, &[])?,
        "conflicts": with_rules(&config.conflicts.rules, &rules.conflicts, &[])?,
        "roster": with_rules(&config.roster.rules, &rules.roster, &[])?,
        "retention": config.retention,
        "validation": config.validation,
        "agents": agents,
    }))
}

/// Rules with the file that they come from; nobody's file means the defaults.
fn with_rules(
    file: &Option<std::path::PathBuf>,
    rules: &impl serde::Serialize,
    more: &[(&str, Value)],
) -> Result<Value, Failure> {
    let mut shown = json!({ "file": file });
    if let (Value::Object(shown), Value::Object(rules)) = (&mut shown, serde_json::to_value(rules)?) {
        shown.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        shown.extend(rules);
    }
    Ok(shown)
}

/// A line per value, under its full name.
fn write(name: &str, value: &Value, text: &mut String) {
    let below = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| write(&below(key), value, text)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(at, item)| write(&format!("{name}[{at}]"), item, text));
        }
        value => text.push_str(&format!("{name} = {value}\n")),
    }
}
