//! Room 4: the plan. Finds an agent for each task, estimates, names risks and alternatives, and says how
//! sure it is. When a person has something to say to the plan, it answers or makes the next version.

mod assign;
mod doubts;
mod knowledge;
pub(crate) mod specialists;
mod talks;

use std::collections::BTreeSet;

use candor_model::handoff::{PlanTotals, PlanningOutput, RoutingMethod};
use candor_model::{
    AgentCapability, AgentType, Confidence, Goal, GoalType, Plan, PlanEstimates, PlanId, PlanMetadata, Risk,
    RiskLevel, SubTask, TaskRisk,
};
use candor_planning::early_exit::EarlyExit;
use candor_planning::phase::{DecisionNote, PhaseReport, PhaseResult};
use candor_planning::validation::{self, Proposal};
use candor_planning::{completeness, estimate, known_request, risk, routing, texts};

use self::assign::{assign, break_ties, routings};
use self::doubts::Doubts;
use super::ranking::Ranking;
use super::{Phases, counted, decomposition, report};
use crate::brief::{self, Scale, gaps, scale};
use crate::consult::{self, PlanAnswer, Said};
use crate::decompose::{LONGEST_RECORD, tiers};
use crate::router::Explanation;
use crate::{Incomplete, Pack, PhaseContext};

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    match (cx.talk, cx.plan) {
        (Some(talk), Some(plan)) => talks::work(phases, cx, plan, talk),
        _ => first(phases, cx),
    }
}

/// A plan with its agents, before it is judged.
struct Draft {
    plan: Plan,
    agents: Vec<AgentCapability>,
    /// What spoke for each agent; nothing where a task had the agent that it named.
    choices: Vec<Option<Explanation>>,
    /// How agents were chosen: for people, and for programs.
    method: (String, RoutingMethod),
    notes: Vec<String>,
    decisions: Vec<DecisionNote>,
    /// The tasks that the pack added, one note each.
    added: Vec<String>,
    /// What the person fixed stands: the pack adds nothing that they left out.
    by_person: bool,
}

/// The plan that is made before a person has said anything to one.
fn first(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    let goal = cx.goal.ok_or("there is no goal to plan for")?;
    let mut notes = Vec::new();
    let material = cx.material.and_then(|material| material.plan.as_deref());
    let agents = agents_for(phases, cx, &goal.goal_type);
    let mut plan = match material {
        Some(brought) => brought.clone(),
        None => {
            let enough = check_agents(phases, &agents);
            let mut plan = drafted(phases, cx, decomposition::left_by(cx)?)?;
            if let Err(pause) = enough {
                bypass(&mut plan, &agents, &mut notes).ok_or(pause)?;
            }
            plan
        }
    };
    let asked = match material {
        Some(_) => Vec::new(),
        None => specialists::ask(phases, cx, &mut plan.subtasks, &mut notes)?,
    };
    let added = knowledge::complete(phases, cx, goal, &mut plan);
    let ranking = ranking(phases, cx, &agents, &plan.subtasks)?;
    plan.created_at = cx.now;
    let mut choices = assign(&mut plan.subtasks, &agents, &ranking, &mut notes)?;
    break_ties(cx, &mut plan.subtasks, &agents, &mut choices)?;
    let decisions = asked.into_iter().chain(routings(&plan.subtasks, &choices)).collect();
    let method = (ranking.method(), ranking.method_code());
    conclude(phases, cx, Draft { plan, agents, choices, method, notes, decisions, added, by_person: false })
}

/// Judges a plan, puts it in figures and proposes it.
fn conclude(phases: &Phases, cx: &PhaseContext<'_>, draft: Draft) -> Result<PhaseReport, Incomplete> {
    let goal = cx.goal.ok_or("there is no goal to plan for")?;
    let Draft { mut plan, agents, choices, method, mut notes, mut decisions, added, by_person } = draft;
    knowledge::record_rules(phases, cx, goal, &mut plan);
    let is_brought = cx.material.is_some_and(|material| material.plan.is_some());
    let said: Option<Said<PlanAnswer>> = match is_brought {
        true => None,
        false => cx.consult("plan", || consult::plan(goal, &plan.subtasks, &agents))?,
    };
    let exits = if is_brought { Vec::new() } else { scale::exits(cx) };
    if exits.iter().any(|exit: &EarlyExit| exit.model_downgrade) {
        let lowered = tiers::lower(&mut plan.subtasks);
        notes.push(format!("{} got a lower tier: tokens run out", counted(lowered, "task")));
    }
    estimate::learn(&mut plan.subtasks, cx.examples);
    let coverage = gaps::coverage(cx, &plan.subtasks);
    let doubts = Doubts::of(cx, &plan, &choices, &coverage.gaps);
    plan.confidence_score = match stated_confidence(cx) {
        Some(stated) => stated,
        None => doubts.confidence(said.as_ref().map(|said| said.answer.confidence)),
    };
    plan.metadata.low_confidence_reasons.extend(doubts.reasons());
    plan.goal_id = goal.goal_id.clone();
    plan.estimated_total_duration = plan.total_estimate();
    plan.updated_at = cx.now;
    let scale = scale::fixed(&phases.rules.scaling, cx, &plan, exits);
    limit(&mut plan, &scale, cx);
    if !is_brought {
        decisions.push(scale.decision(plan.execution_strategy));
    }
    let mut risks = brief::of_plan(phases.pack(&goal.goal_type), cx.agents, &plan.subtasks, cx.settings);
    risks.extend(doubts.risks());
    risks.extend(said.iter().flat_map(|said| &said.answer.risks).map(|risk| brief::from_model(risk)));
    risks.extend(irreversible_acts(&plan, cx.request, &agents));
    raise_if_flagged(cx, &mut risks);
    if plan.subtasks.len() > LONGEST_RECORD {
        notes.push(format!("the figures list the first {LONGEST_RECORD} of {} tasks", plan.subtasks.len()));
    }
    let has_models = cx.answers.is_some();
    let from_model = said.as_ref().map_or(&[][..], |said| &said.answer.alternatives);
    let at_once = cx.settings.max_parallel_tasks;
    let brief = brief::of(&plan, &agents, &scale, risks, at_once, has_models, from_model)?;
    let summary = summary(&plan, &brief.estimates, &method.0);
    let output = PlanningOutput {
        routing: method.1,
        notes,
        estimates: totals(&plan, &brief.estimates),
        alternatives: brief::all_alternatives(&brief),
        risks: brief.risks.iter().map(|risk| risk.description.clone()).collect(),
        strategy: said.as_ref().map(|said| said.answer.strategy.into()),
        gaps: coverage.gaps,
        scaling: scale.proposal,
        early_exits: scale.exits,
        brief: brief.clone(),
        model: said.map(|said| said.model),
    };
    let categories = categories(phases, cx, goal, &plan, by_person);
    let confidence = plan.confidence_score.get();
    let calibration = cx.calibration.clone();
    let proposal = Proposal { plan, agents, categories, calibration, brief: Some(Box::new(brief)), added };
    let mut report = report(summary, &output, output.model.as_deref(), PhaseResult::Plan(proposal));
    report.decisions = decisions;
    report.handoff.context.confidence = Some((confidence * 100.0).round() as u8);
    report.criteria.extend(coverage.share.map(|share| ("plan_completeness".to_owned(), share)));
    Ok(report)
}

/// A phase before flagged the work as risky: every risk counts for more.
fn raise_if_flagged(cx: &PhaseContext<'_>, risks: &mut [Risk]) {
    if cx.handoffs.values().any(|handoff| handoff.flags.high_risk) {
        risks.iter_mut().for_each(|risk| risk.level = risk.level.raised());
    }
}

/// Writes into a plan how many agents and tool calls it does with. That such a plan was made before is no reason for
/// fewer agents; that it succeeded is.
fn limit(plan: &mut Plan, scale: &Scale, cx: &PhaseContext<'_>) {
    let reduced =
        scale.exits.iter().any(|exit| exit.reduce) && known_request::has_words(cx.outcomes, cx.request);
    plan.metadata.agents_at_once = reduced.then_some(scale.agents.total);
    plan.metadata.tool_calls = scale.proposal.tool_calls.budget();
}

fn totals(plan: &Plan, estimates: &PlanEstimates) -> PlanTotals {
    PlanTotals {
        cost: estimates.cost,
        sum_seconds: estimate::duration(&plan.subtasks, Some(1)),
        critical_path_seconds: estimate::duration(&plan.subtasks, None),
        measured: estimates.measured,
    }
}

/// The acts of a plan that cannot be undone, as risks.
fn irreversible_acts(plan: &Plan, request: &str, agents: &[AgentCapability]) -> Vec<Risk> {
    let declared = |name: &AgentType| {
        agents.iter().find(|agent| agent.agent_type == *name).and_then(|agent| agent.effects.as_deref())
    };
    let tasks = plan.subtasks.iter().map(|task| (task, task.status));
    risk::of_plan(tasks, request, declared).iter().map(irreversible).collect()
}

fn irreversible(act: &TaskRisk) -> Risk {
    Risk {
        level: RiskLevel::High,
        description: act.to_string(),
        mitigation: format!("A person is asked first; unattended it runs only with --allow {}", act.class),
    }
}

fn summary(plan: &Plan, estimates: &PlanEstimates, method: &str) -> String {
    let time = estimates.measured.map(|time| format!(", {}", texts::measured(time))).unwrap_or_default();
    let measured = estimates.measured_cost.map(texts::measured_cost);
    let cost = measured.or_else(|| estimates.cost.map(|cost| format!("${cost}")));
    let cost = cost.map(|cost| format!(", {cost}")).unwrap_or_default();
    let tokens = estimates.measured_tokens.map(texts::measured_tokens);
    let tokens = tokens.map(|tokens| format!(", {tokens}")).unwrap_or_default();
    format!("{}{time}{cost}{tokens}; agents chosen by {method}", counted(plan.subtasks.len(), "task"))
}

/// How sure the author of a brought plan is of it, if they say.
fn stated_confidence(cx: &PhaseContext<'_>) -> Option<Confidence> {
    let brought = cx.material.and_then(|material| material.plan.as_deref())?;
    Some(brought.confidence_score).filter(|stated| *stated > Confidence::NONE)
}

/// Those who can be given the tasks. Whoever brought a plan chooses among all, but a pack's programs do only what the
/// plan names them for.
fn agents_for(phases: &Phases, cx: &PhaseContext<'_>, goal_type: &GoalType) -> Vec<AgentCapability> {
    let Some(plan) = cx.material.and_then(|material| material.plan.as_deref()) else {
        return phases.agents_for(goal_type, cx.agents);
    };
    let others = phases.packs.iter().filter(|pack| pack.has_programs() && pack.goal_type != *goal_type);
    let programs: BTreeSet<&str> = others.flat_map(Pack::agent_names).collect();
    let named =
        |agent: &AgentCapability| plan.subtasks.iter().any(|task| task.agent_type == agent.agent_type);
    let is_free = |agent: &&AgentCapability| !programs.contains(agent.agent_type.as_str()) || named(agent);
    cx.agents.iter().filter(is_free).cloned().collect()
}

fn check_agents(phases: &Phases, agents: &[AgentCapability]) -> Result<(), Incomplete> {
    let checked = validation::check_preconditions(agents, phases.min_agents);
    Ok(checked.map_err(|error| {
        format!(
            "{error}; declare agents that can do this under [[agents]] in candor.toml (`candor init` writes one to start from)"
        )
    })?)
}

/// Too few agents for a plan worth the name: if there is a model, it answers every task directly.
fn bypass(plan: &mut Plan, agents: &[AgentCapability], notes: &mut Vec<String>) -> Option<()> {
    let model = agents.iter().find(|agent| routing::is_last_resort(&agent.agent_type))?;
    for task in &mut plan.subtasks {
        task.agent_type = model.agent_type.clone();
    }
    notes.push("there are too few agents: a model answers each task directly".to_owned());
    Some(())
}

/// Ranks agents for these tasks. Where the author of a plan chose, whoever stands in is found by words.
fn ranking<'a>(
    phases: &Phases,
    cx: &PhaseContext<'a>,
    agents: &[AgentCapability],
    tasks: &[SubTask],
) -> Result<Ranking<'a>, Incomplete> {
    if cx.material.is_some_and(|material| material.plan.is_some()) {
        return Ok(Ranking::by_words(&phases.lexicons, cx.open_circuits, agents, cx.examples));
    }
    Ranking::new(&phases.lexicons, cx, agents, tasks)
}

/// What a plan for this kind of goal must cover; what a person left out of it stays out.
fn categories(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    goal: &Goal,
    plan: &Plan,
    by_person: bool,
) -> Vec<completeness::Category> {
    let mut all = knowledge::categories(phases, cx, goal);
    if by_person {
        let missing = completeness::check(&plan.subtasks, &all).missing_categories;
        all.retain(|category| !missing.contains(&category.name));
    }
    all
}

fn drafted(phases: &Phases, cx: &PhaseContext<'_>, subtasks: Vec<SubTask>) -> Result<Plan, String> {
    let goal = cx.goal.ok_or("there is no goal to plan for")?;
    let name = cx.run_id.as_str();
    let plan_id = PlanId::new(format!("plan_{}", name.strip_prefix("run_").unwrap_or(name)))
        .map_err(|error| error.to_string())?;
    Ok(Plan {
        plan_id,
        goal_id: goal.goal_id.clone(),
        execution_strategy: scale::strategy(&phases.rules.scaling, cx, &subtasks),
        subtasks,
        estimated_total_duration: candor_model::Seconds::ZERO,
        confidence_score: Confidence::NONE,
        created_at: cx.now,
        updated_at: cx.now,
        metadata: PlanMetadata::default(),
    })
}
