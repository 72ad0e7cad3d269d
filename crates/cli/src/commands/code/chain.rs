//! `candor code chain`: what each component of the code agent did in a run.

use candor_model::{AgentNote, EventBody, Recorded, WorkStep};
use serde_json::{Value, json};

use super::super::inspect::find_and_load;
use crate::args::{GlobalOptions, OneRun};
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

/// A link of the chain, and where it belongs.
struct Link<'a> {
    task: &'a str,
    attempt: u32,
    step: &'a WorkStep,
}

pub(super) async fn chain(global: &GlobalOptions, args: &OneRun) -> Result<u8, Failure> {
    let loaded = find_and_load(global, &args.run).await?;
    let links: Vec<Link<'_>> = loaded.records.iter().filter_map(link).collect();
    if args.json {
        let all: Vec<Value> = links.iter().map(Link::as_json).collect();
        output::print_json(&json!({ "run_id": loaded.state.run_id(), "chain": all }))?;
        return Ok(code::DONE);
    }
    if links.is_empty() {
        tell!(
            "candor: no code was written in run {}",
            "candor: no se escribió código en la ejecución {}",
            loaded.state.run_id()
        );
    }
    let mut text = String::new();
    let mut last = None;
    for link in &links {
        if last.replace((link.task, link.attempt)) != Some((link.task, link.attempt)) {
            text.push_str(&say!("{} (attempt {})\n", "{} (intento {})\n", link.task, link.attempt));
        }
        text.push_str(&link.as_line());
    }
    output::print(&text)?;
    Ok(code::DONE)
}

fn link(recorded: &Recorded) -> Option<Link<'_>> {
    let EventBody::AgentNoted { task_id, attempt, note } = &recorded.event.body else { return None };
    let AgentNote::Worked { step } = note.as_ref() else { return None };
    Some(Link { task: task_id.as_str(), attempt: *attempt, step })
}

impl Link<'_> {
    fn as_json(&self) -> Value {
        let mut link = json!({ "task_id": self.task, "attempt": self.attempt });
        if let (Value::Object(link), Ok(Value::Object(step))) = (&mut link, serde_json::to_value(self.step)) {
            link.extend(step);
        }
        link
    }

    fn as_line(&self) -> String {
        let WorkStep { component, number, success, duration_ms, data, error, cost } = self.step;
        let mark = if *success { ' ' } else { '!' };
        let said = data.get("summary").and_then(Value::as_str).unwrap_or_default();
        let said = view::one_line(error.as_deref().unwrap_or(said));
        let paid = if cost.is_zero() { String::new() } else { format!("  ${cost}") };
        format!("  {mark} {number}  {component:<22} {duration_ms:>8.1} ms  {said}{paid}\n")
    }
}
