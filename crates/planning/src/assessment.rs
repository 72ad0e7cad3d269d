//! The verdict on a run: made of what was found of each criterion, and of nothing else.
//!
//! That every task succeeded is no criterion. A run of which no criterion of the goal was checked is unverified.

use candor_model::{Assessment, CheckedCriterion, CriterionResult, CriterionSource, SubTask, Verdict};

use crate::texts;

/// So many criteria are listed. A larger plan's are counted.
pub const LISTED: usize = 100;

/// How many statements of agents could be looked up, and how many of them nothing supports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClaimCounts {
    /// All that could be looked up.
    pub made: u32,
    /// Those that nothing supports.
    pub unsupported: u32,
}

/// Judges a run by what was found of its criteria.
#[must_use]
pub fn assess(mut criteria: Vec<CheckedCriterion>, claims: ClaimCounts) -> Assessment {
    let held = criteria.iter().filter(|it| it.result == CriterionResult::Holds).count();
    let (verdict, total) = (verdict(&criteria), criteria.len());
    if total > LISTED {
        // What a person has to see comes first; the order is otherwise that of the plan.
        criteria.sort_by_key(|it| std::cmp::Reverse(weight(it.result)));
        criteria.truncate(LISTED);
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Assessment {
        verdict,
        criteria,
        total: count(total),
        held: count(held),
        claims: claims.made,
        unsupported_claims: claims.unsupported,
        accepted: false,
    }
}

const fn weight(result: CriterionResult) -> u8 {
    match result {
        CriterionResult::Fails => 2,
        CriterionResult::Unchecked => 1,
        CriterionResult::Holds => 0,
    }
}

/// The verdict that follows from these criteria.
#[must_use]
pub fn verdict(criteria: &[CheckedCriterion]) -> Verdict {
    let any = |result| criteria.iter().any(|it| it.result == result);
    let checked = criteria.iter().any(|it| it.of_goal && it.result == CriterionResult::Holds);
    if any(CriterionResult::Fails) {
        Verdict::NotMet
    } else if any(CriterionResult::Unchecked) || !checked {
        Verdict::Unverified
    } else {
        Verdict::Verified
    }
}

/// The assessment of a run whose tasks have ended, with those that a person left out.
#[must_use]
pub fn with_left_out<'a>(
    found: Option<Assessment>,
    left_out: impl Iterator<Item = &'a SubTask>,
) -> Assessment {
    let mut assessment = found.unwrap_or_else(|| assess(Vec::new(), ClaimCounts::default()));
    for task in left_out {
        assessment.total = assessment.total.saturating_add(1);
        if assessment.verdict == Verdict::Verified {
            assessment.verdict = Verdict::Unverified;
        }
        assessment.criteria.push(skipped(task));
    }
    assessment.criteria.truncate(LISTED);
    assessment
}

fn skipped(task: &SubTask) -> CheckedCriterion {
    CheckedCriterion {
        criterion: format!("{} is done", texts::task_name(task)),
        source: CriterionSource::Task,
        task_id: Some(task.task_id.clone()),
        words: None,
        result: CriterionResult::Unchecked,
        found: "it was left out".to_owned(),
        evidence: None,
        of_goal: false,
    }
}

/// What does not hold, a line each.
#[must_use]
pub fn unmet(assessment: &Assessment) -> Vec<String> {
    with_result(assessment, CriterionResult::Fails).map(line).collect()
}

/// What could not be checked, a line each.
#[must_use]
pub fn unchecked(assessment: &Assessment) -> Vec<String> {
    with_result(assessment, CriterionResult::Unchecked).map(line).collect()
}

fn with_result(assessment: &Assessment, result: CriterionResult) -> impl Iterator<Item = &CheckedCriterion> {
    assessment.criteria.iter().filter(move |it| it.result == result)
}

/// A criterion and what was found of it.
#[must_use]
pub fn line(checked: &CheckedCriterion) -> String {
    let CheckedCriterion { criterion, found, .. } = checked;
    // What an agent falsely says is told by what was found; the criterion would only repeat it.
    if found.is_empty() {
        criterion.clone()
    } else if checked.source == CriterionSource::Claim {
        found.clone()
    } else {
        format!("{criterion} ({found})")
    }
}
