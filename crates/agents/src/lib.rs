//! Who does the work: commands, HTTP services, A2A peers, models and small built-in kinds; and who looks at what
//! they did.
//!
//! Nearly everything here is an [`Agent`](candor_ports::Agent): it takes a work order and gives an answer, or
//! says in plain words why there is none. It refuses to outlive its order: an attempt ends at its deadline or when
//! it is stopped, and nothing that it started runs on. It decides nothing about what a failure means.

#[cfg(feature = "http")]
mod a2a;
mod answer;
mod attempts;
mod builtin;
pub mod code;
mod command;
mod fault;
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "http")]
mod http;
mod inspector;
#[cfg(feature = "http")]
mod keys;
mod log_folder;
mod model;
mod role;
mod text;
mod tool;
mod wait;
#[cfg(feature = "http")]
mod worker;

#[cfg(feature = "http")]
pub use self::a2a::{A2aAgent, A2aConfig, A2aError, Described};
pub use attempts::{AttemptFolder, stop_orphans};
pub use builtin::{BUILTIN_KINDS, BuiltinError, builtin};
pub use command::{AssistantAgent, CommandAgent, CommandLimits, EmptyCommand, Preset, judge_command};
pub use fault::{Fault, FaultError, FaultKind, Faulty};
#[cfg(feature = "http")]
pub use http::{HttpAgent, HttpAgentError};
pub use inspector::FolderInspector;
pub use log_folder::{AttemptLog, LogFolder};
pub use model::ModelAgent;
pub use role::role;
pub use tool::{Notebook, ToolAgent, ToolAgentConfig};
