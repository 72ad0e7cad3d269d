//! Whether the results answer the request: by rules what is certainly no answer, by a model what does not serve it.

use std::sync::Arc;

use candor_model::{CheckedCriterion, CriterionResult, CriterionSource, SubTask, TaskId, TaskStatus};
use candor_planning::critique::{self, Unanswered};

use super::judging;
use super::tasks::Findings;
use crate::consult::{ResultsAnswer, Said, critique_results};
use crate::{Incomplete, PhaseContext};

/// What the model is asked, as a criterion.
const SERVES: &str = "the results serve the request";

/// Puts results that do not answer their tasks on record. The agents were told and did no better, so that nothing is
/// done again for it; that a text shares no word proves nothing, and leaves it open.
pub(super) fn by_rules(cx: &PhaseContext<'_>, found: &mut Findings) {
    let tasks = cx.plan.into_iter().flat_map(|plan| &plan.subtasks);
    let done = tasks.filter(|task| task.status != TaskStatus::Skipped).filter_map(|task| {
        let mut told = cx.feedback.iter().rev().map(Arc::as_ref);
        Some((task, told.find(|told| told.task_id == task.task_id && told.feedback_type.is_success())?))
    });
    let files = cx.files.values().filter_map(|file| file.text.as_deref().ok());
    let known: String = files.collect::<Vec<_>>().join(" ");
    for Unanswered { task_id, why, is_certain } in
        critique::unanswered(cx.request, &known, &done.collect::<Vec<_>>())
    {
        let result = if is_certain { CriterionResult::Fails } else { CriterionResult::Unchecked };
        let criterion = format!("{task_id} answers its task");
        found.criteria.push(criterion_of(criterion, CriterionSource::Task, Some(task_id), result, why));
    }
}

/// Asks a model whether the results serve the request. If they do not, the tasks that end the plan are done again, and
/// told why.
pub(super) fn by_model(cx: &PhaseContext<'_>, found: &mut Findings) -> Result<(), Incomplete> {
    let ask = || critique_results(cx, &judging::results(cx));
    let said: Option<Said<ResultsAnswer>> = cx.consult("critique_results", ask)?;
    let Some(ResultsAnswer { reason: why, .. }) = said.map(|it| it.answer).filter(|it| !it.serves) else {
        return Ok(());
    };
    let (source, result) = (CriterionSource::Model, CriterionResult::Fails);
    found.criteria.push(criterion_of(SERVES.to_owned(), source, None, result, why.clone()));
    let tasks: Vec<&SubTask> = cx.plan.into_iter().flat_map(|plan| &plan.subtasks).collect();
    let is_last = |task: &&&SubTask| !tasks.iter().any(|other| other.dependencies.contains(&task.task_id));
    let last = tasks.iter().filter(is_last).filter(|task| task.status != TaskStatus::Skipped);
    found.failed.extend(last.map(|task| (task.task_id.clone(), why.clone())));
    Ok(())
}

fn criterion_of(
    criterion: String,
    source: CriterionSource,
    task_id: Option<TaskId>,
    result: CriterionResult,
    found: String,
) -> CheckedCriterion {
    let of_goal = task_id.is_none();
    CheckedCriterion { criterion, source, task_id, words: None, result, found, evidence: None, of_goal }
}
