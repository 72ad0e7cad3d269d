//! Candor as an installation: its configuration, its data folder, its packs, and the adapters that are plugged into
//! the ports.
//!
//! Commands and servers call this crate and use no adapter themselves: which database holds the log, how agents are
//! started, which models answer and where Python runs is decided here. It knows no command line and no protocol;
//! what is wrong is an [`AppError`], and whoever called decides how to show it.

mod able;
mod assistant;
pub mod board;
pub mod config;
pub mod data;
mod drive;
mod dry_run;
mod error;
pub mod feedback;
pub mod observe;
mod order;
pub mod pack_cases;
mod packs;
mod planned;
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
pub use candor_tools::builtin::commands_own_world;
pub use candor_tools::{ServerHealth, Tools};

pub use candor_store::{RepairReport, RepairedRun, Verification};
pub use data::{DataFolder, LoadedRun, Log, find_run, load_run};
pub use drive::{Begin, first_input};
pub use dry_run::DryRuns;
pub use error::{AppError, AppErrorKind};
pub use order::{AskedBy, Document, OrderRequest, checked, fresh_run_id, plan_of, predecessor, user_name};
pub use packs::FoundPack;
pub use planned::{Planned, Understood};
pub use service::schedules::{self, ScheduleOutcome, ScheduleView};
pub use service::webhooks::{self, WebhookState, WebhookView};
pub use service::{
    AlertFollower, Driver, Follower, PlanView, ProgressOf, ServedRun, Service, StartRequest, Started,
};
pub use shown::shown_tier;
pub use wiring::{AgentScope, App, CODE_AGENT, Locations, ModelUse, Sandbox};
