//! The rooms, one file each, and the way from one to the next.

mod consolidation;
mod context;
mod decomposition;
mod evaluation;
mod planning;
mod pre_analysis;
mod validation;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_model::{AgentCapability, GoalType, Handoff, JsonMap, Phase, RankedAgent, SpokenBy, SubTask};
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::routing;
use serde_json::Value;

use crate::lexical::{self, Lexicon};
use crate::plan_cache::PlanCache;
use crate::{Desk, Pack, Pause};

pub use self::evaluation::define_goal;
pub use self::planning::Alternative;

/// How similar an agent counts that has no word in common with a task: somebody must do it, and this says
/// that it is a guess.
const GUESSED_SIMILARITY: f64 = 0.1;

/// The eight rooms, with the packs they know. A clone is another handle to the same.
#[derive(Debug, Clone)]
pub struct Rooms {
    packs: Arc<Vec<Pack>>,
    min_agents: usize,
    /// What was broken down before. It changes how long the work takes, and nothing else.
    cache: Arc<Mutex<PlanCache>>,
}

impl Rooms {
    /// Rooms that know these packs and plan with no fewer agents than `min_agents`.
    #[must_use]
    pub fn new(packs: Vec<Pack>, min_agents: usize) -> Self {
        Self { packs: Arc::new(packs), min_agents, cache: Arc::default() }
    }

    /// The packs.
    #[must_use]
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// Does the work of a room, or says what it needs first, or in plain words why it cannot be done.
    pub fn work(&self, phase: Phase, desk: &Desk<'_>) -> Result<PhaseReport, Pause> {
        match phase {
            Phase::PreAnalysis => Ok(pre_analysis::work(desk)),
            Phase::Evaluation => evaluation::work(self, desk),
            Phase::Context => Ok(context::work(desk)),
            Phase::Decomposition => decomposition::work(self, desk),
            Phase::Planning => planning::work(self, desk),
            Phase::Validation => Ok(validation::work(desk)),
            Phase::Consolidation => Ok(consolidation::work(desk)),
            Phase::Execution => Err("execution is the engine's own room".into()),
        }
    }

    /// Ranks everyone for a task, the best first.
    pub fn route(&self, task: &SubTask, desk: &Desk<'_>) -> Result<Vec<RankedAgent>, Pause> {
        Ok(route(task, desk.agents, &Lexicon::new(desk.agents))?)
    }

    /// Ranks everyone for a task by words alone.
    pub fn route_by_words(
        &self,
        task: &SubTask,
        agents: &[AgentCapability],
    ) -> Result<Vec<RankedAgent>, String> {
        route(task, agents, &Lexicon::new(agents))
    }

    fn cache(&self) -> MutexGuard<'_, PlanCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those who can be given tasks of this kind of goal: a pack's own agents know only its kind.
    fn agents_for(&self, goal_type: &GoalType, agents: &[AgentCapability]) -> Vec<AgentCapability> {
        let others = self.packs.iter().filter(|pack| pack.goal_type != *goal_type);
        let strangers: BTreeSet<&str> = others.flat_map(Pack::agent_names).collect();
        agents.iter().filter(|agent| !strangers.contains(agent.agent_type.as_str())).cloned().collect()
    }

    /// The pack for a kind of goal.
    #[must_use]
    pub fn pack(&self, goal_type: &GoalType) -> Option<&Pack> {
        self.packs.iter().find(|pack| pack.goal_type == *goal_type)
    }
}

/// Ranks everyone for a task by the words they share; without a single one, everybody is as good a guess.
fn route(task: &SubTask, agents: &[AgentCapability], lexicon: &Lexicon) -> Result<Vec<RankedAgent>, String> {
    if agents.is_empty() {
        return Err("no agent is registered".to_owned());
    }
    let mut ranking = lexical::rank(agents, lexicon, &routing::task_text(task), agents.len());
    if ranking.iter().all(|ranked| ranked.score <= 0.0) {
        for ranked in &mut ranking {
            let agent = agents.iter().find(|agent| agent.agent_type == ranked.agent_type);
            ranked.similarity = GUESSED_SIMILARITY;
            ranked.score = agent.map_or(0.0, |agent| routing::score(GUESSED_SIMILARITY, agent));
        }
        ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.agent_type.cmp(&b.agent_type)));
    }
    Ok(ranking)
}

/// `1 task`, `2 tasks`.
fn counted(count: usize, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// What a room that used rules leaves.
fn report(summary: String, data: Value, result: PhaseResult) -> PhaseReport {
    let data = match data {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    };
    let handoff = Handoff { spoken_by: SpokenBy::Heuristic, summary, data };
    PhaseReport { handoff, result, decisions: Vec::new() }
}

/// The same, if a model spoke.
fn spoken(mut report: PhaseReport, by: Option<&str>) -> PhaseReport {
    if let Some(model) = by {
        report.handoff.spoken_by = SpokenBy::Model;
        report.handoff.data.insert("model".to_owned(), Value::String(model.to_owned()));
    }
    report
}
