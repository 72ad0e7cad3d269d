//! What runs record in English, as far as its sentences are Candor's own and known, in a reader's language.
//!
//! What a person, an agent or a model wrote stays as it was written, also within a sentence of Candor's.

use candor_text::Language;

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
    ("the failure may pass by itself, and the retry policy allows another attempt", "el fallo puede pasar por sí solo, y la política de reintentos permite otro intento"),
    ("its result fails its own criterion; only what used that result is done again too", "su resultado no cumple su propio criterio; solo se repite también lo que lo usó"),
    ("the plan is valid with this change; repairs before execution cost no confidence", "el plan es válido con este cambio; lo que se corrige antes de ejecutar no resta confianza"),
    ("Agent timeout", "El agente agotó su tiempo"),
    ("Plan rejected by human reviewer", "Una persona rechazó el plan"),
    ("Nothing failed", "No falló nada"),
    ("No task succeeded", "Ninguna tarea tuvo éxito"),
    ("Use this plan again for similar goals", "Vuelve a usar este plan para objetivos parecidos"),
    ("Say in the goal or the plan how to check the result before using this plan again", "Di en el objetivo o en el plan cómo comprobar el resultado antes de volver a usar este plan"),
    ("Describe the goal anew, with what the plan should do differently.", "Describe el objetivo de nuevo, con lo que el plan debería hacer de otro modo."),
    ("Remove what stands in the way, then start it again: `candor restart RUN`.", "Quita lo que lo impide y empieza de nuevo: `candor restart RUN`."),
    ("Say what the result should be like, and start again.", "Di cómo debería ser el resultado y empieza de nuevo."),
    ("Try a smaller goal, or split it into several that are run one after the other.", "Prueba con un objetivo más pequeño, o divídelo en varios que se ejecuten uno tras otro."),
    ("start", "inicio"),
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

/// Sentences with places: `{}` stands for anything, such as a name or a cause.
#[rustfmt::skip]
const TEMPLATES: &[(&str, &str)] = &[
    ("Dependency {} failed", "Falló {}, de la que depende"),
    ("Before the next run, see to {} ({}): {}", "Antes de la próxima ejecución, revisa {} ({}): {}"),
    ("For {} ({}), try {} first: the first choice failed ({})", "Para {} ({}), prueba primero {}: la primera opción falló ({})"),
    ("For {} ({}), begin with what worked in {}: the first way failed ({})", "Para {} ({}), empieza con lo que funcionó en {}: el primer camino falló ({})"),
    ("{} ({}) was done in part: {}", "{} ({}) se hizo en parte: {}"),
    ("{} ({}) with {} worked after {} had failed", "{} ({}) con {} funcionó después de que {} fallara"),
    ("{} of {} attempts succeeded", "{} de {} intentos con éxito"),
    ("{} ({} times)", "{} ({} veces)"),
    ("Not met: {}", "No cumplido: {}"),
    ("Say in the goal or the plan how to check the result before using this plan again: {}", "Di en el objetivo o en el plan cómo comprobar el resultado antes de volver a usar este plan: {}"),
    ("Do not use this plan again as it is: {}", "No vuelvas a usar este plan tal como está: {}"),
    ("Remove the cause, then `candor resume {}` tries {} again and keeps what succeeded.", "Elimina la causa; después `candor resume {}` vuelve a intentar {} y conserva lo que tuvo éxito."),
    ("Start again with a plan that does without task {}, or with another agent for it.", "Empieza de nuevo con un plan sin la tarea {}, o con otro agente para ella."),
    ("Add an agent that can do task {}, or describe the task in other words.", "Añade un agente que pueda hacer la tarea {}, o descríbela con otras palabras."),
    ("Raise `planning_budget` under [limits] in candor.toml (now {}), or use a cheaper model.", "Sube `planning_budget` en [limits] de candor.toml (ahora {}), o usa un modelo más barato."),
    ("Raise the budget of the run to at least {} and start it again, or leave out tasks.", "Sube el presupuesto de la ejecución al menos a {} y empiézala de nuevo, o quita tareas."),
    ("Allow it for one run with {}, or for every run with {}; or run it at a terminal and approve it.", "Permítelo para una ejecución con {}, o para todas con {}; o ejecútala en una terminal y apruébalo."),
    ("Settle what {} found, then start again: {} goes on with other words.", "Resuelve lo que halló {} y empieza de nuevo: {} sigue con otras palabras."),
    ("Relax these criteria, or start again with a goal that stresses them: {}.", "Relaja estos criterios, o empieza de nuevo con un objetivo que los destaque: {}."),
    ("phase {} ({}) completed", "fase {} ({}) completada"),
    ("plan version {} approved", "versión {} del plan aprobada"),
    ("revision rev_{}", "revisión rev_{}"),
    ("nobody is there to be asked at {}, and this is what is done then", "no hay nadie a quien preguntar en {}, y esto es lo que se hace entonces"),
    ("Task {} failed and nothing is left to try: {}", "La tarea {} falló y no queda nada que intentar: {}"),
    ("Plan {} exceeded {} revisions. Latest errors: {}", "El plan {} superó {} revisiones. Últimos errores: {}"),
    ("Task {} failed after {} revisions: {}", "La tarea {} falló después de {} revisiones: {}"),
    ("Plan confidence {} too low after {} revisions. Aborting.", "Confianza en el plan {}, demasiado baja después de {} revisiones."),
    ("Planning cost {} exceeds budget {}. Consider simplifying goal or increasing budget.", "Planificar costó {} y supera el presupuesto {}. Simplifica el objetivo o sube el presupuesto."),
    ("Cost {} exceeds budget {}", "El coste {} supera el presupuesto {}"),
    ("Planning took longer than {} and was cancelled", "La planificación tardó más de {} y se canceló"),
    ("The run has spent {} of its budget of {}, and the next step needs {}", "La ejecución ha gastado {} de su presupuesto de {}, y el paso siguiente necesita {}"),
    ("No agent for task {}: {}", "Ningún agente para la tarea {}: {}"),
    ("Planning cannot start: {}", "No se puede empezar a planificar: {}"),
    ("Phase {} failed: {}", "La fase {} falló: {}"),
    ("Given up by a person at task {}", "Una persona lo abandonó en la tarea {}"),
    ("Stopped at {}: {}", "Detenido en {}: {}"),
    ("Not allowed in an unattended run: {}", "No permitido en una ejecución desatendida: {}"),
    ("Success criteria not met: {}", "Criterios de éxito no cumplidos: {}"),
    ("`{}` exited with code {}: {}", "`{}` terminó con código {}: {}"),
    ("Agent timeout after {}", "El agente agotó su tiempo de {}"),
    // Last, because it has the form of others: what stands behind the colon may be known.
    ("{} ({}): {}", "{} ({}): {}"),
];

/// A sentence as it is recorded, in a language.
#[must_use]
pub fn told(language: Language, recorded: &str) -> String {
    match language {
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
    if let Some(told) =
        TEMPLATES.iter().find_map(|(english, spanish)| by_template(recorded, english, spanish))
    {
        return told;
    }
    let begun =
        BEGINNINGS.iter().find_map(|(english, spanish)| Some((spanish, recorded.strip_prefix(english)?)));
    match begun {
        Some((spanish, rest)) => format!("{spanish}{}", rest.replace(" to ", " a ")),
        None => recorded.to_owned(),
    }
}

/// The sentence by another template, if it has the form of the first one. What stands in its last place may be a sentence
/// of Candor's itself.
fn by_template(recorded: &str, english: &str, spanish: &str) -> Option<String> {
    let mut fixed = english.split("{}");
    let mut rest = recorded.strip_prefix(fixed.next()?)?;
    let mut found = Vec::new();
    let mut fixed = fixed.peekable();
    while let Some(text) = fixed.next() {
        let (value, after) = match fixed.peek() {
            Some(_) => rest.split_once(text)?,
            None => (rest.strip_suffix(text)?, ""),
        };
        found.push(value.to_owned());
        rest = after;
    }
    if let Some(last) = found.last_mut() {
        *last = in_spanish(last);
    }
    let mut found = found.into_iter();
    let mut told = String::new();
    for (at, text) in spanish.split("{}").enumerate() {
        if at > 0 {
            told.push_str(&found.next()?);
        }
        told.push_str(text);
    }
    Some(told)
}

/// `about 4 seconds`.
fn length(recorded: &str) -> String {
    let units = [
        ("about 1 second", "un segundo"),
        ("about 1 minutes", "un minuto"),
        ("about 1 hours", "una hora"),
        ("about ", "unos "),
        ("seconds", "segundos"),
        ("minutes", "minutos"),
        ("hours", "horas"),
    ];
    let exact = units.iter().find(|(english, _)| *english == recorded);
    exact.map_or_else(
        || units.iter().fold(recorded.to_owned(), |told, (english, spanish)| told.replace(english, spanish)),
        |(_, spanish)| (*spanish).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_places_keep_what_stands_in_them() {
        let pairs = [
            (
                "Retrying with the same agent in about 1 second",
                "Reintento con el mismo agente dentro de un segundo",
            ),
            (
                "Retrying with the same agent in about 10 seconds",
                "Reintento con el mismo agente dentro de unos 10 segundos",
            ),
            ("plan version 2 approved", "versión 2 del plan aprobada"),
            (
                "Before the next run, see to Pack the boxes (pack): Dependency bind failed",
                "Antes de la próxima ejecución, revisa Pack the boxes (pack): Falló bind, de la que depende",
            ),
            ("Bind (bind): the glue is cold (2 times)", "Bind (bind): the glue is cold (2 veces)"),
            ("2 of 5 attempts succeeded", "2 de 5 intentos con éxito"),
            ("what an agent said", "what an agent said"),
        ];
        pairs.into_iter().for_each(|(english, spanish)| assert_eq!(in_spanish(english), spanish));
    }

    #[test]
    fn every_template_has_as_many_places_in_both_languages() {
        let places = |text: &str| text.matches("{}").count();
        TEMPLATES
            .iter()
            .for_each(|(english, spanish)| assert_eq!(places(english), places(spanish), "{english}"));
    }
}
