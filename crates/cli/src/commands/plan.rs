//! `candor plan`: what would be done, without doing it.

use std::collections::BTreeMap;

use candor_model::{Goal, Handoff, Phase, Plan, PlanningError};
use candor_phases::goal::Reading;
use candor_planning::completeness::Category;
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::validation::{self, Proposal};
use candor_planning::{assignment, completeness, dependencies, routing};
use candor_ports::{EventLog, Experience};
use serde_json::{Value, json};

use super::run::checked;
use super::walk::Walk;
use super::{check, goal};
use crate::app::App;
use crate::args::{GlobalOptions, ModelOptions, PlanArgs, PlanCommand};
use crate::failure::{Failure, code};
use crate::output;

/// The phases that lead to a plan.
const ROOMS: [Phase; 5] =
    [Phase::PreAnalysis, Phase::Evaluation, Phase::Context, Phase::Decomposition, Phase::Planning];

pub(crate) async fn plan(global: &GlobalOptions, args: PlanArgs) -> Result<u8, Failure> {
    if let Some(PlanCommand::Check { file, json }) = &args.check {
        return check::check(global, file, *json);
    }
    let app = App::build(global)?.meet().await;
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
    Planner(Walk::new(app, experience, models)?).plan(words).await
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

/// Walks as far as a plan.
struct Planner(Walk);

impl Planner {
    async fn plan(&mut self, request: &str) -> Result<Planned, Failure> {
        let mut handoffs = BTreeMap::new();
        let mut goal = None;
        for phase in ROOMS {
            let PhaseReport { handoff, result, .. } =
                self.0.visit(phase, request, &handoffs, goal.as_ref()).await.map_err(|reason| {
                    Failure::failed(format!("planning failed in phase {phase}: {reason}"))
                })?;
            match result {
                PhaseResult::Goal { goal: found, evaluation, .. } => {
                    goal = Some(*found);
                    self.0.evaluation = evaluation.map(|evaluation| *evaluation);
                }
                PhaseResult::Plan(proposal) => {
                    let goal = goal.ok_or_else(|| Failure::failed("no goal was found"))?;
                    let reading = goal::reading(handoffs.get(&Phase::Evaluation));
                    return Ok(self.judged(goal, reading, handoff, proposal));
                }
                PhaseResult::Plain | PhaseResult::Reply(_) | PhaseResult::Verdict { .. } => {}
            }
            handoffs.insert(phase, handoff);
        }
        Err(Failure::failed("no plan was made"))
    }

    fn judged(&self, goal: Goal, reading: Reading, handoff: Handoff, proposal: Proposal) -> Planned {
        let (mut plan, categories) = (proposal.plan.clone(), proposal.categories.clone());
        let (repairs, refusal) = match validation::accept(proposal, &self.0.settings) {
            Ok(accepted) => {
                plan = accepted.plan;
                (accepted.repairs, None)
            }
            Err(error) => (Vec::new(), Some(error)),
        };
        self.route_new(&mut plan);
        let agents = self.0.agents.clone();
        Planned { goal, reading, plan, handoff, repairs, agents, categories, refusal }
    }

    /// Tasks that a repair added have no agent yet.
    fn route_new(&self, plan: &mut Plan) {
        for task in plan.subtasks.iter_mut().filter(|task| task.agent_type.is_tbd()) {
            if let Ok(ranking) = self.0.route(task) {
                // A task for which there is nobody stays without, and the validation says so.
                let _ = routing::assign(task, ranking);
            }
        }
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
