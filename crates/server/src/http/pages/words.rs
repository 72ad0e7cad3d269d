//! What the pages say, in English and Spanish. What runs record stays in the words in which it was recorded.

use candor_model::{CriterionResult, RunStatus, TaskStatus, Verdict};

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Spanish,
}

impl Language {
    /// Its code.
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
    changes: "Changes since the last version", "Cambios desde la versión anterior";
    added: "added", "añadida";
    removed: "removed", "eliminada";
    your_words: "Your words (optional)", "Tus palabras (opcional)";
    output: "Output", "Resultado";
    errors: "Errors", "Errores";
    notes: "Notes", "Notas";
    no_attempts: "Not started yet.", "Sin empezar.";
    show_all: "Show all as JSON", "Mostrar todo como JSON";
    report: "Report", "Informe";
    post_mortem: "Post-mortem", "Análisis";
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
}

impl Words {
    /// A run's status.
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

    /// A task's status.
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

    /// A verdict.
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

    /// What was found of a criterion.
    pub(super) const fn criterion(&self, result: CriterionResult) -> &'static str {
        match result {
            CriterionResult::Holds => self.held,
            CriterionResult::Fails => self.not_held,
            CriterionResult::Unchecked => self.unchecked,
        }
    }
}
