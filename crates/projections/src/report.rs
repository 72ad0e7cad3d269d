//! The report on a run, finished or not, with the documented keys and what else programs ask for.

use std::collections::BTreeMap;

use candor_engine::RunState;
use candor_model::{
    AgentType, ConfidencePoint, DecisionEntry, Degradation, Event, ExecutionFeedback, ExecutionId,
    ExecutionReport, ExecutionStatus, FailureLogEntry, Goal, Lessons, Money, Plan, PlanId, PlanRevision,
    Recorded, RunId, RunStatus, Seconds, TaskReport, TaskStatus, Timestamp, Verdict,
};
use candor_planning::report::{
    ModelFigures, ReportMaterial, constraint_summary, execution_report, execution_result, failure_entries,
};
use candor_planning::texts;
use candor_text::Language;
use serde::Serialize;

use crate::chronicle::Chronicle;
use crate::deliverable::{Deliverable, Missing, deliverables, missing};
use crate::timeline::{self, AttemptEntry};
use crate::verdict::RunVerdict;
use crate::warnings::{self, Warning};
use crate::words;

/// What a report is about.
pub struct Subject<'a> {
    /// State after the last event.
    pub state: &'a RunState,
    /// All events, oldest first.
    pub records: &'a [Recorded],
    /// What the log says, sorted.
    pub chronicle: Chronicle<'a>,
    /// The plan as it is now.
    pub plan: Option<Plan>,
    /// The language of its sentences.
    pub language: Language,
}

impl<'a> Subject<'a> {
    /// Reads a run, with sentences in English.
    #[must_use]
    pub fn of(state: &'a RunState, records: &'a [Recorded]) -> Self {
        let plan = state.plan();
        Self { state, records, chronicle: Chronicle::of(records), plan, language: Language::En }
    }

    /// The same with sentences in a language.
    #[must_use]
    pub fn told_in(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// What sums are made of, once there is a plan.
    #[must_use]
    pub fn material(&self) -> Option<ReportMaterial<'_>> {
        let plan = self.plan.as_ref()?;
        Some(self.state.report_material(plan, self.execution_status(plan), self.chronicle.now()))
    }

    /// The report that was recorded at the end; for a run without one, what it would be now.
    #[must_use]
    pub fn report(&self) -> Option<ExecutionReport> {
        let recorded = self.plan.as_ref().and_then(|plan| plan.metadata.execution_report.as_deref());
        recorded.cloned().or_else(|| Some(execution_report(&self.material()?)))
    }

    /// How the run ended, or where it stands, in one sentence.
    #[must_use]
    pub fn verdict(&self) -> String {
        let ended = RunVerdict::told(self.records, self.language).sentence;
        let ended = ended.filter(|_| self.state.status().is_end());
        words::how_it_went(self.language, self.state.status(), ended.as_deref(), &self.sums())
    }

    /// The nearest status that an execution can have; one that is not over has not succeeded.
    fn execution_status(&self, plan: &Plan) -> ExecutionStatus {
        let left_out = plan.subtasks.iter().any(|task| task.status == TaskStatus::Skipped);
        match self.state.status() {
            RunStatus::Completed if left_out => ExecutionStatus::Partial,
            RunStatus::Completed => ExecutionStatus::Success,
            RunStatus::Aborted => ExecutionStatus::Aborted,
            RunStatus::Cancelled => ExecutionStatus::Cancelled,
            _ => ExecutionStatus::Failure,
        }
    }

    fn sums(&self) -> String {
        let tasks = self.plan.iter().flat_map(|plan| &plan.subtasks);
        let done = tasks.clone().filter(|task| task.status == TaskStatus::Completed).count();
        let chronicle = &self.chronicle;
        let failed = chronicle.failed_attempts();
        let (took, spent) = (chronicle.elapsed(), self.state.spent());
        let sums = words::Sums { done, tasks: tasks.count(), failures: failed, took, spent };
        words::and_revisions(self.language, &words::sums(self.language, sums), chronicle.revisions.len())
    }

    /// How the execution ended; one that goes on has no end yet.
    fn end(&self, status: ExecutionStatus) -> EndStatus {
        if self.state.status().is_end() {
            EndStatus::Ended(status)
        } else {
            EndStatus::Unfinished(UNFINISHED)
        }
    }
}

/// Stands in the place of a status when a run has not come to its end.
const UNFINISHED: &str = "UNFINISHED";

/// How an execution ended, if it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum EndStatus {
    /// With this status.
    Ended(ExecutionStatus),
    /// Not yet: the word says how the run stands.
    Unfinished(&'static str),
}

/// The report on a run; what is absent is not known yet.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// Id of the run.
    pub run_id: &'a RunId,
    /// Status after the last event.
    pub status: RunStatus,
    /// How it went, in a sentence.
    pub outcome: String,
    /// Whether it reached its goal, once it has ended.
    pub verdict: Option<Verdict>,
    /// The criteria behind the verdict.
    pub assessment: RunVerdict<'a>,
    /// What agents reported beside a success.
    pub warnings: Vec<Warning>,
    /// The person's own words.
    pub request: &'a str,
    /// What the tasks produced; those that make up the result are marked.
    pub results: Vec<Deliverable>,
    /// What the result lacks.
    pub missing: Vec<Missing>,
    /// What the person wants.
    pub goal: Option<&'a Goal>,
    /// Whether the results keep what the goal asks for.
    pub constraints: Option<Constraints>,
    /// The plan as it is now.
    pub plan: Option<Plan>,
    /// The execution with everything its agents reported.
    pub result: Option<ResultEntry>,
    /// What was spent, on what and by whom.
    pub cost: Cost<'a>,
    /// Calls, tokens and failures of models.
    pub models: ModelFigures,
    /// With how much less than it should the run works.
    pub degradation: &'a Degradation,
    /// A line for each attempt, oldest first.
    pub timeline: Vec<AttemptEntry<'a>>,
    /// Decisions of the run, oldest first.
    pub decisions: Vec<&'a DecisionEntry>,
    /// Every failure, and what was done about it.
    pub failures: Vec<FailureLogEntry>,
    /// The whole in a few numbers.
    pub summary: Option<Summary>,
    /// One entry per attempt.
    pub tasks: Option<Vec<TaskReport>>,
    /// Every revision with its reasons.
    pub revisions: Option<Vec<PlanRevision>>,
    /// Confidence after each change; absent without a plan.
    pub confidence_evolution: Option<Vec<ConfidencePoint>>,
    /// What failed, what worked, what to do next time.
    pub lessons_learned: Option<Lessons>,
}

/// The whole in a few numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// How it ended, if it has.
    pub status: EndStatus,
    /// Whether every task of the final plan succeeded.
    pub success: bool,
    /// The sum of the attempts' durations.
    pub total_duration: Seconds,
    /// From the first task's start to the last one's end, where the clock is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_clock_duration: Option<Seconds>,
    /// Everything that was spent.
    pub total_cost: Money,
}

/// One execution of a plan with everything its agents reported, in the order in which they did.
#[derive(Debug, Clone, Serialize)]
pub struct ResultEntry {
    /// Execution that the result belongs to.
    pub execution_id: ExecutionId,
    /// The plan that was executed.
    pub plan_id: PlanId,
    /// When the first task was given out.
    pub start_time: Timestamp,
    /// When the last answer came.
    pub end_time: Timestamp,
    /// The time between the two, not the sum of the tasks.
    pub total_duration_seconds: Seconds,
    /// How it ended, if it has.
    pub status: EndStatus,
    /// One entry per attempt, by time of completion.
    pub feedback: Vec<ExecutionFeedback>,
}

/// Whether the results keep what the goal asks for.
#[derive(Debug, Clone, Serialize)]
pub struct Constraints {
    /// Tasks of the final plan that succeeded.
    pub succeeded: usize,
    /// All tasks of the final plan.
    pub total: usize,
    /// Whether everything is met; absent if the outputs do not tell.
    pub all_met: Option<bool>,
    /// One entry per constraint.
    pub checks: Vec<ConstraintEntry>,
}

/// What was wanted in one respect, and what was found.
#[derive(Debug, Clone, Serialize)]
pub struct ConstraintEntry {
    /// What it is about.
    pub what: String,
    /// Limit in the words of the request.
    pub wanted: String,
    /// What the outputs say, if they say anything.
    pub found: Option<String>,
    /// Whether it is met; absent if the outputs do not tell.
    pub met: Option<bool>,
}

/// Money of a run, in parts.
#[derive(Debug, Clone, Serialize)]
pub struct Cost<'a> {
    /// Sum of all charges.
    pub total: Money,
    /// By what it was spent on.
    pub by_account: BTreeMap<&'static str, Money>,
    /// By who spent it.
    pub by_agent: Vec<AgentCost<'a>>,
}

/// What one agent spent.
#[derive(Debug, Clone, Serialize)]
pub struct AgentCost<'a> {
    /// Agent that was paid for.
    pub agent_type: &'a AgentType,
    /// Its name for people.
    pub name: String,
    /// How many attempts it made.
    pub attempts: usize,
    /// How many of them failed.
    pub failed: usize,
    /// Charged for all its attempts.
    pub cost: Money,
}

impl<'a> Report<'a> {
    /// The report on a run as it stands.
    #[must_use]
    pub fn of(state: &'a RunState, records: &'a [Recorded]) -> Self {
        let subject = Subject::of(state, records);
        let assessment = RunVerdict::of(records);
        let events: Vec<Event> = records.iter().map(|recorded| recorded.event.clone()).collect();
        let recorded = subject.report();
        let ended_without = recorded.is_none() && state.status().is_end();
        let (mut tasks, mut revisions, mut confidence_evolution, mut lessons_learned) =
            (None, None, None, None);
        let summary = summary(&subject, recorded.as_ref());
        if let Some(report) = recorded {
            tasks = Some(report.tasks);
            revisions = Some(report.revisions);
            confidence_evolution = Some(report.confidence_evolution);
            lessons_learned = Some(report.lessons_learned);
        } else if ended_without {
            tasks = Some(Vec::new());
            revisions = Some(Vec::new());
            confidence_evolution = Some(Vec::new());
            lessons_learned = Some(Lessons { what_failed: vec![subject.verdict()], ..Lessons::default() });
        }
        Self {
            run_id: state.run_id(),
            status: state.status(),
            outcome: subject.verdict(),
            verdict: assessment.verdict,
            assessment,
            warnings: warnings::of(state),
            request: state.request(),
            results: deliverables(&subject),
            missing: missing(&subject),
            goal: state.goal(),
            constraints: constraints(&subject),
            result: result(&subject),
            cost: cost(&subject),
            models: ModelFigures::of(&events),
            degradation: state.degradation(),
            timeline: timeline::attempts(&subject.chronicle),
            decisions: subject.chronicle.decisions.clone(),
            failures: failure_entries(&events),
            summary,
            tasks,
            revisions,
            confidence_evolution,
            lessons_learned,
            plan: subject.plan,
        }
    }
}

/// The whole in a few numbers; of a run that ended before it had a plan, that it failed.
fn summary(subject: &Subject<'_>, report: Option<&ExecutionReport>) -> Option<Summary> {
    let Some(summary) = report.map(|report| &report.summary) else {
        return subject.state.status().is_end().then(|| Summary {
            status: EndStatus::Ended(ExecutionStatus::Failure),
            success: false,
            total_duration: Seconds::ZERO,
            wall_clock_duration: None,
            total_cost: subject.state.spent(),
        });
    };
    Some(Summary {
        status: subject.end(summary.status),
        success: summary.success,
        total_duration: summary.total_duration,
        wall_clock_duration: summary.wall_clock_duration,
        total_cost: summary.total_cost,
    })
}

fn constraints(subject: &Subject<'_>) -> Option<Constraints> {
    let summary = constraint_summary(subject.state.goal()?, &subject.material()?);
    let all_met = summary.all_met();
    let checks = summary.checks.into_iter().map(|check| ConstraintEntry {
        what: check.what,
        wanted: check.wanted,
        found: check.found,
        met: check.met,
    });
    Some(Constraints {
        succeeded: summary.succeeded,
        total: summary.total,
        all_met,
        checks: checks.collect(),
    })
}

fn result(subject: &Subject<'_>) -> Option<ResultEntry> {
    let id = ExecutionId::new(format!("exec_{}", subject.state.run_id()));
    // A run's id that is as long as an id may be is its execution's id as it stands.
    let id = id.or_else(|_| ExecutionId::new(subject.state.run_id())).ok()?;
    let result = execution_result(id, &subject.material()?);
    Some(ResultEntry {
        execution_id: result.execution_id,
        plan_id: result.plan_id,
        start_time: result.start_time,
        end_time: result.end_time,
        total_duration_seconds: result.total_duration_seconds,
        status: subject.end(result.status),
        feedback: result.feedback,
    })
}

fn cost<'a>(subject: &Subject<'a>) -> Cost<'a> {
    let agents = subject.chronicle.by_agent().into_iter();
    let by_agent = agents.map(|(agent_type, (attempts, failed, cost))| AgentCost {
        agent_type,
        name: texts::agent_name(agent_type),
        attempts,
        failed,
        cost,
    });
    let accounts = subject.chronicle.by_account.iter().map(|(account, sum)| (account.as_str(), *sum));
    Cost { total: subject.state.spent(), by_account: accounts.collect(), by_agent: by_agent.collect() }
}

#[cfg(test)]
mod tests {
    use candor_model::RunId;
    use candor_testkit::golden::story;
    use serde_json::{Value, json};

    use super::*;

    fn report_json(state: &RunState, records: &[Recorded]) -> Value {
        serde_json::to_value(Report::of(state, records)).unwrap()
    }

    #[test]
    fn the_report_has_the_documented_keys_and_every_failure() {
        // spec: planning EN-14 EN-25 EN-26 TR-11
        let records = story("backup_agent");
        let state = RunState::fold(RunId::new("run_test").unwrap(), &records).unwrap();
        let report = report_json(&state, &records);
        for key in [
            "summary",
            "tasks",
            "revisions",
            "confidence_evolution",
            "lessons_learned",
            "run_id",
            "status",
            "goal",
            "plan",
            "result",
            "cost",
            "timeline",
            "decisions",
            "failures",
        ] {
            let value = &report[key];
            assert!(!value.is_null() && value != &json!([]) && value != &json!({}), "{key} is empty");
        }
        assert_eq!(report["tasks"].as_array().unwrap().len(), 5);
        assert_eq!(report["timeline"].as_array().unwrap().len(), 5);
        assert_eq!(report["revisions"].as_array().unwrap().len(), 1);
        assert_eq!(report["failures"].as_array().unwrap().len(), 2);
        assert_eq!(report["result"]["total_duration_seconds"], 4.0);
        assert_eq!(report["summary"]["status"], "SUCCESS");
    }

    #[test]
    fn a_run_that_goes_on_is_not_called_a_failure() {
        let records = story("backup_agent");
        let records = &records[..records.len() - 5];
        let state = RunState::fold(RunId::new("run_test").unwrap(), records).unwrap();
        let report = report_json(&state, records);
        assert_eq!(report["summary"]["status"], UNFINISHED);
        assert_eq!(report["result"]["status"], UNFINISHED);
        assert_eq!(report["summary"]["success"], false);
    }
}
