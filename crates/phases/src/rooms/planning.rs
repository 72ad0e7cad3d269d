//! Room 4: the plan. Finds an agent for each task, estimates, names risks and alternatives, and says how
//! sure it is.

use candor_model::{
    AgentCapability, Confidence, ExecutionStrategy, GoalType, Money, Phase, Plan, PlanId, PlanMetadata,
    SubTask,
};
use candor_planning::phase::{PhaseReport, PhaseResult, RoomDecision};
use candor_planning::validation::{self, Proposal};
use candor_planning::{estimate, routing};
use serde::Serialize;
use serde_json::json;

use super::ranking::{self, Ranking};
use super::{Rooms, counted, decomposition, report, spoken};
use crate::consult::{self, PlanAnswer, RouteAnswer, Said, Tie};
use crate::router::Explanation;
use crate::{Desk, Pause};

/// How many of a ranking stay with a task: enough for every revision a plan may have.
const RANKED: usize = 5;

/// The highest confidence that rules alone can give.
const MOST: f64 = 0.95;

/// The highest confidence of a plan in which a task went to somebody who shares no word with it: low enough
/// that a person looks at it.
const MOST_IF_BLIND: f64 = 0.45;

/// What confidence loses per guess and per doubt, and because nobody knows this kind of goal.
const PER_GUESS: f64 = 0.02;
const PER_DOUBT: f64 = 0.10;
const UNKNOWN_KIND: f64 = 0.10;
/// Guesses alone never take more than this.
const ALL_GUESSES: f64 = 0.10;

/// Another way to do it, with what it would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alternative {
    /// In two words.
    pub name: String,
    /// What would be done otherwise.
    pub description: String,
    /// What it would cost.
    pub estimated_cost: Money,
    /// How long it would take.
    pub estimated_seconds: f64,
    /// What one gains and loses.
    pub trade_off: String,
}

pub(super) fn work(rooms: &Rooms, desk: &Desk<'_>) -> Result<PhaseReport, Pause> {
    let goal = desk.goal.ok_or("there is no goal to plan for")?;
    let mut notes = Vec::new();
    let material = desk.material.and_then(|material| material.plan.as_deref());
    let agents = match material {
        Some(_) => desk.agents.to_vec(),
        None => rooms.agents_for(&goal.goal_type, desk.agents),
    };
    let mut plan = match material {
        Some(brought) => brought.clone(),
        None => {
            validation::check_preconditions(&agents, rooms.min_agents).map_err(|error| {
                format!(
                    "{error}; declare agents that can do this under [[agents]] in candor.toml (`candor init` writes one to start from)"
                )
            })?;
            drafted(desk, decomposition::left_by(desk)?)?
        }
    };
    let brought = plan.confidence_score > Confidence::NONE;
    let ranking = match material {
        // The author chose; whoever stands in for a choice is found by words.
        Some(_) => Ranking::by_words(desk.resting, &agents),
        None => Ranking::new(desk, &agents, &plan.subtasks)?,
    };
    let mut choices = assign(&mut plan.subtasks, &agents, &ranking, &mut notes)?;
    break_ties(desk, &mut plan.subtasks, &agents, &mut choices)?;
    let doubts = Doubts::of(desk, &choices);
    let said: Option<Said<PlanAnswer>> = match material {
        Some(_) => None,
        None => desk.consult("plan", || consult::plan(goal, &plan.subtasks, &agents))?,
    };
    if !brought {
        plan.confidence_score = doubts.confidence(said.as_ref().map(|said| said.answer.confidence));
    }
    plan.metadata.low_confidence_reasons.extend(doubts.reasons());
    plan.goal_id = goal.goal_id.clone();
    plan.estimated_total_duration = plan.total_estimate();
    (plan.created_at, plan.updated_at) = (desk.now, desk.now);
    let summary = format!(
        "{}, estimated {} s and ${}; agents chosen by {}",
        counted(plan.subtasks.len(), "task"),
        plan.estimated_total_duration,
        estimate::cost(&plan.subtasks, &agents),
        ranking.method()
    );
    let data = json!({
        "routing": ranking.method_code(),
        "notes": notes,
        "estimates": {
            "cost": estimate::cost(&plan.subtasks, &agents),
            "sum_seconds": plan.estimated_total_duration,
            "critical_path_seconds": estimate::critical_path(&plan.subtasks),
        },
        "alternatives": all_alternatives(&plan.subtasks, &agents, said.as_ref()),
        "risks": all_risks(rooms, desk, &plan.subtasks, said.as_ref()),
        "strategy": said.as_ref().map(|said| said.answer.strategy),
    });
    let decisions = routings(&plan.subtasks, &choices);
    let categories = categories(rooms, desk, &goal.goal_type);
    let proposal = Proposal { plan, agents, categories, calibration: desk.calibration.clone() };
    let mut report = report(summary, data, PhaseResult::Plan(proposal));
    report.decisions = decisions;
    Ok(spoken(report, said.as_ref().map(|said| said.model.as_str())))
}

/// What the rules see may go wrong, and what a model sees beyond that.
fn all_risks(
    rooms: &Rooms,
    desk: &Desk<'_>,
    tasks: &[SubTask],
    said: Option<&Said<PlanAnswer>>,
) -> Vec<String> {
    let mut risks = risks(rooms, desk, tasks);
    risks.extend(said.into_iter().flat_map(|said| said.answer.risks.iter().cloned()));
    risks
}

/// Other ways by rule, with their figures, and those that a model sees.
fn all_alternatives(
    tasks: &[SubTask],
    agents: &[AgentCapability],
    said: Option<&Said<PlanAnswer>>,
) -> Vec<Alternative> {
    let mut all = alternatives(tasks, agents);
    let (cost, path) = (estimate::cost(tasks, agents), estimate::critical_path(tasks).get());
    all.extend(said.into_iter().flat_map(|said| &said.answer.alternatives).map(|other| Alternative {
        name: other.name.clone(),
        description: other.description.clone(),
        estimated_cost: cost,
        estimated_seconds: path,
        trade_off: other.trade_off.clone(),
    }));
    all
}

/// What a plan for this kind of goal must cover. A plan that was brought is the person's own business.
fn categories(
    rooms: &Rooms,
    desk: &Desk<'_>,
    goal_type: &GoalType,
) -> Vec<candor_planning::completeness::Category> {
    if desk.material.is_some_and(|material| material.plan.is_some()) {
        return Vec::new();
    }
    rooms.pack(goal_type).map(|pack| pack.categories.clone()).unwrap_or_default()
}

fn drafted(desk: &Desk<'_>, subtasks: Vec<SubTask>) -> Result<Plan, String> {
    let goal = desk.goal.ok_or("there is no goal to plan for")?;
    let name = desk.run_id.as_str();
    let plan_id = PlanId::new(format!("plan_{}", name.strip_prefix("run_").unwrap_or(name)))
        .map_err(|error| error.to_string())?;
    Ok(Plan {
        plan_id,
        goal_id: goal.goal_id.clone(),
        subtasks,
        execution_strategy: ExecutionStrategy::Hybrid,
        estimated_total_duration: candor_model::Seconds::ZERO,
        confidence_score: Confidence::NONE,
        created_at: desk.now,
        updated_at: desk.now,
        metadata: PlanMetadata::default(),
    })
}

/// Gives every task its agent: the one it names if that is known, the best of the ranking otherwise. Returns
/// what spoke for each choice of ours; nothing where a task has the agent that it named.
fn assign(
    tasks: &mut [SubTask],
    agents: &[AgentCapability],
    ranking: &Ranking<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Explanation>>, String> {
    let mut choices = Vec::with_capacity(tasks.len());
    for task in tasks {
        let named = task.agent_type.clone();
        let known = agents.iter().any(|agent| agent.agent_type == named);
        if known && agents.len() == 1 {
            // There is nobody to fall back on, and a large plan need not say so with every task.
            choices.push(None);
            continue;
        }
        let explained = ranking
            .of(task, RANKED)
            .map_err(|reason| format!("no agent for task {}: {reason}", task.task_id))?;
        let mut ranked: Vec<_> = explained.iter().map(Explanation::ranked).collect();
        if known {
            ranked.retain(|ranked| ranked.score > 0.0);
            task.metadata.ranking = ranked;
            choices.push(None);
            continue;
        }
        routing::assign(task, ranked).map_err(|error| error.to_string())?;
        choices.push(explained.into_iter().find(|explained| explained.agent_type == task.agent_type));
        if !named.is_tbd() {
            notes.push(format!(
                "task {}: agent {named} is not known here; given to {}",
                task.task_id, task.agent_type
            ));
        }
    }
    Ok(choices)
}

/// How near the runner-up must be for a model to be asked, as a share of the best score, and for how many tasks.
const NEAR_TIE: f64 = 0.97;
const MOST_TIES: usize = 5;

/// Has a model choose where the figures do not tell two agents apart. Without one, the figures decide.
fn break_ties(
    desk: &Desk<'_>,
    tasks: &mut [SubTask],
    agents: &[AgentCapability],
    choices: &mut [Option<Explanation>],
) -> Result<(), Pause> {
    let ties: Vec<Tie<'_>> =
        tasks.iter().zip(&*choices).filter_map(|(task, choice)| tie(task, choice)).collect();
    let ties = ties.get(..ties.len().min(MOST_TIES)).unwrap_or_default();
    if ties.is_empty() {
        return Ok(());
    }
    let Some(said) = desk.consult::<RouteAnswer>("route_task", || consult::route_task(ties, agents))? else {
        return Ok(());
    };
    for (task, choice) in tasks.iter_mut().zip(choices) {
        let Some(chosen) = said.answer.of(&task.task_id) else { continue };
        let ranking = &mut task.metadata.ranking;
        let place = ranking.iter().position(|ranked| ranked.agent_type.as_str() == chosen.agent_type);
        let (Some(place), Some(choice)) = (place, choice) else { continue };
        let ranked = ranking.remove(place);
        choice.told =
            Some(format!("a near tie; {} chose {}: {}", said.model, ranked.agent_type, chosen.reason));
        task.agent_type = ranked.agent_type.clone();
        ranking.insert(0, ranked);
    }
    Ok(())
}

/// The agents that the figures do not tell apart, if there are two.
fn tie<'t>(task: &'t SubTask, choice: &Option<Explanation>) -> Option<Tie<'t>> {
    let best = choice.as_ref().filter(|best| best.score > 0.0)?;
    let near = task.metadata.ranking.iter().filter(|ranked| ranked.score >= best.score * NEAR_TIE);
    let near: Vec<_> = near.map(|ranked| ranked.agent_type.clone()).collect();
    (near.len() > 1).then_some((task, near))
}

/// Why each task went to its agent. Those that named one leave nothing to be decided.
fn routings(tasks: &[SubTask], choices: &[Option<Explanation>]) -> Vec<RoomDecision> {
    let ours = tasks.iter().zip(choices).filter_map(|(task, choice)| Some((task, choice.as_ref()?)));
    let decision = |(task, explained): (&SubTask, &Explanation)| RoomDecision {
        operation: "route_task",
        task_id: Some(task.task_id.clone()),
        input: routing::task_text(task),
        decision: format!("give it to {}", task.agent_type),
        reasoning: explained.to_string(),
    };
    ours.map(decision).collect()
}

/// What makes one less sure of a plan.
struct Doubts {
    guesses: Vec<String>,
    doubts: Vec<String>,
    unknown_kind: bool,
    /// The mean score of the agents that were chosen.
    fit: f64,
    /// Tasks whose agent was chosen without a word in common.
    blind: usize,
}

impl Doubts {
    fn of(desk: &Desk<'_>, choices: &[Option<Explanation>]) -> Self {
        let texts = |phase, key: &str| -> Vec<String> {
            desk.left(phase, key)
                .and_then(|value| serde_json::from_value(value.clone()).ok())
                .unwrap_or_default()
        };
        let mut guesses = texts(Phase::Evaluation, "guesses");
        guesses.extend(texts(Phase::Decomposition, "guesses"));
        // Who was named by the plan's author is no guess of ours, whatever the words say.
        let chosen: Vec<&Explanation> = choices.iter().flatten().collect();
        // The best agent of an imperfect world is as good as one gets: cost and rate are no doubt of the plan.
        let similar = chosen.iter().map(|explained| ranking::fit(explained)).sum::<f64>();
        let fit = if chosen.is_empty() { 1.0 } else { similar / chosen.len() as f64 };
        let blind = chosen.iter().filter(|explained| ranking::is_blind(explained)).count();
        let brought = desk.material.is_some_and(|material| material.plan.is_some());
        let unknown_kind = !brought && desk.goal.is_none_or(|goal| goal.goal_type == GoalType::GENERIC);
        Self { guesses, doubts: texts(Phase::Evaluation, "doubts"), unknown_kind, fit, blind }
    }

    /// From 0.45 (everything is a guess) to 0.95 (everything fits), less what is guessed and doubtful.
    /// A model's opinion counts half.
    fn confidence(&self, model: Option<f64>) -> Confidence {
        let guessed = (PER_GUESS * self.guesses.len() as f64).min(ALL_GUESSES);
        let doubtful = PER_DOUBT * self.doubts.len() as f64;
        let unknown = if self.unknown_kind { UNKNOWN_KIND } else { 0.0 };
        let most = if self.blind > 0 { MOST_IF_BLIND } else { MOST };
        let by_rules = 0.45 + 0.5 * self.fit - guessed - doubtful - unknown;
        let score = model.map_or(by_rules, |model| f64::midpoint(by_rules, model)).clamp(0.05, most);
        // More than two digits would only look exact.
        Confidence::new((score * 100.0).round() / 100.0).unwrap_or(Confidence::NONE)
    }

    fn reasons(&self) -> Vec<String> {
        let guesses = self.guesses.iter().map(|guess| format!("Guessed: {guess}"));
        let doubts = self.doubts.iter().map(|doubt| format!("Unclear: {doubt}"));
        let blind = (self.blind > 0)
            .then(|| format!("{} tasks went to an agent that shares no word with them", self.blind));
        guesses.chain(doubts).chain(blind).collect()
    }
}

/// Other ways to carry out the same tasks.
fn alternatives(tasks: &[SubTask], agents: &[AgentCapability]) -> Vec<Alternative> {
    let (cost, path) = (estimate::cost(tasks, agents), estimate::critical_path(tasks));
    let thrifty = estimate::cheapest(tasks, agents);
    let sum: f64 = tasks.iter().map(|task| task.estimated_duration_seconds.get()).sum();
    let one_by_one = Alternative {
        name: "one at a time".to_owned(),
        description: "Carry the tasks out one after the other".to_owned(),
        estimated_cost: cost,
        estimated_seconds: sum,
        trade_off: format!("{sum} s instead of {path} s; a failure stops less work that is under way"),
    };
    let mut others = vec![
        Alternative {
            name: "cheapest agents".to_owned(),
            description: "Give each task to the cheapest agent that fits at least half as well".to_owned(),
            estimated_cost: thrifty,
            estimated_seconds: path.get(),
            trade_off: format!("${thrifty} instead of ${cost}; failures are more likely"),
        },
        Alternative {
            name: "approve first".to_owned(),
            description: "Have a person look at the plan before anything runs (approval = \"always\")"
                .to_owned(),
            estimated_cost: cost,
            estimated_seconds: path.get(),
            trade_off: "slower by the time a person takes; nothing is spent on a plan that is not wanted"
                .to_owned(),
        },
    ];
    if sum > path.get() {
        others.insert(1, one_by_one);
    }
    others
}

fn risks(rooms: &Rooms, desk: &Desk<'_>, tasks: &[SubTask]) -> Vec<String> {
    let pack = desk.goal.and_then(|goal| rooms.pack(&goal.goal_type));
    let known = pack.into_iter().flat_map(|pack| pack.risks.iter().cloned());
    let sample = pack.filter(|pack| pack.sample_data).map(|pack| {
        format!(
            "The agents of pack {} work on sample data: nothing is booked, prices are not real",
            pack.name
        )
    });
    let alone = tasks.iter().filter(|task| task.metadata.ranking.len() < 2).count();
    let alone = (alone > 0).then(|| format!("{alone} tasks have no second agent to fall back on"));
    let weak = desk.agents.iter().filter(|agent| {
        agent.success_rate.get() < 0.8 && tasks.iter().any(|task| task.agent_type == agent.agent_type)
    });
    let weak = weak.map(|agent| {
        format!("{} succeeds in {:.0} % of its attempts", agent.agent_type, agent.success_rate.get() * 100.0)
    });
    sample.into_iter().chain(known).chain(alone).chain(weak).collect()
}
