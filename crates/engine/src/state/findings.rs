//! What the phases have found and people have said so far, beside the goal and the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AgentCapability, ApprovalAction, Broadcast, CheckResult, Consulted, Evaluation, HumanApprovalDecision,
    Money, Phase, Plan, PlanBrief, PlanTalk, PlanVersion, PromptChange, PromptSource, Query, QueryResponse,
    Question, ReadFile, TaskId, Timestamp,
};
use candor_planning::loop_guard::Watch;
use serde::{Deserialize, Serialize};

use super::course::redone;

/// The words of a run at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptEntry {
    /// The words.
    pub text: String,
    /// Where they come from; absent for those the run began with.
    pub source: Option<PromptSource>,
    /// The letter of the variant that was chosen.
    pub variant: Option<String>,
    /// How well they say what is wanted, once that was judged.
    pub score: Option<u8>,
    /// Since when they hold.
    pub at: Timestamp,
}

/// A plan as it was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownPlan {
    /// Which shape it was.
    pub version: PlanVersion,
    /// The plan.
    pub plan: Arc<Plan>,
    /// The agents as they were known then.
    pub agents: Vec<AgentCapability>,
    /// The plan in figures.
    pub brief: Option<Arc<PlanBrief>>,
}

/// A phase that is to be done better.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Refinement {
    pub(crate) count: u32,
    pub(crate) notes: Vec<String>,
}

/// How far the guardrails are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Guarded {
    /// Whether nothing may run before they have had their say. Runs of older versions began without them.
    pub(crate) needed: bool,
    pub(crate) looks: u32,
    /// The looks that were at other words.
    pub(crate) before: u32,
    pub(crate) passed: bool,
}

/// What the phases have found and people have said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub(crate) prompts: Vec<PromptEntry>,
    pub(crate) guarded: Guarded,
    pub(crate) evaluation: Option<Arc<Evaluation>>,
    /// How often better wordings were offered.
    pub(crate) offers: u32,
    pub(crate) shown: Vec<ShownPlan>,
    /// What a person wants of the plan that was shown.
    pub(crate) talk: Option<PlanTalk>,
    /// How often the plan was changed at a person's word.
    pub(crate) rounds: u32,
    /// Whether a person has said anything to the plan: then they see it again, however sure it is.
    pub(crate) discussed: bool,
    pub(crate) reply: Option<String>,
    pub(crate) refinements: BTreeMap<Phase, Refinement>,
    pub(crate) started: BTreeMap<Phase, Timestamp>,
    /// Models' tokens by phase.
    pub(crate) tokens: BTreeMap<Phase, u64>,
    /// What models cost, by phase.
    pub(crate) costs: BTreeMap<Phase, Money>,
    /// How many more tokens a person has allowed.
    pub(crate) tokens_allowed: u64,
    /// The phases whose results hold.
    pub(crate) completed: BTreeSet<Phase>,
    pub(crate) messages: Vec<Broadcast>,
    /// What agents answered to the questions of phases.
    #[serde(default)]
    pub(crate) responses: Vec<QueryResponse>,
    /// The files that were read.
    pub(crate) files: BTreeMap<String, ReadFile>,
    /// Files that were changed since they were first read, as they were then.
    #[serde(default)]
    pub(crate) originals: BTreeMap<String, ReadFile>,
    pub(crate) checks: Vec<CheckResult>,
    pub(crate) queries: BTreeMap<String, Query>,
    pub(crate) watch: Watch,
    /// Whether the last failure showed that the run goes round in circles.
    pub(crate) circling: bool,
    /// Whether anybody was asked about the plan that was proposed last, or it was approved.
    pub(crate) put: bool,
    /// The version of the plan that was approved last.
    pub(crate) approved: Option<PlanVersion>,
    pub(crate) reworks: BTreeMap<TaskId, u32>,
}

impl Findings {
    pub(crate) fn tokens_used(&self) -> u64 {
        self.tokens.values().fold(0, |sum, tokens| sum.saturating_add(*tokens))
    }

    pub(super) fn begin(&mut self, words: &str, at: Timestamp) {
        let first = PromptEntry { text: words.to_owned(), source: None, variant: None, score: None, at };
        self.prompts.push(first);
    }

    /// The words of an earlier time hold again.
    pub(super) fn begin_again(&mut self, words: &str, at: Timestamp) {
        let (text, source) = (words.to_owned(), Some(PromptSource::Restarted));
        self.prompts.push(PromptEntry { text, source, variant: None, score: None, at });
        self.guarded.passed = false;
    }

    pub(super) fn change_words(&mut self, change: &PromptChange, at: Timestamp) {
        let PromptChange { text, source, variant, .. } = change;
        let (text, variant) = (text.clone(), variant.clone());
        self.prompts.push(PromptEntry { text, source: Some(*source), variant, score: None, at });
        self.evaluation = None;
        self.refinements.clear();
        self.completed.retain(|phase| *phase == Phase::PreAnalysis);
        self.guarded.passed = false;
        // Plans for other words are nothing to go back to.
        self.shown.clear();
        self.forget_talk();
    }

    fn forget_talk(&mut self) {
        self.talk = None;
        self.reply = None;
        self.discussed = false;
        self.rounds = 0;
    }

    pub(super) fn judged(&mut self, score: u8, evaluation: Option<&Evaluation>) {
        if let Some(prompt) = self.prompts.last_mut() {
            prompt.score = Some(score);
        }
        self.evaluation = evaluation.map(|evaluation| Arc::new(evaluation.clone()));
    }

    pub(super) fn start_phase(&mut self, phase: Phase, at: Timestamp) {
        self.started.insert(phase, at);
        self.completed.retain(|completed| !redone(phase, *completed));
        if phase == Phase::Validation {
            self.checks.clear();
            self.responses.clear();
        }
    }

    pub(super) fn complete_phase(&mut self, phase: Phase) {
        self.completed.insert(phase);
        self.refinements.remove(&phase);
    }

    pub(super) fn refine(&mut self, phase: Phase, notes: &[String]) {
        let refinement = self.refinements.entry(phase).or_default();
        refinement.count = refinement.count.saturating_add(1);
        refinement.notes = notes.to_vec();
    }

    pub(super) fn consulted(&mut self, phase: Phase, step: &Consulted) {
        if let Some(call) = &step.call {
            let sum = self.tokens.entry(phase).or_default();
            *sum = sum.saturating_add(call.tokens.total());
            let cost = self.costs.entry(phase).or_default();
            *cost = *cost + call.cost;
        }
    }

    /// A person has said something to the plan that they were shown.
    pub(super) fn discuss(&mut self, decision: &HumanApprovalDecision) {
        let words = || decision.comments.clone();
        self.talk = match decision.action {
            ApprovalAction::Ask => Some(PlanTalk::Question(words())),
            ApprovalAction::Alternative => {
                Some(PlanTalk::Alternative(decision.alternative.clone().unwrap_or_default()))
            }
            ApprovalAction::Modify if decision.adjustments.is_empty() => Some(PlanTalk::Change(words())),
            ApprovalAction::Regenerate => Some(PlanTalk::Anew(words())),
            _ => None,
        };
        let changes = matches!(
            decision.action,
            ApprovalAction::Alternative | ApprovalAction::Modify | ApprovalAction::Regenerate
        );
        self.rounds = self.rounds.saturating_add(u32::from(changes));
        self.discussed |= decision.action != ApprovalAction::Approve;
        self.reply = None;
    }

    /// What was wanted of the plan stays in mind until the new one is shown.
    pub(super) fn propose(&mut self, shown: ShownPlan) {
        if !self.put {
            // Nobody has seen the one before.
            self.shown.pop();
        }
        self.shown.push(shown);
        self.put = false;
        self.reply = None;
    }

    /// A person changed fields of the plan: it is shown as it is now.
    pub(super) fn adjust(&mut self, version: PlanVersion, plan: &Plan) {
        if let Some(last) = self.shown.last().cloned() {
            self.shown.push(ShownPlan { version, plan: Arc::new(plan.clone()), ..last });
        }
    }

    /// Somebody is asked about the plan that was proposed.
    pub(super) fn put(&mut self, question: &Question) {
        self.put = true;
        if matches!(question, Question::Approval { .. }) {
            self.talk = None;
        }
    }

    pub(super) fn answered(&mut self, answer: &str) {
        self.talk = None;
        self.reply = Some(answer.to_owned());
        // The plan that there was still stands.
        self.completed.insert(Phase::Planning);
    }

    /// The plan is locked: what was said on the way to it is settled.
    pub(super) fn approve(&mut self, version: PlanVersion) {
        self.put = true;
        self.approved = Some(version);
        self.talk = None;
        self.reply = None;
        self.discussed = false;
    }

    /// The run went back to where the results of these phases held.
    pub(super) fn roll_back(&mut self, completed: BTreeSet<Phase>, version: Option<PlanVersion>) {
        self.completed = completed;
        self.forget_talk();
        self.put = true;
        if let Some(version) = version {
            self.shown.retain(|shown| shown.version <= version);
        }
        self.offers = 0;
        self.refinements.clear();
        self.checks.clear();
        self.queries.clear();
        self.watch = Watch::default();
        self.circling = false;
        self.reworks.clear();
    }

    pub(super) fn read(&mut self, files: &[ReadFile]) {
        for file in files {
            let before = self.files.insert(file.path.clone(), file.clone());
            if let Some(before) = before.filter(|before| before.hash != file.hash && before.is_whole()) {
                self.originals.entry(file.path.clone()).or_insert(before);
            }
        }
    }

    /// A question was answered; what a phase asked is kept for it.
    pub(super) fn answered_query(&mut self, response: &QueryResponse) {
        let asked = self.queries.remove(&response.query_id);
        if asked.is_some_and(|query| query.from_agent == Phase::Validation.lead_agent()) {
            self.responses.push(response.clone());
        }
    }

    /// The files that are not as they were when they were first read.
    pub(crate) fn modified(&self) -> impl Iterator<Item = &String> {
        let is_other = |path: &str, original: &ReadFile| {
            self.files.get(path).is_none_or(|now| now.hash != original.hash)
        };
        self.originals.iter().filter(move |(path, original)| is_other(path, original)).map(|(path, _)| path)
    }

    /// A file is as it was.
    pub(super) fn restored(&mut self, path: &str) {
        if let Some(original) = self.originals.remove(path) {
            self.files.insert(path.to_owned(), original);
        }
    }
}
