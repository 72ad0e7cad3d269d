//! What a run begins with: a goal or a plan in the words or files of a person, and the limits of the configuration.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use candor_model::{
    Goal, GoalType, Plan, RiskClass, RunId, RunOrigin, RunSettings, StartMaterial, Timestamp, ValidationError,
};
use candor_phases::plan_file::{self, PlanFile};
use candor_ports::{RunEntry, RunFilter};
use candor_runtime::RunOrder;
use candor_text::both;
use serde_json::Value;

use crate::data::{Log, find_run};
use crate::error::AppError;
use crate::planned::Understood;
use crate::wiring::App;

/// How much larger a plan may become by the defaults and rankings that are added to what its author wrote.
const GROWTH: u64 = 64;

/// A run that ended longer ago than this is not continued unless somebody says so.
const CONTINUED_WITHIN_MS: i64 = 30 * 60_000;

/// How many of the runs that changed last are looked at for the one that is continued.
const LOOKED_AT: u32 = 50;

/// The user where the system has no name for them.
const NOBODY_KNOWN: &str = "local";

/// A file that was read, and where from: errors name it.
#[derive(Debug)]
pub struct Document {
    /// Its path, as the person gave it.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

/// What a person asks for.
#[derive(Debug)]
pub struct OrderRequest {
    /// The goal in plain words; empty if a document has it.
    pub words: String,
    /// A goal: an object is a goal as JSON, everything else is words.
    pub goal: Option<Document>,
    /// A plan as JSON.
    pub plan: Option<Document>,
    /// Whether nobody is there to be asked.
    pub unattended: bool,
    /// What may be done in this run without asking, though it cannot be undone.
    pub allow: Vec<RiskClass>,
    /// Who asks, and after which run; a login name and none if unset.
    pub origin: AskedBy,
    /// Whether the run may teach the installation anything: not if agents misbehave on purpose.
    pub learn: bool,
}

/// Who asks for a run, as far as somebody said so.
#[derive(Debug, Clone, Default)]
pub struct AskedBy {
    /// Who; the login name if absent.
    pub user: Option<String>,
    /// The run that is continued.
    pub follows: Option<RunId>,
}

/// The name of a user: as somebody said, or else the login name.
#[must_use]
pub fn user_name(said: Option<&str>) -> String {
    let login = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    let user = said.map(str::to_owned).or_else(login).map(|user| user.trim().to_owned());
    user.filter(|user| !user.is_empty()).unwrap_or_else(|| NOBODY_KNOWN.to_owned())
}

/// What a run continues, as somebody said: the name of a run, `last`, or `none`. If nobody said anything, the run of the
/// same user in the same project that ended last, if that was within half an hour.
pub async fn predecessor(
    app: &App,
    log: Option<&Log>,
    said: Option<&str>,
    user: &str,
    now: Timestamp,
) -> Result<Option<RunId>, AppError> {
    match (said, log) {
        (Some("none"), _) | (None, None) => Ok(None),
        (Some(named), log) => find_run(&app.data, log, named).await.map(Some),
        (None, Some(log)) => {
            let project = app.config.project_name();
            let latest = log.runs(RunFilter { limit: Some(LOOKED_AT), ..RunFilter::default() }).await?;
            let ended = |entry: &&RunEntry| entry.summary.status.is_end();
            let recent = |entry: &&RunEntry| {
                let ended = entry.summary.updated_at.map_or(i64::MIN, Timestamp::as_millis);
                now.as_millis().saturating_sub(ended) < CONTINUED_WITHIN_MS
            };
            let own = |entry: &&RunEntry| {
                let origin = entry.summary.origin.as_deref();
                origin.is_some_and(|origin| origin.user == user && origin.project == project)
            };
            Ok(latest.iter().filter(ended).filter(recent).find(own).map(|entry| entry.summary.run_id.clone()))
        }
    }
}

/// A name that no other run has.
pub fn fresh_run_id() -> Result<RunId, AppError> {
    const LETTERS: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let name: String =
        (0..12).filter_map(|_| fastrand::choice(LETTERS)).map(|letter| char::from(*letter)).collect();
    RunId::new(format!("run_{name}")).map_err(AppError::failed)
}

impl App {
    /// What a run begins with: the words or documents of a person, and the limits of the configuration.
    pub fn order(&self, run_id: RunId, request: OrderRequest) -> Result<RunOrder, AppError> {
        let mut settings = self.config.limits.clone();
        settings.learn &= request.learn;
        settings.unattended = request.unattended;
        settings.allow.extend(&request.allow);
        settings.allow.sort_unstable();
        settings.allow.dedup();
        settings.max_parallel_tasks = within_open_files(settings.max_parallel_tasks);
        settings.revise_with_model = self.config.models.tiers().next().is_some();
        let mut material = StartMaterial::default();
        let asked_by = request.origin;
        let words = match request.goal {
            Some(document) => goal_from(self, document, &mut material)?,
            None => self.without_secrets(request.words),
        };
        let mut words = checked(self, &words)?.map(str::to_owned);
        if let Some(Document { path, text }) = request.plan {
            let (plan, description) = plan_from(&path, &text, &run_id, &mut settings)?;
            known_kind(self, &plan)
                .map_err(|error| AppError::usage(format!("{}: {error}", path.display())))?;
            let named = || path.file_stem().map(|name| format!("Run {}", name.to_string_lossy()));
            words = words.or(description).or_else(named);
            material.plan = Some(Arc::new(plan));
        }
        let request = words.ok_or_else(|| {
            AppError::usage(both!(
                "say what is to be done: candor run \"GOAL\", or name a file with --goal or --plan",
                "decir qué hay que hacer: candor run \"OBJETIVO\", o indicar un archivo con --goal o --plan"
            ))
        })?;
        let material = (material != StartMaterial::default()).then_some(material);
        let origin = Some(self.origin(asked_by));
        Ok(RunOrder { run_id, request, settings, material, origin })
    }

    /// Who begins a run, where, and after what.
    pub fn origin(&self, asked_by: AskedBy) -> RunOrigin {
        let AskedBy { user, follows } = asked_by;
        let user = self.without_secrets(user_name(user.as_deref()));
        RunOrigin { user, project: self.config.project_name(), follows }
    }
}

/// As many tasks at once as this process can have programs at work, said once if that is fewer than configured.
fn within_open_files(wanted: u32) -> u32 {
    static SAID: Once = Once::new();
    let Some((most, limit)) = candor_process::programs_at_once() else { return wanted };
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    if most < wanted {
        SAID.call_once(|| {
            tell!(
                "at most {most} tasks run at once, not {wanted}: this process may open {limit} files (ulimit -n)",
                "como mucho {most} tareas a la vez, no {wanted}: este proceso puede abrir {limit} archivos (ulimit -n)"
            );
        });
    }
    wanted.min(most)
}

/// The words of a goal, if there are any and they can be one.
pub fn checked<'w>(app: &App, words: &'w str) -> Result<Option<&'w str>, AppError> {
    let most = app.config.limits.phase_limits().max_request_bytes;
    if u64::try_from(words.len()).is_ok_and(|bytes| bytes > most) {
        return Err(AppError::usage(both!(
            "the goal has {} bytes, and at most {most} are read; say it shorter, or bring a plan with --plan",
            "el objetivo tiene {} bytes, y se leen como mucho {most}; decirlo más corto, o dar un plan con --plan",
            words.len()
        )));
    }
    if words.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(AppError::usage(both!(
            "the goal has control characters in it; it must be plain text",
            "el objetivo tiene caracteres de control; debe ser texto sencillo"
        )));
    }
    Ok(Some(words).filter(|words| !words.trim().is_empty()))
}

/// Reads a goal: an object is a goal as JSON, everything else is words.
fn goal_from(app: &App, document: Document, material: &mut StartMaterial) -> Result<String, AppError> {
    let Document { path, text } = document;
    let text = app.without_secrets(text);
    if text.trim().is_empty() {
        return Err(AppError::usage(both!(
            "{} is empty; it must hold a goal",
            "{} está vacío; debe contener un objetivo",
            path.display()
        )));
    }
    if !text.trim_start().starts_with('{') {
        return Ok(text);
    }
    let goal = match without_findings(&text) {
        Some(goal) => candor_model::from_value(goal),
        None => candor_model::from_json(&text),
    };
    let goal: Goal = goal.map_err(|error| AppError::usage(format!("{}: {error}", path.display())))?;
    let words = goal.description.as_str().to_owned();
    material.goal = Some(Arc::new(goal));
    Ok(words)
}

/// A goal as `candor goal --json` writes it, without what that adds; nothing if nothing was added.
fn without_findings(text: &str) -> Option<Value> {
    let mut goal: Value = serde_json::from_str(text).ok()?;
    let fields = goal.as_object_mut()?;
    let before = fields.len();
    fields.retain(|key, _| !Understood::FINDINGS.contains(&key.as_str()));
    (fields.len() < before).then_some(goal)
}

/// Reads a plan. What its author wrote must keep to the size limit; what is added to it then gets room.
fn plan_from(
    path: &Path,
    text: &str,
    run_id: &RunId,
    settings: &mut RunSettings,
) -> Result<(Plan, Option<String>), AppError> {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    if bytes >= settings.max_plan_bytes {
        return Err(AppError::usage(both!(
            "{}: plan too large: {bytes} bytes, and it must be smaller than {}; raise max_plan_bytes under \
             [limits] in candor.toml if that is meant",
            "{}: plan demasiado grande: {bytes} bytes, y debe tener menos de {}; subir max_plan_bytes en \
             [limits] de candor.toml si es lo que se quiere",
            path.display(),
            settings.max_plan_bytes
        )));
    }
    plan_of(text, run_id, settings).map_err(|error| AppError::usage(format!("{}: {error}", path.display())))
}

/// Refuses a kind of goal that no pack knows: its author expects what such a pack would add.
fn known_kind(app: &App, plan: &Plan) -> Result<(), ValidationError> {
    let Some(kind) = plan.metadata.goal_type.as_ref().filter(|kind| **kind != GoalType::GENERIC) else {
        return Ok(());
    };
    let phases = app.phases();
    if phases.pack(kind).is_some() {
        return Ok(());
    }
    let generic = GoalType::GENERIC;
    let packs = phases.packs().iter().map(|pack| pack.goal_type.as_str());
    let known: Vec<&str> = packs.chain([generic.as_str()]).collect();
    let problem = say!(
        "no pack knows `{kind}`; there are {}",
        "ningún paquete conoce `{kind}`; hay {}",
        known.join(", ")
    );
    Err(ValidationError::new("goal_type", problem))
}

/// The plan of a run, and what it is for; the limit gives it room for what is added.
pub fn plan_of(
    text: &str,
    run_id: &RunId,
    settings: &mut RunSettings,
) -> Result<(Plan, Option<String>), ValidationError> {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    settings.max_plan_bytes = settings.max_plan_bytes.max(bytes.saturating_mul(GROWTH));
    let file = PlanFile::from_json(text)?;
    let description = file.description.clone();
    let name = run_id.as_str();
    let plan = file.into_plan(name.strip_prefix("run_").unwrap_or(name))?;
    match plan_file::criteria_problems(&plan).into_iter().next() {
        Some((task, problem)) => Err(ValidationError::new(in_english!("task {task}: validation"), problem)),
        None => Ok((plan, description)),
    }
}
