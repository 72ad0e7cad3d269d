//! What fuzz targets call; also called by ordinary tests, so that the targets keep working without a fuzzer.
//!
//! Each takes any bytes, and must neither panic nor hang.

use candor_engine::RunState;
use candor_model::{Event, Plan, RunId, from_json};
use candor_planning::dependencies;
use candor_planning::validation::accept;

use crate::load;

/// A plan from outside: read, checked, repaired or refused, and written again without loss.
pub fn plan_json(data: &[u8]) {
    let Ok(plan) = from_json::<Plan>(&String::from_utf8_lossy(data)) else { return };
    let written = serde_json::to_string(&plan).unwrap_or_default();
    assert_eq!(from_json::<Plan>(&written).as_ref(), Ok(&plan), "a plan changed by being written and read");
    let _ = dependencies::unnecessary(&plan.subtasks);
    if let Ok(accepted) = accept(load::proposal(plan), &candor_model::RunSettings::default()) {
        assert!(dependencies::check(&accepted.plan.subtasks).is_valid, "an unsound plan was accepted");
    }
}

/// A log from outside, one event per line: read, folded, and its effects asked for.
pub fn event_json(data: &[u8]) {
    let Ok(run_id) = RunId::new("run_fuzz") else { return };
    let mut state = RunState::new(run_id);
    for line in String::from_utf8_lossy(data).lines() {
        if let Ok(event) = Event::from_json(line) {
            let written = event.to_json().unwrap_or_default();
            assert_eq!(
                Event::from_json(&written).as_ref(),
                Ok(&event),
                "an event changed by being written and read"
            );
            state.apply(&event);
            let _ = state.effects().count();
        }
    }
}
