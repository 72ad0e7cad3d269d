//! What runs record in English, as far as its sentences are Candor's own and known: told in the language of the process.
//!
//! What a person, an agent or a model wrote stays as it was written.

use candor_model::FailureNotification;
use candor_text::Language;

use crate::lang::language;

/// What stands between a task and the cause of its failure, in a log.
pub(super) const FAILED: &str = " failed: ";
/// What a wait stands behind, in a log.
const SAME_AGENT_IN: &str = "Retrying with the same agent in ";
/// What is recorded of failures and recoveries, and the same in Spanish.
#[rustfmt::skip]
const KNOWN: &[(&str, &str)] = &[
    ("Retrying with backup agent", "Reintento con un agente de reserva"),
    ("Retrying with the same agent", "Reintento con el mismo agente"),
    ("Asking a model for another approach", "Se pide a un modelo otro enfoque"),
    ("Taking another approach", "Se sigue otro enfoque"),
    ("Waiting for your input", "A la espera de una respuesta"),
    (
        "Nothing is left to try; what does not need it goes on",
        "No queda nada que intentar; sigue lo que no la necesita",
    ),
    ("Trying the task with a different agent", "Se intenta la tarea con otro agente"),
    ("Breaking the task into smaller steps", "Se divide la tarea en pasos más pequeños"),
    ("Adjusting the search parameters", "Se ajustan los parámetros de búsqueda"),
    ("Looking for another way to the same result", "Se busca otro camino al mismo resultado"),
    (
        "Connecting the waiting tasks to what replaces the failed one",
        "Las tareas en espera se conectan a lo que sustituye a la fallida",
    ),
    ("Attempting recovery", "Se intenta la recuperación"),
    ("less than a second", "menos de un segundo"),
    ("The previous agent failed at it", "El agente anterior falló"),
    ("Adds 2-3 seconds", "Añade 2-3 segundos"),
    ("The task was too complex for one operation", "La tarea era demasiado compleja para una sola operación"),
    ("Adds 3-5 seconds, with better chances of success", "Añade 3-5 segundos, con más posibilidades de éxito"),
    ("The original values broke the budget or another limit", "Los valores originales superaban el presupuesto u otro límite"),
    ("Results may differ, for example be cheaper", "Los resultados pueden variar, por ejemplo ser más baratos"),
    ("Doing the same thing again would not help", "Repetir lo mismo no ayudaría"),
    ("Results may differ from what was first planned", "Los resultados pueden diferir de lo planificado"),
    ("A task that they depend on failed", "Falló una tarea de la que dependen"),
    ("The waiting tasks start later, and may have to do without a result", "Las tareas en espera empiezan más tarde, y puede faltarles un resultado"),
    ("The cause of the failure is not clear yet", "La causa del fallo aún no está clara"),
    ("What it means for time and result is not known yet", "Aún no se sabe qué supone para el tiempo y el resultado"),
];

/// The same with something that follows.
const BEGINNINGS: &[(&str, &str)] = &[
    ("Reduced from ", "Reducida de "),
    ("Slightly reduced, from ", "Ligeramente reducida, de "),
    ("Raised from ", "Aumentada de "),
    ("Unchanged at ", "Sin cambios en "),
    ("Retrying with ", "Reintento con "),
];

/// The task and the cause of a failure; nothing if it was recorded in other words.
pub(in crate::view) fn task_and_cause(notice: &FailureNotification) -> Option<(&str, &str)> {
    notice.error_summary.split_once(FAILED)
}

/// A task, that it failed, and why.
pub(in crate::view) fn failed(task: &str, cause: &str) -> String {
    say!("{task} failed: {cause}", "{task} falló: {cause}")
}

/// A failure as it is recorded: the task, that it failed, and why.
pub(in crate::view) fn error_summary(notice: &FailureNotification) -> String {
    match task_and_cause(notice) {
        Some((task, cause)) => failed(task, cause),
        None => notice.error_summary.clone(),
    }
}

/// A sentence on a failure or a recovery as it is recorded.
pub(in crate::view) fn told(recorded: &str) -> String {
    match language() {
        Language::En => recorded.to_owned(),
        Language::Es => in_spanish(recorded),
    }
}

fn in_spanish(recorded: &str) -> String {
    let known = |text: &str| KNOWN.iter().find(|(english, _)| *english == text).map(|(_, spanish)| *spanish);
    if let Some(whole) = known(recorded) {
        return whole.to_owned();
    }
    if let Some(wait) = recorded.strip_prefix(SAME_AGENT_IN) {
        let wait = known(wait).map_or_else(|| length(wait), str::to_owned);
        return format!("Reintento con el mismo agente dentro de {wait}");
    }
    // A recovery names its changes behind a colon; they are names, and stay.
    if let Some((what, changes)) = recorded.split_once(": ")
        && let Some(what) = known(what)
    {
        return format!("{what}: {changes}");
    }
    let begun =
        BEGINNINGS.iter().find_map(|(english, spanish)| Some((spanish, recorded.strip_prefix(english)?)));
    match begun {
        Some((spanish, rest)) => format!("{spanish}{}", rest.replace(" to ", " a ")),
        None => recorded.to_owned(),
    }
}

/// `about 4 seconds`.
fn length(recorded: &str) -> String {
    let units = [
        ("about ", "unos "),
        ("seconds", "segundos"),
        ("second", "segundo"),
        ("minutes", "minutos"),
        ("hours", "horas"),
    ];
    units.iter().fold(recorded.to_owned(), |told, (english, spanish)| told.replace(english, spanish))
}

#[cfg(test)]
mod tests {
    use candor_model::{AgentType, Confidence, FeedbackType, ReplanStrategy, Seconds};
    use candor_planning::texts::{Response, failure_notification, recovery_notification};
    use candor_testkit::fixtures;

    use super::*;

    #[test]
    fn everything_that_is_done_about_a_failure_is_known_in_spanish() {
        let agent = AgentType::new("hotel_agent").unwrap();
        let seconds = |seconds| Seconds::new(seconds).unwrap();
        let strategies = ReplanStrategy::ALL.iter().map(|strategy| Response::Strategy {
            strategy: *strategy,
            agent: None,
            rerun: Seconds::ZERO,
        });
        let others = [
            Response::Strategy {
                strategy: ReplanStrategy::RetryDifferentAgent,
                agent: Some(&agent),
                rerun: Seconds::ZERO,
            },
            Response::RetrySameAgent { after: Seconds::ZERO },
            Response::RetrySameAgent { after: seconds(0.5) },
            Response::RetrySameAgent { after: seconds(4.0) },
            Response::AskModel,
            Response::AwaitHuman,
            Response::GiveUp,
        ];
        let task = fixtures::simple_task(1, "Find a hotel", &[], "hotel_agent");
        let feedback = fixtures::feedback(1, FeedbackType::Failure, &["no rooms"]);
        for response in strategies.chain(others) {
            let notice = failure_notification(&task, &feedback, &response);
            assert_eq!(task_and_cause(&notice).unwrap().1, "no rooms");
            let told = in_spanish(&notice.recovery_strategy);
            assert_ne!(told, notice.recovery_strategy, "{response:?}");
            assert!(!told.contains("about") && !told.contains(" the "), "{told}");
        }
        for strategy in ReplanStrategy::ALL {
            let [low, high] = [0.5, 0.75].map(|score| Confidence::new(score).unwrap());
            let notice =
                recovery_notification(*strategy, high, low, &["task_001 → task_001_retry".to_owned()]);
            let told =
                [notice.what_were_doing, notice.why, notice.expected_impact, notice.confidence_adjustment];
            told.iter().for_each(|recorded| assert_ne!(in_spanish(recorded), *recorded));
        }
        assert_eq!(
            in_spanish("Retrying with the same agent in about 4 seconds"),
            "Reintento con el mismo agente dentro de unos 4 segundos"
        );
    }
}
