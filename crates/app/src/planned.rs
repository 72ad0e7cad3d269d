//! What a dry run found out: a goal as it was understood, and a plan with what is known of it.

use candor_language::goal::Reading;
use candor_language::split::COURTESY;
use candor_model::handoff::{
    ClausePlace, CoveredClause, DecompositionOutput, EvaluationOutput, HandedTask, ListedTasks,
    PlanningOutput,
};
use candor_model::{AgentCapability, Evaluation, Goal, Handoff, Phase, Plan, PlanningError, RunSettings};
use candor_planning::completeness::Category;
use candor_planning::phase::PhaseResult;
use candor_planning::task_type::task_type;
use candor_planning::validation;
use candor_planning::{assignment, completeness, dependencies, routing, texts};
use candor_ports::Experience;
use candor_projections::recorded;
use candor_runtime::DryRunReport;
use candor_text::{Language, Sentence, both, in_language, word_in};
use serde_json::{Value, json};

use crate::dry_run::{DryRuns, Rehearsed};
use crate::{App, AppError, ModelUse, checked};

/// The most characters that are shown of a clause.
const LONGEST_SHOWN: usize = 80;

/// A goal, and what was read from the words.
pub struct Understood {
    /// Goal as it was understood.
    pub goal: Goal,
    /// What was read, guessed and not understood.
    pub reading: Reading,
    /// How much there is to it, and how well it says what is wanted.
    pub evaluation: Option<Evaluation>,
}

impl Understood {
    /// What [`Self::as_json`] adds to the fields of a goal.
    pub(crate) const FINDINGS: [&str; 6] =
        ["extracted", "language", "guesses", "doubts", "evaluation", "task_type"];

    /// Reads the goal from these words, as a run would; nothing is kept.
    pub async fn of(app: &App, words: String, models: impl Into<ModelUse>) -> Result<Self, AppError> {
        Self::by(&DryRuns::new(app, models)?, words).await
    }

    /// The same for one of several goals.
    pub async fn by(runs: &DryRuns<'_>, words: String) -> Result<Self, AppError> {
        let words = runs.app.without_secrets(words);
        let words = checked(runs.app, &words)?.ok_or_else(|| {
            AppError::usage(both!(
                "the goal is empty; say in plain words what is to be done",
                "el objetivo está vacío; decir con palabras sencillas qué hay que hacer"
            ))
        })?;
        let mut done = runs.run(Experience::default(), words, Phase::Evaluation).await?;
        let evaluated = done.report.phases.remove(&Phase::Evaluation);
        match evaluated.map(|report| (report.handoff, report.result)) {
            Some((handoff, PhaseResult::Goal { goal, evaluation, .. })) => Ok(Self {
                goal: *goal,
                reading: reading(&handoff),
                evaluation: evaluation.map(|evaluation| *evaluation),
            }),
            _ => Err(AppError::failed(why_not(&done.report))),
        }
    }

    /// The goal with what was read from the words.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let Self { goal, reading, evaluation } = self;
        let mut value = json!(goal);
        if let Value::Object(fields) = &mut value {
            fields.insert("extracted".to_owned(), json!(reading.extracted));
            fields.insert("language".to_owned(), json!(reading.language));
            fields.insert("guesses".to_owned(), json!(reading.guesses));
            fields.insert("doubts".to_owned(), json!(reading.doubts));
            let keywords = evaluation.as_ref().map_or(&[][..], |evaluation| &evaluation.keywords);
            fields.insert("task_type".to_owned(), json!(task_type(Some(&goal.goal_type), keywords)));
            fields.insert("evaluation".to_owned(), json!(evaluation));
        }
        value
    }
}

/// Why a dry run came to no result.
fn why_not(report: &DryRunReport) -> Sentence {
    let none = || both!("no goal was found", "no se encontró ningún objetivo");
    report.error.as_ref().map_or_else(none, Sentence::from)
}

/// What was read from the words, as the evaluation left it.
fn reading(handoff: &Handoff) -> Reading {
    handoff.output::<EvaluationOutput<Reading>>().map(|output| output.reading).unwrap_or_default()
}

/// Where each clause of the request went, as the decomposition left it.
fn coverage(handoff: &Handoff) -> Vec<CoveredClause> {
    let left = handoff.output::<DecompositionOutput<HandedTask, ListedTasks>>();
    left.map(|output| output.coverage).unwrap_or_default()
}

/// A plan, and what is known of it.
pub struct Planned {
    understood: Understood,
    plan: Plan,
    summary: String,
    output: PlanningOutput,
    repairs: Vec<String>,
    agents: Vec<AgentCapability>,
    categories: Vec<Category>,
    /// Where each clause of the request went.
    coverage: Vec<CoveredClause>,
    /// Why it cannot be carried out.
    pub refusal: Option<PlanningError>,
}

impl Planned {
    /// The plan for these words, as a run would make it; nothing of it is kept.
    pub async fn of(
        app: &App,
        experience: Experience,
        words: String,
        models: impl Into<ModelUse>,
    ) -> Result<Self, AppError> {
        Self::by(&DryRuns::new(app, models)?, experience, words).await
    }

    /// The same for one of several goals.
    pub async fn by(runs: &DryRuns<'_>, experience: Experience, words: String) -> Result<Self, AppError> {
        let words = runs.app.without_secrets(words);
        let words = checked(runs.app, &words)?.ok_or_else(|| {
            AppError::usage(both!(
                "say what is to be planned: candor plan \"GOAL\"; or check a plan: candor plan check FILE",
                "decir qué hay que planificar: candor plan \"OBJETIVO\"; o comprobar un plan: candor plan check FILE"
            ))
        })?;
        let rehearsed = runs.run(experience, words, Phase::Planning).await?;
        Self::new(rehearsed, &runs.app.config.limits)
    }

    fn new(done: Rehearsed, limits: &RunSettings) -> Result<Self, AppError> {
        let Rehearsed { mut report, agents, phases } = done;
        let evaluated = report.phases.remove(&Phase::Evaluation).map(|done| (done.handoff, done.result));
        let decomposed = report.phases.remove(&Phase::Decomposition).map(|done| done.handoff);
        let planned = report.phases.remove(&Phase::Planning).map(|done| (done.handoff, done.result));
        let (
            Some((read, PhaseResult::Goal { goal, evaluation, .. })),
            Some((handoff, PhaseResult::Plan(proposal))),
        ) = (evaluated, planned)
        else {
            return Err(AppError::failed(why_not(&report)));
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
        let output = handoff.output().map_err(AppError::failed)?;
        let summary = handoff.summary;
        let evaluation = evaluation.map(|evaluation| *evaluation);
        let understood = Understood { goal: *goal, reading: reading(&read), evaluation };
        let coverage = decomposed.map(|handoff| coverage(&handoff)).unwrap_or_default();
        Ok(Self { understood, plan, summary, output, repairs, agents, categories, coverage, refusal })
    }
}

impl Planned {
    /// Plan that passed validation.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

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

    /// All of it: goal, plan, validation, alternatives, risks, estimates.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let left = &self.output;
        json!({
            "goal": self.understood.as_json(),
            "plan": self.plan,
            "validation": self.validation(),
            "alternatives": left.alternatives,
            "risks": left.risks,
            "estimates": left.estimates,
            "routing": left.routing,
            "notes": left.notes,
            "coverage": self.coverage,
            "dropped": self.dropped().collect::<Vec<_>>(),
        })
    }

    /// The plan as one line of a batch.
    #[must_use]
    pub fn as_line(&self) -> Value {
        json!({
            "goal_type": self.understood.goal.goal_type,
            "constraints": self.understood.goal.constraints,
            "subtasks": self.plan.subtasks,
            "confidence": self.plan.confidence_score,
            "coverage": self.coverage,
            "dropped": self.dropped().collect::<Vec<_>>(),
            "errors": self.refusal.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    /// The clauses of the request that nobody works on.
    fn dropped(&self) -> impl Iterator<Item = &CoveredClause> {
        self.coverage.iter().filter(|clause| clause.place == ClausePlace::Dropped)
    }

    /// The same for people. What the plan itself says is in the words in which it was made.
    #[must_use]
    pub fn as_text(&self, language: Language) -> String {
        let told = |recorded: &str| recorded::told(language, recorded);
        let mut text = format!("{}\n\n", self.understood.goal.description);
        self.tell_tasks(language, &mut text);
        text.push_str(&in_language!(
            language;
            "\nconfidence {}; {}\n",
            "\nconfianza {}; {}\n",
            self.plan.confidence_score,
            told(&self.summary)
        ));
        let brief = &self.output.brief;
        text.push_str(&in_language!(
            language;
            "strategy: {}; {}\n",
            "estrategia: {}; {}\n",
            told(brief.strategy.as_str()),
            told(&texts::side_by_side(brief))
        ));
        self.tell_criteria(language, &mut text);
        self.tell_gaps(language, &mut text);
        self.tell_doubts(language, &mut text);
        text
    }

    fn tell_tasks(&self, language: Language, text: &mut String) {
        for task in &self.plan.subtasks {
            let after: Vec<&str> = task.dependencies.iter().map(candor_model::TaskId::as_str).collect();
            let after = if after.is_empty() {
                String::new()
            } else {
                in_language!(language; "  after {}", "  después de {}", after.join(", "))
            };
            let takes = texts::basis(task)
                .map(|takes| format!("  {}", recorded::told(language, &takes)))
                .unwrap_or_default();
            text.push_str(&format!(
                "{}  {}\n          {}{takes}{after}\n",
                task.task_id, task.description, task.agent_type
            ));
        }
    }

    /// What must hold, and by what it is known that the goal was reached.
    fn tell_criteria(&self, language: Language, text: &mut String) {
        // What must be and what must not be is in every agent's orders.
        let limits =
            self.understood.goal.constraints.iter().filter(|it| it.kind.as_str().starts_with("must"));
        for limit in limits {
            text.push_str(&format!("{}: {}\n", limit.label(), limit.value));
        }
        let criteria = &self.understood.goal.success_criteria;
        criteria.iter().for_each(|criterion| {
            text.push_str(
                &in_language!(language; "reached when: {criterion}\n", "se alcanza si: {criterion}\n"),
            );
        });
        if criteria.is_empty() {
            text.push_str(word_in!(
                language;
                "reached when: nothing in the goal can be checked; the run will end unverified\n",
                "se alcanza si: nada del objetivo se puede comprobar; la ejecución terminará sin verificar\n"
            ));
        }
        for task in &self.plan.subtasks {
            if let Some(criterion) = &task.metadata.validation {
                text.push_str(&in_language!(
                    language;
                    "{} is checked by: {criterion}\n",
                    "{} se comprueba con: {criterion}\n",
                    task.task_id
                ));
            }
        }
    }

    /// What is left out, and what is done only under a condition.
    fn tell_gaps(&self, language: Language, text: &mut String) {
        for clause in self.dropped().filter(|clause| clause.reason.as_deref() != Some(COURTESY)) {
            let short: String = clause.clause.chars().take(LONGEST_SHOWN).collect();
            text.push_str(&in_language!(
                language;
                "not planned: {short} ({})\n",
                "no planificado: {short} ({})\n",
                recorded::told(language, clause.reason.as_deref().unwrap_or_default())
            ));
        }
        for task in self.plan.subtasks.iter().filter(|task| !task.metadata.conditions.is_empty()) {
            text.push_str(&in_language!(
                language;
                "{} only under: {}\n",
                "{} solo si: {}\n",
                task.task_id,
                task.metadata.conditions.join("; ")
            ));
        }
    }

    /// What is not sure, what could be done instead, and why the plan cannot be carried out.
    fn tell_doubts(&self, language: Language, text: &mut String) {
        let in_words = |recorded: &str| recorded::told(language, recorded);
        for reason in &self.plan.metadata.low_confidence_reasons {
            text.push_str(&in_language!(language; "unsure: {}\n", "inseguro: {}\n", in_words(reason)));
        }
        for repair in &self.repairs {
            text.push_str(&in_language!(language; "repaired: {}\n", "reparado: {}\n", in_words(repair)));
        }
        // What one is unsure of is not told again as a risk.
        let reasons = &self.plan.metadata.low_confidence_reasons;
        let told = |risk: &&String| reasons.iter().any(|reason| risk.contains(reason.as_str()));
        for risk in self.output.risks.iter().filter(|risk| !told(risk)) {
            text.push_str(&in_language!(language; "risk: {}\n", "riesgo: {}\n", in_words(risk)));
        }
        for other in &self.output.alternatives {
            text.push_str(&in_language!(
                language;
                "alternative: {}: {}\n",
                "alternativa: {}: {}\n",
                in_words(&other.name),
                in_words(&other.trade_off)
            ));
        }
        if let Some(error) = &self.refusal {
            text.push_str(&in_language!(
                language;
                "\nthis plan cannot be carried out: {}\n",
                "\neste plan no se puede llevar a cabo: {}\n",
                in_words(&error.to_string())
            ));
        }
    }
}
