//! Python that runs in a sandbox of E2B, over its public HTTP protocol.
//!
//! Every program gets a sandbox of its own, which is ended afterwards: when the program has ended, raised an
//! exception, took too long or was stopped, when E2B misbehaved, and when the work was simply dropped. It also ends
//! by itself a little after the program's time.
//!
//! The protocol, as E2B's published libraries speak it: `POST {api}/sandboxes` makes a sandbox and
//! `DELETE {api}/sandboxes/{id}` ends it, both with the key in `X-API-Key`; `POST /execute` on port 49999 of the
//! sandbox runs a program and answers with a line of JSON for everything that happens. The key goes to the service
//! only; a sandbox gets the tokens that the service gave for it.
//!
//! Nothing of this was run against the real service: there was no account. The tests speak with a server of their
//! own that follows the libraries and really runs the programs.

mod base64;
mod config;
mod program;
mod report;
mod sandbox;
mod service;
mod stream;
mod trouble;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use candor_ports::{BoxFuture, CodeFault, CodeJob, CodeLimit, CodeOutcome, CodeRun, CodeRunner};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::program::Program;
use self::sandbox::{Reach, Sandbox, time_of};
use self::service::Service;
use self::stream::{Heard, MAX_STREAM_BYTES, Raised, Seen};
use self::trouble::Trouble;
use crate::output::{self, Captured};

pub use self::config::{E2bConfig, E2bError, PUBLIC_API, PUBLIC_DOMAIN, PUBLIC_TEMPLATE, Secret};

/// How much of what is printed is kept, of each of the two kinds.
const KEPT_BYTES: usize = 64 * 1024;

/// Runs Python in sandboxes of E2B.
#[derive(Clone)]
pub struct E2b {
    service: Arc<Service>,
}

impl E2b {
    /// Programs are run by this service. Nothing is sent before the first of them.
    pub fn new(config: E2bConfig) -> Result<Self, E2bError> {
        Ok(Self { service: Arc::new(Service::new(config)?) })
    }

    async fn run_job(&self, job: &CodeJob, stop: CancellationToken) -> Result<CodeRun, CodeFault> {
        let program = Program::of(job)?;
        let opened = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(never_begun()),
            opened = Sandbox::open(&self.service, job) => opened,
        };
        let (sandbox, reach) = opened?;
        let (begun, mut seen) = (Instant::now(), Seen::default());
        let ending = self.watch(job, &reach, &program, &mut seen, &stop).await;
        let duration = begun.elapsed();
        let closed = sandbox.close().await;
        let mut run = told(ending?, seen, &program.marker, &reach).await?;
        run.duration = duration;
        run.warnings.extend(closed.err().map(|trouble| still_there(&trouble)));
        Ok(run)
    }

    /// Has the program run until it ends, its time is up or it is asked to stop.
    async fn watch(
        &self,
        job: &CodeJob,
        reach: &Reach,
        program: &Program,
        seen: &mut Seen,
        stop: &CancellationToken,
    ) -> Result<Ending, Trouble> {
        let timeout = time_of(job);
        let until = Instant::now() + timeout;
        let listening = async {
            let response = reach.run(&self.service, &program.text, until).await?;
            seen.listen(reach, response).await
        };
        let ending = tokio::select! {
            biased;
            () = stop.cancelled() => Ending::Stopped,
            heard = listening => Ending::Heard(heard?),
            () = tokio::time::sleep_until(until) => Ending::TimedOut,
        };
        // A sandbox that has not even begun to answer has not taken the program.
        if ending == Ending::TimedOut && !seen.answered {
            return Err(Trouble::Silent { address: reach.address(), waited: timeout });
        }
        Ok(ending)
    }
}

impl CodeRunner for E2b {
    fn run<'a>(
        &'a self,
        job: &'a CodeJob,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<CodeRun, CodeFault>> {
        Box::pin(self.run_job(job, stop))
    }

    fn name(&self) -> &str {
        "e2b"
    }
}

impl fmt::Debug for E2b {
    // The key stays out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("E2b").field("api", &self.service.config.api).finish_non_exhaustive()
    }
}

/// Why nobody listens to a program any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Heard(Heard),
    Stopped,
    TimedOut,
}

/// What came of the program, from everything that is known.
async fn told(ending: Ending, seen: Seen, marker: &str, reach: &Reach) -> Result<CodeRun, Trouble> {
    let report = report::find(&seen.stdout, marker);
    let (told, warnings, stdout) = match report {
        Some(report) => (Some(report.outcome), report.warnings, report.printed),
        None => (None, Vec::new(), seen.stdout),
    };
    let outcome = match (ending, told, seen.error) {
        (Ending::Stopped, ..) => CodeOutcome::Stopped,
        (Ending::TimedOut, ..) => CodeOutcome::TimedOut,
        (Ending::Heard(Heard::TooMuch), ..) => too_much(),
        (Ending::Heard(Heard::All), Some(outcome), _) => outcome,
        (Ending::Heard(Heard::All), None, Some(raised)) => outside(raised)?,
        (Ending::Heard(Heard::All), None, None) if seen.ended => CodeOutcome::NoResult {
            reason: "the program ended without a result: it must have left before its end".to_owned(),
        },
        (Ending::Heard(Heard::All), None, None) => return Err(Trouble::CutOff { address: reach.address() }),
    };
    let (stdout, stderr) = (kept(&stdout).await, kept(&seen.stderr).await);
    Ok(CodeRun { outcome, stdout, stderr, warnings, duration: Duration::ZERO })
}

/// What it means that an exception was told by the service and not by the wrapper.
fn outside(raised: Raised) -> Result<CodeOutcome, Trouble> {
    let Raised { name, value, traceback } = raised;
    match name.as_str() {
        "ContextRestarting" => Ok(CodeOutcome::NoResult {
            reason:
                "the Python process ended before the program did: it left at once, crashed, or used more \
                     memory than the sandbox has"
                    .to_owned(),
        }),
        "WebSocketError" | "UnexpectedEndOfExecution" => Err(Trouble::Inside { said: value }),
        _ => Ok(CodeOutcome::Raised { name, text: value, line: None, trace: traceback }),
    }
}

fn too_much() -> CodeOutcome {
    let most = MAX_STREAM_BYTES / (1024 * 1024);
    let text = format!("it printed more than {most} MiB, its result included, and was ended");
    CodeOutcome::Limit { limit: CodeLimit::Output, text }
}

fn never_begun() -> CodeRun {
    CodeRun {
        outcome: CodeOutcome::Stopped,
        stdout: String::new(),
        stderr: String::new(),
        warnings: Vec::new(),
        duration: Duration::ZERO,
    }
}

fn still_there(trouble: &Trouble) -> String {
    format!("the sandbox could not be ended and ends by itself soon: {trouble}")
}

/// The beginning and the end of what was printed, or all of it.
async fn kept(printed: &str) -> String {
    let mut kept = Captured::new(KEPT_BYTES);
    output::take(Some(printed.as_bytes()), &mut kept).await;
    kept.text()
}
