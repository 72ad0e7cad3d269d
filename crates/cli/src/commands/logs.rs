//! `candor logs`: what came out of attempts, of runs that have ended and of those that go on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use candor_app::{AttemptLog, DataFolder, LoadedRun, load_run};
use candor_model::TaskId;
use candor_projections::attempt_output::{self, AttemptOutput};
use candor_projections::chronicle::{Chronicle, Outcome};
use serde_json::json;

use super::inspect::{Found, find, known_task};
use crate::args::{GlobalOptions, LogsArgs};
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

/// How often the files that agents write are looked at while a run is followed: nobody tells of a line in them.
const LOOK_AT_FILES: Duration = Duration::from_millis(500);

pub(crate) async fn logs(global: &GlobalOptions, args: &LogsArgs) -> Result<u8, Failure> {
    let Found { data, log, run } = find(global, &args.run).await?;
    // Listened for before the log is read: what is written in between is not missed.
    let mut news = args.follow.then(|| log.listen()).transpose()?;
    let mut loaded = load_run(&log, &run).await?;
    let mut shown = Shown::default();
    shown.show(&data, &loaded, args)?;
    while let Some(news) = &mut news
        && !loaded.state.status().is_end()
    {
        if let Ok(changed) = tokio::time::timeout(LOOK_AT_FILES, news.changed()).await {
            changed?;
        }
        loaded.catch_up(&log).await?;
        shown.show(&data, &loaded, args)?;
    }
    Ok(code::DONE)
}

/// An attempt at a task.
type Attempt = (TaskId, u32);

/// Whether an attempt is one of those that are asked for.
fn is_wanted(attempt: &AttemptOutput<'_>, chronicle: &Chronicle<'_>, args: &LogsArgs) -> bool {
    let is_it = |known: &&candor_projections::chronicle::Attempt<'_>| {
        known.task_id == attempt.task_id && known.number == attempt.attempt
    };
    let began = || chronicle.attempts.iter().find(is_it).map(|known| known.started);
    (args.status.is_empty() || args.status.iter().any(|status| status == attempt.outcome))
        && (args.period.is_open() || began().is_some_and(|at| args.period.has(at)))
}

/// What was printed so far.
#[derive(Default)]
struct Shown {
    ended: BTreeSet<Attempt>,
    /// How many bytes of its standard error, while an attempt goes on.
    streamed: BTreeMap<Attempt, usize>,
}

impl Shown {
    /// Prints what is new.
    fn show(&mut self, data: &DataFolder, loaded: &LoadedRun, args: &LogsArgs) -> Result<(), Failure> {
        let LoadedRun { records, state } = loaded;
        let run = state.run_id();
        // The form in which a failure's notification names its log.
        let named = args.task.as_deref().map(|task| task.strip_prefix("/logs/").unwrap_or(task));
        let task = known_task(state, records, named)?;
        let written = data.logs().read(run, task.as_ref())?;
        let chronicle = Chronicle::of(records);
        let mut attempts = attempt_output::attempts(records, &chronicle, task.as_ref());
        let has_none = attempts.is_empty();
        attempts.retain(|attempt| is_wanted(attempt, &chronicle, args));
        if let Some(limit) = args.limit {
            let more = attempts.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
            attempts.drain(..more);
        }
        if has_none && !args.json && !args.follow {
            match task {
                Some(task) => tell!(
                    "candor: task {task} of run {run} was not started yet",
                    "candor: la tarea {task} de la ejecución {run} aún no se ha iniciado"
                ),
                None => tell!(
                    "candor: no task of run {run} was started yet",
                    "candor: aún no se ha iniciado ninguna tarea de la ejecución {run}"
                ),
            }
        }
        for attempt in &attempts {
            let is_its = |log: &&AttemptLog| log.attempt == attempt.attempt && log.is_of(attempt.task_id);
            let stderr = written.iter().find(is_its).map(|log| log.text.as_str());
            match args.follow && attempt.outcome == Outcome::Running.code() {
                true => self.stream(attempt, stderr.unwrap_or_default(), args.json)?,
                false => self.end(attempt, stderr, args)?,
            }
        }
        Ok(())
    }

    /// Prints the whole lines that an agent has written since.
    fn stream(&mut self, attempt: &AttemptOutput<'_>, text: &str, as_json: bool) -> Result<(), Failure> {
        let before = self.streamed.entry((attempt.task_id.clone(), attempt.attempt)).or_default();
        let new = text.get(*before..).unwrap_or_default();
        let Some(end) = new.rfind('\n').filter(|_| !as_json) else { return Ok(()) };
        let lines = new.get(..=end).unwrap_or_default();
        *before += lines.len();
        lines.lines().try_for_each(|line| output::print(&format!("{} | {line}\n", attempt.task_id)))
    }

    /// Prints an attempt that has ended, once; without the standard error that was printed while it went on.
    fn end(
        &mut self,
        attempt: &AttemptOutput<'_>,
        stderr: Option<&str>,
        args: &LogsArgs,
    ) -> Result<(), Failure> {
        let key = (attempt.task_id.clone(), attempt.attempt);
        let streamed = self.streamed.get(&key).copied().unwrap_or_default();
        if !self.ended.insert(key) {
            return Ok(());
        }
        if args.json {
            let mut shown = json!(attempt);
            if let Some(fields) = shown.as_object_mut() {
                fields.insert("text".to_owned(), json!(stderr.unwrap_or_default()));
            }
            return output::print_json(&shown);
        }
        let rest = stderr.and_then(|text| text.get(streamed..));
        output::print(&view::attempts::text(attempt, rest, args.full, output::style()))
    }
}
