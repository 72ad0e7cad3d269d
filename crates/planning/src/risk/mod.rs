//! Which acts cannot be taken back: by what an agent or tool declares, by command, and by words.
//!
//! One classifier for plans, requests, tool calls and commands. What an agent declares holds: one that declares only to read or
//! to change with undo is never asked about, whatever the words of its task. Where nothing is declared, words and commands
//! decide. Confidence plays no part.

mod commands;
mod lexicon;
mod objects;
mod words;

use candor_model::{AgentType, JsonMap, RiskClass, SubTask, TaskRisk, TaskStatus, ToolSpec, WRITE_FILE};
use serde_json::Value;

pub use self::commands::{of_command, only_reads};

/// How much of what says so is kept.
const LONGEST_EVIDENCE: usize = 80;
/// Inputs and arguments whose values are commands.
const COMMANDS: &[&str] =
    &["command", "commands", "cmd", "script", "shell", "sql", "query", "statement", "args", "argv", "bash"];

/// The acts that words ask for and that need a person's word, with the words that do.
#[must_use]
pub fn of_text(text: &str) -> Vec<(RiskClass, String)> {
    words::acts(text).into_iter().map(|act| (act.class, quoted(&act.quote))).collect()
}

/// The tasks of a plan that need a person's word, and the request if it asks for an act that no task names. Each comes with how it
/// stands, which the plan itself need not say. `declared` says
/// what an agent does at most, if that is known.
pub fn of_plan<'t, 'a>(
    tasks: impl IntoIterator<Item = (&'t SubTask, TaskStatus)>,
    request: &str,
    declared: impl Fn(&AgentType) -> Option<&'a [RiskClass]>,
) -> Vec<TaskRisk> {
    let is_open = |status| !matches!(status, TaskStatus::Completed | TaskStatus::Skipped);
    let all = tasks
        .into_iter()
        .map(|(task, status)| (task, is_open(status), of_task(task, declared(&task.agent_type))));
    let all: Vec<(&SubTask, bool, Vec<TaskRisk>)> = all.collect();
    let can_act = |task: &SubTask| {
        declared(&task.agent_type).is_none_or(|effects| effects.iter().any(|effect| effect.asks()))
    };
    let of_request = match all.iter().any(|(task, is_open, _)| *is_open && can_act(task)) {
        true => of_text(request),
        false => Vec::new(),
    };
    let named =
        |class: &RiskClass| all.iter().any(|(.., risks)| risks.iter().any(|risk| risk.class == *class));
    let of_request: Vec<TaskRisk> = of_request
        .into_iter()
        .filter(|(class, _)| !named(class))
        .map(|(class, evidence)| TaskRisk { task_id: None, class, evidence })
        .collect();
    let open = all.into_iter().filter(|(_, is_open, _)| *is_open);
    open.flat_map(|(.., risks)| risks).chain(of_request).collect()
}

/// What one task does that needs a person's word.
#[must_use]
pub fn of_task(task: &SubTask, declared: Option<&[RiskClass]>) -> Vec<TaskRisk> {
    let risk = |(class, evidence)| TaskRisk { task_id: Some(task.task_id.clone()), class, evidence };
    let Some(declared) = declared else {
        return said(task).into_iter().map(risk).collect();
    };
    let asking: Vec<RiskClass> = declared.iter().copied().filter(|effect| effect.asks()).collect();
    if asking.is_empty() {
        return Vec::new();
    }
    // An agent that can also do harmless things does them, unless the words say otherwise.
    let said = said(task);
    if asking.len() < declared.len() && said.is_empty() {
        return Vec::new();
    }
    let within: Vec<_> = said.into_iter().filter(|(class, _)| asking.contains(class)).map(risk).collect();
    if !within.is_empty() {
        return within;
    }
    asking.into_iter().map(|class| risk((class, format!("declared by {}", task.agent_type)))).collect()
}

/// What a task's own words and commands say.
fn said(task: &SubTask) -> Vec<(RiskClass, String)> {
    let mut found = of_text(task.description.as_str());
    for (class, evidence) in in_arguments(&task.inputs) {
        if !found.iter().any(|(known, _)| *known == class) {
            found.push((class, evidence));
        }
    }
    found
}

/// What one call of a tool does: nothing if it needs nobody's word.
///
/// A tool that only reads is harmless whatever its name. Otherwise its command, its name and what it declares decide, in
/// this order; a tool that can be undone changes with undo.
#[must_use]
pub fn of_call(spec: &ToolSpec, arguments: &JsonMap) -> RiskClass {
    if !spec.hints.changes() {
        return RiskClass::Read;
    }
    if spec.name == WRITE_FILE && arguments.get("mode").is_none_or(|mode| mode == "create") {
        // It makes a new file or fails: nothing is lost.
        return RiskClass::Change;
    }
    let by_command = in_arguments(arguments).into_iter().next().map(|(class, _)| class);
    let by_name = || of_text(&spoken(&spec.name)).into_iter().next().map(|(class, _)| class);
    let by_hints = || {
        if spec.hints.destroys() && spec.undo.is_none() { RiskClass::Irreversible } else { RiskClass::Change }
    };
    by_command.or_else(by_name).unwrap_or_else(by_hints)
}

/// A tool's name as an order: `mail.send_message` is "send message to everyone".
fn spoken(name: &str) -> String {
    let own = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    let mut spoken = String::new();
    for letter in own.chars() {
        match letter {
            '_' | '-' => spoken.push(' '),
            upper if upper.is_uppercase() => {
                spoken.push(' ');
                spoken.extend(upper.to_lowercase());
            }
            other => spoken.push(other),
        }
    }
    spoken
}

fn in_arguments(arguments: &JsonMap) -> Vec<(RiskClass, String)> {
    let commands = arguments.iter().filter(|(key, _)| COMMANDS.contains(&key.to_lowercase().as_str()));
    commands
        .filter_map(|(_, value)| of_command(&as_line(value)).map(|(class, part)| (class, quoted(&part))))
        .collect()
}

fn as_line(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_line).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST_EVIDENCE).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("`{short}`")
}
