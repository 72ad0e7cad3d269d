//! Which calls of the kernel a command may make: seccomp.
//!
//! Two filters. The first knows the calls that may be made (`allowed.rs`), by number: any other does not exist, so
//! that programs use an older form or do without. The second refuses, with an error that says so: calls that are
//! known to lead out, and calls that may be made, but not with these arguments. Refused is what acts on the machine
//! as a whole or on processes of others, what holds memory that no limit counts, and what changes files in ways that
//! Landlock does not look at (modes, owners, attributes and flags are changed without a right to write).

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::allowed::ALLOWED;

/// What a refused call is told.
const REFUSED: u32 = libc::EPERM as u32;
/// What a call is told that nobody has considered. Programs take that as a kernel that does not have it yet, and
/// use an older form, the arguments of which can be looked into.
const UNKNOWN: u32 = libc::ENOSYS as u32;

/// Never allowed, and said so.
const NEVER: &[i64] = &[
    // The machine.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // Its file systems, and ways around their names.
    libc::SYS_chroot,
    libc::SYS_fanotify_init,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_umount2,
    // Other processes, and other worlds.
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_setns,
    libc::SYS_unshare,
    // What others share with us: keys, and memory and messages that have a number instead of a path.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_request_key,
    libc::SYS_semget,
    libc::SYS_shmget,
    // Memory that no limit counts: files without a folder, and pages that a pipe holds for a process.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_vmsplice,
    // What the whole machine has only so many of.
    libc::SYS_io_setup,
    libc::SYS_io_submit,
    // What happens to files of others; a right to read them is not asked for by Landlock.
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_init1,
    // Much machinery, of which little is ever needed and much has gone wrong.
    libc::SYS_bpf,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
];

/// Modes, owners, attributes and times, by path, which is not looked at by anyone, and of an open file, for which
/// a right to read is enough.
const MODES: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
];

/// What only this kind of processor has: ways to its devices, and older forms of the calls above.
#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[i64] = &[libc::SYS_inotify_init, libc::SYS_ioperm, libc::SYS_iopl];
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_futimesat,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[i64] = &[];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: &[i64] = &[];

/// All ways to send a signal, also to oneself: one cannot be told from the other here.
const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tgkill,
    libc::SYS_tkill,
];

/// What makes namespaces, in which a program would be root.
const NEW_WORLDS: &[i32] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Which argument is the mode of a new or changed file, and which one, if any, says by a flag that there is a mode.
#[cfg(target_arch = "x86_64")]
const WITH_MODE_HERE: &[(i64, u8, Option<u8>)] = &[
    (libc::SYS_chmod, 1, None),
    (libc::SYS_creat, 1, None),
    (libc::SYS_open, 2, Some(1)),
    (libc::SYS_mknod, 1, None),
];
#[cfg(not(target_arch = "x86_64"))]
const WITH_MODE_HERE: &[(i64, u8, Option<u8>)] = &[];
const WITH_MODE: &[(i64, u8, Option<u8>)] = &[
    (libc::SYS_fchmod, 1, None),
    (libc::SYS_fchmodat, 2, None),
    (libc::SYS_fchmodat2, 2, None),
    (libc::SYS_mknodat, 2, None),
    (libc::SYS_openat, 3, Some(2)),
];

/// What a socket without a network is never used for: it can only be one of a pair.
const MEETING: &[i64] =
    &[libc::SYS_accept, libc::SYS_accept4, libc::SYS_bind, libc::SYS_connect, libc::SYS_listen];

/// The options of sockets that set how much the kernel keeps for them.
const BUFFER_OPTIONS: &[i32] =
    &[libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];

/// What can be asked of an open file. Left out: leases and notices, which hold up or watch others' use of a file,
/// and whom to send signals about it.
const FILE_COMMANDS: &[i32] = &[
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    libc::F_GETPIPE_SZ,
    libc::F_SETPIPE_SZ,
];

/// What can be asked of devices, sockets and file systems: of terminals what they are, of descriptors how they are
/// read, of files copies and what their flags are, of the network which interfaces there are. Left out is all that
/// sets something which outlives the command.
const DEVICE_COMMANDS: &[u32] = &[
    0x5401,      // TCGETS
    0x540f,      // TIOCGPGRP
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
    0x8008_6601, // FS_IOC_GETFLAGS
    0x801c_581f, // FS_IOC_FSGETXATTR
    0x8910,      // SIOCGIFNAME
    0x8912,      // SIOCGIFCONF
    0x8913,      // SIOCGIFFLAGS
    0x8915,      // SIOCGIFADDR
    0x891b,      // SIOCGIFNETMASK
    0x8921,      // SIOCGIFMTU
    0x8927,      // SIOCGIFHWADDR
    0x8933,      // SIOCGIFINDEX
];

/// What is called priority here: that of one process, and which number says so.
const ONE_PROCESS: u32 = 0;
const ONE_PROCESS_OF_DISKS: u32 = 1;

/// What a command may do beyond the least.
#[derive(Debug, Clone, Copy)]
pub(super) struct May {
    pub(super) network: bool,
    pub(super) change_modes: bool,
    /// Send signals, since those to others are taken away already.
    pub(super) send_signals: bool,
}

/// Refuses this process, and all that it becomes or starts, what a confined command must not do.
pub(super) fn restrict(may: May) -> Result<(), Error> {
    // When both filters refuse a call, the one that was added last gives the error.
    apply_filter(&allowed()?)?;
    apply_filter(&refused(may)?)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn allowed() -> Result<BpfProgram, Error> {
    let rules: Rules = ALLOWED.iter().copied().flatten().map(|call| (*call, Vec::new())).collect();
    Ok(SeccompFilter::new(rules, SeccompAction::Errno(UNKNOWN), SeccompAction::Allow, here()?)?.try_into()?)
}

fn refused(may: May) -> Result<BpfProgram, Error> {
    let mut rules: Rules = [NEVER, NEVER_HERE].concat().into_iter().map(|call| (call, Vec::new())).collect();
    rules.extend(with_mode()?);
    if !may.send_signals {
        rules.extend(SIGNALS.iter().map(|call| (*call, Vec::new())));
    }
    if !may.change_modes {
        rules.extend([MODES, MODES_HERE].concat().into_iter().map(|call| (call, Vec::new())));
        // With a path; without one it is about an open file.
        rules.insert(libc::SYS_utimensat, vec![when(vec![given(1)?])?]);
    }
    rules.insert(libc::SYS_clone, new_worlds()?);
    rules.insert(libc::SYS_mmap, shared_memory()?);
    rules.extend(sockets(may.network)?);
    rules.insert(
        libc::SYS_fcntl,
        vec![none_of(1, FILE_COMMANDS.iter().map(|command| command.unsigned_abs()))?],
    );
    rules.insert(libc::SYS_ioctl, vec![none_of(1, DEVICE_COMMANDS.iter().copied())?]);
    rules.extend(of_others()?);
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(REFUSED), here()?)?.try_into()?)
}

/// Limits, processors and priorities of others; 0 is oneself.
fn of_others() -> Result<Rules, Error> {
    let mut rules = Rules::new();
    for call in [
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
    ] {
        rules.insert(call, vec![when(vec![not(0, 0)?])?]);
    }
    // These can be about a group or a user as well, of which 0 is one's own, with all others in it.
    for (call, one) in [(libc::SYS_setpriority, ONE_PROCESS), (libc::SYS_ioprio_set, ONE_PROCESS_OF_DISKS)] {
        rules.insert(call, vec![when(vec![not(0, one)?])?, when(vec![not(1, 0)?])?]);
    }
    Ok(rules)
}

/// A file that makes whoever runs it another user, in a folder that others of this machine may see.
fn with_mode() -> Result<Rules, Error> {
    let mut rules = Rules::new();
    for (call, mode, flags) in [WITH_MODE, WITH_MODE_HERE].concat() {
        let mut those = Vec::new();
        for bit in [libc::S_ISUID, libc::S_ISGID] {
            match flags {
                None => those.push(when(vec![has(mode, bit)?])?),
                Some(flags) => {
                    for makes in [libc::O_CREAT, libc::O_TMPFILE] {
                        let makes = makes.unsigned_abs();
                        those.push(when(vec![has(mode, bit)?, has(flags, makes)?])?);
                    }
                }
            }
        }
        rules.insert(call, those);
    }
    Ok(rules)
}

fn new_worlds() -> Result<Vec<SeccompRule>, Error> {
    NEW_WORLDS.iter().map(|flag| when(vec![has(0, flag.unsigned_abs())?])).collect()
}

/// Memory that several share and that has no file: it stays when a process gives its pages back, and then no
/// process seems to hold it. Huge pages are counted for nobody either.
fn shared_memory() -> Result<Vec<SeccompRule>, Error> {
    let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS).unsigned_abs();
    Ok(vec![when(vec![has(3, shared)?])?, when(vec![has(3, libc::MAP_HUGETLB.unsigned_abs())?])?])
}

/// Without the network no socket at all: those of the machine's own services lead out of any confinement. Pairs
/// of sockets are allowed where both only know each other; one for messages can be given another address.
fn sockets(network: bool) -> Result<Rules, Error> {
    let mut rules = Rules::new();
    let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(libc::c_int::unsigned_abs);
    let mut pairs = vec![when(vec![not(0, libc::AF_UNIX.unsigned_abs())?])?];
    for kind in kinds {
        pairs.push(when(vec![masked(1, SOCKET_KINDS, kind)?])?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    let level = || equal(1, libc::SOL_SOCKET.unsigned_abs());
    let buffers = BUFFER_OPTIONS.iter().map(|option| when(vec![level()?, equal(2, option.unsigned_abs())?]));
    rules.insert(libc::SYS_setsockopt, buffers.collect::<Result<_, _>>()?);
    if !network {
        rules.extend(MEETING.iter().chain(&[libc::SYS_socket]).map(|call| (*call, Vec::new())));
        rules.insert(libc::SYS_sendto, vec![when(vec![given(4)?])?]);
        return Ok(rules);
    }
    let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(libc::c_int::unsigned_abs);
    // Of the kernel's own protocol, only the first: which addresses this machine has.
    let kernel = equal(0, libc::AF_NETLINK.unsigned_abs())?;
    rules.insert(libc::SYS_socket, vec![none_of(0, families)?, when(vec![kernel, not(2, 0)?])?]);
    Ok(rules)
}

/// The bits of a socket's type that say its kind; the others are flags.
const SOCKET_KINDS: u32 = 0xf;

fn when(all: Vec<SeccompCondition>) -> Result<SeccompRule, Error> {
    Ok(SeccompRule::new(all)?)
}

/// An argument with another value than these.
fn none_of(argument: u8, values: impl IntoIterator<Item = u32>) -> Result<SeccompRule, Error> {
    when(values.into_iter().map(|value| not(argument, value)).collect::<Result<_, _>>()?)
}

fn not(argument: u8, value: u32) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(value))?)
}

fn equal(argument: u8, value: u32) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(value))?)
}

/// All these bits are set.
fn has(argument: u8, bits: u32) -> Result<SeccompCondition, Error> {
    masked(argument, bits, bits)
}

fn masked(argument: u8, mask: u32, value: u32) -> Result<SeccompCondition, Error> {
    let compare = SeccompCmpOp::MaskedEq(u64::from(mask));
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compare, u64::from(value))?)
}

/// A pointer that leads somewhere.
fn given(argument: u8) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?)
}

fn here() -> Result<TargetArch, Error> {
    Ok(TargetArch::try_from(std::env::consts::ARCH)?)
}
