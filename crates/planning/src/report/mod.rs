//! Readers of what happened: reports, results, the journal of failures and decisions, progress.
//!
//! Owns how a run is summed up. It refuses to decide anything and to make a run look better than it was: a
//! failed attempt stays in the report when a later one succeeded.

mod constraints;
mod journal;
mod lessons;
mod models;

use std::sync::Arc;

use candor_model::{
    Assessment, ConfidencePoint, Degradation, ExecutionFeedback, ExecutionId, ExecutionReport,
    ExecutionResult, ExecutionStatus, FeedbackType, IdMap, Money, Plan, ProgressStatus, ProgressUpdate,
    ReportSummary, Seconds, SubTask, TaskId, TaskReport, TaskStatus, Timestamp, Verdict,
};

pub use self::constraints::{ConstraintCheck, ConstraintSummary, constraint_summary};
pub use self::journal::{DecisionFilter, decisions, failure_entries};
pub use self::models::ModelFigures;

/// What a report is made of.
#[derive(Debug, Clone, Copy)]
pub struct ReportMaterial<'a> {
    /// The plan as it is at the end.
    pub plan: &'a Plan,
    /// What came of every attempt, in the order in which it was told.
    pub feedback: &'a [Arc<ExecutionFeedback>],
    /// Every change of confidence, oldest first.
    pub confidence: &'a [ConfidencePoint],
    /// How the run ended.
    pub status: ExecutionStatus,
    /// When the first task was given out.
    pub started_at: Option<Timestamp>,
    /// When the last answer came.
    pub ended_at: Option<Timestamp>,
    /// What planning cost.
    pub planning_cost: Money,
    /// With how much less than it should the run worked.
    pub degradation: Option<&'a Degradation>,
}

/// Sums a run up: what happened, what it cost, how confidence moved, what is to be learned.
#[must_use]
pub fn execution_report(material: &ReportMaterial<'_>) -> ExecutionReport {
    ExecutionReport {
        summary: summary(material),
        tasks: material.feedback.iter().map(|feedback| task_report(feedback)).collect(),
        revisions: material.plan.metadata.revisions.clone(),
        confidence_evolution: confidence_evolution(material),
        lessons_learned: lessons::learned(material),
        degradation: material.degradation.filter(|state| state.level > 0).cloned(),
    }
}

/// The same with the verdict on the run: what was not met is no success, and no lesson to repeat.
#[must_use]
pub fn judged_report(material: &ReportMaterial<'_>, assessment: &Assessment) -> ExecutionReport {
    let mut report = execution_report(material);
    report.summary.success &= assessment.verdict != Verdict::NotMet;
    report.lessons_learned = lessons::judged(report.lessons_learned, assessment);
    report
}

fn summary(material: &ReportMaterial<'_>) -> ReportSummary {
    let spent: Money = material.feedback.iter().map(|feedback| feedback.cost).sum();
    ReportSummary {
        status: material.status,
        success: material.status == ExecutionStatus::Success
            && successes(material) == material.plan.subtasks.len(),
        total_duration: material.feedback.iter().map(|feedback| feedback.duration_seconds).sum(),
        wall_clock_duration: material.ended_at.zip(material.started_at).map(|(end, start)| end.since(start)),
        total_cost: spent + material.planning_cost,
    }
}

/// How many tasks of the final plan succeeded; a task that was left out did not.
fn successes(material: &ReportMaterial<'_>) -> usize {
    let last: IdMap<&TaskId, FeedbackType> =
        material.feedback.iter().map(|feedback| (&feedback.task_id, feedback.feedback_type)).collect();
    let succeeded = |task: &&SubTask| match task.status {
        TaskStatus::Completed => true,
        TaskStatus::InProgress | TaskStatus::Failed | TaskStatus::Skipped => false,
        // A plan whose statuses nobody kept is judged by what its agents reported.
        TaskStatus::Pending => last.get(&task.task_id).is_some_and(|kind| kind.is_success()),
    };
    material.plan.subtasks.iter().filter(succeeded).count()
}

fn task_report(feedback: &ExecutionFeedback) -> TaskReport {
    TaskReport {
        task_id: feedback.task_id.clone(),
        status: if feedback.feedback_type.is_success() { TaskStatus::Completed } else { TaskStatus::Failed },
        duration_seconds: feedback.duration_seconds,
        cost: feedback.cost,
    }
}

/// The recorded path of confidence; where none was kept, the path that the revisions tell.
fn confidence_evolution(material: &ReportMaterial<'_>) -> Vec<ConfidencePoint> {
    if !material.confidence.is_empty() {
        return material.confidence.to_vec();
    }
    let plan = material.plan;
    let revisions = &plan.metadata.revisions;
    let lost: f64 = revisions.iter().map(|revision| revision.confidence_delta.get()).sum();
    let mut confidence = plan.confidence_score.shifted(-lost);
    let mut points =
        vec![ConfidencePoint { at: Some(plan.created_at), confidence, cause: "proposed".to_owned() }];
    for revision in revisions {
        confidence = confidence.shifted(revision.confidence_delta.get());
        points.push(ConfidencePoint { at: None, confidence, cause: revision.revision_id.to_string() });
    }
    points
}

/// Gives the record of one execution: every attempt by its time, and the time between start and end.
#[must_use]
pub fn execution_result(execution_id: ExecutionId, material: &ReportMaterial<'_>) -> ExecutionResult {
    let mut feedback: Vec<ExecutionFeedback> =
        material.feedback.iter().map(|feedback| ExecutionFeedback::clone(feedback)).collect();
    feedback.sort_by_key(|feedback| feedback.timestamp);
    let first = feedback.first().map(|feedback| feedback.timestamp);
    let last = feedback.last().map(|feedback| feedback.timestamp);
    let start_time = material.started_at.or(first).unwrap_or(material.plan.created_at);
    let end_time = material.ended_at.or(last).unwrap_or(start_time);
    ExecutionResult {
        execution_id,
        plan_id: material.plan.plan_id.clone(),
        start_time,
        end_time,
        total_duration_seconds: end_time.since(start_time),
        status: material.status,
        feedback,
    }
}

/// Tells how far a run has come, with `succeeded` of `total` tasks. What was `reached` before, in percent, is not
/// taken back when a revision makes the plan longer.
#[must_use]
pub fn progress(
    task: &SubTask,
    success: bool,
    succeeded: usize,
    total: usize,
    reached: f64,
    remaining: Option<Seconds>,
) -> ProgressUpdate {
    // A plan without tasks is done; counts that disagree never show more than the whole.
    let share = if total == 0 { 1.0 } else { succeeded.min(total) as f64 / total as f64 };
    ProgressUpdate {
        task_id: task.task_id.clone(),
        status: if success { ProgressStatus::Success } else { ProgressStatus::Failure },
        progress_percentage: (share * 100.0).max(reached),
        estimated_remaining_time: remaining,
    }
}
