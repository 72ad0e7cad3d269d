//! The real command, run as people and scripts run it: arguments in, exit code, stdout and stderr out.

mod again;
mod agents_http;
mod agents_misbehaving;
mod approval;
#[cfg(unix)]
mod assistants;
mod bad_files;
mod bad_goals;
mod blockers;
mod breakers;
mod corners;
mod depth;
mod failure_kinds;
mod failures;
mod fit;
mod forks;
mod gates;
mod goal_and_plan;
mod guard;
mod hook;
mod levels;
mod looking;
mod mcp;
mod packs;
mod paris;
mod people_answer;
mod phases;
mod plan_check;
mod plan_talk;
mod reading;
mod real_packs;
mod recovery;
mod reports;
mod risk;
mod route;
mod rules_files;
mod secrets;
mod serve;
mod serve_client;
mod specialists;
mod starting_out;
mod stream;
#[cfg(target_os = "linux")]
pub(crate) mod terminal;
mod time_travel;
mod verdicts;
mod workers;
