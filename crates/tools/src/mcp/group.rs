//! A server's process and everything it starts, as one group that ends as a whole.
//!
//! The leader of the group is collected last. Until then its id cannot go to anyone else, so that a signal to the
//! group never reaches a stranger.

use std::fs;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep, timeout};

/// How long a server may take to end by itself after its stdin was closed, and after it was asked to.
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How long a killed group may take to be gone; the kernel needs about a millisecond.
const GONE_WITHIN: Duration = Duration::from_secs(1);
/// Deaths are signalled. This is how often they are looked for beside that, should a signal be lost.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A running group. Dropping it kills it.
pub(super) struct Group {
    leader: Child,
    pid: u32,
    collected: bool,
}

impl Group {
    /// Starts the command as the leader of a group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let leader = command.process_group(0).kill_on_drop(true).spawn()?;
        let pid = leader.id().ok_or_else(|| io::Error::other("the process has no id"))?;
        Ok(Self { leader, pid, collected: false })
    }

    /// The leader, for its pipes.
    pub(super) fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Returns when the leader has ended, without collecting it.
    pub(super) async fn ended(&self) {
        let mut deaths = signal(SignalKind::child()).ok();
        while !has_ended(self.pid) {
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

    /// Gives the leader, whose stdin is closed, time to end; then asks it to; then kills the whole group.
    pub(super) async fn end_gently(&mut self) -> io::Result<ExitStatus> {
        if timeout(ENDS_WITHIN, self.ended()).await.is_err() {
            send(self.pid, Signal::TERM);
            let _ = timeout(ENDS_WITHIN, self.ended()).await;
        }
        self.end().await
    }

    /// Kills all members, and returns when they are gone, with how the leader ended.
    pub(super) async fn end(&mut self) -> io::Result<ExitStatus> {
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

fn has_ended(pid: u32) -> bool {
    let Some(pid) = as_pid(pid) else { return true };
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error means that there is no such child any more.
    !matches!(rustix::process::waitid(WaitId::Pid(pid), look), Ok(None))
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = as_pid(pid) {
        // There may be nobody left.
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Whether a member still runs. The dead that nobody has collected yet do not count: whoever inherits them may
/// take seconds over it.
fn is_there(pid: u32) -> bool {
    as_pid(pid).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
        && group_runs(pid).unwrap_or(true)
}

/// What the system tells about the group; nothing where it tells nothing.
fn group_runs(group: u32) -> Option<bool> {
    let group = group.to_string();
    let runs = |entry: fs::DirEntry| {
        let stat = fs::read(entry.path().join("stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        // The fields stand behind the name, which may hold spaces and brackets: state, parent, group.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        Some(fields.nth(1)? == group && !matches!(state, "Z" | "X"))
    };
    Some(fs::read_dir("/proc").ok()?.flatten().any(|entry| runs(entry) == Some(true)))
}

/// Zero and one mean "my own group" and "everyone" where a group is expected; they are nobody's id here.
fn as_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw)
}
