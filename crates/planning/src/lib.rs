//! Pure judgement: plain functions, values in, values out.
//!
//! Whether a plan is sound, who fits a task, what a failure means and what to do about it, how sure we
//! still are, when to ask a person and in which words: decided here and nowhere else. There is no clock,
//! no randomness and no I/O; what is needed from outside is an argument.

pub mod approval;
pub mod assessment;
pub mod assignment;
pub mod breaker;
pub mod budget;
pub mod bus;
pub mod calibration;
pub mod claims;
pub mod completeness;
pub mod compress;
pub mod confidence;
pub mod conflict;
pub mod context;
pub mod criterion;
pub mod critique;
pub mod degradation;
pub mod dependencies;
pub mod early_exit;
pub mod estimate;
pub mod feedback;
pub mod figures;
pub mod gates;
pub mod graph;
pub mod guardrails;
pub mod known_request;
pub mod limits;
pub mod loop_guard;
pub mod metrics;
pub mod phase;
pub mod quality_gate;
pub mod recovery;
pub mod replan;
pub mod report;
pub mod risk;
pub mod roster;
pub mod routing;
pub mod rules_file;
pub mod scaling;
pub mod score;
pub mod shared;
pub mod slots;
pub mod spend;
pub mod tally;
pub mod targets;
pub mod task_type;
pub mod texts;
pub mod trust;
pub mod validation;
