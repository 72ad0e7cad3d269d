//! Agents that are programs: a JSON object on stdin, a JSON object on stdout, stderr for their log.
//!
//! Each attempt is a process group of its own. It is killed as a whole at its deadline, when it is stopped,
//! when it prints too much, and when its leader has ended but left children behind. A child that moves itself
//! out of the group (`setsid`) is out of reach.
//!
//! While an attempt runs, the socket at `CANDOR_BUS` is its line to the others: see [`line`]. A question of
//! another agent is put to a process of its own: see [`query`].

mod assistant;
mod exchange;
mod line;
pub(crate) mod outcome;
mod query;
pub(crate) mod streams;

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use candor_model::redact::Redactor;
use candor_model::{AgentAnswer, Failure, FailureKind, Query, QueryAnswer, RunId, Transience, WorkOrder};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture, PeerChannel};
use candor_process::Group;
use tokio::process::Command;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

pub use self::assistant::{AssistantAgent, Preset};
pub(crate) use self::exchange::is_request;
use self::line::Line;
pub use self::outcome::judge as judge_command;
use self::streams::{Streams, Talk};
use crate::answer::write_order;
use crate::attempts::{AttemptFolder, Noted};
use crate::log_folder::{LogFolder, LogWriter};
use crate::wait::deadline_of;

/// A command without a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("command: must name a program, for example [\"python3\", \"agent.py\"]")]
pub struct EmptyCommand;

/// How much one attempt may print, and how long it may take to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// How many bytes it may print on stdout; more is a failure.
    pub stdout_bytes: usize,
    /// How many bytes of stderr are kept in its log file; of more, the end is kept too.
    pub log_bytes: u64,
    /// How long it may go on after it was asked to stop.
    pub stop_grace: Duration,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self { stdout_bytes: 10_000_000, log_bytes: 10_000_000, stop_grace: Duration::from_millis(200) }
    }
}

/// An agent that is a program, started for every attempt.
#[derive(Debug, Clone)]
pub struct CommandAgent {
    program: String,
    args: Vec<String>,
    folder: Option<PathBuf>,
    env: Vec<(String, String)>,
    limits: CommandLimits,
    logs: Option<LogFolder>,
    redactor: Arc<Redactor>,
    attempts: Option<AttemptFolder>,
}

impl CommandAgent {
    /// An agent that runs this program with these arguments; no shell is involved.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, EmptyCommand> {
        let mut words = command.into_iter().map(Into::into);
        let program = words.next().filter(|program| !program.is_empty()).ok_or(EmptyCommand)?;
        Ok(Self {
            program,
            args: words.collect(),
            folder: None,
            env: Vec::new(),
            limits: CommandLimits::default(),
            logs: None,
            redactor: Arc::default(),
            attempts: None,
        })
    }

    /// The same, started in this folder instead of ours.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The same, with these variables added to the environment that it inherits from us.
    #[must_use]
    pub fn with_env(mut self, env: impl IntoIterator<Item = (String, String)>) -> Self {
        self.env.extend(env);
        self
    }

    /// The same, with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes secrets out of its log with this.
    #[must_use]
    pub fn redacted_by(mut self, redactor: Arc<Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// The same, with its stderr kept in this folder.
    #[must_use]
    pub fn logging_to(mut self, logs: LogFolder) -> Self {
        self.logs = Some(logs);
        self
    }

    /// The same, with a file in this folder for every running attempt.
    #[must_use]
    pub fn noted_in(mut self, attempts: AttemptFolder) -> Self {
        self.attempts = Some(attempts);
        self
    }

    /// The program, its arguments and its surroundings; what it is to do is added.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// The same for one attempt, which its variables name.
    fn command_for(&self, order: &WorkOrder) -> Command {
        let mut command = self.command();
        command
            .env("CANDOR_RUN_ID", order.run_id.as_str())
            .env("CANDOR_TASK_ID", order.task_id.as_str())
            .env("CANDOR_ATTEMPT", order.attempt.to_string())
            .env("CANDOR_IDEMPOTENCY_KEY", &order.idempotency_key)
            // One that we have ourselves is of another attempt, and not for this child.
            .env_remove("CANDOR_BUS");
        command
    }

    fn log_of(&self, order: &WorkOrder) -> Option<LogWriter> {
        let logs = self.logs.as_ref()?;
        Some(logs.writer(order, self.limits.log_bytes, Arc::clone(&self.redactor)))
    }

    /// Notes the process before it gets its order: what has begun to work can be found again. An attempt that
    /// cannot be noted (a full disk) is made all the same, since that helps more than it harms.
    fn note_process(&self, order: &WorkOrder, pid: u32) -> Option<Noted> {
        self.attempts.as_ref().and_then(|folder| folder.note(order, pid).ok())
    }

    async fn attempt(
        &self,
        order: &WorkOrder,
        peers: Option<Arc<dyn PeerChannel>>,
        stop: CancellationToken,
    ) -> Result<AgentAnswer, AgentFailure> {
        let deadline = deadline_of(order);
        if stop.is_cancelled() {
            return Err(AgentFailure::Stopped);
        }
        let input = write_order(order)?;
        let mut log = self.log_of(order);
        let line = peers.and_then(|peers| open_line(order, peers, log.as_mut()));
        let mut command = self.command_for(order);
        if let Some(line) = &line {
            command.env("CANDOR_BUS", line.path());
        }
        let streams = Streams::new(self.limits.stdout_bytes, log);
        let note = |pid| self.note_process(order, pid);
        let ending = self.run(&mut command, &input, note, streams, (deadline, &stop)).await?;
        if let Some(line) = line.filter(|_| matches!(ending.why, Why::Ended)) {
            line.finish().await;
        }
        self.judge(order, ending.why, ending.status, &ending.streams)
    }

    /// Runs a child to its end, whatever ends it; when this returns, its whole group is gone.
    async fn run(
        &self,
        command: &mut Command,
        input: &[u8],
        note: impl FnOnce(u32) -> Option<Noted>,
        mut streams: Streams,
        (deadline, stop): (Instant, &CancellationToken),
    ) -> Result<Ending, AgentFailure> {
        let (mut group, mut pipes) = Group::start(command).map_err(|error| self.cannot_start(&error))?;
        let _noted = note(group.pid());
        let (why, status) = {
            let mut talk = streams.talk(&mut pipes, input);
            let why = until_over(group.pid(), &mut talk, deadline, stop).await;
            if matches!(why, Why::Stopped) {
                self.let_it_stop(&group, &mut talk, deadline).await;
            }
            let status = group.end().await;
            talk.drain().await;
            (why, status)
        };
        streams.finish();
        Ok(Ending { why, status, streams })
    }

    /// Asks the group to end by itself; whoever does not is killed after this.
    async fn let_it_stop(&self, group: &Group, talk: &mut Talk<'_>, deadline: Instant) {
        group.terminate();
        let patience = deadline.min(Instant::now() + self.limits.stop_grace);
        tokio::select! {
            biased;
            () = group.ended() => {}
            () = sleep_until(patience) => {}
            () = talk.flooded() => {}
        }
    }

    fn judge(
        &self,
        order: &WorkOrder,
        why: Why,
        status: io::Result<ExitStatus>,
        streams: &Streams,
    ) -> Result<AgentAnswer, AgentFailure> {
        let program = &self.program;
        let failed = |failure: Failure| Err(outcome::failure(failure, streams.stderr()));
        match why {
            Why::Stopped => Err(AgentFailure::Stopped),
            Why::Deadline => failed(Failure::timed_out(order.deadline_seconds)),
            // What was still in the pipe when it ended counts too.
            Why::Ended | Why::Flooded if streams.is_flooded() => {
                let limit = in_words(self.limits.stdout_bytes);
                let problem = format!("`{program}` printed more than {limit} on stdout and was killed");
                Err(outcome::bad_output(problem, streams.stderr()))
            }
            Why::Ended | Why::Flooded => match status {
                Ok(status) => outcome::judge(program, status, streams.stdout(), streams.stderr()),
                Err(error) => {
                    let message = format!("`{program}` could not be waited for: {error}");
                    failed(
                        Failure::new(FailureKind::Unavailable, message).with_transience(Transience::Unknown),
                    )
                }
            },
        }
    }

    /// A program that cannot be started is an agent that is not there, and is called so: others may be.
    fn cannot_start(&self, error: &io::Error) -> AgentFailure {
        let program = &self.program;
        if candor_process::is_shortage(error) {
            return AgentFailure::NoResources { reason: format!("cannot start `{program}`: {error}") };
        }
        let missing = self.folder.as_ref().filter(|folder| !folder.is_dir());
        let problem = match (missing, error.kind()) {
            (Some(folder), _) => format!("its folder {} does not exist", folder.display()),
            (None, io::ErrorKind::NotFound) => {
                "there is no such program; name it by its full path or put its folder on PATH".to_owned()
            }
            (None, io::ErrorKind::PermissionDenied) => {
                "it may not be run; make it executable (chmod +x), or name its interpreter first".to_owned()
            }
            (None, _) => error.to_string(),
        };
        let message = format!("agent unavailable: cannot start `{program}`: {problem}");
        Failure::new(FailureKind::Unavailable, message).permanent().into()
    }
}

impl Agent for CommandAgent {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(self.attempt(order, None, stop))
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(self.attempt(order, Some(cx), stop))
    }

    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        query: &'a Query,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<QueryAnswer, String>> {
        Box::pin(self.answer_query(run, query, stop))
    }
}

/// An attempt without a line is made all the same: most agents have nothing to say. Its log tells why.
fn open_line(order: &WorkOrder, peers: Arc<dyn PeerChannel>, log: Option<&mut LogWriter>) -> Option<Line> {
    match Line::open(order.task_id.clone(), peers) {
        Ok(line) => Some(line),
        Err(error) => {
            let text = format!("candor: there is no CANDOR_BUS for this attempt: {error}\n");
            log.into_iter().for_each(|log| log.write(text.as_bytes()));
            None
        }
    }
}

/// How a child came to its end, and what it said.
struct Ending {
    why: Why,
    status: io::Result<ExitStatus>,
    streams: Streams,
}

/// Why an attempt is over.
#[derive(Debug, Clone, Copy)]
enum Why {
    Ended,
    Deadline,
    Stopped,
    Flooded,
}

async fn until_over(pid: u32, talk: &mut Talk<'_>, deadline: Instant, stop: &CancellationToken) -> Why {
    // In this order: a child that never pauses must not keep us from looking at the clock.
    tokio::select! {
        biased;
        () = stop.cancelled() => Why::Stopped,
        () = sleep_until(deadline) => Why::Deadline,
        () = candor_process::ended(pid) => Why::Ended,
        () = talk.flooded() => Why::Flooded,
    }
}

fn in_words(bytes: usize) -> String {
    match bytes {
        1_000_000.. if bytes.is_multiple_of(1_000_000) => format!("{} MB", bytes / 1_000_000),
        _ => format!("{bytes} bytes"),
    }
}
