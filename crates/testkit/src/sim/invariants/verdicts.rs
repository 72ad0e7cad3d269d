//! The invariant of verdicts: a run that ends verified has a recorded check for every criterion.

use std::collections::BTreeSet;

use candor_model::{Assessment, CriterionResult, EventBody, Evidence, OutcomeRecord, Phase, TaskId, Verdict};

use super::invariant;

/// What the invariant keeps in mind of checks and verdicts.
#[derive(Debug, Clone, Default)]
pub(super) struct VerdictInvariants {
    /// The files that were looked at in this try of validation and found as wanted.
    files: BTreeSet<String>,
    succeeded: BTreeSet<TaskId>,
    left_out: BTreeSet<TaskId>,
    judged: Option<Verdict>,
}

impl VerdictInvariants {
    /// Reads one event.
    pub(super) fn check(&mut self, body: &EventBody) -> Result<(), String> {
        match body {
            EventBody::PhaseStarted { phase: Phase::Validation, .. } => self.files.clear(),
            EventBody::ResultsChecked { results } => {
                let passed = results.iter().filter(|result| result.passed);
                self.files.extend(passed.filter_map(|result| result.check.kind.path().cloned()));
            }
            EventBody::TaskSucceeded { task_id, .. } => _ = self.succeeded.insert(task_id.clone()),
            EventBody::TaskSkipped { task_id, .. } => _ = self.left_out.insert(task_id.clone()),
            EventBody::RunResumed {} => self.judged = None,
            EventBody::PlanProposed { .. } | EventBody::RolledBack { .. } => {
                self.left_out.clear();
                self.judged = None;
            }
            EventBody::OutcomeRecorded(OutcomeRecord { assessment, .. }) => {
                let assessment = assessment.as_deref().ok_or("a run ended and was not judged")?;
                self.judged = Some(assessment.verdict);
                self.check_verdict(assessment)?;
            }
            EventBody::RunCompleted { .. } => {
                invariant(self.judged.is_some(), || "a run completed and was not judged".to_owned())?;
            }
            EventBody::RunFailed { .. } | EventBody::RunAborted { .. } => {
                invariant(self.judged.is_none_or(|verdict| verdict == Verdict::NotMet), || {
                    format!("a run failed and is called {:?}", self.judged)
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn check_verdict(&self, assessment: &Assessment) -> Result<(), String> {
        let Assessment { verdict, criteria, total, held, .. } = assessment;
        let any = |result| criteria.iter().any(|it| it.result == result);
        let accepted = *verdict == Verdict::NotMet;
        invariant(!any(CriterionResult::Fails) || accepted, || {
            format!("{verdict} although a criterion does not hold")
        })?;
        if *verdict != Verdict::Verified {
            return Ok(());
        }
        invariant(total == held && self.left_out.is_empty(), || {
            format!("verified with {held} of {total} criteria and {:?} left out", self.left_out)
        })?;
        invariant(criteria.iter().any(|it| it.of_goal), || {
            "verified without a criterion of the goal".to_owned()
        })?;
        for criterion in criteria {
            let shown = match &criterion.evidence {
                Some(Evidence::File(path)) => self.files.contains(path),
                Some(Evidence::Outputs(task)) => self.succeeded.contains(task),
                Some(Evidence::Command(_) | Evidence::Quote(_)) => true,
                None => false,
            };
            invariant(shown && criterion.result == CriterionResult::Holds, || {
                format!("verified, and nothing on the log shows that {criterion:?}")
            })?;
        }
        Ok(())
    }
}
