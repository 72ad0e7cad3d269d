//! The keeper: holds every process that a command starts, and ends only when none is left.
//!
//! It is the *subreaper* of all below it: a process whose parent has died becomes its child, also one that has
//! left its session and its group. So "no child left" means "nothing of the command runs any more". It is not
//! confined itself and outside the command's reach: signals from within do not get to it.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{WaitOptions, WaitStatus, getpid, getppid, setsid, wait};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

use super::{CANNOT, Ending, LimitHit, MARK, OWN_TMP, SUBCOMMAND, Spec, Stage, report, world};
use crate::memory::{Meter, is_in_memory};
use crate::tree;

/// How often it is looked whether too much is going on.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long to wait between two rounds of killing, first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// How long a process may go on after the kernel has told it that its time on the processor is used up.
const CPU_GRACE: Duration = Duration::from_millis(500);

/// Keeps the command of `spec` until it has ended, and everything that it started.
pub(super) fn keep(spec: &Spec) -> ExitCode {
    close_inherited();
    let ending = match hold(spec) {
        Ok(ending) => ending,
        Err(error) => Ending { problem: Some(format!("cannot start it: {error}")), ..Ending::default() },
    };
    let failed = ending.problem.is_some();
    report(spec, &ending);
    if let Some(folder) = spec.clean.as_ref().filter(|folder| is_forsaken(folder) || parent_is_gone(spec)) {
        let _ = fs::remove_dir_all(folder);
    }
    if failed { ExitCode::from(CANNOT) } else { ExitCode::SUCCESS }
}

/// Closes whatever this process was given open besides its three streams: by mistake or not, it is nobody's below.
fn close_inherited() {
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers: Vec<i32> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // One of them was the list itself, and is closed already.
    for number in numbers.into_iter().filter(|number| *number > libc::STDERR_FILENO) {
        let _ = nix::unistd::close(number);
    }
}

fn hold(spec: &Spec) -> io::Result<Ending> {
    // Its own session: what happens to the terminal of whoever started it is not for it.
    let _ = setsid();
    rustix::process::set_child_subreaper(Some(getpid()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The signals first: one that comes before the command is started must not leave it running.
        let mut asked_to_end = signal(SignalKind::terminate())?;
        let mut deaths = signal(SignalKind::child())?;
        if spec.world.is_some() {
            world::open(spec)?;
        }
        let leader = start(spec)?;
        let watch = Watch::new(spec, leader.id());
        let mut ending = Ending::default();
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = asked_to_end.recv() => break,
                _ = deaths.recv() => {}
                _ = look.tick() => {
                    ending.limit = watch.too_much();
                    if ending.limit.is_some() || parent_is_gone(spec) {
                        break;
                    }
                }
            }
            if let Left::LeaderEnded(status) = collect(leader.id()) {
                note(&mut ending, status);
                break;
            }
        }
        end_all(leader.id(), &mut ending).await;
        Ok(ending)
    })
}

/// Starts this very program again, as the one that becomes the command.
fn start(spec: &Spec) -> io::Result<Child> {
    let text = serde_json::to_string(spec).map_err(io::Error::other)?;
    // By this name it is the same file even if another one has been put in its place.
    Command::new("/proc/self/exe").args([SUBCOMMAND, Stage::Enter.word(), &text]).spawn()
}

/// Kills everything below, again and again until nothing is left.
async fn end_all(leader: u32, ending: &mut Ending) {
    let mut pause = FIRST_PAUSE;
    loop {
        tree::kill_below(std::process::id());
        match collect(leader) {
            Left::Nobody => return,
            Left::LeaderEnded(status) => note(ending, status),
            Left::Some => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// What is left of the children.
enum Left {
    Nobody,
    Some,
    LeaderEnded(WaitStatus),
}

/// Collects the dead.
fn collect(leader: u32) -> Left {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().unsigned_abs() == leader => {
                return Left::LeaderEnded(status);
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Left::Some,
            Err(_) => return Left::Nobody,
        }
    }
}

fn note(ending: &mut Ending, status: WaitStatus) {
    ending.code = status.exit_status();
    ending.signal = status.terminating_signal();
}

/// What looks whether a command uses more than it may.
struct Watch<'a> {
    spec: &'a Spec,
    leader: u32,
    meter: Meter,
    /// Its temporary folder is one of the machine's, and lies in memory.
    shares_memory: bool,
}

impl<'a> Watch<'a> {
    fn new(spec: &'a Spec, leader: u32) -> Self {
        let shares_memory = spec.tmp.as_deref().is_some_and(is_in_memory);
        Self { spec, leader, meter: Meter::new(), shares_memory }
    }

    fn too_much(&self) -> Option<LimitHit> {
        let limits = &self.spec.limits;
        let all = tree::below(std::process::id());
        // The first process of a world is ours.
        let ours = usize::from(self.spec.world.is_some());
        let used = tree::used_by(&all);
        if all.len() > limits.processes + ours || used.threads > limits.threads {
            return Some(LimitHit::Processes);
        }
        if used.longest > Duration::from_secs(limits.cpu_seconds) + CPU_GRACE {
            return Some(LimitHit::Cpu);
        }
        let folder = self.folder();
        if folder.too_much {
            return Some(LimitHit::Disk);
        }
        let in_memory = if self.shares_memory || self.spec.world.is_some() { folder.bytes } else { 0 };
        self.meter.is_above(&all, in_memory, limits.memory_bytes).then_some(LimitHit::Memory)
    }

    /// How much is in the temporary folder. In namespaces of its own the kernel limits that, and knows it.
    fn folder(&self) -> tree::Size {
        if self.spec.world.is_some() {
            let bytes = self.meter.folder_in_memory(self.leader, Path::new(OWN_TMP));
            return tree::Size { bytes, too_much: false };
        }
        let most = self.spec.limits.folder_bytes;
        match &self.spec.tmp {
            Some(folder) if most.is_some() || self.shares_memory => {
                tree::size_of(folder, most.unwrap_or(u64::MAX))
            }
            _ => tree::Size::default(),
        }
    }
}

/// Whether whoever started us left it to us to remove the folder. The first to put a mark there leaves that to the
/// other one, so that it is done once, and after the last word was written.
fn is_forsaken(folder: &Path) -> bool {
    let marked = File::create_new(folder.join(MARK));
    marked.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
}

/// Whether nobody waits for the command any more. A signal at the parent's death is no way: it comes when the
/// thread that started us ends, and not only then.
fn parent_is_gone(spec: &Spec) -> bool {
    getppid().is_none_or(|parent| parent.as_raw_nonzero().get().unsigned_abs() != spec.parent)
}
