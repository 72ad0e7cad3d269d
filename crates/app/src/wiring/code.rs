//! The code agent of an installation: its sandbox, its rules, what it remembers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use candor_agents::code::{
    Both, CodeAgent, CodeAgentConfig, CodeTiers, Documentation, InstalledLibrary, LocalDocs, ProvenFolder,
    ToolDocs,
};
use candor_model::{AgentType, Money};
use candor_ports::{Agent, CodeRunner};
use candor_pycheck::{Language, Policy};
use candor_sandbox::e2b::{E2b, E2bConfig};
use candor_sandbox::python::{LocalPython, PythonConfig};

use super::{App, Callable};
use crate::config::{self, AgentInFile, KindInFile, Runner};
use crate::error::AppError;

/// The name of the agent that does `candor code run`.
pub const CODE_AGENT: &str = "code";

/// The variable that holds the key of E2B.
const E2B_KEY: &str = "E2B_API_KEY";

/// Place where programs run.
#[derive(Clone)]
pub enum Sandbox {
    /// A process on this machine.
    Local(Arc<LocalPython>),
    /// A machine of the E2B service.
    E2b(Arc<E2b>),
}

impl Sandbox {
    /// Whoever runs programs there.
    #[must_use]
    pub fn runner(&self) -> Arc<dyn CodeRunner> {
        match self {
            Self::Local(python) => Arc::clone(python) as Arc<dyn CodeRunner>,
            Self::E2b(remote) => Arc::clone(remote) as Arc<dyn CodeRunner>,
        }
    }
}

impl App {
    /// Where programs run. Nothing is started for it yet.
    pub fn sandbox(&self) -> Result<Sandbox, AppError> {
        if let Some(sandbox) = self.sandbox.get() {
            return Ok(sandbox.clone());
        }
        let made = match self.config.code.runner {
            Runner::Local => Sandbox::Local(Arc::new(self.local_python()?)),
            Runner::E2b => Sandbox::E2b(Arc::new(self.e2b()?)),
        };
        Ok(self.sandbox.get_or_init(|| made).clone())
    }

    fn local_python(&self) -> Result<LocalPython, AppError> {
        const MEGABYTE: u64 = 1024 * 1024;
        let code = &self.config.code;
        let mut python = PythonConfig::new("/proc/self/exe");
        python.python.clone_from(&code.python);
        python.packages.clone_from(&code.packages);
        python.preload.extend(code.preload.iter().cloned());
        python.pool = code.pool;
        python.limits.memory_bytes = code.memory_mb.saturating_mul(MEGABYTE);
        python.limits.file_bytes = code.disk_mb.saturating_mul(MEGABYTE);
        python.limits.folder_bytes = Some(code.disk_mb.saturating_mul(4 * MEGABYTE));
        python.limits.processes = code.processes;
        let seconds = code.timeout.as_millis().div_ceil(1000);
        python.limits.cpu_seconds = python.limits.cpu_seconds.max(seconds.saturating_mul(4));
        python.allow_unconfined = code.allow_unconfined;
        LocalPython::new(python).map_err(AppError::failed)
    }

    fn e2b(&self) -> Result<E2b, AppError> {
        let key = std::env::var(E2B_KEY).unwrap_or_default();
        let mut config = E2bConfig::new(key);
        if let Some(api) = &self.config.code.e2b_api {
            config.api.clone_from(api);
        }
        if let Some(template) = &self.config.code.e2b_template {
            config.template.clone_from(template);
        }
        config.sandbox_url.clone_from(&self.config.code.e2b_sandbox_url);
        E2b::new(config).map_err(AppError::failed)
    }

    /// What may be imported and called.
    pub fn code_policy(&self) -> Policy {
        let code = &self.config.code;
        let policy = code.deny.iter().fold(Policy::default(), |policy, name| policy.deny(name));
        code.allow.iter().fold(policy, |policy, name| policy.allow(name))
    }

    /// The language in which it is said what is wrong with code.
    pub fn code_language(&self) -> Language {
        match self.config.code.language {
            config::Language::En => Language::English,
            config::Language::Es => Language::Spanish,
        }
    }

    /// What the sandbox's Python has. Without one nothing is known, and that is told.
    pub fn code_library(&self) -> Option<Arc<InstalledLibrary>> {
        match self.sandbox() {
            Ok(sandbox) => Some(Arc::new(InstalledLibrary::new(sandbox.runner(), Some(self.library_file())))),
            Err(failure) => {
                tell!(
                    "imports are not looked up: {failure}",
                    "no se comprueban las importaciones: {failure}"
                );
                None
            }
        }
    }

    fn library_file(&self) -> PathBuf {
        self.data.code().join("library.json")
    }

    /// An agent that writes code.
    pub(super) fn code_agent(
        &self,
        declared: &AgentInFile,
        max_cost: Money,
        role: String,
    ) -> Result<Arc<dyn Agent>, AppError> {
        let code = &self.config.code;
        let runner = self.sandbox()?.runner();
        let mut config = CodeAgentConfig::new(declared.agent_type.to_string(), Arc::clone(&runner));
        config.policy = self.code_policy();
        config.language = self.code_language();
        config.docs = Some(self.documentation(runner)?);
        config.proven = code.cache.then(|| Arc::new(ProvenFolder::new(self.data.code().join("proven"))) as _);
        config.library_file = Some(self.library_file());
        let (judge, write) = (code.judge_tier, code.write_tier);
        config.tiers = CodeTiers { input: judge, data: judge, code: write, output: judge };
        config.timeout = Duration::from_millis(code.timeout.as_millis());
        config.max_cost = max_cost;
        config.role = role;
        config.types_only = code.types_only;
        config.libraries.clone_from(&code.libraries);
        Ok(Arc::new(CodeAgent::new(config)))
    }

    /// Where documentation is looked for: the server that is named, and the libraries themselves.
    fn documentation(&self, runner: Arc<dyn CodeRunner>) -> Result<Arc<dyn Documentation>, AppError> {
        let local: Arc<dyn Documentation> = Arc::new(LocalDocs::new(runner));
        let Some(server) = &self.config.code.docs_server else { return Ok(local) };
        let toolbox = self.tools()?.only(&[format!("{server}.*")]);
        let remote: Arc<dyn Documentation> = Arc::new(ToolDocs::new(Arc::new(toolbox)));
        Ok(Arc::new(Both::new(remote, local)))
    }

    /// The agent that does `candor code run`.
    pub(super) fn built_in_code_agent(&self) -> Result<Callable, AppError> {
        let name = AgentType::new(CODE_AGENT).map_err(AppError::failed)?;
        let declared = AgentInFile { kind: Some(KindInFile::Code), ..AgentInFile::named(name) };
        Ok((self.capability(&declared), self.agent(&declared, &|_| None)?))
    }

    /// Whether there can be a code agent here.
    pub fn check_code_agent(&self) -> Result<(), AppError> {
        self.built_in_code_agent().map(drop)
    }
}
