//! What the pages say, in English and Spanish. What runs record stays in the words in which it was recorded.

use candor_model::{CriterionResult, FailureEscalationRequest, RunStatus, TaskStatus, Verdict};
use candor_projections::format::times;
use candor_projections::kpi::{AlertLevel, Group, names};

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Spanish,
}

impl Language {
    /// Code for `lang` and the cookie.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// The language of a code, or of what a browser accepts.
    pub(super) fn of(text: &str) -> Option<Self> {
        match text.trim().get(..2)? {
            "en" => Some(Self::English),
            "es" => Some(Self::Spanish),
            _ => None,
        }
    }

    pub(super) const fn words(self) -> &'static Words {
        match self {
            Self::English => &EN,
            Self::Spanish => &ES,
        }
    }
}

/// Declares the words once, so that no language can lack one.
macro_rules! words {
    ($($name:ident: $en:literal, $es:literal;)*) => {
        /// All words of a language.
        pub(super) struct Words { $(pub(super) $name: &'static str),* }
        static EN: Words = Words { $($name: $en),* };
        static ES: Words = Words { $($name: $es),* };
    };
}

words! {
    runs: "Runs", "Ejecuciones";
    inbox: "Inbox", "Pendientes";
    agents: "Agents", "Agentes";
    tools: "Tools", "Herramientas";
    config: "Configuration", "Configuración";
    skip: "Skip to content", "Saltar al contenido";
    log_out: "Log out", "Salir";
    log_in: "Log in", "Entrar";
    token: "Token", "Token";
    token_hint: "The first token is in the file that `candor serve` names; `candor token add` makes others.", "El primer token está en el archivo que indica `candor serve`; `candor token add` crea otros.";
    wrong_token: "This token or link is not valid, or the link was used before.", "Este token o enlace no es válido, o el enlace ya se usó.";
    theme_dark: "Dark", "Oscuro";
    theme_light: "Light", "Claro";
    other_language: "Español", "English";
    all: "All", "Todas";
    active: "Active", "Activas";
    waiting: "Waiting", "En espera";
    succeeded: "Completed", "Completadas";
    failed: "Failed", "Fallidas";
    search: "Search", "Buscar";
    status: "Status", "Estado";
    request: "Request", "Petición";
    progress: "Progress", "Progreso";
    cost: "Cost", "Coste";
    started: "Started", "Inicio";
    updated: "Updated", "Actualizada";
    verdict: "Verdict", "Veredicto";
    no_runs: "No runs match.", "Ninguna ejecución coincide.";
    first_run: "No runs yet. Describe a goal above, or use `candor run`.", "Aún no hay ejecuciones. Describe un objetivo arriba o usa `candor run`.";
    older: "Older", "Anteriores";
    newest: "Newest", "Recientes";
    goal: "Goal", "Objetivo";
    start_run: "Start run", "Ejecutar";
    goal_hint: "What should be reached, in plain words", "Qué se debe conseguir, en pocas palabras";
    nothing_asked: "Nothing waits for you.", "Nada espera tu respuesta.";
    plan: "Plan", "Plan";
    timeline: "Timeline", "Cronología";
    tasks: "Tasks", "Tareas";
    events: "Events", "Eventos";
    phases: "Phases", "Fases";
    question: "Needs your answer", "Necesita tu respuesta";
    no_plan: "There is no plan yet.", "Aún no hay plan.";
    agent: "Agent", "Agente";
    attempts: "Attempts", "Intentos";
    duration: "Duration", "Duración";
    after: "After", "Después de";
    confidence: "Confidence", "Confianza";
    failures: "Failures", "Fallos";
    driver: "Driver", "Proceso";
    driver_here: "this server", "este servidor";
    driver_elsewhere: "another process", "otro proceso";
    driver_queued: "queued on this server", "en cola en este servidor";
    driver_nobody: "none", "ninguno";
    criteria: "Criteria", "Criterios";
    criterion: "Criterion", "Criterio";
    found: "Found", "Hallado";
    evidence: "Evidence", "Evidencia";
    held: "held", "cumplido";
    not_held: "not met", "no cumplido";
    unchecked: "not checked", "sin comprobar";
    pause: "Pause", "Pausar";
    resume: "Resume", "Reanudar";
    cancel: "Cancel run", "Cancelar";
    risks: "Risks", "Riesgos";
    estimate: "Estimate", "Estimación";
    unknown: "unknown", "desconocido";
    plan_changed: "The plan changed while this page was open. Below is the plan as it is now, and what changed.", "El plan cambió mientras esta página estaba abierta. Abajo está el plan tal como es ahora y lo que cambió.";
    nothing_decided: "Your answer was about the earlier plan and was not used.", "Tu respuesta era sobre el plan anterior y no se ha usado.";
    no_longer_asked: "This question has been answered already. Your answer was not used.", "Esta pregunta ya tiene respuesta. La tuya no se ha usado.";
    changes: "What changed", "Qué cambió";
    added: "added", "añadida";
    removed: "removed", "eliminada";
    your_words: "Your words (optional)", "Tus palabras (opcional)";
    output: "Output", "Salida";
    result: "Result", "Resultado";
    go_on: "Try again", "Reintentar";
    other_agent: "Another agent (optional)", "Otro agente (opcional)";
    errors: "Errors", "Errores";
    notes: "Notes", "Notas";
    no_attempts: "Not started yet.", "Sin empezar.";
    show_all: "Show all as JSON", "Mostrar todo como JSON";
    report: "Report (JSON)", "Informe (JSON)";
    post_mortem: "Post-mortem (JSON)", "Análisis (JSON)";
    not_found: "There is no such page.", "Esta página no existe.";
    good_at: "Good at", "Especialidad";
    success: "Success", "Éxito";
    latency: "Latency", "Latencia";
    circuit: "Circuit", "Circuito";
    servers: "Servers", "Servidores";
    what_it_does: "What it does", "Qué hace";
    effect: "Effect", "Efecto";
    reads: "reads", "lee";
    adds: "changes", "modifica";
    destroys: "destroys", "destruye";
    no_tools: "No tools are configured.", "No hay herramientas configuradas.";
    no_agents: "No agents are configured.", "No hay agentes configurados.";
    setting: "Setting", "Ajuste";
    value: "Value", "Valor";
    error: "Error", "Error";
    back: "Back to the runs", "Volver a las ejecuciones";
    live: "live", "en directo";
    idle: "idle", "inactivo";
    layer: "Step", "Paso";
    folded: "Shown by step, because the plan is large.", "Mostrado por pasos, porque el plan es grande.";
    of: "of", "de";
    interrupted: "No process drives this run. Resume goes on with it.", "Ningún proceso lleva esta ejecución. Reanudar la continúa.";
    why: "What went wrong", "Qué falló";
    suggestions: "What can be done", "Qué se puede hacer";
    recent_first: "latest first", "primero las últimas";
    kpis: "Key figures", "Indicadores";
    cost_page: "Cost and efficiency", "Coste y eficiencia";
    alerts: "Alerts", "Alertas";
    schedules: "Schedules", "Programación";
    window: "Period", "Periodo";
    runs_lower: "runs", "ejecuciones";
    ended: "ended", "terminadas";
    kpi_note: "The line shows how a figure stood at earlier times; fewer than five samples are no data.", "La línea muestra cómo estaba la cifra antes; menos de cinco muestras no son datos.";
    target_met: "met", "cumplido";
    target_missed: "missed", "no cumplido";
    target: "Target", "Objetivo";
    samples: "Samples", "Muestras";
    course: "Course", "Evolución";
    no_data: "No data in this period.", "Sin datos en este periodo.";
    tokens: "Tokens", "Tokens";
    calls: "Calls", "Llamadas";
    avg_duration: "Average duration", "Duración media";
    avg_tokens: "Average tokens", "Tokens de media";
    cache_hits: "Cache hits", "Aciertos de caché";
    saved: "Saved by caches", "Ahorro por caché";
    model: "Model", "Modelo";
    day: "Day", "Día";
    user: "User", "Usuario";
    project: "Project", "Proyecto";
    share: "Share", "Parte";
    efficiency: "Efficiency", "Eficiencia";
    nothing_judged: "No run of this period has a criterion that was checked, so there is no quality to compare with.", "Ninguna ejecución de este periodo tiene un criterio comprobado, así que no hay calidad con la que comparar.";
    quality_note: "Quality is the share of checked criteria that held, from 0 to 100.", "La calidad es la parte de los criterios comprobados que se cumplieron, de 0 a 100.";
    task_type: "Kind of work", "Tipo de trabajo";
    quality: "Quality", "Calidad";
    per_1k: "Quality per 1K tokens", "Calidad por 1K tokens";
    trend: "Trend", "Tendencia";
    quality_by_tokens: "Quality by tokens", "Calidad según los tokens";
    returns: "Return by model", "Rendimiento por modelo";
    cost_per_1k: "Cost of 1K tokens", "Coste de 1K tokens";
    roi: "Quality per dollar", "Calidad por dólar";
    acknowledge: "Acknowledge", "Confirmar";
    acknowledged: "acknowledged", "confirmada";
    investigating: "investigated by", "la investiga";
    alert_open: "open: nobody looks into it yet", "abierta: nadie la investiga aún";
    no_limit: "no limit", "sin límite";
    phase_complete: "complete", "completa";
    phase_running: "running", "en curso";
    phase_failed: "failed", "fallida";
    phase_degraded: "degraded", "degradada";
    phase_pending: "pending", "pendiente";
    calibration: "Confidence and success", "Confianza y éxito";
    calibration_note: "How sure runs were before they began, and how many of them succeeded. On the line, confidence means what it says.", "Cuánta confianza había antes de empezar y cuántas ejecuciones tuvieron éxito. Sobre la línea, la confianza significa lo que dice.";
    no_alerts: "No active alerts.", "No hay alertas activas.";
    since: "since", "desde";
    history: "History", "Historial";
    when: "When", "Cuándo";
    what: "What", "Qué";
    alert: "Alert", "Alerta";
    condition: "Condition", "Condición";
    raised: "raised", "activada";
    cleared: "cleared", "resuelta";
    no_schedules: "No schedules. Declare them under [[schedules]] in candor.toml.", "No hay nada programado. Se declara en [[schedules]] de candor.toml.";
    schedule: "Schedule", "Programa";
    due: "Due", "Cuándo toca";
    next_due: "Next", "Próxima vez";
    last_due: "Last", "Última vez";
    paused: "Paused", "En pausa";
    on: "On", "Activo";
    run_now: "Run now", "Ejecutar ahora";
    webhooks: "Webhooks", "Webhooks";
    receiver: "Receiver", "Receptor";
    delivered: "Delivered", "Entregados";
    given_up: "Given up", "Descartados";
    failing_since: "failing since", "falla desde";
    works: "works", "funciona";
    not_yet: "nothing sent yet", "aún nada enviado";
}

impl Words {
    /// Word for a run's status.
    pub(super) fn run_status(&self, status: RunStatus) -> &'static str {
        let spanish = std::ptr::eq(self, &raw const ES);
        match (status, spanish) {
            (RunStatus::Preparing, false) => "Planning",
            (RunStatus::Executing, false) => "Running",
            (RunStatus::WaitingHuman, false) => "Waiting",
            (RunStatus::Paused, false) => "Paused",
            (RunStatus::Stopping, false) => "Stopping",
            (RunStatus::Completed, false) => "Completed",
            (RunStatus::Failed, false) => "Failed",
            (RunStatus::Aborted, false) => "Aborted",
            (RunStatus::Cancelled, false) => "Cancelled",
            (RunStatus::Preparing, true) => "Planificando",
            (RunStatus::Executing, true) => "En marcha",
            (RunStatus::WaitingHuman, true) => "En espera",
            (RunStatus::Paused, true) => "En pausa",
            (RunStatus::Stopping, true) => "Deteniendo",
            (RunStatus::Completed, true) => "Completada",
            (RunStatus::Failed, true) => "Fallida",
            (RunStatus::Aborted, true) => "Abortada",
            (RunStatus::Cancelled, true) => "Cancelada",
        }
    }

    /// Word for a task's status.
    pub(super) fn task_status(&self, status: TaskStatus) -> &'static str {
        let spanish = std::ptr::eq(self, &raw const ES);
        match (status, spanish) {
            (TaskStatus::Pending, false) => "Pending",
            (TaskStatus::InProgress, false) => "Running",
            (TaskStatus::Completed, false) => "Completed",
            (TaskStatus::Failed, false) => "Failed",
            (TaskStatus::Skipped, false) => "Skipped",
            (TaskStatus::Pending, true) => "Pendiente",
            (TaskStatus::InProgress, true) => "En marcha",
            (TaskStatus::Completed, true) => "Completada",
            (TaskStatus::Failed, true) => "Fallida",
            (TaskStatus::Skipped, true) => "Omitida",
        }
    }

    /// Word for a verdict.
    pub(super) fn verdict(&self, verdict: Verdict) -> &'static str {
        let spanish = std::ptr::eq(self, &raw const ES);
        match (verdict, spanish) {
            (Verdict::Verified, false) => "Verified",
            (Verdict::Unverified, false) => "Unverified",
            (Verdict::NotMet, false) => "Not met",
            (Verdict::Verified, true) => "Verificada",
            (Verdict::Unverified, true) => "Sin verificar",
            (Verdict::NotMet, true) => "No cumplida",
        }
    }

    /// The language of sentences that are part of the data.
    pub(super) fn language(&self) -> candor_projections::Language {
        if self.is_spanish() { candor_projections::Language::Es } else { candor_projections::Language::En }
    }

    /// How an attempt ended, by its stable word.
    pub(super) fn outcome(&self, outcome: &'static str) -> &'static str {
        OUTCOMES
            .iter()
            .find(|(known, ..)| *known == outcome)
            .map_or(outcome, |(_, en, es)| if self.is_spanish() { es } else { en })
    }

    /// A decision by its stable word, and what it does. Those of a question with choices of its own have other words.
    pub(super) fn decision(&self, decision: &str) -> Option<(&'static str, &'static str)> {
        let (_, en, es) = DECISIONS.iter().find(|(known, ..)| *known == decision)?;
        Some(if self.is_spanish() { *es } else { *en })
    }

    /// What is asked about a task that failed.
    pub(super) fn failing(&self, request: &FailureEscalationRequest) -> String {
        let (task, often) = (&request.task_id, times(self.language(), request.failure_count));
        if self.is_spanish() {
            format!("La tarea {task} ha fallado {often}. ¿Qué hacer?")
        } else {
            format!("Task {task} has failed {often}. What should be done?")
        }
    }

    fn is_spanish(&self) -> bool {
        std::ptr::eq(self, &raw const ES)
    }

    /// A group of key figures.
    pub(super) fn group(&self, group: Group) -> &'static str {
        match (group, self.is_spanish()) {
            (Group::Latency, false) => "Latency",
            (Group::Quality, false) => "Quality",
            (Group::Efficiency, false) => "Efficiency",
            (Group::Orchestration, false) => "Orchestration",
            (Group::Latency, true) => "Latencia",
            (Group::Quality, true) => "Calidad",
            (Group::Efficiency, true) => "Eficiencia",
            (Group::Orchestration, true) => "Orquestación",
        }
    }

    /// The name of a key figure for people; its own name if nobody gave it another.
    pub(super) fn kpi_name(&self, name: &'static str) -> &'static str {
        names::shown(self.language(), name)
    }

    /// What a key figure is.
    pub(super) fn kpi_about(&self, name: &str) -> &'static str {
        names::about(self.language(), name)
    }

    /// Where a figure goes.
    pub(super) fn trend_of(&self, trend: Option<&str>) -> &'static str {
        match (trend, self.is_spanish()) {
            (Some("better"), false) => "↗ better",
            (Some("worse"), false) => "↘ worse",
            (Some(_), false) => "→ stable",
            (Some("better"), true) => "↗ mejor",
            (Some("worse"), true) => "↘ peor",
            (Some(_), true) => "→ estable",
            (None, _) => "–",
        }
    }

    /// How serious an alert is.
    pub(super) fn level(&self, level: AlertLevel) -> &'static str {
        match (level, self.is_spanish()) {
            (AlertLevel::Info, false) => "Info",
            (AlertLevel::Warning, false) => "Warning",
            (AlertLevel::Error, false) => "Error",
            (AlertLevel::Critical, false) => "Critical",
            (AlertLevel::Info, true) => "Información",
            (AlertLevel::Warning, true) => "Aviso",
            (AlertLevel::Error, true) => "Error",
            (AlertLevel::Critical, true) => "Crítica",
        }
    }

    /// Where more tokens bring no more.
    pub(super) fn plateau(&self, tokens: f64, quality: f64, gain: f64, beyond: u64) -> String {
        if self.is_spanish() {
            return format!(
                "A partir de unos {tokens:.0} tokens la calidad ({quality:.0}) solo sube un {gain:.1} %; {beyond} \
                 ejecuciones usaron más."
            );
        }
        format!(
            "Beyond about {tokens:.0} tokens quality ({quality:.0}) rises by {gain:.1} % only; {beyond} runs took more."
        )
    }

    /// Which of two models to prefer.
    pub(super) fn advice(&self, prefer: &str, other: &str, ratio: f64) -> String {
        if self.is_spanish() {
            return format!(
                "{prefer} rinde {ratio:.0} veces más que {other}; reserva {other} para arquitectura, cambios de muchos \
                 archivos y seguridad."
            );
        }
        format!(
            "{prefer} returns {ratio:.0} times as much as {other}; keep {other} for architecture, changes of many files, \
             and security."
        )
    }

    /// What was found of a criterion.
    pub(super) const fn criterion(&self, result: CriterionResult) -> &'static str {
        match result {
            CriterionResult::Holds => self.held,
            CriterionResult::Fails => self.not_held,
            CriterionResult::Unchecked => self.unchecked,
        }
    }
}

/// How attempts end, in English and Spanish.
const OUTCOMES: &[(&str, &str, &str)] = &[
    ("running", "running", "en marcha"),
    ("succeeded", "succeeded", "completado"),
    ("partial_success", "done in part", "hecho en parte"),
    ("failed", "failed", "fallido"),
    ("never_started", "never started", "no empezó"),
    ("stopped", "stopped", "detenido"),
    ("replanned", "replanned", "replanificado"),
    ("superseded", "superseded", "reemplazado"),
    ("not_started", "not started", "sin empezar"),
];

/// A decision with its label and what it does, in English and Spanish.
type Decision = (&'static str, (&'static str, &'static str), (&'static str, &'static str));

#[rustfmt::skip]
static DECISIONS: &[Decision] = &[
    ("approve", ("Approve", "run the plan as it is"), ("Aprobar", "ejecutar el plan tal como está")),
    ("reject", ("Reject", "do not run it; ends the run"), ("Rechazar", "no ejecutarlo; termina la ejecución")),
    ("ask", ("Ask", "ask something about it; it stays as it is"), ("Preguntar", "preguntar algo; el plan no cambia")),
    ("modify", ("Modify", "change it as your words say, and see it again"), ("Modificar", "cambiarlo según tus palabras y verlo de nuevo")),
    ("regenerate", ("Regenerate", "have another plan made"), ("Regenerar", "pedir otro plan")),
    ("retry", ("Retry", "try the task once more"), ("Reintentar", "intentar la tarea otra vez")),
    ("skip", ("Skip", "go on without it"), ("Omitir", "seguir sin ella")),
    ("abort", ("Abort", "end the run"), ("Abortar", "terminar la ejecución")),
];
