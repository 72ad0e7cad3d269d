//! The code agent: writes Python for a task, looks at it, runs it in a sandbox, and judges the result.
//!
//! Six components share the work, each of which can be replaced: [`InputAnalyzer`] chooses the strategy,
//! [`DataAnalyzer`] finds out what complex data is, [`CodeGenerator`] writes the code, [`CodeValidator`] looks at it
//! before it runs, [`OutputValidator`] judges what came of it, and [`MultiAgentOrchestrator`] brings them together:
//! analysis once, then at most three attempts, each with everything that went wrong before. [`CodeAgent`] is all of
//! it as an agent of a run; whatever is done is noted on the run's log as a chain of work, so that whoever takes the
//! attempt up again pays for nothing twice.
//!
//! What a model is told about data is its shape. Data itself goes into the sandbox only, and shortened to whoever
//! judges a result.

mod agent;
mod answers;
mod bench;
mod cached;
mod chain;
mod code_generator;
mod code_validator;
mod component;
mod config;
mod data_analyzer;
mod describe;
mod docs;
mod executor;
mod extract;
mod files;
mod heuristic;
mod input_analyzer;
mod library;
mod orchestrator;
mod outcome;
mod output_validator;
mod proven;
mod response;
mod run;
mod shape;
mod states;
mod thinker;
mod words;
mod writing;

pub use self::agent::CodeAgent;
pub use self::bench::Bench;
pub use self::cached::CachedExecutor;
pub use self::chain::{ChainOfWork, DeskChain};
pub use self::code_generator::{CodeGenerator, CodeRequest};
pub use self::code_validator::{CheckRequest, CodeValidator};
pub use self::component::{Component, Timed, timed};
pub use self::config::{CodeAgentConfig, CodeTiers};
pub use self::data_analyzer::{DataAnalyzer, DataAnalyzerParts, DataRequest};
pub use self::docs::{Both, Documentation, LocalDocs, ToolDocs};
pub use self::executor::{NodeExecutor, StaticExecutor};
pub use self::input_analyzer::{InputAnalyzer, InputRequest};
pub use self::library::{Edition, InstalledLibrary};
pub use self::orchestrator::{MultiAgentOrchestrator, OrchestratorParts};
pub use self::outcome::{AI_METADATA, NodeResult, WorkflowError};
pub use self::output_validator::{OutputRequest, OutputValidator};
pub use self::proven::{CacheFigures, Lookup, ProvenCode, ProvenEntry, ProvenFolder};
pub use self::response::AgentResponse;
pub use self::states::{ContextState, ExecutionState, StageError};
pub use self::thinker::{DeskThinker, Thinker};
pub use self::words::{NO_MODEL, Words};

/// The version of the four prompts of this agent: part of the key of proven code, raised when one of them changes.
pub const PROMPT_VERSION: u32 = 1;

/// How freely models answer.
mod temperatures {
    /// Where something is decided, looked at or judged.
    pub(super) const JUDGING: f64 = 0.3;
    /// Where the solving code is written.
    pub(super) const WRITING: f64 = 0.2;
}
