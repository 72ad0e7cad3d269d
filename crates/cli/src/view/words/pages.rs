//! What is said of a run as a whole: statuses, headings, labels, verdicts.

use candor_model::{
    CheckedCriterion, Confidence, CriterionSource, MeasuredTime, RunStatus, Seconds, StopReason, TaskStatus,
    Verdict,
};
use candor_planning::{assessment, texts};
use candor_projections::chronicle::Outcome;
use candor_projections::format;

use super::{plural, run_status, times, verdict_word};
use crate::lang::Text;

pub(in crate::view) const NO_AGENT_YET: Text = Text::new("no agent yet", "aún sin agente");

/// `9,000 done`.
pub(in crate::view) fn counted(count: usize, what: &str) -> String {
    format!("{} {what}", format::count(count))
}

pub(in crate::view) fn folded(more: usize, parts: &[String]) -> String {
    say!("… {} more: {}", "… {} más: {}", format::count(more), parts.join(", "))
}

pub(in crate::view) fn after(tasks: &[&str], more: usize) -> String {
    let more = if more == 0 { String::new() } else { format!(" +{more}") };
    say!("after {}{more}", "después de {}{more}", tasks.join(", "))
}

pub(in crate::view) fn after_count(tasks: usize) -> String {
    say!("after {}", "después de {}", plural(tasks, word!("task", "tarea")))
}

pub(in crate::view) fn failed_before(failures: u32) -> String {
    say!("failed {} before", "falló {} antes", times(failures))
}

pub(in crate::view) fn task_status(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => word!("waiting", "en espera"),
        TaskStatus::InProgress => word!("running", "en marcha"),
        TaskStatus::Completed => word!("done", "hecha"),
        TaskStatus::Failed => word!("failed", "fallida"),
        TaskStatus::Skipped => word!("left out", "omitida"),
    }
}

pub(in crate::view) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Running => word!("running", "en marcha"),
        Outcome::Done => word!("done", "hecho"),
        Outcome::Partly => word!("done in part", "hecho en parte"),
        Outcome::Failed => word!("failed", "fallido"),
        Outcome::NeverStarted => word!("never started", "nunca iniciado"),
        Outcome::Stopped(StopReason::RunStopping) => word!("stopped", "detenido"),
        Outcome::Stopped(StopReason::Replan) => {
            word!("stopped, another approach wanted", "detenido, se quiere otro enfoque")
        }
        Outcome::Stopped(StopReason::Superseded) => {
            word!("stopped, plan changed", "detenido, el plan cambió")
        }
        Outcome::Stopped(StopReason::NoResources) => {
            word!("not started, no resources", "no iniciado, sin recursos")
        }
    }
}

/// `completed, not verified`; a verdict that its status implies is not repeated.
pub(in crate::view) fn status_and_verdict(status: RunStatus, verdict: Option<Verdict>) -> String {
    let told = run_status(status);
    match status {
        RunStatus::Completed => format!("{told}, {}", verdict_word(verdict)),
        _ => told.to_owned(),
    }
}

/// A criterion with what was found of it and where it comes from.
pub(in crate::view) fn criterion(checked: &CheckedCriterion) -> String {
    let task = checked.task_id.as_ref().map(|task| format!("{task}: ")).unwrap_or_default();
    let source = match checked.source {
        CriterionSource::Pack => word!("pack", "paquete"),
        CriterionSource::Goal => word!("goal", "objetivo"),
        CriterionSource::Model => word!("model", "modelo"),
        CriterionSource::Task => word!("task", "tarea"),
        CriterionSource::Claim => word!("agent's claim", "afirmación del agente"),
        CriterionSource::Gate => word!("gate", "puerta"),
    };
    format!("{task}{} [{source}]", super::told(&assessment::line(checked)))
}

pub(in crate::view) fn agent_warned(task: &str, warning: &str) -> String {
    format!("{task}: {}", super::told(warning))
}

/// `8–14 s left, from 12 runs`.
pub(in crate::view) fn remaining(time: MeasuredTime) -> String {
    say!(
        "{} left, from {}",
        "quedan {}, según {}",
        texts::time_span(time),
        plural(time.runs as usize, word!("run", "ejecución"))
    )
}

pub(in crate::view) fn confidence(confidence: Confidence) -> String {
    say!("confidence {}", "confianza {}", format::confidence(confidence))
}

pub(in crate::view) mod label {
    use crate::lang::Text;

    pub(in crate::view) const GOAL: Text = Text::new("Goal", "Objetivo");
    pub(in crate::view) const STATUS: Text = Text::new("Status", "Estado");
    pub(in crate::view) const INTERRUPTED: Text = Text::new("interrupted", "interrumpida");
    pub(in crate::view) const VERDICT: Text = Text::new("Verdict", "Veredicto");
    pub(in crate::view) const CRITERIA: Text = Text::new("Criteria", "Criterios");
    pub(in crate::view) const WARNINGS: Text = Text::new("Warnings", "Avisos");
    pub(in crate::view) const PHASE: Text = Text::new("Phase", "Fase");
    pub(in crate::view) const PROGRESS: Text = Text::new("Progress", "Progreso");
    pub(in crate::view) const COST: Text = Text::new("Cost", "Coste");
    pub(in crate::view) const CONFIDENCE: Text = Text::new("Confidence", "Confianza");
    pub(in crate::view) const STARTED: Text = Text::new("Started", "Inicio");
    pub(in crate::view) const RUN: Text = Text::new("Run", "Ejecución");
    pub(in crate::view) const FORKED: Text = Text::new("Forked from", "Derivada de");
    pub(in crate::view) const PHASES: Text = Text::new("Phases", "Fases");
    pub(in crate::view) const WORDS: Text =
        Text::new("The request over time", "La petición a lo largo del tiempo");
    pub(in crate::view) const POINTS: Text = Text::new("Rollback points", "Puntos de retorno");
    pub(in crate::view) const DONE: Text = Text::new("Done", "Hecho");
    pub(in crate::view) const REQUEST: Text = Text::new("Request", "Petición");
    pub(in crate::view) const FAILURES: Text = Text::new("Failures", "Fallos");
    pub(in crate::view) const WAITING_FOR_YOU: Text = Text::new("Waiting for you", "Esperando respuesta");
    pub(in crate::view) const GO_ON: Text = Text::new("To go on", "Para continuar");
    pub(in crate::view) const DETAILS: Text = Text::new("To look further", "Para saber más");
}

pub(in crate::view) const NO_RUNS: Text = Text::new(
    "No runs yet. Start one with: candor run \"what you want done\"",
    "Aún no hay ejecuciones. Para empezar una: candor run \"lo que se quiere hacer\"",
);
pub(in crate::view) const NO_PLAN: Text = Text::new("There is no plan yet.", "Aún no hay plan.");

pub(in crate::view) fn tasks_done(done: usize, total: usize) -> String {
    say!("{} of {} done", "{} de {}", format::count(done), plural(total, word!("task", "tarea")))
}

pub(in crate::view) fn started(at: &str, elapsed: Seconds) -> String {
    say!("{at}, {} until the last event", "{at}, {} hasta el último evento", format::duration(elapsed))
}
