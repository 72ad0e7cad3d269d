//! What is said of agents at work, and of their side effects.

use candor_model::{
    AgentNote, JsonMap, LedgerEntry, Money, SessionState, TokenUse, ToolHints, ToolResult, Undone, WorkStep,
};

pub(in crate::view) fn planned(task: &str, steps: usize, by: &str) -> String {
    let unit = if steps == 1 { "step" } else { "steps" };
    format!("{task}: {steps} {unit}, planned by the {by}")
}

pub(in crate::view) fn called(task: &str, tool: &str, arguments: &JsonMap, hints: ToolHints) -> String {
    let mark = if hints.changes() { " (changes the world)" } else { "" };
    let given = serde_json::to_string(arguments).unwrap_or_default();
    format!("{task}: {tool} {given}{mark}")
}

pub(in crate::view) fn call_failed(task: &str, result: &ToolResult) -> String {
    let kind = result.error.as_ref().map_or("failed", |problem| problem.kind.as_str());
    format!("{task}: the tool failed ({kind}): {}", result.error_text())
}

pub(in crate::view) fn step_replanned(task: &str, note: &AgentNote) -> Option<String> {
    let AgentNote::ReplanEnded { task_id, strategy_type, success, summary, new_task_ids, .. } = note else {
        return None;
    };
    let told = if *success {
        let steps =
            if new_task_ids.is_empty() { String::new() } else { format!(" → {}", new_task_ids.join(", ")) };
        format!("{task}: step {task_id} is re-planned ({strategy_type}{steps}): {summary}")
    } else {
        format!("{task}: step {task_id} could not be re-planned: {summary}")
    };
    Some(told)
}

pub(in crate::view) fn replan_asked(task: &str, step: &str) -> String {
    format!("{task}: another approach to step {step} was asked for")
}

pub(in crate::view) fn remote(task: &str, theirs: &str, state: &str) -> String {
    format!("{task}: remote task {theirs} {state}")
}

pub(in crate::view) fn session(
    task: &str,
    (program, id): (&str, &str),
    state: SessionState,
    (tokens, cost): (Option<TokenUse>, Option<Money>),
) -> String {
    let tokens = tokens.map(|tokens| format!("{} tokens", tokens.total()));
    let used: Vec<String> = tokens.into_iter().chain(cost.map(|cost| format!("${cost}"))).collect();
    let used = if used.is_empty() { String::new() } else { format!(" ({})", used.join(", ")) };
    format!("{task}: {program} session {id} {state}{used}")
}

pub(in crate::view) fn worked(task: &str, step: &WorkStep) -> String {
    let (who, took) = (&step.component, step.duration_ms);
    let what = step.data.get("summary").and_then(|summary| summary.as_str());
    let what = step.error.as_deref().or(what).unwrap_or(if step.success { "done" } else { "not done" });
    let which = if step.number > 1 { format!(", try {}", step.number) } else { String::new() };
    format!("{task}: {who}{which}: {what} ({took:.0} ms)")
}

pub(in crate::view) fn at_desk(task: &str, text: &str) -> String {
    format!("{task}: {text}")
}

pub(in crate::view) fn undo_requested(count: usize) -> String {
    let unit = if count == 1 { "change is" } else { "changes are" };
    format!("{count} {unit} being undone, the latest first")
}

pub(in crate::view) fn undone(key: &str, undone: &Undone) -> String {
    let how = if undone.success { "undone" } else { "not undone" };
    format!("{key}: {how}: {}", undone.summary)
}

/// What is known of a change, in a word or two.
pub(in crate::view) const fn effect_standing(entry: &LedgerEntry) -> &'static str {
    match (&entry.receipt, &entry.undone) {
        (_, Some(Undone { success: true, .. })) => "undone",
        (None, _) => "intended, end unknown",
        (Some(receipt), _) if receipt.success => "done",
        (Some(_), _) => "failed",
    }
}

pub(in crate::view) const NO_EFFECTS: &str = "No side effects recorded.";

pub(in crate::view) fn can_be_undone(tool: &str) -> String {
    format!("can be undone with {tool}, when the run is rolled back")
}
