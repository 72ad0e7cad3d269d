//! The quality gates of the project and of the goal's pack: each is checked, and its result told with its command.
//!
//! A blocking gate that does not hold makes the verdict `not_met`. If a task wrote a file that the gate names, or is the
//! last that wrote any, it is done again and told why; otherwise nobody could do better by trying.

use std::sync::Arc;

use candor_model::{
    CheckKind, CheckedCriterion, CriterionResult, CriterionSource, ExecutionFeedback, JsonMap, TaskId,
};
use candor_planning::claims::{self, Claim};
use candor_planning::criterion::Clause;
use candor_planning::quality_gate::{GateSeverity, NO_SECRETS, QualityGate, coverage_in};

use super::checked::Checked;
use super::goal::{Judge, WantedBy};
use crate::PhaseContext;

/// Checks every gate that holds for the goal.
pub(super) fn judge(judge: &mut Judge<'_, '_>) {
    let phases = judge.phases;
    let of_pack = phases.pack(&judge.goal.goal_type).into_iter().flat_map(|pack| &pack.gates);
    let of_project = phases.rules.gates.iter().map(|gate| (gate, WantedBy::ProjectGate));
    for (gate, by) in of_project.chain(of_pack.map(|gate| (gate, WantedBy::PackGate))) {
        let wanted = judge.found.wanted.len();
        let checked = judge.gate(gate, by);
        if judge.found.wanted.len() == wanted {
            judge.told(gate, checked);
        }
    }
}

impl Judge<'_, '_> {
    /// What was found of a gate; nothing if it is skipped or must be looked up first.
    fn gate(&mut self, gate: &QualityGate, by: WantedBy) -> Option<Checked> {
        if gate.is_about_secrets() {
            let kind = CheckKind::Secrets(self.cx.started?);
            let clause = Clause::Check(kind.clone());
            return self.looked_up(kind).map(|seen| Checked::of(&clause, seen));
        }
        let clauses = gate.criterion().clauses;
        for clause in clauses.iter().filter(|_| gate.optional) {
            if let Clause::Check(CheckKind::Command(words)) = clause {
                let program = words.first().cloned().unwrap_or_default();
                if !self.looked_up(CheckKind::Program(program))?.passed {
                    return None;
                }
            }
        }
        let mut parts: Vec<Checked> = clauses.iter().filter_map(|clause| self.clause(clause, by)).collect();
        parts.extend(gate.coverage.and_then(|least| covered(&parts, least)));
        Some(Checked::all(&parts))
    }

    fn told(&mut self, gate: &QualityGate, checked: Option<Checked>) {
        let name = &gate.name;
        let Some(Checked { result, found, evidence }) = checked else {
            self.found.warnings.push(format!("gate {name} was skipped: its program is not installed"));
            return;
        };
        let what = if gate.is_about_secrets() { NO_SECRETS } else { gate.check.as_str() };
        if result != CriterionResult::Holds && gate.severity == GateSeverity::Warning {
            self.found.warnings.push(format!("gate {name}: {what} ({found})"));
            return;
        }
        if result == CriterionResult::Fails {
            let why = format!("gate {name} failed: {found}");
            self.found
                .failed
                .extend(responsible(self.cx, &found).into_iter().map(|task| (task, why.clone())));
        }
        self.found.criteria.push(CheckedCriterion {
            criterion: format!("gate {name}: {what}"),
            source: CriterionSource::Gate,
            task_id: None,
            words: None,
            result,
            found,
            evidence,
            of_goal: false,
        });
    }
}

/// Whether the coverage that a command printed is enough; nothing if it failed anyway.
fn covered(parts: &[Checked], least: f64) -> Option<Checked> {
    let all = Checked::all(parts);
    (all.result == CriterionResult::Holds).then(|| match coverage_in(&all.found) {
        None => Checked::open("the output tells no coverage"),
        Some(told) => {
            let result = if told >= least { CriterionResult::Holds } else { CriterionResult::Fails };
            let found = format!("coverage {told} %, at least {least} % wanted");
            Checked { result, found, evidence: all.evidence }
        }
    })
}

/// The tasks that wrote a file that these words name, or the last task that wrote any.
fn responsible(cx: &PhaseContext<'_>, words: &str) -> Vec<TaskId> {
    let done = cx.feedback.iter().map(Arc::as_ref).filter(|told| told.feedback_type.is_success());
    let wrote: Vec<(&TaskId, Vec<String>)> =
        done.map(|told| (&told.task_id, written(told))).filter(|(_, files)| !files.is_empty()).collect();
    let names = |files: &[String]| {
        let name = |file: &String| file.rsplit('/').next().unwrap_or_default().to_owned();
        files.iter().map(name).any(|name| words.contains(&name))
    };
    let mut named: Vec<TaskId> =
        wrote.iter().filter(|(_, files)| names(files)).map(|(task, _)| (*task).clone()).collect();
    if named.is_empty() {
        named.extend(wrote.last().map(|(task, _)| (*task).clone()));
    }
    named.sort_unstable();
    named.dedup();
    named
}

fn written(told: &ExecutionFeedback) -> Vec<String> {
    let given: [&JsonMap; 0] = [];
    let claims = claims::of(&told.actual_outputs, &given).into_iter();
    let wrote = claims.filter_map(|claim| match claim {
        Claim::Wrote(path) => Some(path),
        _ => None,
    });
    wrote.collect()
}
