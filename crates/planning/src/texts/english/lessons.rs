//! What a run teaches.

use candor_model::TaskId;

use super::QUOTE_CHARS;
use crate::texts::shortened;

pub(crate) const NOTHING_FAILED: &str = "Nothing failed";
pub(crate) const NOTHING_WORKED: &str = "No task succeeded";
pub(crate) const KEEP_AS_IS: &str = "Use this plan again for similar goals";

pub(crate) const NOT_TRIED: &str = "No task was begun, so this plan was not tried";

pub(crate) fn lesson_failed(name: &str, task: &TaskId, cause: &str, times: usize) -> String {
    let often = if times > 1 { format!(" ({times} times)") } else { String::new() };
    format!("{name} ({task}): {cause}{often}")
}

pub(crate) fn lesson_partial(name: &str, task: &TaskId, missing: &str) -> String {
    format!("{name} ({task}) was done in part: {missing}")
}

pub(crate) fn lesson_recovered(name: &str, task: &TaskId, agent: &str, failed: &TaskId) -> String {
    format!("{name} ({task}) with {agent} worked after {failed} had failed")
}

pub(crate) fn lesson_worked(succeeded: usize, attempts: usize) -> String {
    format!("{succeeded} of {attempts} attempts succeeded")
}

pub(crate) fn advise_recovery(agent: &str, name: &str, failed: &TaskId, cause: &str) -> String {
    format!("For {name} ({failed}), try {agent} first: the first choice failed ({cause})")
}

pub(crate) fn advise_other_way(name: &str, failed: &TaskId, succeeded: &TaskId, cause: &str) -> String {
    format!("For {name} ({failed}), begin with what worked in {succeeded}: the first way failed ({cause})")
}

pub(crate) fn advise_unrecovered(name: &str, failed: &TaskId, cause: &str) -> String {
    format!("Before the next run, see to {name} ({failed}): {cause}")
}

pub(crate) fn lesson_unmet(unmet: &str) -> String {
    format!("Not met: {unmet}")
}

pub(crate) fn advise_criteria(open: &[String]) -> String {
    let what = open.first().map(|first| format!(": {}", shortened(first, QUOTE_CHARS))).unwrap_or_default();
    format!("Say in the goal or the plan how to check the result before using this plan again{what}")
}

pub(crate) fn advise_unmet(unmet: &[String]) -> String {
    let what = unmet.first().map(|first| format!(": {}", shortened(first, QUOTE_CHARS))).unwrap_or_default();
    format!("Do not use this plan again as it is{what}")
}
