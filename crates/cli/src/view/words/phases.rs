//! What is said of the phases around the work: guardrails, phases, what agents tell each other, other words.

use candor_model::{
    Broadcast, CheckKind, CheckResult, CritiqueVerdict, ForkedFrom, GuardReport, MessageType, Phase,
    PhaseMetrics, PlanVersion, PromptChange, PromptSource, Query, QueryResponse, ReadFile, RunId, SpokenBy,
};
use candor_projections::format;

use super::phase;

use super::plural;
use crate::lang::Text;

pub(in crate::view) const REQUEST_KEPT: Text = Text::new("as it was written", "tal como se escribió");

pub(in crate::view) fn guarded(attempt: u32, report: &GuardReport) -> String {
    let look = if attempt > 1 { say!(" (look {attempt})", " (examen {attempt})") } else { String::new() };
    let rules = |halting: bool| {
        let found = report.findings.iter().filter(|finding| finding.halts() == halting);
        found.map(|finding| finding.rule.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (halting, told) = (rules(true), rules(false));
    match (halting.is_empty(), told.is_empty()) {
        (false, _) => say!(
            "Guardrails{look} halt the run: {halting}",
            "Las reglas de protección{look} detienen la ejecución: {halting}"
        ),
        (true, false) => say!(
            "Guardrails{look} let the request pass, with a warning: {told}",
            "Las reglas de protección{look} dejan pasar la petición, con un aviso: {told}"
        ),
        (true, true) => say!(
            "Guardrails{look} found nothing; all eight phases will run",
            "Las reglas de protección{look} no encontraron nada; se harán las ocho fases"
        ),
    }
}

pub(in crate::view) fn prompt_changed(change: &PromptChange, words: &str) -> String {
    let before = change
        .score_before
        .map(|score| say!(", {score}/100 before", ", antes {score}/100"))
        .unwrap_or_default();
    let from = prompt_source(Some(change.source), change.variant.as_deref());
    say!("The request is now ({from}{before}): {words}", "La petición es ahora ({from}{before}): {words}")
}

/// Where words come from.
pub(in crate::view) fn prompt_source(source: Option<PromptSource>, variant: Option<&str>) -> String {
    match source {
        None => REQUEST_KEPT.text().to_owned(),
        Some(PromptSource::Enhanced) => match variant {
            Some(letter) => say!("variant {letter} that was offered", "la variante {letter} propuesta"),
            None => word!("a variant that was offered", "una variante propuesta").to_owned(),
        },
        Some(PromptSource::OwnWords) => {
            word!("a person's own words", "las palabras de una persona").to_owned()
        }
        Some(PromptSource::Clarified) => {
            word!("with what a person added", "con lo que añadió una persona").to_owned()
        }
        Some(PromptSource::Restarted) => {
            word!("restarted with other words", "reiniciada con otras palabras").to_owned()
        }
    }
}

pub(in crate::view) fn phase_again(which: Phase, attempt: u32) -> String {
    say!("{} begins again (try {attempt})", "{} empieza de nuevo (intento {attempt})", phase(which))
}

/// What a phase took: `0.2s, 310 tokens, $0.0012, by a model`.
pub(in crate::view) fn phase_figures(metrics: Option<&PhaseMetrics>, by: SpokenBy) -> String {
    // Most phases take a moment that would read as none at all.
    let took = metrics.map(|metrics| match metrics.duration.as_millis() {
        millis @ 0..100 => format!("{millis} ms"),
        _ => format::duration(metrics.duration),
    });
    let tokens = metrics.filter(|metrics| metrics.tokens_used > 0).map(|metrics| tokens(metrics.tokens_used));
    let cost = metrics.filter(|metrics| metrics.cost.micros() > 0).map(|metrics| format::money(metrics.cost));
    let parts = [took, tokens, cost, Some(spoken_by(by).to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

pub(in crate::view) fn tokens(count: u64) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), word!("token", "token"))
}

pub(in crate::view) fn spoken_by(by: SpokenBy) -> &'static str {
    match by {
        SpokenBy::Model => word!("by a model", "con un modelo"),
        SpokenBy::Heuristic => word!("by rules", "con reglas"),
    }
}

pub(in crate::view) fn plan_answered(version: PlanVersion, question: &str, answer: &str) -> String {
    say!(
        "Asked about plan version {version}: {question} — {answer}",
        "Pregunta sobre la versión {version} del plan: {question} — {answer}"
    )
}

pub(in crate::view) fn reopened(task: &str, reason: &str, dependants: &[String]) -> String {
    let with = match dependants {
        [] => String::new(),
        [one] => say!(", with {one}, which used it", ", con {one}, que lo usó"),
        [one, more @ ..] => say!(
            ", with {one} and {} that used it",
            ", con {one} y {} que lo usaron",
            plural(more.len(), word!("other task", "otra tarea"))
        ),
    };
    say!(
        "{task} is done once more{with}, because its result does not hold: {reason}",
        "{task}: se hace una vez más{with}, porque su resultado no se sostiene: {reason}"
    )
}

pub(in crate::view) fn broadcast(message: &Broadcast) -> String {
    let kind = match message.message_type {
        // What a phase itself finds needs no speaker.
        MessageType::Discovery if message.task_id.is_none() => return super::told(&message.content),
        MessageType::Discovery => word!("found", "encontró"),
        MessageType::Warning => word!("warns", "avisa"),
        MessageType::Completion => word!("is done", "terminó"),
        MessageType::Request => word!("needs", "necesita"),
    };
    let task = message.task_id.as_ref().map(|task| say!(" (at {task})", " (en {task})")).unwrap_or_default();
    format!("{}{task} {kind}: {}", message.from_agent, super::told(&message.content))
}

pub(in crate::view) fn queried(query: &Query) -> String {
    say!(
        "{} (at {}) asks {}: {}",
        "{} (en {}) pregunta a {}: {}",
        query.from_agent,
        query.task_id,
        query.to_agent,
        query.query
    )
}

pub(in crate::view) fn query_answered(response: &QueryResponse) -> String {
    let QueryResponse { from_agent, to_agent, response, confidence, .. } = response;
    match response {
        Ok(answer) => say!(
            "{from_agent} answers {to_agent} ({confidence}% sure): {answer}",
            "{from_agent} responde a {to_agent} (seguridad {confidence} %): {answer}"
        ),
        Err(reason) => say!(
            "{from_agent} gave {to_agent} no answer: {reason}",
            "{from_agent} no respondió a {to_agent}: {reason}"
        ),
    }
}

pub(in crate::view) fn files_read(files: &[ReadFile]) -> String {
    let named: Vec<String> = files
        .iter()
        .map(|file| match &file.text {
            Ok(_) => format!("{} ({})", file.path, bytes(file.bytes)),
            Err(reason) => say!("{} (not read: {reason})", "{} (no leído: {reason})", file.path),
        })
        .collect();
    say!(
        "{} looked at: {}",
        "{} para consultar: {}",
        plural(files.len(), word!("file", "archivo")),
        named.join(", ")
    )
}

/// `512 bytes`, `1.2 KB`.
pub(in crate::view) fn bytes(count: u64) -> String {
    if count < 1_000 {
        say!("{count} bytes", "{count} bytes")
    } else {
        format!("{:.1} KB", count as f64 / 1_000.0)
    }
}

pub(in crate::view) fn results_checked(results: &[CheckResult]) -> String {
    let passed = results.iter().filter(|result| result.passed).count();
    let failed = results.iter().filter(|result| !result.passed).map(|result| {
        let how = match &result.check.kind {
            CheckKind::Command(words) => words.join(" "),
            CheckKind::File(path) | CheckKind::Content(path) | CheckKind::Written(path) => path.clone(),
            CheckKind::Secrets(_) => {
                word!("secrets in changed files", "secretos en archivos cambiados").to_owned()
            }
            CheckKind::Program(name) => name.clone(),
        };
        format!("{} ({how}): {}", result.check.task_id, super::told(&result.detail))
    });
    let failed: Vec<String> = failed.collect();
    let passed =
        say!("{passed} of {} checks passed", "{passed} de {} comprobaciones superadas", results.len());
    if failed.is_empty() {
        passed
    } else {
        say!("{passed}; failed: {}", "{passed}; fallidas: {}", failed.join("; "))
    }
}

pub(in crate::view) fn forked(run: &RunId, fork: &ForkedFrom) -> String {
    say!("Run {run}, forked from {}", "Ejecución {run}, derivada de {}", fork_origin(fork))
}

pub(in crate::view) fn fork_origin(fork: &ForkedFrom) -> String {
    say!("{} at checkpoint {}", "{} en el punto de control {}", fork.run_id, fork.checkpoint)
}

/// How a phase stands, in a word or two.
pub(in crate::view) mod phase_status {
    use crate::lang::Text;

    pub(in crate::view) const DONE: Text = Text::new("done", "hecha");
    pub(in crate::view) const AT_WORK: Text = Text::new("at work", "en marcha");
    pub(in crate::view) const WAITING: Text = Text::new("waits for you", "en espera");
    pub(in crate::view) const FAILED: Text = Text::new("failed", "fallida");
    pub(in crate::view) const TO_COME: Text = Text::new("to come", "por venir");
}

pub(in crate::view) fn attempt(number: u32) -> String {
    say!("try {number}", "intento {number}")
}

pub(in crate::view) fn critique(verdict: CritiqueVerdict) -> String {
    let verdict = match verdict {
        CritiqueVerdict::Continue => word!("continue", "continuar"),
        CritiqueVerdict::Refine => word!("refine", "refinar"),
        CritiqueVerdict::Stop => word!("stop", "detener"),
    };
    say!("critique: {verdict}", "crítica: {verdict}")
}

/// `phase 3 (decomposition), 12:00:03, 1.2 KB`.
pub(in crate::view) fn rollback_point(number: u8, name: &str, at: &str, size: &str) -> String {
    format!("{number} {name}, {at}, {size}")
}

pub(in crate::view) fn other_points(points: &[String]) -> String {
    say!("checkpoints: {}", "puntos de control: {}", points.join(", "))
}

/// `a person's own words, 45/100: Build a site`.
pub(in crate::view) fn prompt(from: &str, score: Option<u8>, words: &str) -> String {
    let score = score.map(|score| format!(", {score}/100")).unwrap_or_default();
    format!("{from}{score}: {words}")
}

pub(in crate::view) fn asked_by_default(option: &str) -> String {
    say!("if nobody answers: {option}", "si nadie responde: {option}")
}
