//! Room 2: what is known from before. Until there is a memory, that is how past plans ended.

use candor_planning::phase::{PhaseReport, PhaseResult};
use serde_json::json;

use super::report;
use crate::Desk;

pub(super) fn work(desk: &Desk<'_>) -> PhaseReport {
    let past = desk.calibration.sample_size;
    let summary = match past {
        0 => "nothing is known from before; confidence is taken as it is".to_owned(),
        1 => "one past plan; it takes more to correct confidence by".to_owned(),
        _ => format!("{past} past plans; confidence is corrected by how they ended"),
    };
    let data = json!({ "calibration": desk.calibration, "agents": desk.agents.len() });
    report(summary, data, PhaseResult::Plain)
}
