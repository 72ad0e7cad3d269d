//! The sentences that are part of the data, in both languages. Data for programs is English: a report as JSON, the
//! answer of a tool. What a person reads is in the person's language.

use candor_model::{Money, Phase, PlanningError, RunStatus, Seconds};
use candor_planning::texts::plain;
use candor_text::{Language, in_language, word_in};

use crate::{format, recorded};

/// What is said of an empty value.
#[must_use]
pub const fn nothing(language: Language) -> &'static str {
    word_in!(language; "nothing", "nada")
}

/// What is said of a truth value.
#[must_use]
pub const fn yes_or_no(language: Language, value: bool) -> &'static str {
    if value { word_in!(language; "yes", "sí") } else { word_in!(language; "no", "no") }
}

/// A phase by its name.
#[must_use]
pub const fn phase(language: Language, phase: Phase) -> &'static str {
    match phase {
        Phase::PreAnalysis => word_in!(language; "Pre-analysis", "Preanálisis"),
        Phase::Evaluation => word_in!(language; "Evaluation", "Evaluación"),
        Phase::Context => word_in!(language; "Context", "Contexto"),
        Phase::Decomposition => word_in!(language; "Decomposition", "Descomposición"),
        Phase::Planning => word_in!(language; "Planning", "Planificación"),
        Phase::Execution => word_in!(language; "Execution", "Ejecución"),
        Phase::Validation => word_in!(language; "Validation", "Validación"),
        Phase::Consolidation => word_in!(language; "Consolidation", "Consolidación"),
    }
}

/// What is said of a run whose agents made their results up.
#[must_use]
pub const fn sample_data(language: Language) -> &'static str {
    word_in!(
        language;
        "This is sample data: nothing was booked, and no price is real.",
        "Son datos de ejemplo: no se reservó nada y ningún precio es real."
    )
}

/// `1 task`, `2 tasks`; the noun is in the language.
#[must_use]
pub fn plural(language: Language, count: usize, noun: &str) -> String {
    format!("{} {}", format::count(count), candor_text::plural(language, count, noun))
}

/// `… and 9,000 more`.
#[must_use]
pub fn and_more(language: Language, more: usize) -> String {
    in_language!(language; "… and {} more", "… y {} más", format::count(more))
}

/// `1 entry`, `2 entries`.
#[must_use]
pub fn entries(language: Language, count: usize) -> String {
    match (language, count) {
        (Language::En, 1) => "1 entry".to_owned(),
        (Language::En, count) => format!("{} entries", format::count(count)),
        (Language::Es, count) => plural(language, count, "entrada"),
    }
}

/// `1 field`, `2 fields`.
#[must_use]
pub fn fields(language: Language, count: usize) -> String {
    plural(language, count, word_in!(language; "field", "campo"))
}

/// A run's status for people.
#[must_use]
pub const fn run_status(language: Language, status: RunStatus) -> &'static str {
    match status {
        RunStatus::Preparing => word_in!(language; "planning", "planificando"),
        RunStatus::Executing => word_in!(language; "running", "en marcha"),
        RunStatus::WaitingHuman => word_in!(language; "waiting for a person", "a la espera de una persona"),
        RunStatus::Paused => word_in!(language; "paused", "en pausa"),
        RunStatus::Stopping => word_in!(language; "stopping", "deteniéndose"),
        RunStatus::Completed => word_in!(language; "completed", "completada"),
        RunStatus::Failed => word_in!(language; "failed", "fallida"),
        RunStatus::Aborted => word_in!(language; "aborted", "abortada"),
        RunStatus::Cancelled => word_in!(language; "cancelled", "cancelada"),
    }
}

/// The sums of a run, as far as they are told in one line.
#[derive(Debug, Clone, Copy)]
pub struct Sums {
    /// Tasks that are done.
    pub done: usize,
    /// Tasks in all, whatever became of them.
    pub tasks: usize,
    /// Number of failed attempts.
    pub failures: usize,
    /// How long it took.
    pub took: Seconds,
    /// Sum of all charges.
    pub spent: Money,
}

/// `3 of 4 tasks, 2 failed attempts, 14s, $0.02`.
#[must_use]
pub fn sums(language: Language, sums: Sums) -> String {
    let Sums { done, tasks, failures, took, spent } = sums;
    let failed = word_in!(language; "failed attempt", "intento fallido");
    let failures =
        if failures == 0 { String::new() } else { format!(", {}", plural(language, failures, failed)) };
    let tasks = plural(language, tasks, word_in!(language; "task", "tarea"));
    in_language!(
        language;
        "{} of {tasks}{failures}, {}, {}",
        "{} de {tasks}{failures}, {}, {}",
        format::count(done),
        format::duration(took),
        format::money(spent)
    )
}

/// Sums, and how often the plan was revised, if it was.
#[must_use]
pub fn and_revisions(language: Language, sums: &str, revisions: usize) -> String {
    if revisions == 0 {
        return sums.to_owned();
    }
    format!("{sums}, {}", plural(language, revisions, word_in!(language; "revision", "revisión")))
}

/// How a run ended, or where it stands, with its sums.
#[must_use]
pub fn how_it_went(language: Language, status: RunStatus, ended: Option<&str>, sums: &str) -> String {
    match ended {
        Some(ended) => format!("{}. {sums}.", ended.trim_end_matches('.')),
        None => in_language!(
            language;
            "The run is not finished; it is {}. So far: {sums}.",
            "La ejecución no ha terminado; está {}. Hasta ahora: {sums}.",
            run_status(language, status)
        ),
    }
}

/// Why something is missing: a person left it out.
#[must_use]
pub const fn left_out(language: Language) -> &'static str {
    word_in!(language; "left out by a person", "omitida por una persona")
}

/// Why something is missing: its time has not come.
#[must_use]
pub const fn not_done_yet(language: Language) -> &'static str {
    word_in!(language; "not done yet", "aún no hecha")
}

/// Why something is missing: the run ended.
#[must_use]
pub const fn never_done(language: Language) -> &'static str {
    word_in!(language; "not done, because the run ended before", "no hecha, porque la ejecución terminó antes")
}

/// Why a constraint could not be checked.
#[must_use]
pub const fn no_output_says(language: Language) -> &'static str {
    word_in!(language; "no output says it", "ningún resultado lo indica")
}

/// What a run that ended before it had a plan lacks.
pub(crate) const fn plan(language: Language) -> &'static str {
    word_in!(language; "A plan", "Un plan")
}

/// What is missing if nothing tells whether a goal is reached.
#[must_use]
pub const fn proof(language: Language) -> &'static str {
    word_in!(language; "A proof that the goal is reached", "Una prueba de que se alcanzó el objetivo")
}

/// Why it is missing.
#[must_use]
pub const fn no_criterion(language: Language) -> &'static str {
    word_in!(language; "no criterion says when it is reached", "ningún criterio dice cuándo se alcanza")
}

/// What is said of a criterion, with what was found.
#[must_use]
pub fn does_not_hold(language: Language, found: &str) -> String {
    with_found(language, word_in!(language; "does not hold", "no se cumple"), found)
}

/// What is said of a criterion or a constraint that nobody could check, with the reason.
#[must_use]
pub fn not_checked(language: Language, reason: &str) -> String {
    with_found(language, word_in!(language; "could not be checked", "no se pudo comprobar"), reason)
}

fn with_found(language: Language, told: &str, found: &str) -> String {
    if found.is_empty() {
        told.to_owned()
    } else {
        format!("{told}: {}", recorded::told(language, &plain(found)))
    }
}

/// A task of which only a part was done.
#[must_use]
pub fn in_part(language: Language, task: &str) -> String {
    in_language!(language; "{task} (done in part)", "{task} (hecha en parte)")
}

/// What a constraint wants: `budget: $2000`.
#[must_use]
pub fn wanted(what: &str, wanted: &str) -> String {
    format!("{}: {wanted}", what.replace('_', " "))
}

/// What was found in place of it.
#[must_use]
pub fn found_instead(language: Language, found: &str) -> String {
    in_language!(language; "found {found}", "encontrado: {found}")
}

/// An error in plain words, without its full stop.
#[must_use]
pub fn error_text(error: &PlanningError) -> String {
    plain(&error.to_string()).trim_end_matches('.').to_owned()
}

/// What an agent suggests after it failed.
#[must_use]
pub fn agent_suggested(language: Language, suggestion: &str) -> String {
    in_language!(language; "The agent suggests: {suggestion}", "El agente sugiere: {suggestion}")
}
