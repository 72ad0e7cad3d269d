//! What is said about questions to models.

use candor_model::{AskKey, AskStep, Consulted, ModelCall};
use candor_planning::report::ModelFigures;

/// A step of a question: who answered, what had to be repaired, what is tried next. Steps down have sentences
/// of their own.
pub(in crate::view) fn consulted(ask: &AskKey, step: &Consulted) -> Option<String> {
    let model = step.call.as_ref().map_or(word!("a model", "un modelo"), |call| call.model.as_str());
    match &step.outcome {
        AskStep::Accepted { repairs, .. } => {
            let figures = step.call.as_ref().map(price).unwrap_or_default();
            let repaired = match repairs.as_slice() {
                [] => String::new(),
                repairs => say!("; repaired: {}", "; reparado: {}", repairs.join(", ")),
            };
            Some(say!(
                "{model} answered {}{figures}{repaired}",
                "{model} respondió a {}{figures}{repaired}",
                ask.step
            ))
        }
        AskStep::Repeat { number, max, delay, reason } => Some(say!(
            "{}: {reason}; asked again in {delay} s ({number} of {max})",
            "{}: {reason}; se pregunta de nuevo dentro de {delay} s ({number} de {max})",
            ask.step
        )),
        AskStep::AskAgain { problems } => Some(say!(
            "{model}'s answer to {} does not fit, it is asked once more: {}",
            "La respuesta de {model} a {} no encaja; se pregunta una vez más: {}",
            ask.step,
            problems.join("; ")
        )),
        AskStep::FallBack { .. } | AskStep::GiveUp { .. } => None,
    }
}

fn price(call: &ModelCall) -> String {
    let tokens = call.tokens;
    let cached = match tokens.cached_read {
        0 => String::new(),
        read => say!(", {read} cached (saved ${:.4})", ", {read} en caché (ahorro ${:.4})", call.saved),
    };
    say!(
        " in {} s for ${:.4} ({} tokens in, {} out{cached})",
        " en {} s por ${:.4} ({} tokens de entrada, {} de salida{cached})",
        call.duration_seconds,
        call.cost,
        tokens.input + tokens.cached_read + tokens.cached_write,
        tokens.output
    )
}

pub(in crate::view) fn breaker_opened(model: &str, reason: &str) -> String {
    say!(
        "{model} is not asked for a while: {reason}",
        "{model}: no se le pregunta durante un tiempo: {reason}"
    )
}

pub(in crate::view) fn breaker_closed(model: &str) -> String {
    say!("{model} is asked again", "{model}: se le pregunta de nuevo")
}

pub(in crate::view) fn tried(agent: &str) -> String {
    say!(
        "{agent} is tried again, with one task at a time",
        "{agent}: se prueba de nuevo, con una tarea cada vez"
    )
}

/// What models did, in sentences.
pub(in crate::view) fn figures(figures: &ModelFigures) -> Vec<String> {
    let tokens = figures.tokens;
    let read = tokens.input + tokens.cached_read + tokens.cached_write;
    let mut lines = vec![say!(
        "{} calls, {} of them without an answer; {read} tokens read, {} written",
        "{} llamadas, {} sin respuesta; {read} tokens leídos, {} escritos",
        figures.calls,
        figures.failed_calls,
        tokens.output
    )];
    if tokens.cached_read > 0 {
        let share = figures.cache_hit_rate * 100.0;
        lines.push(say!(
            "{share:.0} % read from the cache, which saved ${:.4}",
            "{share:.0} % leído de la caché, con un ahorro de ${:.4}",
            figures.cache_savings
        ));
    }
    let counts = [
        (figures.repaired, word!("answers repaired", "respuestas reparadas")),
        (figures.asked_again, word!("answers asked for once more", "respuestas pedidas una vez más")),
        (figures.retries, word!("calls repeated", "llamadas repetidas")),
        (
            figures.given_up,
            word!("questions answered by rules in the end", "preguntas respondidas al final con reglas"),
        ),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    lines.extend((!counts.is_empty()).then(|| counts.join(", ")));
    lines
}
