//! Room 0: what there is to work with, before anything is read: the size of the request and the money.

use candor_planning::phase::{PhaseReport, PhaseResult};
use serde_json::json;

use super::report;
use crate::Desk;

pub(super) fn work(desk: &Desk<'_>) -> PhaseReport {
    let words = desk.request.split_whitespace().count();
    let settings = desk.settings;
    let budget = match settings.run_budget {
        Some(budget) => format!("the run ${budget}"),
        None => "the run what it takes".to_owned(),
    };
    let summary = format!(
        "{words} words; planning may cost ${} and {budget}; planned by {}",
        settings.planning_budget,
        if desk.answers.is_some() {
            "models, and by rules where they cannot"
        } else {
            "rules, without a model"
        }
    );
    let data = json!({
        "words": words,
        "bytes": desk.request.len(),
        "planning_budget": settings.planning_budget,
        "run_budget": settings.run_budget,
        "brought_goal": desk.material.is_some_and(|material| material.goal.is_some()),
        "brought_plan": desk.material.is_some_and(|material| material.plan.is_some()),
    });
    report(summary, data, PhaseResult::Plain)
}
