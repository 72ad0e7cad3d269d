//! Every text for people, in every language, in this one place.

use candor_pycheck::Language;

/// What no agent without models can do, and what to do about it.
pub const NO_MODEL: &str = "writing code needs a model: set up a tier with `[models.…]` in candor.toml (see `candor models`), replay recorded exchanges, or give the code";

/// The heading over errors in the generator's question. It is the same in all languages: it is for a model.
pub(super) const PREVIOUS_ERRORS: &str = "PREVIOUS ERRORS (ERRORES PREVIOS): correct every one of them";

/// The texts of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Words(Language);

impl Words {
    /// The texts of this language.
    #[must_use]
    pub const fn new(language: Language) -> Self {
        Self(language)
    }

    /// Language of the texts.
    #[must_use]
    pub const fn language(self) -> Language {
        self.0
    }

    fn pick(self, english: impl Into<String>, spanish: impl Into<String>) -> String {
        match self.0 {
            Language::English => english.into(),
            Language::Spanish => spanish.into(),
        }
    }

    pub(super) fn component_error(self, agent: &str, error: &str) -> String {
        self.pick(format!("Error in {agent}: {error}"), format!("Error en {agent}: {error}"))
    }

    pub(super) fn missing_keys(self, keys: &[&str]) -> String {
        let keys = keys.join(", ");
        self.pick(
            format!("The answer is not valid, keys are missing: {keys}"),
            format!("Respuesta inválida, faltan keys: {keys}"),
        )
    }

    pub(super) fn bad_answer(self, problem: &str) -> String {
        self.pick(format!("The answer is not valid: {problem}"), format!("Respuesta inválida: {problem}"))
    }

    pub(super) fn no_code(self) -> String {
        self.pick("the model wrote no code", "el modelo no escribió código")
    }

    pub(super) fn invalid_code(self, count: usize) -> String {
        let (one, unos) = if count == 1 { ("error", "error") } else { ("errors", "errores") };
        self.pick(
            format!("the code was refused before it ran: {count} {one}"),
            format!("el código fue rechazado antes de ejecutarse: {count} {unos}"),
        )
    }

    pub(super) fn unsafe_analysis(self, errors: &[String]) -> String {
        let errors = errors.join("; ");
        self.pick(
            format!("the analysis code was refused before it ran: {errors}"),
            format!("el código de análisis fue rechazado antes de ejecutarse: {errors}"),
        )
    }

    pub(super) fn insights_no_map(self, kind: &str) -> String {
        self.pick(
            format!("`insights` must be a dict, and is a {kind}"),
            format!("`insights` debe ser un dict, y es {kind}"),
        )
    }

    pub(super) fn no_change(self) -> String {
        self.pick("nothing in the context was changed", "no hay cambios en el context")
    }

    pub(super) fn only_empty(self, keys: &[&str]) -> String {
        let keys = keys.join(", ");
        self.pick(
            format!("only empty values were put into the context: {keys}"),
            format!("solo se agregaron valores vacíos al context: {keys}"),
        )
    }

    pub(super) fn disguised(self, key: &str) -> String {
        self.pick(
            format!("`{key}` is an error that looks like a result"),
            format!("`{key}` es un error disfrazado de resultado"),
        )
    }

    pub(super) fn expected_missing(self, keys: &[&str]) -> String {
        let keys = keys.join(", ");
        self.pick(
            format!("expected outputs are missing in the context: {keys}"),
            format!("faltan en el context los resultados esperados: {keys}"),
        )
    }

    pub(super) fn checks_hold(self) -> String {
        self.pick(
            "the result is as expected, as far as it can be told without a model",
            "el resultado es el esperado, hasta donde se puede saber sin un modelo",
        )
    }

    pub(super) fn refused_output(self) -> String {
        self.pick("the result was refused", "el resultado fue rechazado")
    }

    pub(super) fn no_judgement(self, error: &str) -> String {
        self.pick(
            format!("nobody could judge the result, so it is not taken: {error}"),
            format!("nadie pudo juzgar el resultado, así que no se acepta: {error}"),
        )
    }

    /// SB-09: the wording for E2B is the plan's own.
    pub(super) fn raised(self, runner: &str, name: &str, text: &str, line: Option<u32>) -> String {
        let who = if runner.eq_ignore_ascii_case("e2b") { "E2B execution error" } else { "execution error" };
        let place = line.map(|line| self.pick(format!(" (line {line})"), format!(" (línea {line})")));
        format!("{who}: {name}: {text}{}", place.unwrap_or_default())
    }

    pub(super) fn no_result(self, reason: &str) -> String {
        self.pick(
            format!("the program left without a result: {reason}; let it come to its end, without exit()"),
            format!("el programa terminó sin resultado: {reason}; debe llegar a su fin, sin exit()"),
        )
    }

    pub(super) fn bad_result(self, reason: &str) -> String {
        self.pick(
            format!("Invalid JSON in result: {reason}; put only values into the result that JSON can hold"),
            format!("Invalid JSON in result: {reason}; el resultado debe ser serializable a JSON"),
        )
    }

    pub(super) fn timed_out(self, seconds: f64) -> String {
        self.pick(
            format!(
                "execution timeout: the program was stopped after {seconds} s; avoid endless loops, work on less data"
            ),
            format!(
                "timeout de ejecución: el programa se detuvo tras {seconds} s; evita bucles sin fin, procesa menos datos"
            ),
        )
    }

    pub(super) fn stopped(self) -> String {
        self.pick("it was stopped", "se detuvo")
    }

    pub(super) fn limit(self, text: &str) -> String {
        self.pick(
            format!("the program went over a limit: {text}; use less of it"),
            format!("el programa superó un límite: {text}; usa menos"),
        )
    }

    pub(super) fn killed(self, signal: i32) -> String {
        self.pick(
            format!("the program was killed by signal {signal}"),
            format!("el programa fue terminado por la señal {signal}"),
        )
    }

    pub(super) fn fault(self, runner: &str, reason: &str) -> String {
        self.pick(
            format!("the sandbox ({runner}) could not run it: {reason}"),
            format!("el sandbox ({runner}) no pudo ejecutarlo: {reason}"),
        )
    }

    pub(super) fn gave_up(self, attempts: u32, told: &str) -> String {
        self.pick(
            format!(
                "No code that works was found in {attempts} attempts.\n{told}\nSay the task more precisely (which keys to read, which to write), check that the context has what it needs, or give the code as the input `code`."
            ),
            format!(
                "No se encontró código que funcione en {attempts} intentos.\n{told}\nDescribe la tarea con más precisión (qué keys leer, cuáles escribir), revisa que el context tenga lo necesario, o da el código en el input `code`."
            ),
        )
    }

    pub(super) fn attempt_line(self, attempt: u32, stage: &str, what: &str) -> String {
        self.pick(
            format!("Attempt {attempt}, {stage}: {what}"),
            format!("Intento {attempt}, {stage}: {what}"),
        )
    }

    pub(super) fn static_failed(self, stage: &str, what: &str) -> String {
        self.pick(
            format!(
                "The given code did not do it ({stage}): {what}\nCorrect it, or leave it out so that code is written for the task."
            ),
            format!(
                "El código dado no lo hizo ({stage}): {what}\nCorrígelo, o quítalo para que se escriba código para la tarea."
            ),
        )
    }
}
