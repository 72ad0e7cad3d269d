//! Where a run stands, as a tool answers: data for programs, and the same in words.

use candor_app::{Driver, ServedRun};
use candor_model::{
    ApprovalAction, CheckedCriterion, Confidence, GateId, HumanApprovalRequest, Money, Question, RunId,
    RunStatus, Timestamp, Verdict,
};
use candor_ports::RunEntry;
use candor_projections::Language;
use candor_projections::format::times;
use candor_projections::line::{clean, shortened, width};
use candor_projections::results::Results;
use candor_projections::run_view::{FailureView, RunView, TaskView};
use candor_projections::warnings::Warning;
use candor_projections::words;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::tools::{APPROVE, RESUME, RUN, STATUS};

/// How long a call is advised to wait for a run that is under way.
const ADVISED_WAIT: u32 = 60;
/// How many failures the words tell; the data has all.
const TOLD_FAILURES: usize = 5;
/// How wide the name of a task may be.
const TASK_COLUMNS: usize = 18;
/// Nobody counts columns here, but results in a few lines are not meant to be long.
const RESULT_COLUMNS: usize = 200;

/// Where a run stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunReport {
    /// Id of the run.
    run_id: RunId,
    /// Where it stands: completed, failed, aborted and cancelled are ends.
    status: RunStatus,
    /// What it is for, in the person's own words.
    request: String,
    /// Who drives it: here (this server), elsewhere (another process), queued (this server, when it is its turn), nobody (it
    /// rests until `resume`).
    driver: Driver,
    /// How many runs are before it in the queue of this server, if it waits there.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued_behind: Option<usize>,
    /// Ended tasks in percent.
    progress_percentage: f64,
    /// How sure Candor is, from 0 to 1.
    confidence: Option<Confidence>,
    /// Sum of all charges.
    cost: Money,
    /// How it went, once it has ended.
    outcome: Option<String>,
    /// Whether the goal was reached, once the run has ended: verified, unverified or not_met.
    verdict: Option<Verdict>,
    /// What was found of each criterion of success.
    criteria: Vec<CheckedCriterion>,
    /// What agents reported beside a success.
    warnings: Vec<Warning>,
    /// The tasks of the plan, with what they produced.
    tasks: Vec<TaskView>,
    /// What waits for a person.
    questions: Vec<QuestionReport>,
    /// Attempts that failed, the earliest first.
    failures: Vec<FailureView>,
    /// Why the run ended early, or why it could not be driven on.
    error: Option<String>,
    /// What could be done about that.
    suggestions: Vec<String>,
    /// What to call next.
    next: Vec<String>,
    /// What the run produced, in a few lines: for the words only.
    #[serde(skip)]
    #[schemars(skip)]
    results: Results,
}

/// A question that waits for a person.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionReport {
    /// Name by which an answer refers to the question.
    pub(crate) gate: GateId,
    /// What kind it is: plan, failing_task or choice.
    pub(crate) kind: &'static str,
    /// The question, for people.
    pub(crate) text: String,
    /// Names exactly the plan that is shown; a decision on a plan must repeat it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    /// What can be decided.
    pub(crate) decisions: Vec<DecisionReport>,
    /// The plan that is shown, in figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Value>,
}

/// What can be decided.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DecisionReport {
    /// What to pass as `decision`.
    pub(crate) decision: String,
    /// Option in words for a menu.
    pub(crate) label: String,
    /// The argument that it takes beside, if it takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) takes: Option<&'static str>,
}

impl RunReport {
    pub(crate) fn of(ServedRun { view, driver, queued_behind }: ServedRun) -> Self {
        let questions = view.questions.iter().map(|(gate, question)| QuestionReport::of(gate, question));
        Self {
            questions: questions.collect(),
            next: next(&view, driver),
            run_id: view.run_id,
            status: view.status,
            request: view.request,
            driver,
            queued_behind,
            progress_percentage: view.progress,
            confidence: view.confidence,
            cost: view.cost,
            outcome: view.outcome,
            verdict: view.verdict,
            criteria: view.criteria,
            warnings: view.warnings,
            tasks: view.tasks,
            failures: view.failures,
            error: view.error,
            suggestions: view.suggestions,
            results: view.results,
        }
    }

    /// The same in words.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("Run {} is {}", self.run_id, self.status);
        if !self.tasks.is_empty() {
            text.push_str(&format!(" ({:.0}% of {} tasks)", self.progress_percentage, self.tasks.len()));
        }
        text.push_str(".\n");
        text.push_str(&self.findings());
        let mut add = |line: &str| text.push_str(&format!("{}\n", line.trim_end()));
        for question in &self.questions {
            add(&format!("\nQuestion {}:\n{}", question.gate, question.text));
            question.decisions.iter().for_each(|it| add(&format!("  {}: {}", it.decision, it.label)));
        }
        self.next.iter().for_each(|next| add(&format!("Next: {next}")));
        text
    }

    /// What waits for a person.
    pub(crate) fn questions(&self) -> &[QuestionReport] {
        &self.questions
    }

    /// What there is to say of it beside its status and what it asks: results, warnings, failures, suggestions.
    pub(crate) fn findings(&self) -> String {
        let mut text = String::new();
        if let Some(before) = self.queued_behind {
            text.push_str(&format!("It waits in the queue of this server; runs before it: {before}.\n"));
        }
        let mut add = |line: &str| text.push_str(&format!("{}\n", line.trim_end()));
        self.outcome.iter().for_each(|outcome| add(outcome));
        result_lines(&self.results).iter().for_each(|line| add(line));
        self.warnings.iter().for_each(|it| add(&format!("Warning: {}: {}", it.name, it.warning)));
        let hidden = self.failures.len().saturating_sub(TOLD_FAILURES);
        for failure in self.failures.iter().skip(hidden) {
            add(&failure_line(failure));
        }
        // How it went says already why.
        self.error.iter().filter(|_| self.outcome.is_none()).for_each(|error| add(error));
        self.suggestions.iter().for_each(|suggestion| add(&format!("Suggestion: {suggestion}")));
        text
    }
}

/// What the run produced, in columns as on a screen that is wide enough.
fn result_lines(results: &Results) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in &results.lines {
        let task = shortened(&clean(&line.task), TASK_COLUMNS, true);
        let gap = " ".repeat((TASK_COLUMNS + 2).saturating_sub(width(&task)));
        let head = format!("  {task}{gap}{} ", clean(&line.key));
        let room = RESULT_COLUMNS.saturating_sub(width(&head));
        lines.push(head + &shortened(&clean(&line.value), room, true));
    }
    lines.extend((results.more > 0).then(|| format!("  {}", words::and_more(Language::En, results.more))));
    lines.extend(results.sample_data.then(|| format!("  {}", words::sample_data(Language::En))));
    lines
}

fn failure_line(failure: &FailureView) -> String {
    let who = failure.agent_type.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
    let recovery = failure.recovery.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
    format!("Failed: {}{who}: {}{recovery}", failure.task_id, failure.errors.join("; "))
}

impl QuestionReport {
    pub(crate) fn of(gate: &GateId, question: &Question) -> Self {
        let gate = gate.clone();
        match question {
            Question::Approval { version, request } => {
                let digest = Some(request.digest.clone()).filter(|digest| !digest.is_empty());
                let plan = json!({
                    "plan_id": request.plan_id, "version": version, "confidence": request.confidence_score,
                    "reasons": request.reasons, "recommended_action": request.recommended_action,
                    "figures": request.brief, "round": request.round, "reply": request.reply,
                });
                let (text, decisions) = (about_plan(request), on_plan(request));
                Self { gate, kind: "plan", text, digest, decisions, plan: Some(plan) }
            }
            Question::Guidance(request) => {
                // Attempts often fail for the same reason, which is told once.
                let mut causes: Vec<&String> = request.errors.iter().collect();
                causes.dedup();
                let errors: String = causes.iter().map(|error| format!("\n  - {error}")).collect();
                let text = format!(
                    "Task {} has failed {}:{errors}",
                    request.task_id,
                    times(Language::En, request.failure_count)
                );
                Self { gate, kind: "failing_task", text, digest: None, decisions: on_task(), plan: None }
            }
            Question::Choice(request) => {
                let decisions = request.options.iter().map(|option| DecisionReport {
                    decision: option.id.clone(),
                    label: [option.label.as_str(), option.details.as_str()]
                        .iter()
                        .filter(|words| !words.is_empty())
                        .copied()
                        .collect::<Vec<_>>()
                        .join(": "),
                    takes: option.takes_text.then_some("text"),
                });
                let decisions = decisions.collect();
                let text = request.text.clone();
                Self { gate, kind: "choice", text, digest: None, decisions, plan: None }
            }
        }
    }
}

fn about_plan(request: &HumanApprovalRequest) -> String {
    let mut text = format!("Approve this plan? (confidence {})\n", request.confidence_score);
    text.push_str(request.plan_summary.trim_end());
    request.criteria.iter().for_each(|criterion| text.push_str(&format!("\nChecked by: {criterion}")));
    request.reasons.iter().for_each(|reason| text.push_str(&format!("\n  - {reason}")));
    request.reply.iter().for_each(|reply| text.push_str(&format!("\nAnswer: {reply}")));
    if !request.digest.is_empty() {
        text.push_str(&format!("\nDigest: {}", request.digest));
    }
    text
}

/// What can be said to this plan: only what its request offers.
fn on_plan(request: &HumanApprovalRequest) -> Vec<DecisionReport> {
    offered(request)
        .into_iter()
        .map(|action| {
            let (label, takes) = match action {
                ApprovalAction::Approve => ("run it as it is", None),
                ApprovalAction::Adjust => ("change fields of tasks and run it", Some("changes")),
                ApprovalAction::Reject => ("do not run it; ends the run", None),
                ApprovalAction::Ask => ("ask something about it; it stays as it is", Some("text")),
                ApprovalAction::Alternative => ("plan again by an alternative", Some("alternative")),
                ApprovalAction::Modify => ("change it (text or changes) and see it again", Some("text")),
                ApprovalAction::Regenerate => ("have another plan made", None),
                ApprovalAction::Version => ("go back to an earlier version", Some("version")),
            };
            let label = if action == ApprovalAction::Alternative {
                format!("{label}: {}", letters(request))
            } else {
                label.to_owned()
            };
            DecisionReport { decision: action.as_str().to_lowercase(), label, takes }
        })
        .collect()
}

/// What can be decided about a plan now. Nobody can pick an alternative where none is shown.
fn offered(request: &HumanApprovalRequest) -> Vec<ApprovalAction> {
    let usual = [ApprovalAction::Approve, ApprovalAction::Adjust, ApprovalAction::Reject];
    let offered = if request.choices.is_empty() { &usual[..] } else { &request.choices };
    let pickable = !letters(request).is_empty();
    let can = |action: &ApprovalAction| *action != ApprovalAction::Alternative || pickable;
    offered.iter().copied().filter(can).collect()
}

fn letters(request: &HumanApprovalRequest) -> String {
    let alternatives = request.brief.iter().flat_map(|brief| &brief.alternatives);
    let named = alternatives.map(|it| format!("{} ({}; {})", it.id, it.name, it.tradeoff));
    named.collect::<Vec<_>>().join(", ")
}

fn on_task() -> Vec<DecisionReport> {
    let words = [
        ("retry", "try once more, by another `agent` or with other `inputs` if given", Some("agent")),
        ("skip", "go on without it", None),
        ("abort", "end the run", None),
    ];
    let report = |(decision, label, takes): (&str, &str, _)| DecisionReport {
        decision: decision.to_owned(),
        label: label.to_owned(),
        takes,
    };
    words.map(report).into()
}

/// What to call next.
fn next(view: &RunView, driver: Driver) -> Vec<String> {
    let run = &view.run_id;
    if view.status == RunStatus::Completed {
        return Vec::new();
    }
    if view.status.is_end() {
        return vec![format!("this run has ended; `{RUN}` begins a new one")];
    }
    if !view.questions.is_empty() {
        let several = view.questions.len() > 1;
        return view.questions.iter().map(|(gate, question)| answer(run, gate, question, several)).collect();
    }
    if driver != Driver::Queued && (view.status == RunStatus::Paused || driver == Driver::Nobody) {
        return vec![format!("`{RESUME}` with run_id={run} to go on")];
    }
    vec![format!("`{STATUS}` with run_id={run} and wait_seconds={ADVISED_WAIT} to wait for it")]
}

fn answer(run: &RunId, gate: &GateId, question: &Question, several: bool) -> String {
    let which = if several { format!(", gate={gate}") } else { String::new() };
    let digest = match question {
        Question::Approval { request, .. } if !request.digest.is_empty() => {
            format!(", digest={}", request.digest)
        }
        _ => String::new(),
    };
    let report = QuestionReport::of(gate, question);
    let words: Vec<&str> = report.decisions.iter().map(|it| it.decision.as_str()).collect();
    format!("`{APPROVE}` with run_id={run}{which}{digest} and a person's decision: {}", words.join(", "))
}

/// Answer of the tool that lists runs.
#[derive(Debug, Serialize)]
pub(crate) struct RunsReport {
    runs: Vec<RunLine>,
}

/// A run in a line.
#[derive(Debug, Serialize)]
struct RunLine {
    run_id: RunId,
    status: RunStatus,
    verdict: Option<Verdict>,
    request: String,
    started_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    progress_percentage: f64,
    cost: Money,
    open_questions: Vec<GateId>,
}

impl RunsReport {
    pub(crate) fn of(runs: Vec<RunEntry>) -> Self {
        let line = |RunEntry { summary, .. }: RunEntry| RunLine {
            run_id: summary.run_id,
            status: summary.status,
            verdict: summary.verdict,
            request: summary.request,
            started_at: summary.started_at,
            updated_at: summary.updated_at,
            progress_percentage: summary.progress_percentage,
            cost: summary.spent,
            open_questions: summary.open_gates.into_iter().collect(),
        };
        Self { runs: runs.into_iter().map(line).collect() }
    }

    pub(crate) fn text(&self) -> String {
        if self.runs.is_empty() {
            return format!("There are no runs yet. `{RUN}` begins one.\n");
        }
        let line = |run: &RunLine| {
            let verdict = run.verdict.map(|verdict| format!(", {verdict}")).unwrap_or_default();
            format!("{}  {}{verdict}  {}\n", run.run_id, run.status, run.request)
        };
        self.runs.iter().map(line).collect()
    }
}
