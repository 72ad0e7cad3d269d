//! Which calls of the kernel a command may make: seccomp.
//!
//! A list of what is refused and not of what is allowed: programs of all kinds are to run. Refused is what acts
//! on the machine as a whole, on processes of others, or on files in ways that Landlock does not look at (modes,
//! owners and times can be changed without opening a file, so that its rules never apply).

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// What a refused call is told.
const REFUSED: u32 = libc::EPERM as u32;
/// What a call is told that there is an older form of, which can be looked into.
const UNKNOWN: u32 = libc::ENOSYS as u32;

/// Never allowed.
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
    // Files in memory, which no limit counts.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // Much machinery, of which little is ever needed and much has gone wrong.
    libc::SYS_bpf,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
];

/// Modes, owners, attributes and times, by path; the path is not looked at by anyone.
const MODES: &[i64] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchownat,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
];

/// What only this kind of processor has: ways to its devices, and older forms of the calls above.
#[cfg(target_arch = "x86_64")]
const NEVER_HERE: &[i64] = &[libc::SYS_ioperm, libc::SYS_iopl];
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

/// Modes and owners of an open file. Root owns the system's files, which it can open for reading.
const MODES_AS_ROOT: &[i64] =
    &[libc::SYS_fchmod, libc::SYS_fchown, libc::SYS_fremovexattr, libc::SYS_fsetxattr];

/// All ways to send a signal, also to oneself: one cannot be told from the other here.
const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_tgkill,
    libc::SYS_tkill,
];

/// What makes a world of its own, in which one would be root.
const NEW_WORLDS: &[i32] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// The bit that calls carry which are made in the way of 32-bit programs on this processor, and the numbers of
/// those that have one of their own there.
#[cfg(target_arch = "x86_64")]
const OTHER_WAY: (i64, &[i64]) = (0x4000_0000, &[521, 539, 540]);

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
    let root = rustix::process::geteuid().is_root();
    apply_filter(&program(refused(may, root)?, REFUSED)?)?;
    // Its flags are behind a pointer. Told that it is not there, everyone uses the older form.
    let mut hidden = Rules::from([(libc::SYS_clone3, Vec::new())]);
    other_way(&mut hidden);
    apply_filter(&program(hidden, UNKNOWN)?)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn refused(may: May, root: bool) -> Result<Rules, Error> {
    let mut rules: Rules = [NEVER, NEVER_HERE].concat().into_iter().map(|call| (call, Vec::new())).collect();
    if !may.send_signals {
        rules.extend(SIGNALS.iter().map(|call| (*call, Vec::new())));
    }
    if !may.change_modes {
        let as_root: &[i64] = if root { MODES_AS_ROOT } else { &[] };
        rules.extend([MODES, MODES_HERE, as_root].concat().into_iter().map(|call| (call, Vec::new())));
        // With a path; without one it is about an open file.
        let path = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
        rules.insert(libc::SYS_utimensat, vec![SeccompRule::new(vec![path])?]);
    }
    rules.insert(libc::SYS_clone, new_worlds()?);
    rules.insert(libc::SYS_socket, sockets(may.network)?);
    // Limits and priorities of others; 0 is oneself.
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![not(0, 0)?])?]);
    for call in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
        rules.insert(call, vec![SeccompRule::new(vec![not(1, 0)?])?]);
    }
    for call in [libc::SYS_sched_setattr, libc::SYS_sched_setparam, libc::SYS_sched_setscheduler] {
        rules.insert(call, vec![SeccompRule::new(vec![not(0, 0)?])?]);
    }
    other_way(&mut rules);
    Ok(rules)
}

/// The same once more, for the other way to make a call.
#[cfg(target_arch = "x86_64")]
fn other_way(rules: &mut Rules) {
    let (bit, own) = OTHER_WAY;
    let same: Vec<_> = rules.iter().map(|(call, rules)| (call | bit, rules.clone())).collect();
    rules.extend(same);
    rules.extend(own.iter().map(|call| (call | bit, Vec::new())));
}

#[cfg(not(target_arch = "x86_64"))]
fn other_way(_: &mut Rules) {}

fn new_worlds() -> Result<Vec<SeccompRule>, Error> {
    let one = |flag: &i32| {
        let flag = u64::from(flag.unsigned_abs());
        let set = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(flag), flag)?;
        Ok(SeccompRule::new(vec![set])?)
    };
    NEW_WORLDS.iter().map(one).collect()
}

/// Without the network no socket at all: those of the machine's own services lead out of any confinement. Pairs
/// of sockets that only know each other are made by another call, and allowed.
fn sockets(network: bool) -> Result<Vec<SeccompRule>, Error> {
    if !network {
        return Ok(Vec::new());
    }
    let allowed = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let none = allowed.iter().map(|family| not(0, family.unsigned_abs())).collect::<Result<_, _>>()?;
    // Of the kernel's own protocol, only the first: which addresses this machine has.
    let kernel = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        u64::from(libc::AF_NETLINK.unsigned_abs()),
    )?;
    Ok(vec![SeccompRule::new(none)?, SeccompRule::new(vec![kernel, not(2, 0)?])?])
}

fn not(argument: u8, value: u32) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(value))?)
}

fn program(rules: Rules, answer: u32) -> Result<BpfProgram, Error> {
    let here = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(answer), here)?.try_into()?)
}
