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
use tokio::time::{Instant, sleep, sleep_until};

use crate::processes::group_runs;

/// How long a killed group may take to be gone; the kernel needs about a millisecond.
const GONE_WITHIN: Duration = Duration::from_millis(200);
/// Deaths are signalled. This is how often they are looked for beside that, should a signal be lost.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The pipes of a child.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

/// A running group. Dropping it kills it.
pub(crate) struct Group {
    leader: Child,
    pid: u32,
    collected: bool,
}

impl Group {
    /// Starts the command as the leader of a group of its own.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Self, Pipes)> {
        let mut leader = command.process_group(0).kill_on_drop(true).spawn()?;
        let pipes =
            Pipes { stdin: leader.stdin.take(), stdout: leader.stdout.take(), stderr: leader.stderr.take() };
        let pid = leader.id().ok_or_else(|| io::Error::other("the process has no id"))?;
        Ok((Self { leader, pid, collected: false }, pipes))
    }

    /// The id of the group, which is that of its leader.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks all members to end.
    pub(crate) fn terminate(&self) {
        send(self.pid, Signal::TERM);
    }

    /// Kills all members, and returns when they are gone, with how the leader ended.
    pub(crate) async fn end(&mut self) -> io::Result<ExitStatus> {
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
pub(crate) async fn ended(pid: u32) {
    let mut deaths = signal(SignalKind::child()).ok();
    while !has_ended(pid) {
        let look_again = sleep_until(Instant::now() + LOOK_AGAIN);
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
pub(crate) fn kill(pid: u32) -> bool {
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

/// Zero and one mean "my own group" and "everyone" where a group is expected; they are nobody's id here.
fn as_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw)
}
