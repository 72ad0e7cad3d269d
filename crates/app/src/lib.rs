//! Candor as an installation: its configuration, its data folder, its packs, and the adapters that are plugged into
//! the ports.
//!
//! Commands and servers call this crate and use no adapter themselves: which database holds the log, how agents are
//! started, which models answer and where Python runs is decided here. It knows no command line and no protocol;
//! what is wrong is an [`AppError`], and whoever called decides how to show it.

/// A sentence in the language of the process, as a `String`: in English, in Spanish, then what both place in it.
macro_rules! say {
    ($en:literal, $es:literal $($arguments:tt)*) => {
        candor_text::in_language!($crate::lang::language(); $en, $es $($arguments)*)
    };
}

/// Tells such a sentence on standard error.
macro_rules! tell {
    ($en:literal, $es:literal $($arguments:tt)*) => { $crate::lang::tell(&candor_text::both!($en, $es $($arguments)*)) };
}

/// Words for a log, a file or another program: they are the same whatever the language of the process.
macro_rules! recorded {
    ($words:literal) => {
        $words
    };
}

/// The same with placeholders, as a `String`.
macro_rules! in_english {
    ($($words:tt)*) => {
        format!($($words)*)
    };
}

mod able;
mod assistant;
pub mod board;
pub mod config;
pub mod data;
mod drive;
mod dry_run;
mod error;
pub mod feedback;
mod lang;
pub mod observe;
mod order;
pub mod pack_cases;
mod packs;
mod planned;
mod redaction_key;
pub mod run_metrics;
mod schedule_times;
mod service;
mod shown;
pub mod state_export;
pub mod time_travel;
pub mod tokens;
pub mod traces;
mod wiring;

pub use candor_agents::AttemptLog;
pub use candor_agents::code::InstalledLibrary;
pub use candor_embed::weights;
pub use candor_llm::chat::ChatClient;
pub use candor_planning::calibration::Band;
pub use candor_sandbox::confine::run_if_asked as run_confined_if_asked;
pub use candor_sandbox::probe as probe_confinement;
pub use candor_text::both;
pub use candor_tools::builtin::commands_own_world;
pub use candor_tools::{ServerHealth, Tools};

pub use candor_store::{RepairReport, RepairedRun, Verification};
pub use data::{DataFolder, LoadedRun, Log, find_run, load_run};
pub use drive::{Begin, first_input};
pub use dry_run::DryRuns;
pub use error::{AppError, AppErrorKind};
pub use lang::{language, set_language, tell};
pub use order::{AskedBy, Document, OrderRequest, checked, fresh_run_id, plan_of, predecessor, user_name};
pub use packs::FoundPack;
pub use planned::{Planned, Understood};
pub use service::schedules::{self, ScheduleOutcome, ScheduleView};
pub use service::webhooks::{self, WebhookState, WebhookView};
pub use service::{
    AlertFollower, Batch, Driver, Follower, LiveEvent, PlanView, ProgressOf, ServedRun, Service,
    StartRequest, Started,
};
pub use shown::shown_tier;
pub use wiring::{AgentScope, App, CODE_AGENT, Locations, ModelUse, Sandbox};
