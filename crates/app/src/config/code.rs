//! `[code]`: how the code agent writes Python, and where it runs.

use std::path::{Path, PathBuf};

use candor_model::{Seconds, Tier};
use candor_text::{Sentence, both};
use serde::Deserialize;

use crate::error::AppError;

/// How code is written, checked and run.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodeInFile {
    /// Where it runs: on this machine, or with E2B.
    pub runner: Runner,
    /// The Python of the sandbox: a name or a path.
    pub python: PathBuf,
    /// Folders with libraries for it, besides its own.
    pub packages: Vec<PathBuf>,
    /// Modules that are imported before a program comes, so that it need not wait for them.
    pub preload: Vec<String>,
    /// How many pre-warmed interpreters are kept.
    pub pool: usize,
    /// After how long a program is stopped.
    pub timeout: Seconds,
    /// How much memory it may use, in megabytes.
    pub memory_mb: u64,
    /// How much it may write, in megabytes.
    pub disk_mb: u64,
    /// How many processes it may be at a time.
    pub processes: usize,
    /// Whether programs run with all of Candor's own rights when the kernel cannot confine them.
    pub allow_unconfined: bool,
    /// Modules that may not be imported, besides the usual ones.
    pub deny: Vec<String>,
    /// Modules that may be imported all the same.
    pub allow: Vec<String>,
    /// The language of what is wrong with code: `en` or `es`.
    pub language: Language,
    /// The MCP server that is asked for documentation first, by its name under `[tools.servers]`.
    pub docs_server: Option<String>,
    /// Whether code that has proven itself is kept and used again.
    pub cache: bool,
    /// Which models write code.
    pub write_tier: Tier,
    /// Which models analyse and judge.
    pub judge_tier: Tier,
    /// Whether models are told the types of the context's values only, and never the beginnings of short ones.
    pub types_only: bool,
    /// The libraries that models are told of; those that are installed if nothing is said.
    pub libraries: Option<Vec<String>>,
    /// The template of E2B's sandboxes.
    pub e2b_template: Option<String>,
    /// The address of E2B's API, or of one that speaks like it.
    pub e2b_api: Option<String>,
    /// The address of a sandbox there, if it follows another pattern: `{port}` and `{id}` are filled in.
    pub e2b_sandbox_url: Option<String>,
}

/// Place where code runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    /// On this machine, confined.
    #[default]
    Local,
    /// In a sandbox of E2B; the key is in `E2B_API_KEY`.
    E2b,
}

/// Language of prompts and messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
}

impl Default for CodeInFile {
    fn default() -> Self {
        Self {
            runner: Runner::Local,
            python: PathBuf::from("python3"),
            packages: Vec::new(),
            preload: Vec::new(),
            pool: 2,
            timeout: Seconds::whole(30),
            memory_mb: 1024,
            disk_mb: 64,
            processes: 16,
            allow_unconfined: false,
            deny: Vec::new(),
            allow: Vec::new(),
            language: Language::En,
            docs_server: None,
            cache: true,
            write_tier: Tier::Strong,
            judge_tier: Tier::Fast,
            types_only: false,
            libraries: None,
            e2b_template: None,
            e2b_api: None,
            e2b_sandbox_url: None,
        }
    }
}

impl CodeInFile {
    /// Checks what serde cannot.
    pub(super) fn check(&self, path: &Path, servers: &[&String]) -> Result<(), AppError> {
        let at = |key: &str, problem: Sentence| {
            Err(AppError::usage(problem.after(format_args!("{}, [code]: `{key}` ", path.display()))))
        };
        if self.timeout.as_millis() == 0 {
            return at("timeout", both!("must be more than 0 seconds", "debe ser más de 0 segundos"));
        }
        if self.memory_mb < 64 {
            return at(
                "memory_mb",
                both!(
                    "must be at least 64: Python itself takes some 20",
                    "debe ser al menos 64: solo Python ocupa unos 20"
                ),
            );
        }
        if self.processes == 0 {
            return at("processes", both!("must be at least 1", "debe ser al menos 1"));
        }
        if let Some(name) = self.docs_server.as_ref().filter(|name| !servers.contains(name)) {
            return at(
                "docs_server",
                both!(
                    "names {name}, and there is no [tools.servers.{name}] in this file",
                    "nombra {name}, y en este archivo no hay [tools.servers.{name}]"
                ),
            );
        }
        Ok(())
    }

    /// The same with paths that start at the folder of the configuration. A bare name of a program stays one.
    pub(super) fn in_folder(mut self, folder: &Path) -> Self {
        if self.python.components().count() > 1 {
            self.python = folder.join(&self.python);
        }
        self.packages.iter_mut().for_each(|path| *path = folder.join(&*path));
        self
    }
}
