//! The goal's own criteria: of its pack, of its words, of a model, of the person who wrote it.

use std::collections::BTreeMap;

use candor_language::success::{self, Derived};
use candor_model::handoff::{ContextOutput, LoadedKind};
use candor_model::{
    CheckKind, CheckResult, CheckedCriterion, CriterionResult, CriterionSource, Evidence, ExecutionFeedback,
    Goal, IdMap, JsonMap, SubTask, TaskId, TaskStatus, WantedCheck,
};
use candor_planning::criterion::{self, Clause, Judgement, Subject};
use candor_planning::report::ConstraintCheck;

use super::checked::Checked;
use super::gates;
use super::judging::Judged;
use crate::{PhaseContext, Phases};

/// What was found of the goal.
#[derive(Debug, Default)]
pub(super) struct GoalFindings {
    /// Checks that must be made before anything can be said.
    pub(super) wanted: Vec<WantedCheck>,
    /// The criteria, and what was found of each.
    pub(super) criteria: Vec<CheckedCriterion>,
    /// Tasks that wrote what does not pass a gate, and why.
    pub(super) failed: Vec<(TaskId, String)>,
    /// Gates that only warn and do not hold, or that were skipped.
    pub(super) warnings: Vec<String>,
}

/// Constraints that count as criteria also where nobody can tell. The others describe the wish.
const MUST_BE_TOLD: &[&str] = &["budget", "must", "must_not"];

/// Judges the goal's constraints and criteria by everything that the tasks put out.
pub(super) fn judge(
    phases: &Phases,
    cx: &PhaseContext<'_>,
    constraints: &[ConstraintCheck],
    judged: &Judged,
) -> GoalFindings {
    let Some(goal) = cx.goal else { return GoalFindings::default() };
    let results = Results::of(cx);
    let said = success::criteria(goal.description.as_str());
    let mut judge = Judge { phases, cx, goal, said, results, judged, found: GoalFindings::default() };
    let by_pack = phases.pack(&goal.goal_type).is_some_and(|pack| !pack.criteria.is_empty());
    for check in constraints {
        judge.constraint(check, by_pack);
    }
    let known: Vec<&str> = constraints.iter().map(|check| check.wanted.as_str()).collect();
    for text in goal.success_criteria.iter().filter(|text| !known.contains(&text.as_str())) {
        judge.criterion(text);
    }
    gates::judge(&mut judge);
    judge.found
}

/// The words of the goal that somebody has to judge.
pub(super) fn to_judge(goal: &Goal) -> Vec<String> {
    let clauses = goal.success_criteria.iter().flat_map(|text| criterion::parse(text).clauses);
    let words = clauses.filter_map(|clause| match clause {
        // A person who wrote a goal may say in a sentence when it is reached.
        Clause::Judge(words) | Clause::Prose(words) => Some(words),
        _ => None,
    });
    words.collect()
}

/// Everything that the tasks put out, and who put it out.
struct Results<'a> {
    outputs: JsonMap,
    owners: BTreeMap<&'a str, &'a TaskId>,
    /// What the tasks put out that no other task uses.
    answer: JsonMap,
    last: Option<&'a TaskId>,
}

impl<'a> Results<'a> {
    fn of(cx: &PhaseContext<'a>) -> Self {
        let good = cx.feedback.iter().filter(|feedback| feedback.feedback_type.is_success());
        let latest: IdMap<&TaskId, &ExecutionFeedback> =
            good.map(|feedback| (&feedback.task_id, feedback.as_ref())).collect();
        let tasks: Vec<&SubTask> = cx.plan.into_iter().flat_map(|plan| &plan.subtasks).collect();
        let needed = |task: &SubTask| tasks.iter().any(|other| other.dependencies.contains(&task.task_id));
        let mut all = Self {
            outputs: JsonMap::new(),
            owners: BTreeMap::new(),
            answer: JsonMap::new(),
            last: tasks.last().map(|task| &task.task_id),
        };
        for task in tasks.iter().filter(|task| task.status != TaskStatus::Skipped) {
            let Some(result) = latest.get(&&task.task_id) else { continue };
            let is_last = !needed(task);
            for (name, value) in &result.actual_outputs {
                all.outputs.insert(name.clone(), value.clone());
                all.owners.insert(name, &task.task_id);
                if is_last {
                    all.answer.insert(name.clone(), value.clone());
                }
            }
        }
        all
    }

    fn owner(&self, name: &str) -> Option<Evidence> {
        self.owners.get(name).map(|task| Evidence::Outputs((*task).clone()))
    }

    /// The only output whose name is this one in another number or spelling.
    fn alike(&self, name: &str) -> Option<&str> {
        let same = |other: &&&str| candor_text::alike(other, name);
        let mut found = self.owners.keys().filter(same);
        found.next().filter(|_| found.next().is_none()).copied()
    }
}

pub(super) struct Judge<'r, 'c> {
    pub(super) phases: &'r Phases,
    pub(super) cx: &'r PhaseContext<'c>,
    pub(super) goal: &'r Goal,
    /// The criteria that the goal's own words say.
    said: Vec<Derived>,
    results: Results<'c>,
    judged: &'r Judged,
    pub(super) found: GoalFindings,
}

/// Who wants a clause to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedBy {
    /// A success criterion of the goal, or one of its constraints.
    Goal,
    /// A gate of the project: its commands are the person's own.
    ProjectGate,
    /// A gate of a pack.
    PackGate,
}

impl Judge<'_, '_> {
    fn constraint(&mut self, check: &ConstraintCheck, by_pack: bool) {
        let result = match check.met {
            Some(true) => CriterionResult::Holds,
            Some(false) => CriterionResult::Fails,
            None if by_pack || !MUST_BE_TOLD.contains(&check.what.as_str()) => return,
            None => CriterionResult::Unchecked,
        };
        let of_budget = ["total_cost", "budget_status"].into_iter().filter(|_| check.what == "budget");
        let mut names = std::iter::once(check.what.as_str()).chain(of_budget);
        let evidence = names.find_map(|name| self.results.owner(name));
        self.found.criteria.push(CheckedCriterion {
            criterion: format!("{}: {}", check.what, check.wanted),
            source: CriterionSource::Goal,
            task_id: None,
            words: None,
            result,
            found: match (&check.found, check.met) {
                (Some(found), _) => format!("found {found}"),
                (None, _) => "no output tells".to_owned(),
            },
            evidence: evidence.filter(|_| check.met.is_some()),
            of_goal: true,
        });
    }

    fn criterion(&mut self, text: &str) {
        let criterion = criterion::parse(text);
        let (source, words) = self.source(text);
        let wanted = self.found.wanted.len();
        let parts: Vec<Checked> =
            criterion.clauses.iter().filter_map(|clause| self.clause(clause, WantedBy::Goal)).collect();
        let checked = Checked::all(&parts);
        // What is being looked up is judged when it is known.
        if self.found.wanted.len() > wanted {
            return;
        }
        self.found.criteria.push(CheckedCriterion {
            criterion: criterion.name(),
            source,
            task_id: None,
            words,
            result: checked.result,
            found: checked.found,
            evidence: checked.evidence,
            of_goal: true,
        });
    }

    /// Where a criterion comes from, and which words of the request say it.
    fn source(&self, text: &str) -> (CriterionSource, Option<String>) {
        if let Some(derived) = self.said.iter().find(|derived| derived.criterion == text) {
            return (CriterionSource::Goal, Some(derived.words.clone()));
        }
        let own = self.cx.material.is_some_and(|material| material.goal.is_some());
        let pack = self.phases.pack(&self.goal.goal_type).is_some();
        let source = match (own, pack) {
            (true, _) => CriterionSource::Goal,
            (_, true) => CriterionSource::Pack,
            _ => CriterionSource::Model,
        };
        (source, None)
    }

    /// Judges one part; nothing if it must be looked up first.
    pub(super) fn clause(&mut self, clause: &Clause, by: WantedBy) -> Option<Checked> {
        if let Clause::Judge(words) | Clause::Prose(words) = clause {
            return Some(self.judged.checked(words));
        }
        let clause = &self.with_known_name(clause);
        let evidence = clause.names().iter().find_map(|name| self.results.owner(name));
        let outputs = match clause {
            Clause::Text { subject: Subject::Answer, .. } => &self.results.answer,
            _ => &self.results.outputs,
        };
        let evidence = evidence.or_else(|| self.results.last.map(|task| Evidence::Outputs(task.clone())));
        let own = match by {
            WantedBy::Goal => self.cx.material.is_some_and(|material| material.goal.is_some()),
            WantedBy::ProjectGate => true,
            WantedBy::PackGate => false,
        };
        Some(match clause.judge(outputs) {
            Judgement::Met => Checked { result: CriterionResult::Holds, found: self.seen(clause), evidence },
            // An output that nobody named that way shows nothing, unless the person asked for it by this name.
            Judgement::Unmet(why) if !own && self.lacks(clause) => Checked::open(&why),
            Judgement::Unmet(why) => Checked { result: CriterionResult::Fails, found: why, evidence },
            Judgement::Prose(why) => Checked::open(&why),
            Judgement::NeedsCheck(kind) => {
                if !clause.may_run(&self.phases.rules.allowed_commands, own) {
                    return Some(Checked::open("not run: the program is not among the allowed ones"));
                }
                if by == WantedBy::Goal && kind.path().is_some_and(|path| self.is_unchanged(path)) {
                    return Some(Checked::open("the file was there before, and is unchanged"));
                }
                Checked::of(clause, self.looked_up(kind)?)
            }
        })
    }

    /// What was seen outside the run; what nobody has looked at yet is wanted.
    pub(super) fn looked_up(&mut self, kind: CheckKind) -> Option<&CheckResult> {
        let check = WantedCheck { task_id: self.results.last?.clone(), kind };
        let seen = self.cx.checks.iter().rev().find(|seen| seen.check == check);
        if seen.is_none() {
            self.found.wanted.push(check);
        }
        seen
    }

    /// Whether a file is as it was before the work. Files that are named are read before it and again for validation.
    fn is_unchanged(&self, path: &str) -> bool {
        let Some(now) = self.cx.files.get(path).filter(|now| !now.hash.is_empty()) else { return false };
        let before = self.cx.left::<ContextOutput>();
        let mut items = before.iter().flat_map(|before| &before.loaded);
        items.any(|item| item.kind == LoadedKind::File && item.name == path && item.hash == now.hash)
    }

    /// What the outputs say of a clause that holds.
    fn seen(&self, clause: &Clause) -> String {
        let value = match clause {
            Clause::Output { path, .. } => criterion::lookup(&self.results.outputs, path),
            _ => None,
        };
        value.map(|value| format!("found {}", criterion::shown(value))).unwrap_or_default()
    }

    fn lacks(&self, clause: &Clause) -> bool {
        clause.names().iter().any(|name| !self.results.outputs.contains_key(*name))
    }

    /// The clause, about the output that is there under a name like the one it has.
    fn with_known_name(&self, clause: &Clause) -> Clause {
        match clause {
            Clause::Count { path, relation, number } if !self.results.outputs.contains_key(path) => {
                let path = self.results.alike(path).unwrap_or(path).to_owned();
                Clause::Count { path, relation: *relation, number: *number }
            }
            other => other.clone(),
        }
    }
}
