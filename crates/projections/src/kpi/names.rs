//! What people call the key figures, and what each is, in both languages.

use candor_text::Language;

/// The name of a key figure for people; its own name if nobody gave it another.
#[must_use]
pub fn shown(language: Language, name: &'static str) -> &'static str {
    figure(name).map_or(name, |(_, english, spanish, ..)| pick(language, english, spanish))
}

/// What a key figure is, in a sentence; empty if it is not known.
#[must_use]
pub fn about(language: Language, name: &str) -> &'static str {
    figure(name).map_or("", |(.., english, spanish)| pick(language, english, spanish))
}

const fn pick(language: Language, english: &'static str, spanish: &'static str) -> &'static str {
    match language {
        Language::En => english,
        Language::Es => spanish,
    }
}

/// A key figure: its name, its names for people, and what it is, in English and Spanish.
type Figure = (&'static str, &'static str, &'static str, &'static str, &'static str);

fn figure(name: &str) -> Option<Figure> {
    FIGURES.iter().find(|(known, ..)| *known == name).copied()
}

#[rustfmt::skip]
static FIGURES: &[Figure] = &[
    ("p50", "P50 latency", "Latencia P50", "Half of the calls of models and attempts of agents took at most this long.", "La mitad de las llamadas a modelos y de los intentos de agentes tardó como mucho esto."),
    ("p90", "P90 latency", "Latencia P90", "90 % of the calls of models and attempts of agents took at most this long.", "El 90 % de las llamadas a modelos y de los intentos de agentes tardó como mucho esto."),
    ("p95", "P95 latency", "Latencia P95", "95 % of the calls of models and attempts of agents took at most this long.", "El 95 % de las llamadas a modelos y de los intentos de agentes tardó como mucho esto."),
    ("p99", "P99 latency", "Latencia P99", "99 % of the calls of models and attempts of agents took at most this long.", "El 99 % de las llamadas a modelos y de los intentos de agentes tardó como mucho esto."),
    ("ttft", "First token", "Primer token", "How long the first words of a streamed answer took, on average.", "Lo que tardaron de media las primeras palabras de una respuesta."),
    ("totalDuration", "Run duration", "Duración", "How long runs took on average, without waiting for people.", "Lo que tardaron de media las ejecuciones, sin esperar a personas."),
    ("taskCompletionRate", "Completion", "Finalización", "Runs that completed and were not judged “not met”, of those that ended and nobody cancelled.", "Ejecuciones completadas y no juzgadas «no cumplida», de las que terminaron sin ser canceladas."),
    ("firstAttemptSuccess", "First attempt", "Primer intento", "The same without a retry, a revision or a rework.", "Lo mismo sin reintentos, revisiones ni repeticiones."),
    ("hallucinationRate", "Unsupported claims", "Afirmaciones sin base", "Outputs with a statement that nothing supports, of those with a statement that could be looked up.", "Resultados con una afirmación que nada respalda, de los que tienen alguna que se pudo comprobar."),
    ("validationPassRate", "Verified", "Verificadas", "Runs judged “verified”, of those that could be judged.", "Ejecuciones juzgadas «verificada», de las que se pudieron juzgar."),
    ("tokensPerTask", "Tokens per run", "Tokens por ejecución", "Tokens of models per run.", "Tokens de modelos por ejecución."),
    ("tokensPerTask.simple", "Tokens, simple", "Tokens, sencilla", "Tokens per run of the class simple.", "Tokens por ejecución de la clase sencilla."),
    ("tokensPerTask.standard", "Tokens, standard", "Tokens, normal", "Tokens per run of the class standard.", "Tokens por ejecución de la clase normal."),
    ("tokensPerTask.complex", "Tokens, complex", "Tokens, compleja", "Tokens per run of the class complex.", "Tokens por ejecución de la clase compleja."),
    ("costPerTask", "Cost per run", "Coste por ejecución", "What a run cost on average.", "Lo que costó de media una ejecución."),
    ("costPerTask.simple", "Cost, simple", "Coste, sencilla", "What a run of the class simple cost.", "Lo que costó una ejecución sencilla."),
    ("costPerTask.standard", "Cost, standard", "Coste, normal", "What a run of the class standard cost.", "Lo que costó una ejecución normal."),
    ("costPerTask.complex", "Cost, complex", "Coste, compleja", "What a run of the class complex cost.", "Lo que costó una ejecución compleja."),
    ("agentsPerTask", "Agents per run", "Agentes por ejecución", "Different agents that were given tasks, per run.", "Agentes distintos que recibieron tareas, por ejecución."),
    ("cacheHitRate", "Cache hits", "Aciertos de caché", "Tokens that providers read from their caches, of all tokens read.", "Tokens leídos de la caché de los proveedores, de todos los leídos."),
    ("parallelizationRatio", "In parallel", "En paralelo", "Tasks that ran beside another one.", "Tareas que se ejecutaron junto a otra."),
    ("depth", "Depth", "Profundidad", "How deep agents were nested: 1 an agent, 2 with tools, 3 remote.", "Profundidad de los agentes: 1 un agente, 2 con herramientas, 3 remoto."),
    ("averageDepth", "Average depth", "Profundidad media", "How deep agents were nested on average.", "Profundidad media de los agentes."),
    ("fanOut", "Fan-out", "Simultáneos", "How many attempts ran at the same time at most.", "Cuántos intentos se ejecutaron a la vez como máximo."),
    ("circuitBreakerTrips", "Circuits opened", "Circuitos abiertos", "Circuits that opened, per hour.", "Circuitos que se abrieron, por hora."),
    ("retryRate", "Retries", "Reintentos", "Repetitions, of all attempts.", "Repeticiones, de todos los intentos."),
    ("fallbackRate", "Second choices", "Segundas opciones", "Second choices of models and agents, of all attempts and asks.", "Segundas opciones de modelos y agentes, de todos los intentos y consultas."),
];
