//! Every sentence of the views, in both languages side by side. Ids, names and numbers come in as data.

mod events;
mod explain;
pub(super) mod models;
mod notes;
mod pages;
mod phases;
mod proposal;
mod recorded;
mod report;
mod shared;

pub(super) use events::*;
pub(super) use explain::*;
pub(super) use notes::*;
pub(super) use pages::*;
pub(super) use phases::*;
pub(super) use proposal::*;
pub(super) use recorded::{cause, error_summary, error_summary_of, failed, task_and_cause, told};
pub(super) use report::*;
pub(super) use shared::{
    Sums, agent_suggested, and_more, error_text, in_short, nothing, sample_data, sums, verdict_word,
    yes_or_no,
};
pub(crate) use shared::{plural, run_status, times};

#[cfg(test)]
pub(super) mod tests {
    pub(crate) use candor_testkit::golden::{recorded, story};
}
