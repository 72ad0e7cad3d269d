//! What a report says.

use candor_model::Confidence;

use candor_projections::attempt_output::AttemptOutput;
use candor_projections::format;

use super::plural;
use crate::lang::Text;

pub(in crate::view) const NOT_KNOWN: Text = Text::new("not known", "desconocido");
pub(in crate::view) const NOT_SAID: Text = Text::new("not said", "no indicado");
pub(in crate::view) const TOTAL: Text = Text::new("Total", "Total");

pub(in crate::view) mod title {
    use crate::lang::Text;

    pub(in crate::view) const RESULT: Text = Text::new("Result", "Resultado");
    pub(in crate::view) const MISSING: Text =
        Text::new("What is missing or does not hold", "Lo que falta o no se cumple");
    pub(in crate::view) const HOW: Text = Text::new("How it came about", "Cómo se llegó a ello");
    pub(in crate::view) const STEPS: Text =
        Text::new("Results of the steps before", "Resultados de los pasos anteriores");
    pub(in crate::view) const GOAL: Text = Text::new("Goal", "Objetivo");
    pub(in crate::view) const CRITERIA: Text = Text::new("Success criteria", "Criterios de éxito");
    pub(in crate::view) const PLAN: Text = Text::new("Plan", "Plan");
    pub(in crate::view) const TIMELINE: Text = Text::new("Timeline", "Cronología");
    pub(in crate::view) const FAILURES: Text =
        Text::new("Failures and what was done", "Fallos y qué se hizo");
    pub(in crate::view) const REVISIONS: Text = Text::new("Revisions", "Revisiones");
    pub(in crate::view) const CONFIDENCE: Text =
        Text::new("Confidence over time", "Confianza a lo largo del tiempo");
    pub(in crate::view) const COST: Text = Text::new("Cost", "Coste");
    pub(in crate::view) const MODELS: Text = Text::new("Models", "Modelos");
    pub(in crate::view) const PEOPLE: Text =
        Text::new("What people decided", "Lo que decidieron las personas");
    pub(in crate::view) const NOTES: Text = Text::new("Also worth knowing", "También conviene saber");
    pub(in crate::view) const LESSONS: Text = Text::new("Lessons", "Lecciones");
    pub(in crate::view) const FURTHER: Text = Text::new("To look further", "Para saber más");
}

pub(in crate::view) mod column {
    use crate::lang::Text;

    pub(in crate::view) const WHAT: Text = Text::new("What", "Qué");
    pub(in crate::view) const WANTED: Text = Text::new("Wanted", "Pedido");
    pub(in crate::view) const FOUND: Text = Text::new("Found", "Encontrado");
    pub(in crate::view) const MODEL: Text = Text::new("Model", "Modelo");
    pub(in crate::view) const MET: Text = Text::new("Met", "Cumplido");
    pub(in crate::view) const TASK: Text = Text::new("Task", "Tarea");
    pub(in crate::view) const START: Text = Text::new("Start", "Inicio");
    pub(in crate::view) const AGENT: Text = Text::new("Agent", "Agente");
    pub(in crate::view) const ATTEMPT: Text = Text::new("Attempt", "Intento");
    pub(in crate::view) const OUTCOME: Text = Text::new("Outcome", "Resultado");
    pub(in crate::view) const TOOK: Text = Text::new("Took", "Duración");
    pub(in crate::view) const COST: Text = Text::new("Cost", "Coste");
    pub(in crate::view) const REVISION: Text = Text::new("Revision", "Revisión");
    pub(in crate::view) const WHEN: Text = Text::new("When", "Cuándo");
    pub(in crate::view) const BECAUSE: Text = Text::new("Because of", "Debido a");
    pub(in crate::view) const CHANGES: Text = Text::new("Changes", "Cambios");
    pub(in crate::view) const CONFIDENCE: Text = Text::new("Confidence", "Confianza");
    pub(in crate::view) const CAUSE: Text = Text::new("Cause", "Causa");
    pub(in crate::view) const ATTEMPTS: Text = Text::new("Attempts", "Intentos");
    pub(in crate::view) const FAILED: Text = Text::new("Failed", "Fallidos");
    pub(in crate::view) const ACCOUNT: Text = Text::new("Account", "Cuenta");
}

pub(in crate::view) fn repaired(repairs: &[String]) -> String {
    say!("Repaired before it could run: {}.", "Reparado antes de poder ejecutarse: {}.", repairs.join("; "))
}

pub(in crate::view) fn done_about_it(strategy: &str) -> String {
    say!("What was done: {}.", "Qué se hizo: {}.", strategy.trim_end_matches('.'))
}

/// `text` with a full stop.
pub(in crate::view) fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

pub(in crate::view) fn reason(why: &str) -> String {
    say!("Why: {}.", "Por qué: {}.", why.trim_end_matches('.'))
}

pub(in crate::view) fn impact(impact: &str, confidence: &str) -> String {
    say!(
        "Effect: {}; confidence: {}.",
        "Efecto: {}; confianza: {}.",
        impact.trim_end_matches('.'),
        confidence.trim_end_matches('.')
    )
}

pub(in crate::view) fn agent_reported(errors: &str) -> String {
    say!("Reported: {errors}", "Informado: {errors}")
}

pub(in crate::view) fn attempt_of(agent: &str, attempt: u32) -> String {
    if attempt == 0 {
        word!("never started", "nunca iniciada").to_owned()
    } else {
        say!("attempt {attempt} by {agent}", "intento {attempt} de {agent}")
    }
}

pub(in crate::view) const NO_FAILURES: Text = Text::new("No task failed.", "No falló ninguna tarea.");

pub(in crate::view) fn done_in_part(missing: &str) -> String {
    if missing.is_empty() {
        word!("done in part", "hecha en parte").to_owned()
    } else {
        say!("done in part: {missing}", "hecha en parte: {missing}")
    }
}

pub(in crate::view) fn done_with_warning(warning: &str) -> String {
    say!("done with a warning: {warning}", "hecha con un aviso: {warning}")
}

pub(in crate::view) const NO_REVISIONS: Text =
    Text::new("The plan was carried out as it was proposed.", "El plan se llevó a cabo tal como se propuso.");
pub(in crate::view) const NO_RESULTS: Text = Text::new("There is no result.", "No hay resultado.");
pub(in crate::view) const NOTHING_MISSING: Text = Text::new(
    "Every task was done, and nothing that was checked fails to hold.",
    "Se hicieron todas las tareas, y se cumple todo lo que se comprobó.",
);

pub(in crate::view) const ERRORS: Text = Text::new("errors", "errores");
pub(in crate::view) const ERROR_DETAIL: Text = Text::new("detail", "detalle");
pub(in crate::view) const NOTES_OF_AGENT: Text = Text::new("steps", "pasos");
pub(in crate::view) const TOLD_BY_AGENT: Text = Text::new("messages", "mensajes");
pub(in crate::view) const ANSWER: Text = Text::new("answer", "respuesta");
pub(in crate::view) const STDERR: Text = Text::new("standard error", "salida de error");

/// `── load_7 attempt 2: Load shard 7, etl agent, failed after 1.2s ──`; a task that was never started has no
/// attempts, only a reason.
pub(in crate::view) fn attempt_head(output: &AttemptOutput<'_>, agent: Option<&str>, took: &str) -> String {
    let agent = agent.map(|agent| format!("{agent}, ")).unwrap_or_default();
    let outcome = output.outcome.replace('_', " ");
    let (id, number) = (output.task_id, output.attempt);
    if number == 0 {
        return format!("── {id}: {}, {outcome} ──", output.task);
    }
    say!(
        "── {id} attempt {number}: {}, {agent}{outcome} after {took} ──",
        "── {id} intento {number}: {}, {agent}{outcome} tras {took} ──",
        output.task
    )
}

pub(in crate::view) fn left_out_of_log(bytes: usize) -> String {
    say!(
        "[… {} left out; --full shows them …]",
        "[… {} omitidos; --full los muestra …]",
        plural(bytes, word!("byte", "byte"))
    )
}

pub(in crate::view) fn bytes_left_out(bytes: usize) -> String {
    say!("[… {} left out …]", "[… {} omitidos …]", plural(bytes, word!("byte", "byte")))
}
pub(in crate::view) const NO_ATTEMPTS: Text =
    Text::new("No task was started.", "No se inició ninguna tarea.");
pub(in crate::view) const WHAT_FAILED: Text = Text::new("What failed", "Lo que falló");
pub(in crate::view) const WHAT_WORKED: Text = Text::new("What worked", "Lo que funcionó");
pub(in crate::view) const NEXT_TIME: Text = Text::new("Next time", "La próxima vez");
pub(in crate::view) const SPARKLINE_KEY: Text =
    Text::new("from ▁ (none) to █ (full)", "de ▁ (ninguna) a █ (plena)");
pub(in crate::view) const WHY_COMMAND: Text =
    Text::new("why each agent and each change was chosen", "por qué se eligió cada agente y cada cambio");
pub(in crate::view) const LOGS_COMMAND: Text =
    Text::new("what the agents wrote to their logs", "lo que los agentes escribieron en sus registros");
pub(in crate::view) const POSTMORTEM_COMMAND: Text =
    Text::new("what went wrong, and how to go on", "qué salió mal y cómo continuar");

pub(in crate::view) fn timeline_folded(more: usize, command: &str) -> String {
    say!(
        "… and {} more; all of them: {command}",
        "… y {} más; todos: {command}",
        plural(more, word!("attempt", "intento"))
    )
}

pub(in crate::view) fn confidence_span(first: Confidence, last: Confidence) -> String {
    format!("{} → {}", format::confidence(first), format::confidence(last))
}
