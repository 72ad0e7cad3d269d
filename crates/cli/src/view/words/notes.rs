//! What is said of agents at work, and of their side effects.

use candor_model::{
    AgentNote, JsonMap, LedgerEntry, Money, SessionState, TokenUse, ToolHints, ToolResult, Undone, WorkStep,
};

use crate::lang::Text;

pub(in crate::view) fn planned(task: &str, steps: usize, by: &str) -> String {
    let unit = if steps == 1 { word!("step", "paso") } else { word!("steps", "pasos") };
    say!("{task}: {steps} {unit}, planned by the {by}", "{task}: {steps} {unit}, planificados por {by}")
}

pub(in crate::view) fn called(task: &str, tool: &str, arguments: &JsonMap, hints: ToolHints) -> String {
    let mark = if hints.changes() { word!(" (changes the world)", " (con efectos externos)") } else { "" };
    let given = serde_json::to_string(arguments).unwrap_or_default();
    format!("{task}: {tool} {given}{mark}")
}

pub(in crate::view) fn call_failed(task: &str, result: &ToolResult) -> String {
    let kind = result.error.as_ref().map_or(word!("failed", "fallo"), |problem| problem.kind.as_str());
    say!(
        "{task}: the tool failed ({kind}): {}",
        "{task}: la herramienta falló ({kind}): {}",
        result.error_text()
    )
}

pub(in crate::view) fn step_replanned(task: &str, note: &AgentNote) -> Option<String> {
    let AgentNote::ReplanEnded { task_id, strategy_type, success, summary, new_task_ids, .. } = note else {
        return None;
    };
    let told = if *success {
        let steps =
            if new_task_ids.is_empty() { String::new() } else { format!(" → {}", new_task_ids.join(", ")) };
        say!(
            "{task}: step {task_id} is re-planned ({strategy_type}{steps}): {summary}",
            "{task}: paso {task_id} planificado de nuevo ({strategy_type}{steps}): {summary}"
        )
    } else {
        say!(
            "{task}: step {task_id} could not be re-planned: {summary}",
            "{task}: el paso {task_id} no se pudo planificar de nuevo: {summary}"
        )
    };
    Some(told)
}

pub(in crate::view) fn replan_asked(task: &str, step: &str) -> String {
    say!(
        "{task}: another approach to step {step} was asked for",
        "{task}: se pidió otro enfoque para el paso {step}"
    )
}

pub(in crate::view) fn remote(task: &str, theirs: &str, state: &str) -> String {
    say!("{task}: remote task {theirs} {state}", "{task}: tarea remota {theirs} {state}")
}

pub(in crate::view) fn session(
    task: &str,
    (program, id): (&str, &str),
    state: SessionState,
    (tokens, cost): (Option<TokenUse>, Option<Money>),
) -> String {
    let tokens = tokens.map(|tokens| say!("{} tokens", "{} tokens", tokens.total()));
    let used: Vec<String> = tokens.into_iter().chain(cost.map(|cost| format!("${cost}"))).collect();
    let used = if used.is_empty() { String::new() } else { format!(" ({})", used.join(", ")) };
    say!("{task}: {program} session {id} {state}{used}", "{task}: sesión {id} de {program} {state}{used}")
}

pub(in crate::view) fn worked(task: &str, step: &WorkStep) -> String {
    let (who, took) = (&step.component, step.duration_ms);
    let what = step.data.get("summary").and_then(|summary| summary.as_str());
    let what = step.error.as_deref().or(what).unwrap_or(if step.success {
        word!("done", "hecho")
    } else {
        word!("not done", "no hecho")
    });
    let which = if step.number > 1 { say!(", try {}", ", intento {}", step.number) } else { String::new() };
    say!("{task}: {who}{which}: {what} ({took:.0} ms)", "{task}: {who}{which}: {what} ({took:.0} ms)")
}

pub(in crate::view) fn at_desk(task: &str, text: &str) -> String {
    format!("{task}: {text}")
}

pub(in crate::view) fn undo_requested(count: usize) -> String {
    let unit = if count == 1 {
        word!("change is", "cambio se deshace")
    } else {
        word!("changes are", "cambios se deshacen")
    };
    say!("{count} {unit} being undone, the latest first", "{count} {unit}, el último primero")
}

pub(in crate::view) fn undone(key: &str, undone: &Undone) -> String {
    let how = if undone.success { word!("undone", "deshecho") } else { word!("not undone", "no deshecho") };
    format!("{key}: {how}: {}", undone.summary)
}

/// What is known of a change, in a word or two.
pub(in crate::view) fn effect_standing(entry: &LedgerEntry) -> &'static str {
    match (&entry.receipt, &entry.undone) {
        (_, Some(Undone { success: true, .. })) => word!("undone", "deshecho"),
        (None, _) => word!("intended, end unknown", "previsto, final desconocido"),
        (Some(receipt), _) if receipt.success => word!("done", "hecho"),
        (Some(_), _) => word!("failed", "fallido"),
    }
}

pub(in crate::view) const NO_EFFECTS: Text =
    Text::new("No side effects recorded.", "No hay efectos externos registrados.");

pub(in crate::view) fn can_be_undone(tool: &str) -> String {
    say!(
        "can be undone with {tool}, when the run is rolled back",
        "se puede deshacer con {tool}, cuando la ejecución vuelve atrás"
    )
}
