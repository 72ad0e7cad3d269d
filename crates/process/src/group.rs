//! A child process and everything it starts, as one group that ends as a whole.
//!
//! The leader of the group is collected last. Until then its id cannot go to anyone else, so that a signal
//! to the group never reaches a stranger.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep, timeout};

use crate::proc::group_runs;

/// How long a leader may take to end by itself after its stdin was closed, and again after it was asked to.
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How long a killed group may take to be gone. The kernel needs about a millisecond; a loaded machine needs more.
const GONE_WITHIN: Duration = Duration::from_secs(1);
/// Deaths are signalled. This is how often they are looked for beside that, should a signal be lost.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The pipes of a leader, as far as its command asked for them.
#[derive(Debug)]
pub struct Pipes {
    /// What it reads.
    pub stdin: Option<ChildStdin>,
    /// What it answers.
    pub stdout: Option<ChildStdout>,
    /// What it says besides.
    pub stderr: Option<ChildStderr>,
}

/// A running group. Dropping it kills it.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    pid: u32,
    collected: bool,
}

impl Group {
    /// Starts the command as the leader of a group of its own.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let mut leader = command.process_group(0).kill_on_drop(true).spawn()?;
        let pipes =
            Pipes { stdin: leader.stdin.take(), stdout: leader.stdout.take(), stderr: leader.stderr.take() };
        let pid = leader.id().ok_or_else(|| io::Error::other("the process has no id"))?;
        Ok((Self { leader, pid, collected: false }, pipes))
    }

    /// The id of the group, which is that of its leader.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns when the leader has ended, without collecting it.
    pub async fn ended(&self) {
        ended(self.pid).await;
    }

    /// Asks all members to end.
    pub fn terminate(&self) {
        send(self.pid, Signal::TERM);
    }

    /// Gives the leader, whose stdin is closed, time to end; then asks the group to; then kills all of it.
    ///
    /// # Errors
    /// See [`Group::end`].
    pub async fn end_gently(&mut self) -> io::Result<ExitStatus> {
        if timeout(ENDS_WITHIN, self.ended()).await.is_err() {
            self.terminate();
            let _ = timeout(ENDS_WITHIN, self.ended()).await;
        }
        self.end().await
    }

    /// Kills all members, and returns when they are gone, with how the leader ended.
    ///
    /// # Errors
    /// When the leader cannot be waited for.
    pub async fn end(&mut self) -> io::Result<ExitStatus> {
        send(self.pid, Signal::KILL);
        let status = self.leader.wait().await?;
        self.collected = true;
        let give_up = Instant::now() + GONE_WITHIN;
        while is_there(self.pid) && Instant::now() < give_up {
            sleep(Duration::from_millis(1)).await;
        }
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.collected {
            send(self.pid, Signal::KILL);
        }
    }
}

/// Returns when the leader `pid` has ended, without collecting it.
pub async fn ended(pid: u32) {
    let mut deaths = signal(SignalKind::child()).ok();
    while !has_ended(pid) {
        let look_again = sleep(LOOK_AGAIN);
        match &mut deaths {
            Some(deaths) => tokio::select! {
                _ = deaths.recv() => {}
                () = look_again => {}
            },
            None => look_again.await,
        }
    }
}

/// Kills a group of which only the id is known, and returns when it is gone; says whether there was one.
///
/// Blocks for up to a second: for the start of a process, not for an executor.
pub fn kill(pid: u32) -> bool {
    let there = send(pid, Signal::KILL);
    let give_up = std::time::Instant::now() + GONE_WITHIN;
    while there && is_there(pid) && std::time::Instant::now() < give_up {
        std::thread::sleep(Duration::from_millis(1));
    }
    there
}

fn has_ended(pid: u32) -> bool {
    let Some(pid) = as_pid(pid) else { return true };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error means that there is no such child any more.
    !matches!(rustix::process::waitid(WaitId::Pid(pid), look), Ok(None))
}

fn send(pid: u32, signal: Signal) -> bool {
    as_pid(pid).is_some_and(|pid| rustix::process::kill_process_group(pid, signal).is_ok())
}

/// Whether a member still runs. The dead that nobody has collected yet do not count: whoever inherits them
/// may take seconds over it.
fn is_there(pid: u32) -> bool {
    as_pid(pid).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
        && group_runs(pid).unwrap_or(true)
}

/// An id as the kernel takes it. Zero and one mean "my own group" and "everyone" where a group is expected; they are
/// nobody's id here.
#[must_use]
pub fn as_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw)
}
