//! Coding assistants that are run as commands: Claude Code, Codex CLI, Gemini CLI, goose.
//!
//! The order becomes a prompt on stdin. What the assistant prints is read line by line: its session, its progress,
//! its last message, its cost. The session is on the run's log before it is used, where the assistant lets us choose
//! its name, and as soon as it is printed otherwise; an attempt that was interrupted continues it. The process itself
//! is run as every other command is.

mod failures;
mod preset;
mod prompt;
mod reading;

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_model::{
    AgentAnswer, AgentNote, Failure, FailureKind, Noted, SessionState, Transience, WorkOrder,
};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use self::preset::Preset;
use self::preset::Start;
use self::reading::Reading;
use super::streams::Streams;
use super::{CommandAgent, Ending, Why, outcome};
use crate::wait::deadline_of;

/// How long one line may be; a longer one is passed over.
const MAX_LINE_BYTES: usize = 10_000_000;

/// A coding assistant, started for every attempt.
#[derive(Debug, Clone)]
pub struct AssistantAgent {
    preset: Preset,
    command: CommandAgent,
    args: Vec<String>,
    model: Option<String>,
    role: String,
    read_only: bool,
}

impl AssistantAgent {
    /// An assistant that is started as this command, which names its program.
    #[must_use]
    pub const fn new(preset: Preset, command: CommandAgent) -> Self {
        Self { preset, command, args: Vec::new(), model: None, role: String::new(), read_only: false }
    }

    /// The same with further arguments. Those that decide what it may do replace ours.
    #[must_use]
    pub fn with_args(mut self, args: Vec<String>) -> Self {
        self.args = args;
        self
    }

    /// The same with this model, by the assistant's own name for it.
    #[must_use]
    pub fn with_model(mut self, model: Option<String>) -> Self {
        self.model = model;
        self
    }

    /// The same, told who it is before every task.
    #[must_use]
    pub fn with_role(mut self, role: String) -> Self {
        self.role = role;
        self
    }

    /// The same, which may change nothing.
    #[must_use]
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    async fn attempt(
        &self,
        order: &WorkOrder,
        cx: Option<&dyn AttemptContext>,
        stop: &CancellationToken,
    ) -> Result<AgentAnswer, AgentFailure> {
        let deadline = deadline_of(order);
        if stop.is_cancelled() {
            return Err(AgentFailure::Stopped);
        }
        let notes = cx.map(AttemptContext::notes).unwrap_or_default();
        if let Some(session) = open_session(&notes, self.preset, order.attempt) {
            let over = self.start(order, cx, &Start::Resume(session), (deadline, stop)).await?;
            // It never came to the session: it does not know it, and nothing was done in it that it could tell.
            let unknown = !over.reading.began && over.result.as_ref().is_err_and(may_be_unknown);
            if !unknown {
                return over.result;
            }
        }
        self.start(order, cx, &self.preset.new_session(), (deadline, stop)).await?.result
    }

    /// Runs the assistant once, to its end.
    async fn start(
        &self,
        order: &WorkOrder,
        cx: Option<&dyn AttemptContext>,
        start: &Start,
        (deadline, stop): (Instant, &CancellationToken),
    ) -> Result<Over, AgentFailure> {
        let resumed = matches!(start, Start::Resume(_));
        let state = if resumed { SessionState::Resumed } else { SessionState::Opened };
        if let Some(id) = start.session() {
            note(cx, self.session_note(id, state)).await?;
        }
        let input = prompt::prompt(order, &self.role, resumed);
        let reading = Arc::new(Mutex::new(Reading::new(self.preset)));
        let (sender, chosen) = unbounded_channel();
        let heard = Lines { reading: Arc::clone(&reading), sender, line: Vec::new(), too_long: false };
        let streams = Streams::new(self.command.limits.stdout_bytes, self.command.log_of(order));
        let streams = streams.heard_by(heard.listener());
        let mut command = self.command.command_for(order);
        command.args(self.arguments(start)).envs(self.preset.mode_variable(self.read_only));
        // Whoever takes no notes of it any more does not want it to go on.
        let halt = stop.child_token();
        let noted = |pid| self.command.note_process(order, pid);
        let run = self.command.run(&mut command, input.as_bytes(), noted, streams, (deadline, &halt));
        let (ending, followed) = tokio::join!(run, self.follow(chosen, start, cx, &halt));
        let ending = ending?;
        followed?;
        let reading = std::mem::replace(&mut *lock(&reading), Reading::new(self.preset));
        let result = self.judge(order, &ending, &reading);
        let id = reading.session.as_deref().or(start.session());
        let result = self.settle(cx, id, &reading, result).await;
        Ok(Over { reading, result })
    }

    fn arguments(&self, start: &Start) -> Vec<String> {
        let mut words = self.preset.arguments(start, self.model.as_deref());
        words.extend(self.preset.permissions(self.read_only, &self.args));
        words.extend(self.args.iter().cloned());
        words.extend(self.preset.last_arguments(start));
        words
    }

    /// Notes the session that it chose.
    async fn follow(
        &self,
        mut chosen: UnboundedReceiver<String>,
        start: &Start,
        cx: Option<&dyn AttemptContext>,
        halt: &CancellationToken,
    ) -> Result<(), AgentFailure> {
        let mut known = start.session().map(str::to_owned);
        while let Some(id) = chosen.recv().await {
            if known.as_ref() != Some(&id) {
                let noted = note(cx, self.session_note(&id, SessionState::Opened)).await;
                noted.inspect_err(|_| halt.cancel())?;
                known = Some(id);
            }
        }
        Ok(())
    }

    fn session_note(&self, id: &str, state: SessionState) -> AgentNote {
        let (program, id) = (self.preset.program().to_owned(), id.to_owned());
        AgentNote::Session { program, id, state, tokens: None, cost: None }
    }

    /// Notes where the session stands now, with what it cost: that is owed whatever came of it.
    async fn settle(
        &self,
        cx: Option<&dyn AttemptContext>,
        id: Option<&str>,
        reading: &Reading,
        result: Result<AgentAnswer, AgentFailure>,
    ) -> Result<AgentAnswer, AgentFailure> {
        let state = match &result {
            Err(AgentFailure::Failed(failure)) if failure.transience != Transience::Permanent => {
                SessionState::Interrupted
            }
            Err(AgentFailure::Failed(_)) | Ok(_) => SessionState::Ended,
            Err(_) => return result,
        };
        let (Some(id), Some(_)) = (id.filter(|_| reading.began), cx) else {
            return result.map(|answer| AgentAnswer { cost: reading.cost, ..answer });
        };
        let (program, id) = (self.preset.program().to_owned(), id.to_owned());
        let (tokens, cost) = (reading.tokens, reading.cost);
        note(cx, AgentNote::Session { program, id, state, tokens, cost }).await?;
        // What it cost was charged with the note.
        result
    }

    fn judge(
        &self,
        order: &WorkOrder,
        ending: &Ending,
        reading: &Reading,
    ) -> Result<AgentAnswer, AgentFailure> {
        let program = &self.command.program;
        let stderr = ending.streams.stderr();
        let status = match (ending.why, &ending.status) {
            (Why::Stopped, _) => return Err(AgentFailure::Stopped),
            (Why::Deadline, _) => {
                return Err(outcome::failure(Failure::timed_out(order.deadline_seconds), stderr));
            }
            (Why::Ended | Why::Flooded, Ok(status)) => *status,
            (Why::Ended | Why::Flooded, Err(error)) => {
                let message = format!("`{program}` could not be waited for: {error}");
                let failure = Failure::new(FailureKind::Unavailable, message);
                return Err(outcome::failure(failure.with_transience(Transience::Unknown), stderr));
            }
        };
        if !status.success() || reading.failure.is_some() {
            return Err(outcome::failure(self.failed(status, reading, stderr), stderr));
        }
        if !reading.ended {
            let problem =
                format!("`{program}` ended without a result; is it a version that prints JSON lines?");
            return Err(outcome::bad_output(problem, stderr));
        }
        if reading.answer.trim().is_empty() {
            let problem = format!("`{program}` ended without a last message");
            return Err(outcome::bad_output(problem, stderr));
        }
        Ok(prompt::answer(reading.answer.trim(), &order.expected_outputs))
    }

    /// Why it failed: what it says itself counts more than its exit code, and that more than its log.
    fn failed(&self, status: ExitStatus, reading: &Reading, stderr: &[u8]) -> Failure {
        let program = &self.command.program;
        let crashed = outcome::crashed(program, status, &[], stderr);
        let code = status.code().filter(|code| *code != 0);
        let known = code.and_then(|code| failures::of_exit(self.preset, code));
        let mut failure = match (&reading.failure, known) {
            (Some(told), _) => told.clone().with_message(format!("`{program}`: {}", told.message)),
            (None, Some((kind, _))) => Failure { kind, ..crashed },
            (None, None) => {
                // Some services' errors get no further than stderr.
                let told = failures::of_message(&String::from_utf8_lossy(stderr));
                if told.transience == Transience::Unknown {
                    crashed
                } else {
                    told.with_message(crashed.message)
                }
            }
        };
        if let Some((kind, transience)) = known {
            (failure.kind, failure.transience) = (kind, transience);
        }
        failure.exit_code = code;
        failure
    }
}

/// What one start of an assistant came to.
struct Over {
    reading: Reading,
    result: Result<AgentAnswer, AgentFailure>,
}

/// Splits what is printed into lines, and takes each of them in.
struct Lines {
    reading: Arc<Mutex<Reading>>,
    sender: UnboundedSender<String>,
    line: Vec<u8>,
    too_long: bool,
}

impl Lines {
    fn listener(mut self) -> super::streams::Listener {
        Box::new(move |bytes| {
            let mut logged = Vec::new();
            if bytes.is_empty() && !self.line.is_empty() {
                self.end_line(&mut logged);
            }
            for byte in bytes {
                match byte {
                    b'\n' => self.end_line(&mut logged),
                    _ if self.line.len() >= MAX_LINE_BYTES => self.too_long = true,
                    byte => self.line.push(*byte),
                }
            }
            logged
        })
    }

    fn end_line(&mut self, logged: &mut Vec<u8>) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) {
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(&line) else {
            // A word beside the protocol is for whoever reads the log.
            logged.extend_from_slice(&line);
            logged.push(b'\n');
            return;
        };
        let mut reading = lock(&self.reading);
        let before = reading.session.clone();
        let steps = reading.read(&value);
        if let Some(id) = reading.session.clone().filter(|_| reading.session != before) {
            // Nobody listens any more when the attempt is over.
            let _ = self.sender.send(id);
        }
        for step in steps {
            logged.extend_from_slice(step.in_words().as_bytes());
            logged.push(b'\n');
        }
    }
}

fn lock(reading: &Mutex<Reading>) -> MutexGuard<'_, Reading> {
    reading.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn note(cx: Option<&dyn AttemptContext>, note: AgentNote) -> Result<(), AgentFailure> {
    let Some(cx) = cx else { return Ok(()) };
    cx.note(note).await.map_err(|problem| {
        let message = format!("the session of the assistant could not be noted: {problem}");
        AgentFailure::failed(FailureKind::Cancelled, message)
    })
}

/// The session to go on with: of this attempt in any case, of an earlier one if it did not come to its end.
fn open_session(notes: &[Noted], preset: Preset, attempt: u32) -> Option<String> {
    let last = notes.iter().rev().find_map(|noted| match &noted.note {
        AgentNote::Session { program, id, state, .. } if program == preset.program() => {
            Some((noted.attempt, id, *state))
        }
        _ => None,
    });
    let (of, id, state) = last?;
    (of == attempt || state != SessionState::Ended).then(|| id.clone())
}

/// Whether a resumed start may have failed because the assistant does not know the session.
fn may_be_unknown(failure: &AgentFailure) -> bool {
    matches!(failure, AgentFailure::Failed(failure) if matches!(
        failure.kind,
        FailureKind::Crashed | FailureKind::TaskError | FailureKind::BadOutput
    ))
}

impl Agent for AssistantAgent {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move { self.attempt(order, None, &stop).await })
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(async move { self.attempt(order, Some(&*cx), &stop).await })
    }
}
