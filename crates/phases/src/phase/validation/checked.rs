//! What was found of one clause of a criterion.

use candor_model::{CheckKind, CheckResult, CriterionResult, Evidence, SubTask};
use candor_planning::criterion::{Clause, Judgement, Subject};

/// What was found of a clause.
#[derive(Debug, Clone)]
pub(super) struct Checked {
    pub(super) result: CriterionResult,
    /// What was seen, or why it could not be checked.
    pub(super) found: String,
    /// Output, file, command or quotation by which the result is known.
    pub(super) evidence: Option<Evidence>,
}

impl Checked {
    /// It could not be checked.
    pub(super) fn open(why: &str) -> Self {
        Self { result: CriterionResult::Unchecked, found: why.to_owned(), evidence: None }
    }

    /// What a task put out shows it.
    pub(super) fn by_outputs(result: CriterionResult, found: String, task: &SubTask) -> Self {
        Self { result, found, evidence: Some(Evidence::Outputs(task.task_id.clone())) }
    }

    /// What was seen outside the run shows it.
    pub(super) fn of(clause: &Clause, seen: &CheckResult) -> Self {
        let result = |passed| if passed { CriterionResult::Holds } else { CriterionResult::Fails };
        let evidence = match &seen.check.kind {
            CheckKind::Command(words) => Evidence::Command(words.join(" ")),
            CheckKind::File(path) | CheckKind::Content(path) | CheckKind::Written(path) => {
                Evidence::File(path.clone())
            }
            CheckKind::Secrets(_) => Evidence::File("changed files".to_owned()),
            CheckKind::Program(name) => Evidence::Command(name.clone()),
        };
        let evidence = Some(evidence);
        let Clause::Text { subject: Subject::File(_), test } = clause else {
            return Self { result: result(seen.passed), found: seen.detail.clone(), evidence };
        };
        if !seen.passed {
            return Self { result: CriterionResult::Fails, found: seen.detail.clone(), evidence };
        }
        match test.judge(&seen.detail) {
            (Judgement::Met, found) => Self { result: CriterionResult::Holds, found, evidence },
            (Judgement::Unmet(_), found) => Self { result: CriterionResult::Fails, found, evidence },
            (_, found) => Self { result: CriterionResult::Unchecked, found, evidence },
        }
    }

    /// All of these together: what fails comes before what is open, and that before what holds.
    pub(super) fn all(parts: &[Self]) -> Self {
        let has = |result| parts.iter().any(|part| part.result == result);
        let result = if has(CriterionResult::Fails) {
            CriterionResult::Fails
        } else if has(CriterionResult::Unchecked) || parts.is_empty() {
            CriterionResult::Unchecked
        } else {
            CriterionResult::Holds
        };
        let telling = || parts.iter().filter(|part| part.result == result);
        let mut found: Vec<&str> =
            telling().map(|part| part.found.as_str()).filter(|it| !it.is_empty()).collect();
        found.dedup();
        let evidence = telling().find_map(|part| part.evidence.clone());
        Self { result, found: found.join("; "), evidence }
    }
}
