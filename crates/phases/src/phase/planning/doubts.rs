//! What is known of a plan before it runs, and what makes one less sure of it.

use std::borrow::Cow;

use candor_model::handoff::{ClausePlace, CoveredClause};
use candor_model::{Confidence, Phase, PhaseOutput, Plan, Risk, SubTask};
use candor_planning::completeness::CATEGORY_KEY;
use candor_planning::confidence::{self, Evidence, Fit, Origin};
use candor_planning::critique::stems;
use candor_text::Language;
use serde::Deserialize;

use crate::PhaseContext;
use crate::brief::doubtful;
use crate::router::Explanation;
use candor_language::split::COURTESY;

/// Below this share of its words a request is told to be covered in part only.
const COVERED_ENOUGH: f64 = 0.6;

/// Below this chance of being right an agent is told to fit poorly, and how many of them are.
const LIKELY: f64 = 0.5;
const SHOWN_POOR: usize = 3;

/// What is read here of how the request was read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Read {
    guesses: Vec<String>,
    doubts: Vec<String>,
}

impl PhaseOutput for Read {
    const PHASE: Phase = Phase::Evaluation;
}

/// What is read here of the breakdown, beside its tasks.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Decomposed {
    guesses: Option<Vec<String>>,
    model: Option<String>,
    coverage: Vec<CoveredClause>,
}

impl PhaseOutput for Decomposed {
    const PHASE: Phase = Phase::Decomposition;
}

/// What makes one less sure of a plan.
pub(super) struct Doubts {
    guesses: Vec<String>,
    doubts: Vec<String>,
    /// What the plan was asked to include and does not.
    gaps: Vec<String>,
    /// Tasks of which nobody clearly is the agent, a line each.
    poor: Vec<String>,
    evidence: Evidence,
}

impl Doubts {
    pub(super) fn of(
        cx: &PhaseContext<'_>,
        plan: &Plan,
        choices: &[Option<Explanation>],
        gaps: &[String],
    ) -> Self {
        let Read { mut guesses, doubts } = cx.left().unwrap_or_default();
        let decomposed: Decomposed = cx.left().unwrap_or_default();
        let origin = origin(cx, &plan.subtasks, decomposed.model.is_some());
        guesses.extend(decomposed.guesses.unwrap_or_default());
        let (covered, words_per_task) = coverage(cx, &plan.subtasks, origin, &decomposed.coverage);
        let evidence = Evidence {
            origin,
            fits: choices.iter().flatten().map(fit).collect(),
            covered,
            tasks: plan.subtasks.len(),
            words_per_task,
            guesses: guesses.len(),
            doubts: doubts.len(),
            gaps: gaps.len(),
            model: None,
        };
        Self { guesses, doubts, gaps: gaps.to_vec(), poor: poor_fits(&plan.subtasks, choices), evidence }
    }

    /// How sure one can be before the plan runs; see [`confidence::before`].
    pub(super) fn confidence(&self, model: Option<f64>) -> Confidence {
        confidence::before(&Evidence { model, ..self.evidence.clone() })
    }

    /// What was guessed and who hardly fits, as risks.
    pub(super) fn risks(&self) -> Vec<Risk> {
        let guessed =
            self.guesses.iter().take(SHOWN_POOR).map(|guess| doubtful(&format!("Guessed: {guess}")));
        guessed.chain(self.poor.iter().map(|fit| doubtful(fit))).collect()
    }

    pub(super) fn reasons(&self) -> Vec<String> {
        let guesses = self.guesses.iter().map(|guess| format!("Guessed: {guess}"));
        let doubts = self.doubts.iter().map(|doubt| format!("Unclear: {doubt}"));
        let covered = self.evidence.covered;
        let uncovered = (covered < COVERED_ENOUGH)
            .then(|| format!("the tasks cover {:.0} % of the request", covered * 100.0));
        let gaps = self.gaps.iter().map(|gap| format!("Gap: {gap}"));
        guesses.chain(doubts).chain(gaps).chain(uncovered).chain(self.poor.iter().cloned()).collect()
    }
}

fn origin(cx: &PhaseContext<'_>, tasks: &[SubTask], by_model: bool) -> Origin {
    if cx.material.is_some_and(|material| material.plan.is_some()) {
        return Origin::Supplied;
    }
    let from_template = tasks.iter().all(|task| task.metadata.other.contains_key(CATEGORY_KEY));
    match (by_model, from_template) {
        (true, _) => Origin::Model,
        (false, true) => Origin::Template,
        (false, false) => Origin::Rules,
    }
}

fn fit(explained: &Explanation) -> Fit {
    // Whoever was not the first of its ranking was put there for another reason than its fit.
    let chance = explained.chance.unwrap_or(explained.similarity);
    Fit { chance, success_rate: explained.success_rate.get() }
}

/// The tasks whose agent is more likely wrong than right, the poorest first.
fn poor_fits(tasks: &[SubTask], choices: &[Option<Explanation>]) -> Vec<String> {
    let chosen = tasks.iter().zip(choices).filter_map(|(task, choice)| Some((task, choice.as_ref()?)));
    let mut poor: Vec<_> = chosen.filter(|(_, explained)| fit(explained).chance < LIKELY).collect();
    poor.sort_by(|(_, one), (_, other)| fit(one).chance.total_cmp(&fit(other).chance));
    let more = poor.len().saturating_sub(SHOWN_POOR);
    let line = |(task, explained): &(&SubTask, &Explanation)| {
        let next = explained.runner_up.as_ref().map(|next| format!("; next: {}", next.agent_type));
        let percent = fit(explained).chance * 100.0;
        format!(
            "{}: {} fits with {percent:.0} % only{}",
            task.task_id,
            task.agent_type,
            next.unwrap_or_default()
        )
    };
    let more = match more {
        0 => None,
        1 => Some("1 more task has no agent that clearly fits".to_owned()),
        more => Some(format!("{more} more tasks have no agent that clearly fits")),
    };
    poor.iter().take(SHOWN_POOR).map(line).chain(more).collect()
}

/// What background counts of a clause that is in no task: those who work get it, and nobody works on it.
const BACKGROUND: f64 = 0.5;

/// The share of the request's words that went somewhere, by where their clauses went.
fn covered_by_clauses(clauses: &[CoveredClause]) -> f64 {
    let words = |clause: &CoveredClause| clause.clause.split_whitespace().count() as f64;
    let weight = |clause: &CoveredClause| match clause.place {
        ClausePlace::Task | ClausePlace::Constraint | ClausePlace::Condition => 1.0,
        ClausePlace::Context => BACKGROUND,
        ClausePlace::Dropped => 0.0,
    };
    let meant = || clauses.iter().filter(|clause| clause.reason.as_deref() != Some(COURTESY));
    let all: f64 = meant().map(words).sum();
    let covered: f64 = meant().map(|clause| weight(clause) * words(clause)).sum();
    if all > 0.0 { covered / all } else { 0.0 }
}

/// The share of the request that is in a task or a constraint, and how many words a task has. Tasks that were cut from the
/// request say of each clause where it went; what a pack or a model wrote is compared by its words.
fn coverage(
    cx: &PhaseContext<'_>,
    tasks: &[SubTask],
    origin: Origin,
    clauses: &[CoveredClause],
) -> (f64, f64) {
    // A supplied plan is what is wanted, whatever words stand beside it.
    if origin == Origin::Supplied {
        return (1.0, 0.0);
    }
    let language = Language::of(cx.request);
    let wanted = stems(cx.request, language);
    let told = |task: &SubTask| {
        let inputs = serde_json::to_string(&task.inputs).unwrap_or_default();
        format!("{} {inputs}", task.description)
    };
    let told: Vec<String> = tasks.iter().map(told).collect();
    let told: Vec<_> = told.iter().map(|text| stems(text, language)).collect();
    let constraints = cx.goal.into_iter().flat_map(|goal| &goal.constraints);
    let constraints: Vec<_> = constraints.map(|it| stems(it.value.as_str(), language)).collect();
    let is_covered =
        |word: &&Cow<'_, str>| told.iter().chain(&constraints).any(|words| words.contains(*word));
    let covered = wanted.iter().filter(is_covered).count();
    let tasks_language = tasks.first().map(|task| Language::of(task.description.as_str()));
    let share = match wanted.len() {
        // A request that says nothing is covered by nothing.
        0 => 0.0,
        // Words of two languages cannot be compared.
        _ if tasks_language.is_some_and(|other| other != language) => 1.0,
        all => covered as f64 / all as f64,
    };
    let share =
        if origin == Origin::Rules && !clauses.is_empty() { covered_by_clauses(clauses) } else { share };
    let words: usize = told.iter().map(std::collections::BTreeSet::len).sum();
    (share, words as f64 / tasks.len().max(1) as f64)
}
