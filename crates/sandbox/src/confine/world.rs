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

use super::{CANNOT, OWN_TMP, SUBCOMMAND, Spec, Stage, files};

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
    become_root(spec)?;
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
    let rest = UnshareFlags::NEWNS | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    leave(if spec.network { rest } else { rest | UnshareFlags::NEWNET })?;
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
    match become_root(spec).and_then(|()| build(spec, &root)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(CANNOT)
        }
    }
}

/// Root inside is this user outside: nobody gains anything by it but the right to build within.
fn become_root(spec: &Spec) -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    // A command of root's works with files of all users, of which a new world of users would know one only. Root
    // can build without it, unless it is one without powers, as in some containers.
    if spec.users && user == 0 && leave(UnshareFlags::NEWPID).is_ok() {
        return Ok(());
    }
    leave(UnshareFlags::NEWUSER | UnshareFlags::NEWPID)?;
    map((0, user), (0, group))
}

/// Becomes the user again that a command was started as: as root, some programs refuse to run, and others try what
/// only root could.
pub(super) fn be_oneself(spec: &Spec) -> io::Result<()> {
    let Some((user, group)) = spec.identity else { return Ok(()) };
    leave(UnshareFlags::NEWUSER)?;
    map((user, 0), (group, 0))
}

/// Who a user and a group are outside, for one of each inside.
fn map((user, real_user): (u32, u32), (group, real_group): (u32, u32)) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/gid_map", format!("{group} {real_group} 1"))?;
    fs::write("/proc/self/uid_map", format!("{user} {real_user} 1"))
}

/// The safe form is said to be out of date because of one flag, about open files, that is never used here.
#[expect(deprecated, reason = "without that flag there is nothing unsafe about it")]
fn leave(worlds: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(worlds)?)
}

fn furnish(spec: &Spec, root: &Path) -> io::Result<()> {
    // First, since something that is given may lie in the place of the same name outside.
    temporary(spec, &inside(root, Path::new(OWN_TMP)))?;
    let mut given: Vec<PathBuf> = Vec::new();
    let mut paths = files::readable(spec);
    // Whatever holds others comes before them, so that these are there already.
    paths.sort_by_key(|path| path.components().count());
    for path in paths.iter().filter(|path| !path.starts_with("/proc") && !path.starts_with("/dev")) {
        if !given.iter().any(|folder| path.starts_with(folder)) {
            give(root, path, Some(NOTHING_SPECIAL))?;
            given.push(path.clone());
        }
    }
    let own = |path: &&PathBuf| **path != Path::new(OWN_TMP);
    spec.read_write.iter().filter(own).try_for_each(|path| give(root, path, None))?;
    // Devices are written to all the same; it is their modes that stay as they are.
    DEVICES.iter().try_for_each(|path| give(root, Path::new(path), Some(MountFlags::NOSUID)))?;
    follow(root, &paths)?;
    if spec.change_modes {
        lock_below(root, spec)?;
    }
    // Where a part of it is hidden from us, there is none: the kernel does not let us see more than before.
    let proc = inside(root, Path::new("/proc"));
    fs::create_dir_all(&proc)?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let _ = mount("proc", &proc, "proc", quiet, None);
    Ok(())
}

/// What is true of all that can only be read.
const NOTHING_SPECIAL: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Gives what links lead to that are themselves given, such as that to the addresses of name servers.
fn follow(root: &Path, paths: &[PathBuf]) -> io::Result<()> {
    let links = paths.iter().filter(|path| inside(root, path).is_symlink());
    let targets = links.filter_map(|path| fs::canonicalize(path).ok());
    let missing = targets.filter(|target| !target.starts_with("/proc") && !inside(root, target).exists());
    missing.collect::<Vec<_>>().iter().try_for_each(|target| give(root, target, Some(NOTHING_SPECIAL)))
}

/// Puts what is at `path` at the same place below `root`, with these flags if it can only be read; what is not there
/// is not given.
fn give(root: &Path, path: &Path, only_read: Option<MountFlags>) -> io::Result<()> {
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
    only_read.map_or(Ok(()), |flags| lock(path, &place, flags))
}

/// Nothing can be changed there any more. What was forbidden before must stay so, or the kernel refuses.
fn lock(path: &Path, place: &Path, flags: MountFlags) -> io::Result<()> {
    let before = rustix::fs::statvfs(path)?.f_flag;
    let mut flags = flags | MountFlags::BIND | MountFlags::RDONLY;
    if before.contains(StatVfsMountFlags::NOEXEC) {
        flags |= MountFlags::NOEXEC;
    }
    Ok(mount_remount(place, flags, "")?)
}

/// What is mounted within what is given came with it, and can be written to as before; Landlock forbids that, but
/// does not look at modes.
fn lock_below(root: &Path, spec: &Spec) -> io::Result<()> {
    let all = fs::read_to_string("/proc/self/mountinfo")?;
    let places = all.lines().filter_map(|line| line.split(' ').nth(4)).map(PathBuf::from);
    for place in places {
        let Ok(below) = place.strip_prefix(root) else { continue };
        let path = Path::new("/").join(below);
        let writable = spec.read_write.iter().any(|folder| path.starts_with(folder));
        if !writable && path != Path::new("/") && !path.starts_with("/proc") {
            let special = if path.starts_with("/dev") { MountFlags::NOSUID } else { NOTHING_SPECIAL };
            lock(&place, &place, special)?;
        }
    }
    Ok(())
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
