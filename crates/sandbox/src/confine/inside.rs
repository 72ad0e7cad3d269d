//! Takes all rights away from this process, and becomes the command.
//!
//! The order matters: what needs rights comes first, and the filter of calls last.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit, Signal, setrlimit, setsid};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::calls::May;
use super::{CANNOT, Spec, calls, files, world};
use crate::probe;

/// How many files a process may have open.
///
/// It bounds what the kernel keeps for sockets, also for those that are on their way between processes and are in
/// nobody's list: as many as this for one user.
const OPEN_FILES: u64 = 512;
/// How long the kernel waits before it kills a process that takes no notice. The keeper is faster.
const CPU_GRACE_SECONDS: u64 = 5;

/// Becomes the command of `spec`; returns only if that is not possible.
pub(super) fn enter(spec: &Spec) -> ExitCode {
    // Opened while it can be; it closes by itself when the command begins.
    let place = File::create(&spec.problem);
    let problem = match confine(spec) {
        Ok(()) => {
            let (name, args) = spec.command.split_first().map_or(("", &[][..]), |(name, args)| (name, args));
            Command::new(&spec.program).arg0(name).args(args).exec().to_string()
        }
        Err(problem) => problem,
    };
    if let Ok(mut place) = place {
        let _ = place.write_all(problem.as_bytes());
    }
    ExitCode::from(CANNOT)
}

fn confine(spec: &Spec) -> Result<(), String> {
    let told = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    // Its own session, so that a signal to its group stays within it.
    setsid().map_err(io::Error::from).map_err(told("cannot begin a session"))?;
    if let Some(root) = &spec.world {
        world::build(spec, root).map_err(told("cannot make namespaces"))?;
        world::be_oneself(spec).map_err(told("cannot map the user in its namespaces"))?;
    }
    // Should somebody kill the keeper, which never happens by itself, nothing is left that nobody holds. The kernel
    // forgets this when a process becomes another user, so it comes after that.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(io::Error::from)
        .map_err(told("cannot be tied to its keeper"))?;
    std::env::set_current_dir(&spec.folder).map_err(told("cannot go to its folder"))?;
    limit(spec).map_err(told("cannot set its limits"))?;
    rustix::thread::set_no_new_privs(true)
        .map_err(io::Error::from)
        .map_err(told("cannot give up privileges"))?;
    drop_capabilities(spec).map_err(told("cannot give up root's powers"))?;
    let offer = probe();
    if !offer.suffices() && !spec.allow_unconfined {
        return Err(format!("the kernel lacks {}", offer.missing()));
    }
    if offer.files {
        files::restrict(spec).map_err(|error| format!("cannot take away files: {error}"))?;
    }
    if offer.calls {
        let may = May { network: spec.network, change_modes: spec.change_modes, send_signals: offer.signals };
        calls::restrict(may).map_err(|error| format!("cannot take away calls: {error}"))?;
    }
    Ok(())
}

fn limit(spec: &Spec) -> io::Result<()> {
    let cpu = spec.limits.cpu_seconds;
    // Data and not address space: some runtimes reserve a hundred times what they use. Of time there is a little
    // more at last, so that the one who runs out of it is told so by a signal before it is killed.
    // A user's processes are counted for each namespace of users; without one, all that this user runs would count. Root
    // has no limit: the keeper looks, as everywhere.
    let threads = if spec.world.is_some() { spec.limits.threads } else { u64::MAX };
    let all = [
        (Resource::Nproc, threads, 0),
        (Resource::Data, spec.limits.memory_bytes, 0),
        (Resource::Cpu, cpu, CPU_GRACE_SECONDS),
        (Resource::Fsize, spec.limits.file_bytes, 0),
        (Resource::Nofile, OPEN_FILES, 0),
        (Resource::Core, 0, 0),
    ];
    for (resource, most, grace) in all {
        // Limits can only be lowered; one that is lower already stays.
        let before = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (most, last) = (most.min(before), most.saturating_add(grace).min(before));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(last) })?;
    }
    Ok(())
}

/// Root keeps one power: to use the files of its folders whoever owns them; a program of nobody's keeps none. Since
/// privileges cannot be gained any more, the others do not come back with the next program.
fn drop_capabilities(spec: &Spec) -> io::Result<()> {
    let now = rustix::thread::capabilities(None)?;
    let untrusted = spec.world.is_some() && !spec.users;
    let kept = if untrusted { CapabilitySet::empty() } else { CapabilitySet::DAC_OVERRIDE };
    let rest = now.permitted & kept;
    let sets = CapabilitySets { effective: rest, permitted: rest, inheritable: CapabilitySet::empty() };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}
