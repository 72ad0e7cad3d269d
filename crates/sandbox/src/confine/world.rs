//! A world of a command's own: namespaces of the kernel in which there is nothing but what the command may use.
//!
//! A second layer below Landlock and the filter of calls, which stay as they are: names and sizes of other files
//! cannot even be asked for, other processes have no number, and there is no network to be reached, not even
//! loopback. It is made in two steps. The keeper moves what it will start into a new world of users and processes;
//! the process that becomes the command then builds its own view of files and moves into it.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use rustix::fs::StatVfsMountFlags;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::pivot_root;
use rustix::thread::UnshareFlags;
use tokio::signal::unix::{SignalKind, signal};

use super::{CANNOT, SUBCOMMAND, Spec, Stage, files};

/// What the machine is called inside.
const HOST_NAME: &[u8] = b"sandbox";
/// The root holds nothing but folders to put others on.
const ROOT_OPTIONS: &str = "size=1m,nr_inodes=4096,mode=0755";
/// How many files there can be in the temporary folder, and how large it is when nothing was said.
const TMP_FILES: u32 = 16 * 1024;
const USUAL_TMP_BYTES: u64 = 256 * 1024 * 1024;

/// What is given of the devices.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// Has all that this process starts from now on live in a new world of users and processes, and starts the first
/// process there, with whose end everything else in it ends. No thread may run yet, nor any be started later.
pub(super) fn open(spec: &Spec) -> io::Result<()> {
    become_root()?;
    let text = serde_json::to_string(spec).map_err(io::Error::other)?;
    // It must not hold the pipes of the command open.
    Command::new("/proc/self/exe")
        .args([SUBCOMMAND, Stage::First.word(), &text])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(())
}

/// The first process of a new world: inherits the children of the dead and lays them to rest, for ever.
pub(super) fn first() -> ExitCode {
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let rest = runtime.and_then(|runtime| {
        runtime.block_on(async {
            let mut deaths = signal(SignalKind::child())?;
            loop {
                while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
                deaths.recv().await;
            }
        })
    });
    let _: io::Result<()> = rest;
    ExitCode::from(CANNOT)
}

/// Moves this process into a view of files of its own, below `root`, in a world without network.
pub(super) fn build(spec: &Spec, root: &Path) -> io::Result<()> {
    let rest = UnshareFlags::NEWNS | UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    leave(rest)?;
    rustix::system::sethostname(HOST_NAME)?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", root, "tmpfs", plain, Some(CString::new(ROOT_OPTIONS)?.as_c_str()))?;
    furnish(spec, root)?;
    std::env::set_current_dir(root)?;
    // Both at one place: the old root then lies over the new one, and is taken off.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")?;
    mount_remount("/", MountFlags::BIND | MountFlags::RDONLY | plain, "")?;
    Ok(())
}

/// Tries all of it, and ends with this process.
pub(super) fn try_out(spec: &Spec) -> ExitCode {
    let root = spec.world.clone().unwrap_or_default();
    match become_root().and_then(|()| build(spec, &root)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(CANNOT)
        }
    }
}

/// Root inside is this user outside: nobody gains anything by it but the right to build within.
fn become_root() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    leave(UnshareFlags::NEWUSER | UnshareFlags::NEWPID)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1"))?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1"))
}

/// The safe form is said to be out of date because of one flag, about open files, that is never used here.
#[expect(deprecated, reason = "without that flag there is nothing unsafe about it")]
fn leave(worlds: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(worlds)?)
}

fn furnish(spec: &Spec, root: &Path) -> io::Result<()> {
    // First, since something that is given may lie in the place of the same name outside.
    temporary(spec, &inside(root, &spec.folder))?;
    let mut given: Vec<PathBuf> = Vec::new();
    let mut paths = files::readable(spec);
    // Whatever holds others comes before them, so that these are there already.
    paths.sort_by_key(|path| path.components().count());
    for path in paths.iter().filter(|path| !path.starts_with("/proc") && !path.starts_with("/dev")) {
        if !given.iter().any(|folder| path.starts_with(folder)) {
            give(root, path, true)?;
            given.push(path.clone());
        }
    }
    let own = |path: &&PathBuf| **path != spec.folder;
    spec.read_write.iter().filter(own).try_for_each(|path| give(root, path, false))?;
    DEVICES.iter().try_for_each(|path| give(root, Path::new(path), false))?;
    // Where a part of it is hidden from us, there is none: the kernel does not let us see more than before.
    let proc = inside(root, Path::new("/proc"));
    fs::create_dir_all(&proc)?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = mount("proc", &proc, "proc", quiet, None);
    Ok(())
}

/// Puts what is at `path` at the same place below `root`; what is not there is not given.
fn give(root: &Path, path: &Path, only_read: bool) -> io::Result<()> {
    let place = inside(root, path);
    let Ok(kind) = fs::symlink_metadata(path).map(|found| found.file_type()) else { return Ok(()) };
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    if kind.is_symlink() {
        let target = fs::read_link(path)?;
        // One that says where to go from here leads to the same place inside.
        if target.is_relative() {
            return symlink(target, place);
        }
    }
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    if found.is_dir() {
        fs::create_dir_all(&place)?;
    } else {
        fs::write(&place, "")?;
    }
    mount_bind_recursive(path, &place)?;
    if only_read { lock(path, &place) } else { Ok(()) }
}

/// Nothing can be changed there any more. What was forbidden before must stay so, or the kernel refuses.
fn lock(path: &Path, place: &Path) -> io::Result<()> {
    let before = rustix::fs::statvfs(path)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    if before.contains(StatVfsMountFlags::NOEXEC) {
        flags |= MountFlags::NOEXEC;
    }
    Ok(mount_remount(place, flags, "")?)
}

/// A folder in memory, of limited size, that is gone with the command.
fn temporary(spec: &Spec, place: &Path) -> io::Result<()> {
    fs::create_dir_all(place)?;
    let bytes = spec.limits.folder_bytes.unwrap_or(USUAL_TMP_BYTES);
    let options = CString::new(format!("size={bytes},nr_inodes={TMP_FILES},mode=0700"))?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", place, "tmpfs", plain, Some(options.as_c_str()))?)
}

fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
