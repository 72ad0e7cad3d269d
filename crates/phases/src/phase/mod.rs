//! The phases, one file each, and the way from one to the next.

mod consolidation;
mod context;
mod decomposition;
mod evaluation;
mod gatekeeper;
pub(crate) mod planning;
mod pre_analysis;
mod ranking;
mod staffing;
mod validation;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_model::{
    AgentCapability, GoalType, GuardFinding, GuardReport, Handoff, Phase, PhaseOutput, RankedAgent,
    RevisionProposal, SpokenBy, SubTask,
};
use candor_planning::phase::{PhaseReport, PhaseResult};
use serde::Serialize;

pub use self::gatekeeper::examine;
use self::ranking::Ranking;
use crate::consult::revise_task;
use crate::critique::critique;
use crate::lexical::LexiconCache;
use crate::plan_cache::PlanCache;
use crate::router::Explanation;
use crate::{Incomplete, Pack, PhaseContext, Rulebook};

pub use self::evaluation::define_goal;
pub use self::pre_analysis::skippable;

/// How similar an agent counts that has no word in common with a task: somebody must do it, and this says
/// that it is a guess.
const GUESSED_SIMILARITY: f64 = 0.1;

/// The eight phases, with the packs they know. A clone is another handle to the same.
#[derive(Debug, Clone)]
pub struct Phases {
    packs: Arc<Vec<Pack>>,
    min_agents: usize,
    /// Agents that work for goals of any kind, beside those of packs.
    for_any_goal: Arc<BTreeSet<String>>,
    rules: Arc<Rulebook>,
    /// What was broken down before. It changes how long the work takes, and nothing else.
    cache: Arc<Mutex<PlanCache>>,
    /// The words of the agents, as they were last read; the same holds.
    lexicons: Arc<LexiconCache>,
}

impl Phases {
    /// Phases that know these packs and plan with no fewer agents than `min_agents`.
    #[must_use]
    pub fn new(packs: Vec<Pack>, min_agents: usize) -> Self {
        // A pack for goals of any kind is no kind of goal: all that counts of it is its agents.
        let (any, packs): (Vec<Pack>, Vec<Pack>) = packs.into_iter().partition(|pack| pack.for_any_goal);
        let for_any_goal = any.iter().flat_map(Pack::agent_names).map(str::to_owned).collect();
        Self {
            packs: Arc::new(packs),
            min_agents,
            for_any_goal: Arc::new(for_any_goal),
            rules: Arc::default(),
            cache: Arc::default(),
            lexicons: Arc::default(),
        }
    }

    /// The same phases, which have broken nothing down yet.
    #[must_use]
    pub fn afresh(&self) -> Self {
        Self { cache: Arc::default(), ..self.clone() }
    }

    /// Every pack of the installation, whether it applies or not.
    #[must_use]
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The same phases, by these rules.
    #[must_use]
    pub fn with_rules(mut self, rules: Rulebook) -> Self {
        self.rules = Arc::new(rules);
        self
    }

    /// The rules that hold here.
    #[must_use]
    pub fn rules(&self) -> &Rulebook {
        &self.rules
    }

    /// The guardrails look at the request, before any phase is visited.
    #[must_use]
    pub fn guard(&self, cx: &PhaseContext<'_>) -> GuardReport {
        gatekeeper::look(self, cx)
    }

    /// The guardrails look at something that was read on the way: an agent's answer, a tool's result, a file.
    #[must_use]
    pub fn guard_read(&self, subject: &str, text: &str) -> Option<GuardFinding> {
        gatekeeper::read(&self.rules, subject, text)
    }

    /// Does the work of a phase, or says what it needs first, or in plain words why it cannot be done.
    pub fn work(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
        let done = self.visit(phase, cx);
        // An ask for the phase's own work goes to the tier that the roster gives the phase.
        let mut report = done.map_err(|pause| staffing::on_tier(&self.rules.roster, phase, pause))?;
        staffing::check(&self.rules.roster, phase, &mut report)?;
        critique(phase, cx, &mut report, self.rules.critique_by_model)?;
        Ok(report)
    }

    fn visit(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
        Ok(match phase {
            Phase::PreAnalysis => pre_analysis::work(self, cx),
            Phase::Evaluation => evaluation::work(self, cx)?,
            Phase::Context => context::work(self, cx)?,
            Phase::Decomposition => decomposition::work(self, cx)?,
            Phase::Planning => planning::work(self, cx)?,
            Phase::Validation => validation::work(self, cx)?,
            Phase::Consolidation => consolidation::work(cx),
            Phase::Execution => return Err("execution is the engine's own room".into()),
        })
    }

    /// Ranks everyone for a task, the best first.
    pub fn route(&self, task: &SubTask, cx: &PhaseContext<'_>) -> Result<Vec<RankedAgent>, Incomplete> {
        let agents = self.rankable(cx.goal.map(|goal| &goal.goal_type), cx.agents);
        let ranking = Ranking::new(&self.lexicons, cx, &agents, [task])?;
        let explained = ranking.of(task, agents.len())?;
        Ok(explained.iter().map(Explanation::ranked).collect())
    }

    /// Another approach to a task that failed for good: what a model proposes; nothing if none can answer.
    pub fn revise(
        &self,
        task: &SubTask,
        note: Option<&str>,
        cx: &PhaseContext<'_>,
    ) -> Result<Option<RevisionProposal>, Incomplete> {
        let failed = cx.feedback.iter().rev().find(|feedback| feedback.task_id == task.task_id);
        let (Some(plan), Some(feedback)) = (cx.plan, failed) else { return Ok(None) };
        let said = cx.consult("revise_task", || revise_task(cx, plan, feedback, note))?;
        Ok(said.map(|said| said.answer))
    }

    /// Ranks everyone for a task by words alone.
    pub fn route_by_words(
        &self,
        task: &SubTask,
        agents: &[AgentCapability],
    ) -> Result<Vec<RankedAgent>, String> {
        let agents = self.rankable(None, agents);
        let explained =
            Ranking::by_words(&self.lexicons, &BTreeMap::new(), &agents, &[]).of(task, agents.len())?;
        Ok(explained.iter().map(Explanation::ranked).collect())
    }

    fn cache(&self) -> MutexGuard<'_, PlanCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those who can be ranked for any task. A pack's programs do what their pack's plan gives them, and no other task
    /// however much its words are like theirs.
    #[must_use]
    pub fn rankable(&self, kind: Option<&GoalType>, agents: &[AgentCapability]) -> Vec<AgentCapability> {
        let strange =
            |pack: &&Pack| pack.has_programs() && (pack.fixed_plan || kind != Some(&pack.goal_type));
        let programs: BTreeSet<&str> =
            self.packs.iter().filter(strange).flat_map(Pack::agent_names).collect();
        agents.iter().filter(|agent| !programs.contains(agent.agent_type.as_str())).cloned().collect()
    }

    /// Those who can be given tasks of this kind of goal: a pack's own agents know only its kind, and where they are,
    /// those for any goal are not needed.
    fn agents_for(&self, goal_type: &GoalType, agents: &[AgentCapability]) -> Vec<AgentCapability> {
        let has_own = self.pack(goal_type).is_some_and(|pack| !pack.agents.is_empty());
        let others = self.packs.iter().filter(|pack| pack.goal_type != *goal_type);
        let general = self.for_any_goal.iter().filter(|_| has_own).map(String::as_str);
        let strangers: BTreeSet<&str> = others.flat_map(Pack::agent_names).chain(general).collect();
        agents.iter().filter(|agent| !strangers.contains(agent.agent_type.as_str())).cloned().collect()
    }

    /// Whether anyone among these can be given tasks of this kind of goal.
    #[must_use]
    pub fn has_agents_for(&self, goal_type: &GoalType, agents: &[AgentCapability]) -> bool {
        candor_planning::validation::check_preconditions(&self.agents_for(goal_type, agents), self.min_agents)
            .is_ok()
    }

    /// The pack for a kind of goal.
    #[must_use]
    pub fn pack(&self, goal_type: &GoalType) -> Option<&Pack> {
        self.packs.iter().find(|pack| pack.goal_type == *goal_type)
    }
}

/// The kind of goal that the author of a supplied plan says it is for.
fn stated_kind<'a>(cx: &PhaseContext<'a>) -> Option<&'a GoalType> {
    cx.material?.plan.as_deref()?.metadata.goal_type.as_ref()
}

/// `1 task`, `2 tasks`.
fn counted(count: usize, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// What a phase leaves; without the name of a model, rules spoke.
fn report<T: PhaseOutput + Serialize>(
    summary: String,
    output: &T,
    by: Option<&str>,
    result: PhaseResult,
) -> PhaseReport {
    let spoken_by = if by.is_some() { SpokenBy::Model } else { SpokenBy::Heuristic };
    PhaseReport::new(Handoff::of(spoken_by, summary, output), result)
}
