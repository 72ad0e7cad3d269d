//! `candor explain`: why a run is as it is, or the decisions of all runs that fit.

use candor_app::{DataFolder, LoadedRun, Log, load_run};
use candor_model::{Recorded, RunId, TaskId, Timestamp};
use candor_planning::report::DecisionFilter;
use candor_ports::{RunFilter, RunQuery};
use candor_projections::explain::decisions;
use serde::Deserialize;
use serde_json::{Value, json};

use super::inspect::{find_and_load, known_task};
use crate::args::{ExplainArgs, GlobalOptions, Period};
use crate::failure::{Failure, code};
use crate::output;
use crate::remote::Remote;
use crate::view;

/// How many decisions a search over all runs shows without `--limit`.
const USUAL_DECISIONS: usize = 100;

pub(crate) async fn explain(global: &GlobalOptions, args: &ExplainArgs) -> Result<u8, Failure> {
    let Some(named) = &args.run else { return search(global, args).await };
    if !args.runs.is_open() {
        return Err(Failure::usage(word!(
            "--status, --project and --user choose among all runs; leave RUN out",
            "--status, --project y --user eligen entre todas las ejecuciones; omitir RUN"
        )));
    }
    let LoadedRun { mut records, state } = find_and_load(global, named).await?;
    let task = known_task(&state, &records, args.task.as_deref())?;
    let style = output::style();
    let filter = DecisionFilter {
        task_id: task.clone(),
        operation: args.operation.clone(),
        ..DecisionFilter::default()
    };
    // A kind, a time and a number are something that decisions have.
    let by_decision =
        args.decisions || args.operation.is_some() || args.listing.limit.is_some() || !args.period.is_open();
    if by_decision {
        keep_period(&mut records, &args.period);
        keep_first(&mut records, &filter, args.listing.limit_or(usize::MAX));
    }
    match (args.timeline, by_decision, args.listing.json) {
        (true, _, true) => output::print_json(&view::timeline::json(&records)),
        (true, _, false) => output::print(&view::timeline::text(&records, style)),
        (_, true, true) => output::print_json(&view::explain::decisions_json(&records, &filter)),
        (_, true, false) => output::print(&view::explain::decisions(&records, &filter, style)),
        (_, _, true) => output::print_json(&view::explain::why_json(&state, &records, task.as_ref())),
        (_, _, false) => output::print(&view::explain::why(&state, &records, task.as_ref(), style)),
    }?;
    Ok(code::DONE)
}

/// Leaves out what was not recorded in the period.
fn keep_period(records: &mut Vec<Recorded>, period: &Period) {
    if !period.is_open() {
        records.retain(|recorded| period.has(recorded.event.at));
    }
}

/// Leaves out decisions that fit beyond the first `most` of them.
fn keep_first(records: &mut Vec<Recorded>, filter: &DecisionFilter, most: usize) {
    let mut seen = 0;
    records.retain(|recorded| {
        seen += decisions(std::slice::from_ref(recorded), filter).len();
        seen <= most
    });
}

/// Where runs are searched.
enum Place {
    Server(Remote),
    Folder(Option<Log>),
}

impl Place {
    fn of(global: &GlobalOptions) -> Result<Self, Failure> {
        Ok(match Remote::of(global)? {
            Some(remote) => Self::Server(remote),
            None => Self::Folder(DataFolder::find(global.data.as_deref())?.open_if_there()?),
        })
    }

    /// The runs that a query admits and that something was decided in since then, the newest first.
    async fn runs(
        &self,
        query: &RunQuery,
        since: Option<Timestamp>,
    ) -> Result<Vec<(RunId, String)>, Failure> {
        // Nothing was decided in a run after its last event.
        let is_recent = |last: Option<Timestamp>| since.zip(last).is_none_or(|(since, last)| last >= since);
        match self {
            Self::Server(remote) => {
                let rows = remote.runs(query, usize::MAX).await?;
                let rows: Vec<Listed> = serde_json::from_value(Value::Array(rows))?;
                let rows = rows.into_iter().filter(|row| is_recent(row.updated_at));
                Ok(rows.map(|row| (row.run_id, row.request)).collect())
            }
            Self::Folder(None) => Ok(Vec::new()),
            Self::Folder(Some(log)) => {
                let entries = log.runs(RunFilter::default()).await?.into_iter();
                let wanted = entries.filter(|it| query.admits(it) && is_recent(it.summary.updated_at));
                Ok(wanted.map(|it| (it.summary.run_id, it.summary.request)).collect())
            }
        }
    }

    async fn records(&self, run: &RunId) -> Result<Vec<Recorded>, Failure> {
        match self {
            Self::Server(remote) => Ok(remote.load(run.as_str()).await?.records),
            Self::Folder(None) => Ok(Vec::new()),
            Self::Folder(Some(log)) => Ok(load_run(log, run).await?.records),
        }
    }
}

/// A run as a server lists it.
#[derive(Deserialize)]
struct Listed {
    run_id: RunId,
    request: String,
    updated_at: Option<Timestamp>,
}

/// The decisions of all runs that fit, the newest run first.
async fn search(global: &GlobalOptions, args: &ExplainArgs) -> Result<u8, Failure> {
    let task_id = args.task.as_deref().map(TaskId::new).transpose().map_err(Failure::usage)?;
    let filter = DecisionFilter { task_id, operation: args.operation.clone(), ..DecisionFilter::default() };
    let place = Place::of(global)?;
    // The period is one of decisions: a run that began before it may have decided something in it.
    let mut query = args.runs.query(&args.period);
    let since = query.since.take();
    let limit = args.listing.limit_or(USUAL_DECISIONS);
    let mut found: Vec<(RunId, String, Vec<Recorded>)> = Vec::new();
    let mut count = 0;
    for (run, request) in place.runs(&query, since).await? {
        if count >= limit {
            break;
        }
        let mut records = place.records(&run).await?;
        keep_period(&mut records, &args.period);
        keep_first(&mut records, &filter, limit - count);
        let here = decisions(&records, &filter).len();
        if here > 0 {
            count += here;
            found.push((run, request, records));
        }
    }
    match args.listing.json {
        true => output::print_json(&as_json(&found, &filter)?)?,
        false => print_found(&found, &filter)?,
    }
    Ok(code::DONE)
}

/// The decisions as data, each with its run.
fn as_json(found: &[(RunId, String, Vec<Recorded>)], filter: &DecisionFilter) -> Result<Value, Failure> {
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
