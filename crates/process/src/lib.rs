//! Child processes as groups that end as a whole, and what the system tells of processes.
//!
//! Commands, MCP servers and checks are programs of others: they start children, ignore signals, and outlive whoever
//! started them. [`Group`] starts such a program as the leader of a process group and ends the whole group. [`proc`]
//! reads what Linux tells of processes that are not our children. Why no library does this for us is in
//! `docs/decisions/005-process-groups.md`.

mod group;
pub mod proc;
mod resources;

pub use group::{Group, Pipes, as_pid, ended, kill};
pub use resources::{near_shortage, programs_at_once};

/// Whether something could not be begun for want of resources of this machine that come back: memory, processes,
/// descriptors, disk.
#[must_use]
pub fn is_shortage(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    let passing = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::NOSPC, Errno::TXTBSY];
    Errno::from_io_error(error).is_some_and(|errno| passing.contains(&errno))
}
