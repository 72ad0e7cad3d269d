//! `candor plan`: what would be done, without doing it.

use candor_app::{App, checked};
use candor_language::goal::Reading;
use candor_model::{Goal, Handoff, Phase, Plan, PlanningError, RunSettings};
use candor_planning::completeness::Category;
use candor_planning::phase::PhaseResult;
use candor_planning::validation;
use candor_planning::{assignment, completeness, dependencies, routing};
use candor_ports::Experience;
use serde_json::{Value, json};

use super::dry_run::{Rehearsed, dry_run};
use super::{check, goal};
use crate::args::{GlobalOptions, ModelOptions, PlanArgs, PlanCommand};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn plan(global: &GlobalOptions, args: PlanArgs) -> Result<u8, Failure> {
    if let Some(PlanCommand::Check { file, json }) = &args.check {
        return check::check(global, file, *json);
    }
    let app = App::build(global)?.discover_agents().await;
    let experience = match app.data.open_if_there()? {
        Some(log) => log.experience().await?,
        None => Experience::default(),
    };
    let planned = planned(&app, experience, args.words.join(" "), &args.models).await?;
    if args.json {
        output::print_json(&planned.as_json()?)?;
    } else {
        output::print(&planned.as_text())?;
    }
    Ok(if planned.refusal.is_none() { code::DONE } else { code::FAILED })
}

/// The plan for these words; nothing of it is kept.
pub(crate) async fn planned(
    app: &App,
    experience: Experience,
    words: String,
    models: &ModelOptions,
) -> Result<Planned, Failure> {
    let words = app.without_secrets(words);
    let words = checked(app, &words)?.ok_or_else(|| {
        Failure::usage(
            "say what is to be planned: candor plan \"GOAL\"; or check a plan: candor plan check FILE",
        )
    })?;
    let rehearsed = dry_run(app, experience, models, words, Phase::Planning).await?;
    Planned::new(rehearsed, &app.config.limits)
}

/// A plan, and what is known of it.
pub(crate) struct Planned {
    goal: Goal,
    reading: Reading,
    plan: Plan,
    handoff: Handoff,
    repairs: Vec<String>,
    agents: Vec<candor_model::AgentCapability>,
    categories: Vec<Category>,
    /// Why it cannot be carried out.
    refusal: Option<PlanningError>,
}

impl Planned {
    fn new(done: Rehearsed, limits: &RunSettings) -> Result<Self, Failure> {
        let Rehearsed { mut report, agents, phases } = done;
        let evaluated = report.phases.remove(&Phase::Evaluation).map(|done| (done.handoff, done.result));
        let planned = report.phases.remove(&Phase::Planning).map(|done| (done.handoff, done.result));
        let (Some((read, PhaseResult::Goal { goal, .. })), Some((handoff, PhaseResult::Plan(proposal)))) =
            (evaluated, planned)
        else {
            return Err(Failure::failed(format!("planning failed: {}", goal::why_not(&report))));
        };
        let (mut plan, categories) = (proposal.plan.clone(), proposal.categories.clone());
        let (repairs, refusal) = match validation::accept(proposal, limits) {
            Ok(accepted) => {
                plan = accepted.plan;
                (accepted.repairs, None)
            }
            Err(error) => (Vec::new(), Some(error)),
        };
        // Tasks that a repair added have no agent yet.
        for task in plan.subtasks.iter_mut().filter(|task| task.agent_type.is_tbd()) {
            if let Ok(ranking) = phases.route_by_words(task, &agents) {
                // A task that nobody can do stays without an agent, and the validation says so.
                let _ = routing::assign(task, ranking);
            }
        }
        let reading = goal::reading(Some(&read));
        Ok(Self { goal: *goal, reading, plan, handoff, repairs, agents, categories, refusal })
    }
}

impl Planned {
    fn validation(&self) -> Value {
        json!({
            "is_valid": self.refusal.is_none(),
            "errors": self.refusal.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "repairs": self.repairs,
            "dependencies": dependencies::check(&self.plan.subtasks),
            "completeness": completeness::check(&self.plan.subtasks, &self.categories),
            "assignments": assignment::check(&self.plan.subtasks, &self.agents),
        })
    }

    pub(crate) fn as_json(&self) -> Result<Value, Failure> {
        let left = |key: &str| self.handoff.data.get(key).cloned().unwrap_or_default();
        Ok(json!({
            "goal": goal::as_json(&self.goal, &self.reading)?,
            "plan": self.plan,
            "validation": self.validation(),
            "alternatives": left("alternatives"),
            "risks": left("risks"),
            "estimates": left("estimates"),
            "routing": left("routing"),
            "notes": left("notes"),
        }))
    }

    pub(crate) fn as_text(&self) -> String {
        let mut text = format!("{}\n\n", self.goal.description);
        for task in &self.plan.subtasks {
            let after: Vec<&str> = task.dependencies.iter().map(candor_model::TaskId::as_str).collect();
            let after =
                if after.is_empty() { String::new() } else { format!("  after {}", after.join(", ")) };
            text.push_str(&format!(
                "{}  {}\n          {}, {} s{after}\n",
                task.task_id, task.description, task.agent_type, task.estimated_duration_seconds
            ));
        }
        text.push_str(&format!("\nconfidence {}; {}\n", self.plan.confidence_score, self.handoff.summary));
        for reason in &self.plan.metadata.low_confidence_reasons {
            text.push_str(&format!("unsure: {reason}\n"));
        }
        for repair in &self.repairs {
            text.push_str(&format!("repaired: {repair}\n"));
        }
        self.listed(&mut text, "risks", "risk");
        if let Some(Value::Array(alternatives)) = self.handoff.data.get("alternatives") {
            for other in alternatives {
                let part = |key: &str| other.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                text.push_str(&format!("alternative: {}: {}\n", part("name"), part("trade_off")));
            }
        }
        if let Some(error) = &self.refusal {
            text.push_str(&format!("\nthis plan cannot be carried out: {error}\n"));
        }
        text
    }

    fn listed(&self, text: &mut String, key: &str, word: &str) {
        if let Some(Value::Array(items)) = self.handoff.data.get(key) {
            for item in items.iter().filter_map(Value::as_str) {
                text.push_str(&format!("{word}: {item}\n"));
            }
        }
    }
}
