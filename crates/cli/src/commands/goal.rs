//! `candor goal`: reads a goal from plain words, and says what it understood and what it guessed.

use std::path::Path;

use candor_app::{App, checked};
use candor_language::goal::Reading;
use candor_model::{Goal, Handoff, Phase};
use candor_planning::phase::PhaseResult;
use candor_ports::Experience;
use candor_runtime::DryRunReport;
use serde_json::{Value, json};

use super::dry_run::dry_run;
use super::run::read;
use crate::args::{GlobalOptions, GoalArgs};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn goal(global: &GlobalOptions, args: &GoalArgs) -> Result<u8, Failure> {
    let app = App::build(global)?.discover_agents().await;
    let words = match args.words.as_slice() {
        [] => read(Path::new("-"))?,
        words => words.join(" "),
    };
    let words = app.without_secrets(words);
    let words = checked(&app, &words)?
        .ok_or_else(|| Failure::usage("the goal is empty; say in plain words what is to be done"))?;
    let (goal, reading) = understood(&app, words, args).await?;
    if args.json {
        output::print_json(&as_json(&goal, &reading)?)?;
    } else {
        output::print(&as_text(&goal, &reading)?)?;
    }
    Ok(code::DONE)
}

/// The goal as the models read it, or the rules.
async fn understood(app: &App, words: &str, args: &GoalArgs) -> Result<(Goal, Reading), Failure> {
    let mut done = dry_run(app, Experience::default(), &args.models, words, Phase::Evaluation).await?;
    let evaluated = done.report.phases.remove(&Phase::Evaluation);
    match evaluated.map(|report| (report.handoff, report.result)) {
        Some((handoff, PhaseResult::Goal { goal, .. })) => Ok((*goal, reading(Some(&handoff)))),
        _ => Err(Failure::failed(why_not(&done.report))),
    }
}

/// Why a dry run came to no result.
pub(super) fn why_not(report: &DryRunReport) -> String {
    report.error.as_ref().map_or_else(|| "no goal was found".to_owned(), ToString::to_string)
}

/// What was read from the words, as the evaluation left it.
pub(super) fn reading(handoff: Option<&Handoff>) -> Reading {
    let data = handoff.map(|handoff| Value::Object(handoff.data.clone())).unwrap_or_default();
    serde_json::from_value(data).unwrap_or_default()
}

/// The goal with what was read from the words.
pub(super) fn as_json(goal: &Goal, reading: &Reading) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(goal)?;
    if let Value::Object(fields) = &mut value {
        fields.insert("extracted".to_owned(), serde_json::to_value(&reading.extracted)?);
        fields.insert("language".to_owned(), json!(reading.language));
        fields.insert("guesses".to_owned(), json!(reading.guesses));
        fields.insert("doubts".to_owned(), json!(reading.doubts));
    }
    Ok(value)
}

fn as_text(goal: &Goal, reading: &Reading) -> Result<String, Failure> {
    let mut text = format!("{}\n\nkind         {}\n", goal.description, goal.goal_type);
    for constraint in &goal.constraints {
        text.push_str(&format!(
            "{:<12} {} (priority {})\n",
            constraint.kind.as_str(),
            constraint.value,
            constraint.priority
        ));
    }
    for criterion in &goal.success_criteria {
        text.push_str(&format!("{:<12} {criterion}\n", "reached when"));
    }
    if let Some(deadline) = goal.deadline {
        text.push_str(&format!("{:<12} {deadline}\n", "deadline"));
    }
    if let Value::Object(fields) = serde_json::to_value(&reading.extracted)? {
        text.push_str("\nread from the words:\n");
        for (key, value) in fields {
            text.push_str(&format!("  {key:<22} {value}\n"));
        }
    }
    for guess in &reading.guesses {
        text.push_str(&format!("guessed: {guess}\n"));
    }
    for doubt in &reading.doubts {
        text.push_str(&format!("unclear: {doubt}\n"));
    }
    Ok(text)
}
