//! What is said while a run goes on.

use candor_model::{
    Account, Adjustment, Answer, CheckpointId, Confidence, CritiqueVerdict, FailureNotification, GateId,
    Goal, GuidanceAction, HumanApprovalRequest, MeasuredTime, Money, Phase, PlanRevision, PlanVersion,
    RecoveryNotification, ReplanStrategy, RunId, Seconds, StopReason,
};

use candor_planning::texts;
use candor_projections::format;

use super::remaining;
use crate::view::text;

use super::{error_summary_of, failed, plural, task_and_cause, times, told};
use crate::lang::{Text, language};

pub(in crate::view) const RESUMED: Text = Text::new("Resumed", "Reanudada");
pub(in crate::view) const STOPPING_TO_CANCEL: Text = Text::new(
    "Stopping everything that runs, to cancel the run",
    "Deteniendo todo lo que está en marcha, para cancelar la ejecución",
);
pub(in crate::view) const STOPPING_TO_ABORT: Text = Text::new(
    "Stopping everything that runs, because the plan cannot go on",
    "Deteniendo todo lo que está en marcha, porque el plan no puede continuar",
);

/// `text: details`, or only `text`. Details are told as they were recorded.
fn with(text: &str, details: &str) -> String {
    if details.trim().is_empty() { text.to_owned() } else { format!("{text}: {}", told(details)) }
}

pub(in crate::view) fn run_started(run: &RunId, request: &str) -> String {
    let run = say!("Run {run}", "Ejecución {run}");
    // What a person typed is not told in other words.
    if request.trim().is_empty() { run } else { format!("{run}: {request}") }
}

pub(in crate::view) fn phase(phase: Phase) -> &'static str {
    candor_projections::words::phase(language(), phase)
}

pub(in crate::view) fn phase_done(which: Phase, summary: &str, figures: &str) -> String {
    format!("{} ({figures})", with(phase(which), summary))
}

pub(in crate::view) fn phase_failed(which: Phase, reason: &str) -> String {
    with(&say!("{} failed", "Fallo en la fase {}", phase(which)), reason)
}

pub(in crate::view) fn phase_degraded(which: Phase, reason: &str) -> String {
    with(&say!("{} degraded", "Fase {} degradada", phase(which)), reason)
}

pub(in crate::view) fn goal_defined(goal: &Goal) -> String {
    let constraints = goal.constraints.iter();
    let constraints: Vec<String> =
        constraints.map(|it| format!("{} {}", it.label(), it.value.as_str())).collect();
    with(
        &say!("Goal understood ({})", "Objetivo entendido ({})", goal.goal_type.as_str().replace('_', " ")),
        &constraints.join(", "),
    )
}

pub(in crate::view) fn prompt_scored(score: u8, issues: &[String]) -> String {
    with(&say!("The request scores {score} of 100", "La petición obtiene {score} de 100"), &issues.join("; "))
}

pub(in crate::view) fn critiqued(which: Phase, verdict: CritiqueVerdict, notes: &[String]) -> String {
    let verdict = match verdict {
        CritiqueVerdict::Continue => word!("is good enough", "es suficiente"),
        CritiqueVerdict::Refine => word!("is not good enough yet", "todavía no es suficiente"),
        CritiqueVerdict::Stop => word!("does not hold", "no se sostiene"),
    };
    with(&format!("{} {verdict}", phase(which)), &notes.join("; "))
}

pub(in crate::view) fn proposed(
    version: Option<PlanVersion>,
    tasks: usize,
    confidence: Confidence,
    estimate: Option<MeasuredTime>,
    repairs: usize,
) -> String {
    let repaired = if repairs == 0 {
        String::new()
    } else {
        say!(", {} made", ", con {}", plural(repairs, word!("repair", "reparación")))
    };
    let version = version.map(|version| say!(" version {version}", " versión {version}")).unwrap_or_default();
    let takes = estimate.map(|time| format!(", {}", told(&texts::measured(time)))).unwrap_or_default();
    let confidence = format::confidence(confidence);
    say!(
        "Plan{version} with {}, confidence {confidence}{takes}{repaired}",
        "Plan{version} con {}, confianza {confidence}{takes}{repaired}",
        plural(tasks, word!("task", "tarea"))
    )
}

/// What a pack's programs may do, told before they run.
pub(in crate::view) fn pack_allowed(pack: &str, permissions: &str) -> String {
    say!("Pack {pack} {permissions}", "Paquete {pack}: {permissions}")
}

pub(in crate::view) fn adjusted(adjustments: &[Adjustment]) -> String {
    let changes: Vec<String> =
        adjustments.iter().map(|it| format!("{} {} = {}", it.task_id, it.field, it.new_value)).collect();
    with(word!("Plan adjusted by a person", "Plan ajustado por una persona"), &changes.join(", "))
}

pub(in crate::view) fn approved(why: &str) -> String {
    with(word!("Plan approved", "Plan aprobado"), why)
}

pub(in crate::view) fn rejected(comments: &str) -> String {
    with(word!("Plan rejected by a person", "Plan rechazado por una persona"), comments)
}

/// What a revision changes; `told` is what people have just been told of it.
pub(in crate::view) fn replanned(revision: &PlanRevision, told: &str) -> String {
    let count = |number: usize, what: &str| (number > 0).then(|| format!("{number} {what}"));
    let parts = [
        count(revision.new_subtasks.len(), word!("added", "añadidas")),
        count(revision.removed_task_ids.len(), word!("taken out", "quitadas")),
        count(revision.modified_task_ids.len(), word!("changed", "cambiadas")),
        count(revision.details.rerun_task_ids.len(), word!("to run again", "por repetir")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let changes: Vec<&str> =
        revision.changes.iter().map(String::as_str).filter(|change| !told.contains(change)).collect();
    let changes = changes.join("; ");
    if parts.is_empty() {
        return with(&say!("Plan revised ({})", "Plan revisado ({})", revision.revision_id), &changes);
    }
    with(
        &say!(
            "Plan revised ({}; tasks: {})",
            "Plan revisado ({}; tareas: {})",
            revision.revision_id,
            parts.join(", ")
        ),
        &changes,
    )
}

pub(in crate::view) fn confidence_moved(before: Confidence, after: Confidence, cause: &str) -> String {
    say!(
        "Confidence {} → {} ({cause})",
        "Confianza {} → {} ({cause})",
        format::confidence(before),
        format::confidence(after)
    )
}

/// The cause of a confidence, from its stable name.
pub(in crate::view) fn confidence_cause(cause: &str) -> &str {
    match cause {
        recorded!("plan proposed") | "proposed" => word!("the plan was proposed", "el plan se propuso"),
        "calibrated" => word!("what past runs teach", "lo que enseñan ejecuciones anteriores"),
        "revised" => word!("the plan was revised", "el plan se revisó"),
        "all_succeeded" => {
            word!("every task succeeded without a revision", "todas las tareas terminaron sin revisión")
        }
        "failures" => word!("unrecovered failures", "fallos sin recuperar"),
        "rolled_back" => word!("the run went back", "la ejecución volvió atrás"),
        other => other,
    }
}

pub(in crate::view) fn replan_requested(task: &str) -> String {
    say!("{task} stopped: another approach was requested", "{task}: detenida; se pidió otro enfoque")
}

pub(in crate::view) fn revision_asked(task: &str) -> String {
    say!("{task}: a model is asked for another approach", "{task}: se pide a un modelo otro enfoque")
}

pub(in crate::view) fn revision_refused(task: &str, reason: &str) -> String {
    say!(
        "{task}: no other approach was found: {reason}",
        "{task}: no se encontró otro enfoque: {reason}",
        reason = told(reason)
    )
}

pub(in crate::view) fn routed(task: &str, agent: &str) -> String {
    say!("{task} goes to {agent}", "{task}: asignada a {agent}")
}

pub(in crate::view) fn dispatched(task: &str, agent: &str, attempt: u32) -> String {
    let again = if attempt > 1 { say!(", attempt {attempt}", ", intento {attempt}") } else { String::new() };
    say!("{task} started ({agent}{again})", "{task}: iniciada ({agent}{again})")
}

pub(in crate::view) fn succeeded(task: &str, agent: Option<&str>, took: Option<Seconds>) -> String {
    let took = took.map(|took| say!(" in {}", " en {}", format::duration(took))).unwrap_or_default();
    let agent = agent.map(|agent| format!(" ({agent})")).unwrap_or_default();
    say!("{task} done{took}{agent}", "{task}: hecha{took}{agent}")
}

pub(in crate::view) fn progress(percentage: f64, left: Option<MeasuredTime>) -> String {
    let left = left.map(|left| format!(", {}", remaining(left))).unwrap_or_default();
    say!("{} done{left}", "{} hecho{left}", format::percent(percentage))
}

pub(in crate::view) fn joined(first: &str, second: &str) -> String {
    format!("{first} — {second}")
}

/// The task, the cause and what happens next.
pub(in crate::view) fn not_started(task: &str, cause: &str) -> String {
    with(&say!("{task} not started", "{task}: no iniciada"), &told(cause))
}

pub(in crate::view) fn failure(notice: &FailureNotification) -> String {
    failures(notice, 1)
}

/// The same of a task that failed so often in the same way.
pub(in crate::view) fn failures(notice: &FailureNotification, times: u32) -> String {
    joined(&error_summary_of(notice, times), &told(&notice.recovery_strategy))
}

/// A failure that was told before, with the same cause.
pub(in crate::view) fn failed_again(task: &str, failures: u32) -> String {
    say!("{task} failed {} in the same way", "{task} falló {} del mismo modo", times(failures))
}

/// The task and the cause in at most `columns`. Of a cause that is too long the end says why: `exited with code 3:
/// ValueError: no column` gives way to `ValueError: no column`.
pub(in crate::view) fn failure_cause(notice: &FailureNotification, columns: usize) -> String {
    let Some((task, mut cause)) = task_and_cause(notice) else { return text::clean(&notice.error_summary) };
    while text::width(&text::clean(&failed(task, cause))) > columns {
        let Some((_, rest)) = cause.split_once(": ") else { break };
        cause = rest;
    }
    text::shortened(&text::clean(&failed(task, cause)), columns, true)
}

pub(in crate::view) fn recovery(notice: &RecoveryNotification) -> String {
    let sentences = [&notice.what_were_doing, &notice.why, &notice.expected_impact];
    sentences.map(|sentence| format!("{}.", told(sentence.trim_end_matches('.')))).join(" ")
}

/// What a recovery adds to what the line of the failure has `announced` already: the changes that it makes. Nothing where
/// that line names the agent who tries it next.
pub(in crate::view) fn recovery_details(notice: &RecoveryNotification, announced: &str) -> Option<String> {
    let what = notice.what_were_doing.trim_end_matches('.');
    let other_agent = texts::recovery_notification(
        ReplanStrategy::RetryDifferentAgent,
        Confidence::NONE,
        Confidence::NONE,
        &[],
    );
    if !announced.is_empty() && what.starts_with(&other_agent.what_were_doing) {
        return None;
    }
    match what.strip_prefix(announced) {
        Some(rest) => {
            let rest = rest.trim_start_matches([':', ' ']);
            (!rest.is_empty()).then(|| told(rest))
        }
        // Something that was not announced, such as a model's revision, comes with its reason.
        None => Some(format!("{}. {}", told(what), told(&notice.why))),
    }
}

/// A question that nobody was asked, and the answer that was used.
pub(in crate::view) fn answered_by_default(asked: &str, answer: &Answer) -> String {
    let Answer::Choice(choice) = answer else { return joined(asked, &answered(answer)) };
    say!(
        "{} — unattended: used default {}",
        "{}: sin nadie a quien preguntar, se usó {}",
        asked.trim_end_matches('.'),
        choice.option
    )
}

pub(in crate::view) fn announcement(title: &str, text: &str) -> String {
    with(&told(title), text)
}

pub(in crate::view) fn stopped(task: &str, reason: StopReason) -> String {
    match reason {
        StopReason::RunStopping => say!(
            "{task} stopped, because the run is stopping",
            "{task}: detenida, porque la ejecución se detiene"
        ),
        StopReason::Replan => say!(
            "{task} stopped, because another approach is wanted",
            "{task}: detenida, porque se quiere otro enfoque"
        ),
        StopReason::Superseded => say!(
            "{task} stopped, because the plan changed under it",
            "{task}: detenida, porque el plan ha cambiado"
        ),
        StopReason::NoResources => say!(
            "{task} starts later: this machine has no resources left for it",
            "{task}: empezará más tarde; a esta máquina no le quedan recursos"
        ),
    }
}

pub(in crate::view) fn skipped(task: &str, comments: &str) -> String {
    with(&say!("{task} left out by a person", "{task}: omitida por una persona"), comments)
}

pub(in crate::view) fn retrying(task: &str, agent: Option<&str>, wait: Seconds, by_person: bool) -> String {
    let agent = agent.map(|agent| say!(" with {agent}", " con {agent}")).unwrap_or_default();
    let wait = if wait == Seconds::ZERO {
        String::new()
    } else {
        say!(" in {}", " dentro de {}", format::duration(wait))
    };
    let who = if by_person { word!(", on your answer", ", según la respuesta") } else { "" };
    say!("{task} will be tried again{agent}{wait}{who}", "{task}: se intentará de nuevo{agent}{wait}{who}")
}

pub(in crate::view) fn escalated(task: &str, failures: u32, errors: &[String], actions: &[&str]) -> String {
    let text = with(
        &say!(
            "{task} failed {} and needs a person",
            "{task}: falló {} y necesita a una persona",
            times(failures)
        ),
        &errors.join("; "),
    );
    if actions.is_empty() {
        text
    } else {
        say!("{text}. Possible: {}", "{text}. Opciones: {}", told(&actions.join("; ")))
    }
}

pub(in crate::view) fn ask_approval(request: &HumanApprovalRequest) -> String {
    let confidence = format::confidence(request.confidence_score);
    with(
        &say!("Approve this plan? Confidence {confidence}", "¿Aprobar este plan? Confianza {confidence}"),
        &request.reasons.join("; "),
    )
}

pub(in crate::view) fn ask_guidance(task: &str, failures: u32) -> String {
    say!("What should be done about {task}? It failed {}", "¿Qué hacer con {task}? Falló {}", times(failures))
}

pub(in crate::view) fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Approval(decision) => with(
            &say!(
                "A person answered: {}",
                "Respuesta de una persona: {}",
                decision.action.as_str().to_lowercase()
            ),
            &decision.comments,
        ),
        Answer::Choice(choice) if choice.by_default => {
            say!("Unattended: used default {}", "Sin nadie a quien preguntar: se usó {}", choice.option)
        }
        Answer::Choice(choice) => {
            with(&say!("A person chose: {}", "Elección de una persona: {}", choice.option), &choice.text)
        }
        Answer::Guidance(guidance) => {
            let agent = guidance
                .agent_type
                .as_ref()
                .map(|agent| say!(" with {agent}", " con {agent}"))
                .unwrap_or_default();
            let action = match guidance.action {
                GuidanceAction::Retry => word!("try again", "intentarlo de nuevo"),
                GuidanceAction::Skip => word!("go on without it", "seguir sin ella"),
                GuidanceAction::Abort => word!("give up", "abandonar"),
            };
            with(
                &say!("A person answered: {action}{agent}", "Respuesta de una persona: {action}{agent}"),
                &guidance.comments,
            )
        }
    }
}

pub(in crate::view) fn withdrawn(gate: &GateId, reason: &str) -> String {
    with(
        &say!("Question {gate} needs no answer any more", "La pregunta {gate} ya no necesita respuesta"),
        reason,
    )
}

pub(in crate::view) fn guardrail(rule: &str, reason: &str) -> String {
    with(&say!("Guardrail {rule}", "Regla de protección {rule}"), reason)
}

pub(in crate::view) fn breaker_opened(agent: &str, reason: &str) -> String {
    with(&say!("{agent}: circuit open", "{agent}: circuito abierto"), reason)
}

pub(in crate::view) fn breaker_closed(agent: &str) -> String {
    say!("{agent}: circuit closed", "{agent}: circuito cerrado")
}

pub(in crate::view) fn fell_back(what: &str, from: &str, to: &str, reason: &str) -> String {
    with(
        &say!(
            "Second choice for {what}: {to} instead of {from}",
            "Segunda opción para {what}: {to} en lugar de {from}"
        ),
        reason,
    )
}

pub(in crate::view) fn degraded(level: u8, reason: &str) -> String {
    with(&say!("Degraded mode {level}/5", "Modo degradado {level}/5"), reason)
}

pub(in crate::view) fn budget_exceeded(which: Account, spent: Money, budget: Money) -> String {
    say!(
        "The budget for {} does not allow more: {} spent of {}",
        "El presupuesto de {} no permite más: gastado {} de {}",
        account(which),
        format::money(spent),
        format::money(budget)
    )
}

pub(in crate::view) fn account(account: Account) -> &'static str {
    match account {
        Account::Planning => word!("planning", "planificación"),
        Account::Execution => word!("execution", "ejecución"),
    }
}

pub(in crate::view) fn conflict(between: &[String], resolution: &str) -> String {
    with(
        &say!(
            "Contradiction between {} resolved",
            "Contradicción entre {} resuelta",
            between.join(word!(" and ", " y "))
        ),
        resolution,
    )
}

pub(in crate::view) fn paused(reason: &str) -> String {
    with(word!("Paused", "En pausa"), reason)
}

pub(in crate::view) fn stopping_to_roll_back(to: CheckpointId) -> String {
    say!(
        "Stopping everything that runs, to go back to checkpoint {to}",
        "Deteniendo todo lo que está en marcha, para volver al punto de control {to}"
    )
}

pub(in crate::view) fn rolled_back(to: CheckpointId, budget: Option<Money>) -> String {
    let budget = budget
        .map(|budget| say!(", with a budget of {}", ", con un presupuesto de {}", format::money(budget)))
        .unwrap_or_default();
    say!("Went back to checkpoint {to}{budget}", "Se volvió al punto de control {to}{budget}")
}

pub(in crate::view) fn cancelled(reason: &str) -> String {
    with(word!("Run cancelled", "Ejecución cancelada"), reason)
}
