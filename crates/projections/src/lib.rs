//! The log of a run as data for people and programs: status, timeline, report, explanation, post-mortem.
//!
//! Everything here is a pure function of a run's events and of the state folded from them. The answers are structs
//! that serialise; whoever shows them decides on colours, widths and markup. What is not on the log is in no
//! projection, and what failed is never left out. The few sentences that are themselves part of the data, such as
//! how a run went, are in [`words`].

pub mod artifacts;
pub mod attempt_output;
pub mod chronicle;
pub mod dashboard;
pub mod deliverable;
pub mod efficiency;
pub mod events;
pub mod explain;
pub mod format;
pub mod kpi;
pub mod line;
pub mod list;
pub mod phases;
pub mod plans;
pub mod postmortem;
pub mod recorded;
pub mod report;
pub mod results;
pub mod run_view;
pub mod spend;
pub mod status;
pub mod summary;
pub mod timeline;
pub mod trace;
pub mod values;
pub mod verdict;
pub mod warnings;
pub mod words;
pub mod workflow;

pub use candor_text::Language;
