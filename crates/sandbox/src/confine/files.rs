//! Which files a command sees: Landlock.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, Scope, path_beneath_rules,
};

use super::Spec;

/// The newest rules that are asked for. Those of the first version that suffices must be there.
const NEEDED: ABI = ABI::V3;
const WANTED: ABI = ABI::V9;

/// Programs, libraries, and what they need to start. Of `/proc`, only what is nobody's in particular; a process's
/// own folder is given as the first of the command, and nobody else's.
const SYSTEM: &[&str] = &[
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/sbin",
    "/usr",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/pki/tls/certs",
    "/etc/python3",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/vm/overcommit_memory",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system/cpu",
    "/dev/random",
    "/dev/urandom",
    // Not to write: a shared mapping of it that can be written to is memory that nobody counts.
    "/dev/zero",
];

/// Who the users of this machine are. Programs of all kinds ask for their own name; what nobody trusts need not.
const USERS: &[&str] = &["/etc/group", "/etc/nsswitch.conf", "/etc/passwd"];

/// What finding other machines takes besides.
const NETWORK: &[&str] =
    &["/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/protocols", "/etc/resolv.conf", "/etc/services"];

/// Devices that take everything and keep nothing.
const SINKS: &[&str] = &["/dev/full", "/dev/null"];

/// Takes away all files but those of `spec`.
pub(super) fn restrict(spec: &Spec) -> Result<(), RulesetError> {
    let reading = AccessFs::from_read(WANTED);
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rules(path_beneath_rules(readable(spec), reading))?
        .add_rules(path_beneath_rules(SINKS, AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&spec.read_write, reading | writing()))?
        .restrict_self()?;
    Ok(())
}

/// All that may be read, whether it is there or not.
pub(super) fn readable(spec: &Spec) -> Vec<PathBuf> {
    let network: &[&str] = if spec.network { NETWORK } else { &[] };
    let users: &[&str] = if spec.users { USERS } else { &[] };
    let named = SYSTEM.iter().chain(users).chain(network).map(PathBuf::from);
    let given = spec.read_only.iter().chain([&spec.program]).cloned();
    named.chain(versioned_python()).chain(given).collect()
}

/// All that can be done within a folder, but to make devices there or to reach someone's socket.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_write(WANTED)
        & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev | AccessFs::ResolveUnix)
}

/// Some systems keep a part of Python in `/etc/python3.N`.
fn versioned_python() -> Vec<PathBuf> {
    let all = std::fs::read_dir(Path::new("/etc")).into_iter().flatten().flatten();
    all.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"python3."))
        .map(|entry| entry.path())
        .collect()
}
