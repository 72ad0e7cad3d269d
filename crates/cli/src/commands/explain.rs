//! `candor explain`: why a run is as it is, or the decisions of all runs that fit.

use candor_app::{DataFolder, LoadedRun, load_run};
use candor_model::{Recorded, RunId, TaskId};
use candor_planning::report::DecisionFilter;
use candor_ports::RunFilter;
use candor_projections::explain::decisions;
use serde_json::{Value, json};

use super::inspect::{find_and_load, known_task};
use crate::args::{ExplainArgs, GlobalOptions};
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

pub(crate) async fn explain(global: &GlobalOptions, args: &ExplainArgs) -> Result<u8, Failure> {
    let Some(named) = &args.run else { return search(global, args).await };
    let LoadedRun { mut records, state } = find_and_load(global, named).await?;
    let task = known_task(&state, &records, args.task.as_deref())?;
    let style = output::style();
    let filter = DecisionFilter {
        task_id: task.clone(),
        operation: args.operation.clone(),
        ..DecisionFilter::default()
    };
    // A kind or a time is something that decisions have.
    let by_decision = args.decisions || args.operation.is_some() || args.since.is_some();
    if by_decision {
        keep_since(&mut records, args);
    }
    match (args.timeline, by_decision, args.json) {
        (true, _, true) => output::print_json(&view::timeline::json(&records)),
        (true, _, false) => output::print(&view::timeline::text(&records, style)),
        (_, true, true) => output::print_json(&view::explain::decisions_json(&records, &filter)),
        (_, true, false) => output::print(&view::explain::decisions(&records, &filter, style)),
        (_, _, true) => output::print_json(&view::explain::why_json(&state, &records, task.as_ref())),
        (_, _, false) => output::print(&view::explain::why(&state, &records, task.as_ref(), style)),
    }?;
    Ok(code::DONE)
}

/// Leaves out what was recorded before the time that was named.
fn keep_since(records: &mut Vec<Recorded>, args: &ExplainArgs) {
    if let Some(since) = args.since {
        let since = since.moment(candor_runtime::wall());
        records.retain(|recorded| recorded.event.at >= since);
    }
}

/// The decisions of all runs that fit, the newest run first.
async fn search(global: &GlobalOptions, args: &ExplainArgs) -> Result<u8, Failure> {
    let task_id = args.task.as_deref().map(TaskId::new).transpose().map_err(Failure::usage)?;
    let filter = DecisionFilter { task_id, operation: args.operation.clone(), ..DecisionFilter::default() };
    let mut found: Vec<(RunId, String, Vec<Recorded>)> = Vec::new();
    let (mut count, data) = (0, DataFolder::find(global.data.as_deref())?);
    if let Some(log) = data.open_if_there()? {
        let since = args.since.map(|since| since.moment(candor_runtime::wall()));
        for entry in log.runs(RunFilter::default()).await? {
            // Nothing was decided in a run after its last event.
            let is_older = since.zip(entry.summary.updated_at).is_some_and(|(since, last)| last < since);
            if is_older || count >= args.limit {
                continue;
            }
            let mut records = load_run(&log, &entry.summary.run_id).await?.records;
            keep_since(&mut records, args);
            let here = decisions(&records, &filter).len();
            if here > 0 {
                count += here;
                found.push((entry.summary.run_id, entry.summary.request, records));
            }
        }
    }
    match args.json {
        true => output::print_json(&as_json(&found, &filter, args.limit)?)?,
        false => print_found(&found, &filter)?,
    }
    Ok(code::DONE)
}

/// The decisions as data, each with its run.
fn as_json(
    found: &[(RunId, String, Vec<Recorded>)],
    filter: &DecisionFilter,
    limit: usize,
) -> Result<Value, Failure> {
    let mut rows = Vec::new();
    for (run, request, records) in found {
        for entry in decisions(records, filter) {
            let mut row = serde_json::to_value(entry)?;
            if let Some(fields) = row.as_object_mut() {
                fields.insert("run_id".to_owned(), json!(run));
                fields.insert("request".to_owned(), json!(request));
            }
            rows.push(row);
        }
    }
    rows.truncate(limit);
    Ok(Value::Array(rows))
}

fn print_found(found: &[(RunId, String, Vec<Recorded>)], filter: &DecisionFilter) -> Result<(), Failure> {
    if found.is_empty() {
        return output::print(&view::explain::decisions(&[], filter, output::style()));
    }
    for (at, (run, request, records)) in found.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        output::print(&format!("{gap}{run}: {}\n", view::one_line(request)))?;
        output::print(&view::explain::decisions(records, filter, output::style()))?;
    }
    Ok(())
}
