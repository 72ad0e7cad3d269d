//! What explanations and postmortems say.

use candor_model::{Confidence, DecisionEntry, TaskId, TaskStatus};

use candor_projections::format;

use super::plural;
use crate::lang::Text;

pub(in crate::view) mod because {
    use crate::lang::Text;

    pub(in crate::view) const AGENT: Text = Text::new("Why this agent", "Por qué este agente");
    pub(in crate::view) const AGENTS: Text = Text::new("Why these agents", "Por qué estos agentes");
    pub(in crate::view) const PLAN: Text = Text::new("Why this plan", "Por qué este plan");
    pub(in crate::view) const RECOVERIES: Text = Text::new("Why the plan changed", "Por qué cambió el plan");
    pub(in crate::view) const DECISIONS: Text = Text::new("Decisions", "Decisiones");
    pub(in crate::view) const DECISION: Text = Text::new("decided", "decisión");
    pub(in crate::view) const REASON: Text = Text::new("because", "porque");
    pub(in crate::view) const INPUT: Text = Text::new("given", "entrada");
    pub(in crate::view) const CONFIDENCE: Text = Text::new("confidence", "confianza");
    pub(in crate::view) const COST: Text = Text::new("cost", "coste");
}

pub(in crate::view) const NO_DECISIONS: Text =
    Text::new("No decision matches.", "Ninguna decisión coincide.");
pub(in crate::view) const NO_RANKING: Text = Text::new(
    "named in the plan; no ranking was recorded",
    "nombrado en el plan; no se registró ninguna clasificación",
);

pub(in crate::view) fn unknown_task(id: &TaskId) -> String {
    say!(
        "There is no task {id} in this run. Its tasks are listed by: candor status RUN",
        "No hay ninguna tarea {id} en esta ejecución. Sus tareas se ven con: candor status RUN"
    )
}

pub(in crate::view) fn related(tasks: &[&str]) -> String {
    say!("Replaces or was replaced by: {}", "Sustituye a, o fue sustituida por: {}", tasks.join(", "))
}

pub(in crate::view) fn who_spoke(models: &[&str], rules: &[&str]) -> String {
    let part = |who: &str, phases: &[&str]| format!("{who}: {}", phases.join(", "));
    match (models.is_empty(), rules.is_empty()) {
        (true, true) => String::new(),
        (true, false) => part(
            word!("By rules and templates, without a model", "Con reglas y plantillas, sin modelo"),
            rules,
        ),
        (false, true) => part(word!("By a model", "Con un modelo"), models),
        (false, false) => {
            format!(
                "{}. {}",
                part(word!("By a model", "Con un modelo"), models),
                part(word!("By rules and templates", "Con reglas y plantillas"), rules)
            )
        }
    }
}

pub(in crate::view) fn decided(entry: &DecisionEntry) -> String {
    let [decision, reasoning] = [&entry.decision, &entry.reasoning].map(|recorded| super::told(recorded));
    say!(
        "{}: {decision}, because {reasoning}",
        "{}: {decision}; motivo: {reasoning}",
        operation(&entry.operation)
    )
}

/// The kind of a decision for people: `route_task` is "route task".
fn operation(recorded: &str) -> String {
    super::told(recorded).replace('_', " ")
}

pub(in crate::view) fn reasoning(kind: &str, reasoning: &str) -> String {
    let (what, reasoning) = (operation(kind), super::told(reasoning));
    say!("Reasoning ({what}): {reasoning}", "Razonamiento ({what}): {reasoning}")
}

pub(in crate::view) fn confidence_now(confidence: Confidence, cause: &str) -> String {
    say!("Confidence became {}: {cause}", "La confianza pasó a {}: {cause}", format::confidence(confidence))
}

pub(in crate::view) fn ranked(agent: &str, score: f64) -> String {
    format!("{agent} {score:.2}")
}

pub(in crate::view) fn ranking(agents: &[String]) -> String {
    say!("fit: {}", "idoneidad: {}", agents.join(", "))
}

pub(in crate::view) fn agents_failed(agents: &[String]) -> String {
    say!("failed at it before: {}", "ya habían fallado: {}", agents.join(", "))
}

pub(in crate::view) fn attempt_outcome(outcome: &str, number: u32) -> String {
    if number > 1 {
        say!("{outcome} (try {number})", "{outcome} (intento {number})")
    } else {
        outcome.to_owned()
    }
}

pub(in crate::view) mod mortem {
    use crate::lang::Text;

    pub(in crate::view) const HAPPENED: Text = Text::new("What happened", "Qué pasó");
    pub(in crate::view) const ROOT_CAUSE: Text = Text::new("Root cause", "Causa raíz");
    pub(in crate::view) const CONSEQUENCES: Text = Text::new("What followed from it", "Consecuencias");
    pub(in crate::view) const TRIED: Text = Text::new("What was tried", "Qué se intentó");
    pub(in crate::view) const PRICE: Text = Text::new("What it cost", "Qué costó");
    pub(in crate::view) const NEXT: Text = Text::new("What to do next", "Qué hacer ahora");
}

pub(in crate::view) const NO_TASK_FAILED: Text = Text::new("No task failed.", "No falló ninguna tarea.");
pub(in crate::view) const NOTHING_FOLLOWED: Text = Text::new(
    "Nothing else: every other task could go on.",
    "Ninguna más: todas las demás tareas pudieron seguir.",
);
pub(in crate::view) const NOTHING_TRIED: Text = Text::new(
    "Nothing: the run ended before anything could be tried.",
    "Nada: la ejecución terminó antes de que se pudiera intentar algo.",
);

pub(in crate::view) fn recovered(name: &str, failed: &TaskId, by: &TaskId) -> String {
    if failed == by {
        say!("{name} succeeded later", "{name} se completó después")
    } else {
        say!("recovered by {name} ({by})", "recuperada con {name} ({by})")
    }
}

pub(in crate::view) fn no_price(all_money: &str) -> String {
    say!(
        "No attempt failed; the whole run cost {all_money}",
        "No falló ningún intento; la ejecución completa costó {all_money}"
    )
}

pub(in crate::view) fn consequence(task: &str, status: TaskStatus) -> String {
    match status {
        TaskStatus::Pending => say!("{task}: never done", "{task}: no se hizo"),
        TaskStatus::InProgress => say!("{task}: under way again", "{task}: otra vez en marcha"),
        TaskStatus::Completed => {
            say!("{task}: held up, done in the end", "{task}: retrasada, hecha al final")
        }
        TaskStatus::Failed => say!("{task}: failed too", "{task}: también falló"),
        TaskStatus::Skipped => say!("{task}: left out", "{task}: omitida"),
    }
}

pub(in crate::view) fn price(lost_time: &str, lost_money: &str, attempts: usize, all_money: &str) -> String {
    say!(
        "{} took {lost_time} and cost {lost_money}; the whole run cost {all_money}",
        "{}: {lost_time} y {lost_money}; la ejecución completa costó {all_money}",
        plural(attempts, word!("failed attempt", "intento fallido"))
    )
}

pub(in crate::view) fn confidence_lost(first: Confidence, last: Confidence) -> String {
    say!(
        "Confidence went from {} to {}",
        "La confianza pasó de {} a {}",
        format::confidence(first),
        format::confidence(last)
    )
}

pub(in crate::view) const FORK_COMMAND: Text = Text::new(
    "begin another run where this one was last; this one stays as it is",
    "empezar otra ejecución donde esta se quedó; esta no cambia",
);
pub(in crate::view) const RESTART_COMMAND: Text =
    Text::new("restart with the same request", "reiniciar con la misma petición");
pub(in crate::view) const RESUME_COMMAND: Text =
    Text::new("go on where it stopped", "continuar donde se detuvo");

pub(in crate::view) fn rollback_command(label: &str) -> String {
    let label = super::told(label);
    say!("go back to: {label}", "volver a: {label}")
}
