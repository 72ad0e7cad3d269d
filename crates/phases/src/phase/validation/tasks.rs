//! Every task by its own criterion.

use std::collections::BTreeMap;

use candor_model::handoff::ExecutionOutput;
use candor_model::{
    CheckKind, CheckResult, ExecutionFeedback, FeedbackType, IdMap, JsonMap, SubTask, TaskId, TaskStatus,
    WantedCheck,
};
use candor_planning::compress::{self, Compressed, Expandable};
use candor_planning::criterion::{self, Clause, Judgement};

use crate::PhaseContext;

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
}

/// Judges every task of the plan that was not left out.
pub(super) fn judge(cx: &PhaseContext<'_>, allowed: &[String]) -> Findings {
    let Some(plan) = cx.plan else { return Findings::default() };
    let good = cx.feedback.iter().filter(|feedback| feedback.feedback_type.is_success());
    let results: IdMap<&TaskId, &ExecutionFeedback> =
        good.map(|feedback| (&feedback.task_id, feedback.as_ref())).collect();
    let short: Option<ExecutionOutput<Compressed>> = cx.left();
    let sections = short.iter().flat_map(|short| &short.compressed.expandable);
    let theirs = cx.material.and_then(|material| material.plan.as_deref());
    let mut judge = Judge {
        allowed,
        brought: theirs
            .into_iter()
            .flat_map(|plan| &plan.subtasks)
            .map(|task| (&task.task_id, task))
            .collect(),
        checked: cx.checks.iter().map(|result| (&result.check, result)).collect(),
        previews: sections.map(|section| (section.section.as_str(), section)).collect(),
        found: Findings::default(),
    };
    for task in plan.subtasks.iter().filter(|task| task.status != TaskStatus::Skipped) {
        judge.task(task, results.get(&&task.task_id).copied());
    }
    judge.found.wanted.sort_unstable();
    judge.found.wanted.dedup();
    judge.found
}

struct Judge<'a> {
    allowed: &'a [String],
    /// The tasks of the plan that the person brought.
    brought: IdMap<&'a TaskId, &'a SubTask>,
    /// What was looked up in the world; of the same check, the latest.
    checked: BTreeMap<&'a WantedCheck, &'a CheckResult>,
    /// The short form of what tasks have put out, by task.
    previews: BTreeMap<&'a str, &'a Expandable>,
    found: Findings,
}

impl Judge<'_> {
    fn task(&mut self, task: &SubTask, result: Option<&ExecutionFeedback>) {
        if let Some(result) = result {
            let told = compress::warnings(result);
            self.found.warnings.extend(told.iter().map(|warning| format!("{}: {warning}", task.task_id)));
        }
        let Some(text) = task.metadata.validation.as_deref().filter(|text| !text.trim().is_empty()) else {
            return self.by_names(task, result);
        };
        let criterion = criterion::parse(text);
        let brought = self.was_brought(task);
        let needs_outputs = |clause: &Clause| !matches!(clause, Clause::Check(_) | Clause::Prose(_));
        let needed = criterion.clauses.iter().any(needs_outputs);
        let nothing = JsonMap::new();
        let outputs = match result {
            Some(result) if needed => self.opened(task, result),
            _ => &nothing,
        };
        let missing = needed && result.is_none();
        let mut reasons = Vec::new();
        for clause in &criterion.clauses {
            self.found.defined += 1;
            if missing && needs_outputs(clause) {
                self.found.checked += 1;
                reasons.push("there is no result".to_owned());
                continue;
            }
            let partial = result.is_some_and(|it| it.feedback_type == FeedbackType::PartialSuccess);
            reasons.extend(match clause {
                // What a partial success lacks was told when it came, and is no failure.
                Clause::Present(_) if partial => self.warn(task, "succeeded in part"),
                _ => self.clause(task, clause, outputs, brought),
            });
        }
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
        match clause.judge(outputs) {
            Judgement::Met => self.holds(true),
            Judgement::Unmet(reason) => {
                self.holds(false);
                Some(reason)
            }
            Judgement::Prose(note) => self.warn(task, &note),
            Judgement::NeedsCheck(_) if !clause.may_run(self.allowed, brought) => self.warn(
                task,
                &format!(
                    "not run: {clause}; only what a person's own plan or the allowed programs name is run"
                ),
            ),
            Judgement::NeedsCheck(kind) => self.looked_up(task, kind),
        }
    }

    /// A check in the world: its result, or the wish for it.
    fn looked_up(&mut self, task: &SubTask, kind: CheckKind) -> Option<String> {
        let check = WantedCheck { task_id: task.task_id.clone(), kind };
        let Some(result) = self.checked.get(&check).copied() else {
            self.found.wanted.push(check);
            return None;
        };
        self.holds(result.passed);
        (!result.passed).then(|| format!("{}: {}", Clause::Check(check.kind), result.detail))
    }

    fn holds(&mut self, met: bool) -> Option<String> {
        self.found.checked += 1;
        self.found.met += usize::from(met);
        None
    }

    fn warn(&mut self, task: &SubTask, note: &str) -> Option<String> {
        self.found.warnings.push(format!("{}: {note}", task.task_id));
        None
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
