//! The phases around the work: each always runs, in order, and hands over explicitly.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::handoff::{CacheStatus, ExecutionOutput, PreAnalysisOutput};
use candor_model::{
    Broadcast, CritiqueVerdict, Enhancement, Evaluation, EventBody, FailedComponent, Handoff, Phase,
    PhaseDecision, PhaseMetrics, PlanningError, PromptSource, Severity, SpokenBy, TaskId,
};
use candor_planning::phase::DecisionNote;
use candor_planning::{compress, critique as judging, estimate, gates, metrics as planning_metrics};

use super::draft::{Decision, Draft};
use super::{choices, critique, discussion, ending, proposal, rework};
use crate::state::{Stage, TaskState, Work, due};
use crate::{PhaseReport, PhaseResult, Refusal};

/// How often better wordings are offered in a run; the second time only for words of the person's own.
const MOST_OFFERS: u32 = 2;

/// A phase's work that has been judged and is about to be put on record.
pub(super) struct Done {
    pub(super) phase: Phase,
    pub(super) handoff: Handoff,
    pub(super) decisions: Vec<DecisionNote>,
    metrics: PhaseMetrics,
}

/// Begins the work of these phases.
pub(super) fn begin(draft: &mut Draft<'_>, phases: BTreeSet<Phase>) {
    for phase in phases {
        let attempt = draft.projected().phase_attempt(phase).saturating_add(1);
        draft.emit(EventBody::PhaseStarted { phase, attempt });
    }
}

/// Begins what is due, unless something is at work or a person is asked.
pub(super) fn proceed(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    let idle = match ahead.stage() {
        Stage::Preparing { open, .. } => open.is_empty(),
        Stage::Closing { phase } => ahead.completed_phases().contains(phase),
        Stage::Executing => ahead.completed_phases().contains(&Phase::Execution),
        _ => false,
    };
    if !idle || ahead.is_held() {
        return;
    }
    let due = due(ahead.completed_phases());
    // What follows planning is the plan, by way of its own gate; if there is none, it was cut off.
    let lost = due.contains(&Phase::Execution);
    begin(draft, if lost { [Phase::Planning].into() } else { due });
}

/// Every phase runs, always: the word of the forced evaluation on each.
pub(super) fn all_run() -> Vec<PhaseDecision> {
    let reason = "every phase runs, always".to_owned();
    Phase::ALL
        .iter()
        .map(|phase| PhaseDecision { phase: *phase, run: true, reason: reason.clone() })
        .collect()
}

pub(super) fn done(
    draft: &mut Draft<'_>,
    phase: Phase,
    attempt: u32,
    report: PhaseReport,
) -> Result<(), Refusal> {
    check_at_work(draft, phase, attempt)?;
    check_kind(phase, &report.result, draft)?;
    let PhaseReport {
        mut handoff,
        result,
        decisions,
        warnings,
        messages,
        critique: checks,
        criteria,
        failure_reasons,
    } = report;
    for (rule, reason) in warnings {
        let severity = Severity::Warning;
        draft.emit(EventBody::GuardrailTripped { rule: rule.to_owned(), severity, reason });
    }
    let next = critique::judge(draft, phase, checks, handoff.spoken_by);
    if matches!(next, critique::Next::Again) {
        begin(draft, [phase].into());
        return Ok(());
    }
    let metrics = metrics(draft, phase, criteria, failure_reasons);
    handoff.context.tokens_consumed = metrics.tokens_used;
    let messages: Vec<Arc<Broadcast>> = messages.into_iter().map(Arc::new).collect();
    for message in &messages {
        draft.emit(EventBody::Broadcast { message: Arc::clone(message) });
    }
    let flags = handoff.flags.clone();
    let done = Done { phase, handoff, decisions, metrics };
    match result {
        PhaseResult::Goal { goal, evaluation, enhancement } => {
            draft.emit(EventBody::GoalDefined { goal: Arc::new(*goal) });
            evaluated(draft, evaluation.as_deref());
            if !put_first(draft, phase, &flags, &messages, next) {
                offer(draft, enhancement.as_deref());
            }
            complete(draft, done);
            choices::by_default(draft);
            proceed(draft);
        }
        PhaseResult::Plan(plan) => proposal::propose(draft, done, plan, next),
        PhaseResult::Reply(answer) => {
            record(draft, done.decisions);
            discussion::reply(draft, answer);
        }
        PhaseResult::Verdict { unmet, failed } => validated(draft, done, unmet, failed, next),
        PhaseResult::Plain => {
            let asked = put_first(draft, phase, &flags, &messages, next);
            complete(draft, done);
            choices::by_default(draft);
            match phase {
                Phase::Consolidation if !asked => ending::finished(draft),
                _ => proceed(draft),
            }
        }
    }
    Ok(())
}

/// The work is done: it is the engine's own phase, and hands over like the others.
pub(super) fn executed(draft: &mut Draft<'_>, summary: String) {
    let phase = Phase::Execution;
    let ahead = draft.projected();
    // The definitions are looked at where they are: a copy of a large plan costs a sixth of carrying it out.
    let Some(work) = ahead.work() else { return };
    let compressed = compress::execution_output(work.plan(), ahead.feedback());
    let mut handoff = Handoff::of(SpokenBy::Heuristic, summary, &ExecutionOutput { compressed });
    let kept = work.tasks().filter(|(_, run)| run.state != TaskState::Skipped).map(|(task, _)| task);
    let expected = estimate::measured_tokens(&work.plan().subtasks).map(|measured| measured.high);
    let unanswered = rework::unanswered(ahead);
    let checks = judging::of_execution(ahead.request(), kept, &handoff, &unanswered, expected);
    let criteria = criteria_of(work);
    let again = rework::can_be_redone(draft, unanswered);
    // Agents did the work: they may do better when they know what was wrong. Nobody else would.
    let by = if again.is_empty() { SpokenBy::Heuristic } else { SpokenBy::Model };
    let next = critique::judge(draft, phase, Some(Box::new(checks)), by);
    if matches!(next, critique::Next::Again) {
        return rework::reopen(draft, again);
    }
    let metrics = metrics(draft, phase, criteria, Vec::new());
    handoff.context.tokens_consumed = metrics.tokens_used;
    critique::put(draft, phase, next);
    complete(draft, Done { phase, handoff, decisions: Vec::new(), metrics });
    choices::by_default(draft);
    proceed(draft);
}

fn criteria_of(work: &Work) -> BTreeMap<String, f64> {
    let done = work.tasks().filter(|(_, run)| run.is_done()).count();
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let success = planning_metrics::execution_success(count(done), count(work.len()));
    success.map(|success| ("execution_success".to_owned(), success)).into_iter().collect()
}

/// Each phase reports what is its own to report.
fn check_kind(phase: Phase, result: &PhaseResult, draft: &Draft<'_>) -> Result<(), Refusal> {
    let (fits, expected) = match phase {
        Phase::Evaluation => (matches!(result, PhaseResult::Goal { .. }), "a goal"),
        Phase::Planning => {
            let reply = matches!(result, PhaseResult::Reply(_)) && draft.state.talk().is_some();
            (reply || matches!(result, PhaseResult::Plan(_)), "a plan")
        }
        Phase::Validation => (matches!(result, PhaseResult::Verdict { .. }), "a verdict"),
        _ => (matches!(result, PhaseResult::Plain), "nothing beyond its handoff"),
    };
    if fits { Ok(()) } else { Err(Refusal::WrongPhaseResult { phase, expected }) }
}

fn evaluated(draft: &mut Draft<'_>, evaluation: Option<&Evaluation>) {
    let Some(evaluation) = evaluation else { return };
    let quality = &evaluation.prompt_quality;
    let (score, issues) = (quality.score, quality.issues.clone());
    let evaluation = Some(Box::new(evaluation.clone()));
    draft.emit(EventBody::PromptScored { score, issues, evaluation });
}

/// Offers better wordings for a weak request, once; and once more if the person's own words are weak too.
fn offer(draft: &mut Draft<'_>, enhancement: Option<&Enhancement>) {
    let Some(enhancement) = enhancement else { return };
    let prompts = draft.state.prompts();
    let own = prompts.last().is_some_and(|prompt| prompt.source == Some(PromptSource::OwnWords));
    let offers = draft.state.findings().prompts.offers;
    if offers == 0 || (own && offers < MOST_OFFERS) {
        choices::put(draft, gates::enhancement(enhancement));
    } else {
        let reason =
            format!("the request still scores {}/100; it is not offered again", enhancement.original.score);
        let (rule, severity) = ("prompt_quality".to_owned(), Severity::Warning);
        draft.emit(EventBody::GuardrailTripped { rule, severity, reason });
    }
}

/// Puts to a person what must be settled before the next phase; says whether it did. The question is on record
/// before the phase's completion, so that none is lost.
pub(super) fn put_first(
    draft: &mut Draft<'_>,
    phase: Phase,
    flags: &candor_model::HandoffFlags,
    messages: &[Arc<Broadcast>],
    next: critique::Next,
) -> bool {
    let alarms: Vec<String> =
        messages.iter().filter(|message| message.is_alarm()).map(|message| message.content.clone()).collect();
    if phase == Phase::Evaluation && !alarms.is_empty() {
        let told = draft.projected().evaluation().map(|judged| judged.prompt_quality.contradictions.clone());
        let told = told.filter(|told| !told.is_empty()).unwrap_or(alarms);
        choices::put(draft, gates::contradiction(phase, &told));
        return true;
    }
    if let Some(alarm) = messages.iter().find(|message| message.is_alarm()) {
        choices::put(draft, gates::alarm(alarm));
        return true;
    }
    if !flags.blockers.is_empty() {
        choices::put(draft, gates::blocked(phase, &flags.blockers));
        return true;
    }
    if flags.needs_user_input {
        choices::put(draft, gates::unclear(phase, &flags.uncertainty_areas));
        return true;
    }
    critique::put(draft, phase, next)
}

/// Validation has judged: what fails its own criterion is done again, and what the goal misses is kept in mind.
fn validated(
    draft: &mut Draft<'_>,
    done: Done,
    unmet: Vec<String>,
    failed: Vec<(TaskId, String)>,
    next: critique::Next,
) {
    let phase = Phase::Validation;
    let failed = rework::still_standing(draft, failed);
    if !failed.is_empty() {
        return rework::rework(draft, done, failed);
    }
    if !unmet.is_empty() {
        let verdict = CritiqueVerdict::Stop;
        draft.emit(EventBody::Critiqued { phase, verdict, notes: unmet, checks: None });
    }
    critique::put(draft, phase, next);
    complete(draft, done);
    choices::by_default(draft);
    proceed(draft);
}

pub(super) fn failed(
    draft: &mut Draft<'_>,
    phase: Phase,
    attempt: u32,
    reason: String,
) -> Result<(), Refusal> {
    check_at_work(draft, phase, attempt)?;
    if draft.state.talk().is_some() {
        // There is a plan; that another one could not be made is an answer.
        discussion::reply(draft, format!("That could not be done: {reason}"));
        return Ok(());
    }
    if phase == Phase::PreAnalysis {
        without_pre_analysis(draft, &reason);
        return Ok(());
    }
    draft.emit(EventBody::PhaseFailed { phase, reason: reason.clone() });
    if draft.state.degradation().failed_components.contains(&FailedComponent::Phase(phase)) {
        let reason = format!("no model answered in phase {phase}, and its rules found nothing either");
        draft.emit(EventBody::Degraded { level: 5, reason });
    }
    ending::failed(draft, PlanningError::PhaseFailed { phase, reason });
    Ok(())
}

/// Nothing depends on what is known from before: the run goes on as if nothing were.
fn without_pre_analysis(draft: &mut Draft<'_>, reason: &str) {
    let phase = Phase::PreAnalysis;
    let (before, after) = (draft.state.degradation().level, draft.state.degradation_without(phase));
    draft.emit(EventBody::PhaseDegraded { phase, reason: reason.to_owned() });
    if after.level > before {
        let reason = format!("failed: {}", after.failed());
        draft.emit(EventBody::Degraded { level: after.level, reason });
    }
    let nothing =
        PreAnalysisOutput { cached: Some(CacheStatus::Flag(false)), ..PreAnalysisOutput::default() };
    let summary = format!("nothing is known from before: {reason}");
    let handoff = Handoff::of(SpokenBy::Heuristic, summary, &nothing);
    let metrics = metrics(draft, phase, BTreeMap::new(), vec!["phase_failed".to_owned()]);
    complete(draft, Done { phase, handoff, decisions: Vec::new(), metrics });
    proceed(draft);
}

/// Puts what a phase decided on record.
pub(super) fn record(draft: &mut Draft<'_>, decisions: Vec<DecisionNote>) {
    for DecisionNote { operation, task_id, input, decision, reasoning } in decisions {
        let task_id = task_id.as_ref();
        draft.record(Decision { operation, task_id, input, decision, reasoning, confidence: None });
    }
}

pub(super) fn check_at_work(draft: &Draft<'_>, phase: Phase, attempt: u32) -> Result<(), Refusal> {
    let at_work = match draft.state.stage() {
        Stage::Preparing { open, .. } => open.contains(&phase),
        Stage::Closing { phase: current } => {
            *current == phase && !draft.state.completed_phases().contains(&phase)
        }
        // The model is asked about a task that failed, while the others go on.
        Stage::Executing if phase == Phase::Execution => {
            return if draft.state.is_revising(attempt) {
                Ok(())
            } else {
                Err(Refusal::StalePhase { phase, attempt })
            };
        }
        _ => false,
    };
    if at_work && draft.state.phase_attempt(phase) == attempt {
        Ok(())
    } else {
        Err(Refusal::StalePhase { phase, attempt })
    }
}

/// Puts a phase's work on record: its handoff is what the next phase gets, and where the run can go back to.
pub(super) fn complete(draft: &mut Draft<'_>, done: Done) {
    let Done { phase, handoff, decisions, metrics } = done;
    let (handoff, metrics) = (Arc::new(handoff), Some(Box::new(metrics)));
    draft.emit(EventBody::PhaseCompleted { phase, handoff, metrics });
    record(draft, decisions);
}

/// What a phase took.
pub(super) fn metrics(
    draft: &Draft<'_>,
    phase: Phase,
    criteria: BTreeMap<String, f64>,
    failure_reasons: Vec<String>,
) -> PhaseMetrics {
    let progress = &draft.state.findings().phases;
    let duration = progress.started.get(&phase).map(|start| draft.now.since(*start)).unwrap_or_default();
    let tokens_used = progress.tokens.get(&phase).copied().unwrap_or(0);
    let cost = progress.costs.get(&phase).copied().unwrap_or_default();
    PhaseMetrics { duration, tokens_used, cost, failure_reasons, criteria }
}
