//! Every task by its own criterion.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::handoff::ExecutionOutput;
use candor_model::{
    CheckKind, CheckResult, CheckedCriterion, CriterionResult, CriterionSource, ExecutionFeedback,
    FeedbackType, IdMap, JsonMap, LedgerEntry, SubTask, TaskId, TaskStatus, WantedCheck,
};
use candor_planning::assessment::ClaimCounts;
use candor_planning::compress::{self, Compressed, Expandable};
use candor_planning::criterion::{self, Clause, Judgement, Subject};
use candor_planning::texts;

use super::checked::Checked;
use super::judging::Judged;
use crate::PhaseContext;
use crate::decompose::hints;

/// What was found of the tasks' results.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Checks that must be made before anything can be said.
    pub(super) wanted: Vec<WantedCheck>,
    /// Tasks whose result does not hold, and why.
    pub(super) failed: Vec<(TaskId, String)>,
    /// What should be known and stands in nobody's way.
    pub(super) warnings: Vec<String>,
    /// The tasks whose outputs were opened.
    pub(super) expanded: Vec<TaskId>,
    /// How many things must hold.
    pub(super) defined: usize,
    /// How many of them were checked.
    pub(super) checked: usize,
    /// How many of them hold.
    pub(super) met: usize,
    /// The criteria of the tasks, and what was found of each.
    pub(super) criteria: Vec<CheckedCriterion>,
    /// What agents say they did.
    pub(super) claims: ClaimCounts,
}

/// Judges every task of the plan that was not left out.
pub(super) fn judge(cx: &PhaseContext<'_>, allowed: &[String], judged: &Judged) -> Findings {
    let Some(plan) = cx.plan else { return Findings::default() };
    let good = cx.feedback.iter().filter(|feedback| feedback.feedback_type.is_success());
    let results: IdMap<&TaskId, &ExecutionFeedback> =
        good.map(|feedback| (&feedback.task_id, feedback.as_ref())).collect();
    let short: Option<ExecutionOutput<Compressed>> = cx.left();
    let sections = short.iter().flat_map(|short| &short.compressed.expandable);
    let theirs = cx.material.and_then(|material| material.plan.as_deref());
    let mut judge = Judge {
        allowed,
        judged,
        brought: theirs
            .into_iter()
            .flat_map(|plan| &plan.subtasks)
            .map(|task| (&task.task_id, task))
            .collect(),
        checked: cx.checks.iter().map(|result| (&result.check, result)).collect(),
        results,
        feedback: cx.feedback,
        request: cx.request,
        ledger: cx.ledger,
        addresses: cx.addresses,
        previews: sections.map(|section| (section.section.as_str(), section)).collect(),
        found: Findings::default(),
    };
    for task in plan.subtasks.iter().filter(|task| task.status != TaskStatus::Skipped) {
        let result = judge.results.get(&&task.task_id).copied();
        judge.task(task, result);
    }
    judge.found
}

/// The words of the tasks that somebody has to judge.
pub(super) fn to_judge(cx: &PhaseContext<'_>) -> Vec<String> {
    let tasks = cx.plan.into_iter().flat_map(|plan| &plan.subtasks);
    let texts = tasks.filter_map(|task| task.metadata.validation.as_deref());
    let judged = texts.filter(|text| text.to_ascii_lowercase().contains("judge:"));
    let clauses = judged.flat_map(|text| criterion::parse(text).clauses);
    clauses
        .filter_map(|clause| match clause {
            Clause::Judge(words) => Some(words),
            _ => None,
        })
        .collect()
}

pub(super) struct Judge<'a> {
    allowed: &'a [String],
    judged: &'a Judged,
    /// The tasks of the plan that the person brought.
    brought: IdMap<&'a TaskId, &'a SubTask>,
    /// What was looked up outside the run; of the same check, the latest.
    pub(super) checked: BTreeMap<&'a WantedCheck, &'a CheckResult>,
    /// The results of the tasks that succeeded.
    pub(super) results: IdMap<&'a TaskId, &'a ExecutionFeedback>,
    /// What every task reported.
    pub(super) feedback: &'a [Arc<ExecutionFeedback>],
    /// What the run was asked for.
    pub(super) request: &'a str,
    /// The calls of tools that change something, with their receipts.
    pub(super) ledger: &'a [LedgerEntry],
    /// The web addresses that tools were given or spoke of.
    pub(super) addresses: &'a BTreeSet<String>,
    /// The short form of what tasks have put out, by task.
    previews: BTreeMap<&'a str, &'a Expandable>,
    pub(super) found: Findings,
}

impl Judge<'_> {
    fn task(&mut self, task: &SubTask, result: Option<&ExecutionFeedback>) {
        if let Some(result) = result {
            let told = compress::warnings(result);
            self.found.warnings.extend(told.iter().map(|warning| format!("{}: {warning}", task.task_id)));
            if result.feedback_type == FeedbackType::PartialSuccess {
                self.in_part(task, result);
            }
        }
        let false_claims = result.map(|result| self.claims(task, result)).unwrap_or_default();
        let Some(text) = task.metadata.validation.as_deref().filter(|text| !text.trim().is_empty()) else {
            self.by_names(task, result);
            return self.fails(task, false_claims);
        };
        let criterion = criterion::parse(text);
        let brought = self.was_brought(task);
        let needs_outputs = |clause: &Clause| {
            let file = matches!(clause, Clause::Text { subject: Subject::File(_), .. });
            !file && !matches!(clause, Clause::Check(_) | Clause::Prose(_) | Clause::Judge(_))
        };
        let needed = criterion.clauses.iter().any(needs_outputs);
        let nothing = JsonMap::new();
        let outputs = match result {
            Some(result) if needed => self.opened(task, result),
            _ => &nothing,
        };
        let missing = needed && result.is_none();
        let mut reasons = false_claims;
        for clause in &criterion.clauses {
            self.found.defined += 1;
            if missing && needs_outputs(clause) {
                let nothing =
                    Checked::by_outputs(CriterionResult::Fails, "there is no result".to_owned(), task);
                reasons.extend(self.record(task, clause, brought, nothing));
                continue;
            }
            let partial = result.is_some_and(|it| it.feedback_type == FeedbackType::PartialSuccess);
            reasons.extend(match clause {
                // What a partial success lacks was told when it came, and is no failure.
                Clause::Present(_) if partial => {
                    self.warn(task, "succeeded in part");
                    self.record(task, clause, brought, Checked::open("the task succeeded in part"))
                }
                _ => self.clause(task, clause, outputs, brought),
            });
        }
        self.fails(task, reasons);
    }

    /// A part of the task was not done: it is no failure, and the goal cannot be said to be reached.
    fn in_part(&mut self, task: &SubTask, result: &ExecutionFeedback) {
        let missing =
            result.errors.first().map(|error| format!(": {}", texts::plain(error))).unwrap_or_default();
        self.found.criteria.push(CheckedCriterion {
            criterion: format!("{} is done", texts::task_name(task)),
            source: CriterionSource::Task,
            task_id: Some(task.task_id.clone()),
            words: None,
            result: CriterionResult::Unchecked,
            found: format!("it succeeded in part{missing}"),
            evidence: None,
            of_goal: false,
        });
    }

    fn fails(&mut self, task: &SubTask, mut reasons: Vec<String>) {
        reasons.dedup();
        if !reasons.is_empty() {
            self.found.failed.push((task.task_id.clone(), reasons.join("; ")));
        }
    }

    /// Judges one part; gives why it fails.
    fn clause(
        &mut self,
        task: &SubTask,
        clause: &Clause,
        outputs: &JsonMap,
        brought: bool,
    ) -> Option<String> {
        if let Clause::Judge(words) = clause {
            let checked = self.judged.checked(words);
            return self.record(task, clause, brought, checked);
        }
        let checked = match clause.judge(outputs) {
            Judgement::NeedsCheck(_) if !clause.may_run(self.allowed, brought) => {
                let why = "not run: only what a person's own plan or the allowed programs name is run";
                self.warn(task, &format!("{clause} was {why}"));
                Checked::open(why)
            }
            Judgement::NeedsCheck(kind) => self.looked_up(task, clause, kind)?,
            Judgement::Met => Checked::by_outputs(CriterionResult::Holds, String::new(), task),
            Judgement::Unmet(why) => Checked::by_outputs(CriterionResult::Fails, why, task),
            Judgement::Prose(note) => {
                self.warn(task, &note);
                // What our own guess expects and finds says nothing; what it misses may matter.
                Checked::open(if matches!(clause, Clause::Prose(_)) { "it is not understood" } else { &note })
            }
        };
        self.record(task, clause, brought, checked)
    }

    /// Puts what was found on record; gives why it fails.
    fn record(&mut self, task: &SubTask, clause: &Clause, brought: bool, checked: Checked) -> Option<String> {
        let Checked { result, found, evidence } = checked;
        if result != CriterionResult::Unchecked {
            self.holds(result == CriterionResult::Holds);
        }
        let failed = (result == CriterionResult::Fails).then(|| match clause {
            Clause::Check(_) => format!("{clause}: {found}"),
            _ => found.clone(),
        });
        let soft = matches!(clause, Clause::Expected(_) | Clause::Something);
        if !soft || result != CriterionResult::Holds {
            self.found.criteria.push(CheckedCriterion {
                criterion: clause.to_string(),
                source: CriterionSource::Task,
                task_id: Some(task.task_id.clone()),
                words: None,
                result,
                found,
                evidence,
                of_goal: brought || !clause.is_shape(),
            });
        }
        failed
    }

    /// A check outside the run: its result, or the wish for it.
    fn looked_up(&mut self, task: &SubTask, clause: &Clause, kind: CheckKind) -> Option<Checked> {
        let check = WantedCheck { task_id: task.task_id.clone(), kind };
        match self.checked.get(&check).copied() {
            Some(result) => Some(Checked::of(clause, result)),
            None => {
                self.found.wanted.push(check);
                None
            }
        }
    }

    fn holds(&mut self, met: bool) {
        self.found.checked += 1;
        self.found.met += usize::from(met);
    }

    fn warn(&mut self, task: &SubTask, note: &str) {
        self.found.warnings.push(format!("{}: {note}", task.task_id));
    }

    /// A task without a criterion should put out what it was planned to. Agents name things as they like, so
    /// that it did not is worth a warning and no more.
    fn by_names(&mut self, task: &SubTask, result: Option<&ExecutionFeedback>) {
        let Some(result) = result else { return };
        let quick = self.previews.get(task.task_id.as_str()).map(|section| section.preview.as_str());
        let seen = |name: &String| quick.is_some_and(|preview| preview.contains(&format!("\"{name}\":")));
        if task.expected_outputs.iter().all(seen) {
            return;
        }
        let outputs = self.opened(task, result);
        let missing = task.expected_outputs.iter().filter(|name| !outputs.contains_key(*name));
        let missing: Vec<&str> = missing.map(String::as_str).collect();
        if !missing.is_empty() {
            self.warn(task, &format!("expected and not put out: {}", missing.join(", ")));
        }
        let promised: Vec<String> =
            missing.iter().filter(|name| !hints::is_made_up(name)).map(|name| (*name).to_owned()).collect();
        if !promised.is_empty() {
            self.record(task, &Clause::Expected(promised), false, Checked::open("it was not put out"));
        }
    }

    /// The outputs of a task, opened because the short form does not tell enough. If they are not what was
    /// shortened, that is told, and they are judged as they are now.
    fn opened<'r>(&mut self, task: &SubTask, result: &'r ExecutionFeedback) -> &'r JsonMap {
        self.found.expanded.push(task.task_id.clone());
        if let Some(section) = self.previews.get(task.task_id.as_str()) {
            let opened = section.open(&|_| Some(compress::outputs_text(result)));
            if let Err(error) = opened {
                self.warn(task, &error.to_string());
            }
        }
        &result.actual_outputs
    }

    /// Whether the person brought this very criterion with their plan. A task that was born later, or whose
    /// criterion was changed, is not theirs.
    fn was_brought(&self, task: &SubTask) -> bool {
        let theirs = self.brought.get(&task.origin());
        theirs.is_some_and(|theirs| theirs.metadata.validation == task.metadata.validation)
    }
}
