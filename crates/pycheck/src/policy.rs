//! Which modules and which names a program may not use.

use std::collections::BTreeSet;

/// Modules denied outright, by the first part of their dotted name.
const MODULES: &[&str] = &[
    // Nine of the ten of the specification; the tenth, `sys`, is judged by its use.
    "ftplib",
    "http",
    "os",
    "pathlib",
    "requests",
    "shutil",
    "socket",
    "subprocess",
    "urllib",
    // The same by another name.
    "_posixsubprocess",
    "_socket",
    "nt",
    "posix",
    // Ways to load code, or to get at the interpreter.
    "_ctypes",
    "builtins",
    "cffi",
    "code",
    "codeop",
    "ctypes",
    "ensurepip",
    "imp",
    "importlib",
    "pip",
    "runpy",
    "zipimport",
    // Ways to start processes.
    "multiprocessing",
    "pty",
    // Ways into the network.
    "aiohttp",
    "httpx",
    "imaplib",
    "nntplib",
    "poplib",
    "smtplib",
    "socketserver",
    "ssl",
    "telnetlib",
    "urllib3",
    "webbrowser",
    "xmlrpc",
];

/// Modules that right programs import harmlessly; what they use of them decides.
const BY_USE: &[&str] = &["asyncio", "dill", "gc", "inspect", "marshal", "pickle", "shelve", "sys"];

/// Built-in functions that run text as code, or that open the way to all others.
const NAMES: &[&str] = &["__builtins__", "__import__", "__loader__", "breakpoint", "compile", "eval", "exec"];

/// Which modules and which names a program may not use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    modules: BTreeSet<String>,
    by_use: BTreeSet<String>,
    names: BTreeSet<String>,
}

impl Default for Policy {
    fn default() -> Self {
        let owned = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        Self { modules: owned(MODULES), by_use: owned(BY_USE), names: owned(NAMES) }
    }
}

impl Policy {
    /// Also denies this module, or this built-in function.
    #[must_use]
    pub fn deny(mut self, name: &str) -> Self {
        if crate::library::is_builtin(name) {
            self.names.insert(name.to_owned());
        } else {
            self.modules.insert(name.to_owned());
        }
        self
    }

    /// No longer denies this module, or this built-in function.
    #[must_use]
    pub fn allow(mut self, name: &str) -> Self {
        self.names.remove(name);
        self.modules.remove(name);
        self.by_use.remove(name);
        self
    }

    /// Whether this module is denied, by the first part of its dotted name or by a longer one.
    pub(crate) fn denies_module(&self, dotted: &str) -> bool {
        let first = dotted.split('.').next().unwrap_or(dotted);
        self.modules.contains(first) || self.modules.contains(dotted)
    }

    /// Whether this module is judged by what is used of it.
    pub(crate) fn judges_module(&self, dotted: &str) -> bool {
        let first = dotted.split('.').next().unwrap_or(dotted);
        self.by_use.contains(first)
    }

    /// Whether this built-in name is denied.
    pub(crate) fn denies_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
