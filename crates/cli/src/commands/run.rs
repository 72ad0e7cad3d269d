//! `candor run`: from a goal or a plan to a finished run.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use candor_model::{Goal, Plan, RunId, RunSettings, StartMaterial, ValidationError};
use candor_phases::plan_file::PlanFile;
use candor_runtime::RunOrder;

use crate::app::App;
use crate::args::{DriveOptions, GlobalOptions, RunArgs};
use crate::config;
use crate::deps;
use crate::drive::{self, Begin};
use crate::failure::Failure;
use crate::output;

/// How much larger a plan may become by the defaults and rankings that are added to what its author wrote.
const GROWTH: u64 = 64;

pub(crate) async fn run(global: &GlobalOptions, args: RunArgs) -> Result<u8, Failure> {
    let app = App::build(global)?.meet().await;
    let run_id = match &args.run_id {
        Some(name) => RunId::new(name).map_err(|error| Failure::usage(format!("--run-id: {error}")))?,
        None => fresh_run_id()?,
    };
    let order = order(&app, run_id, &args)?;
    // Agents, faults and models that cannot be made are found before the data folder is touched.
    app.staff(&args.drive.faults)?;
    deps::models(&app, &args.drive.models)?;
    let log = app.data.open()?;
    drive::drive(&app, log, Begin::Start(Box::new(order)), &args.drive, global).await
}

/// A name that no other run has.
pub(crate) fn fresh_run_id() -> Result<RunId, Failure> {
    const LETTERS: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let name: String =
        (0..12).filter_map(|_| fastrand::choice(LETTERS)).map(|letter| char::from(*letter)).collect();
    RunId::new(format!("run_{name}")).map_err(Failure::failed)
}

/// What a run begins with: the words or files of the arguments, and the limits of the configuration.
pub(crate) fn order(app: &App, run_id: RunId, args: &RunArgs) -> Result<RunOrder, Failure> {
    let mut settings = app.config.limits.clone();
    settings.learn &= args.drive.faults.is_empty();
    settings.unattended = args.unattended || unattended(app, &args.drive);
    let mut material = StartMaterial::default();
    let words = match &args.goal_file {
        Some(path) => goal_from(app, path, &mut material)?,
        None => app.without_secrets(args.words.join(" ")),
    };
    let words = checked(app, &words)?;
    let mut request = words.map(str::to_owned);
    if let Some(path) = &args.plan_file {
        let (plan, description) = plan_from(path, &run_id, &mut settings)?;
        let named = || path.file_stem().map(|name| format!("Carry out the plan {}", name.to_string_lossy()));
        request = request.or(description).or_else(named);
        material.plan = Some(Arc::new(plan));
    }
    let request = request.ok_or_else(|| {
        Failure::usage("say what is to be done: candor run \"GOAL\", or name a file with --goal or --plan")
    })?;
    let material = (material != StartMaterial::default()).then_some(material);
    Ok(RunOrder { run_id, request, settings, material })
}

/// Whether nobody is there to be asked: as the configuration says, or else as it looks from here.
fn unattended(app: &App, options: &DriveOptions) -> bool {
    app.config.unattended.unwrap_or(options.json || !output::is_interactive())
}

/// The words of a goal, if there are any and they can be one.
pub(crate) fn checked<'w>(app: &App, words: &'w str) -> Result<Option<&'w str>, Failure> {
    let most = app.config.limits.phase_limits().max_request_bytes;
    if u64::try_from(words.len()).is_ok_and(|bytes| bytes > most) {
        let problem = format!("the goal has {} bytes, and at most {most} are read", words.len());
        return Err(Failure::usage(format!("{problem}; say it shorter, or bring a plan with --plan")));
    }
    if words.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err(Failure::usage("the goal has control characters in it; it must be plain text"));
    }
    Ok(Some(words).filter(|words| !words.trim().is_empty()))
}

/// Reads a goal: an object is a goal as JSON, everything else is words.
fn goal_from(app: &App, path: &Path, material: &mut StartMaterial) -> Result<String, Failure> {
    let text = app.without_secrets(read(path)?);
    if text.trim().is_empty() {
        return Err(Failure::usage(format!("{} is empty; it must hold a goal", path.display())));
    }
    if !text.trim_start().starts_with('{') {
        return Ok(text);
    }
    let goal: Goal = candor_model::from_json(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let words = goal.description.as_str().to_owned();
    material.goal = Some(Arc::new(goal));
    Ok(words)
}

/// Reads a plan. What its author wrote must keep to the size limit; what is added to it then gets phase.
fn plan_from(
    path: &Path,
    run_id: &RunId,
    settings: &mut RunSettings,
) -> Result<(Plan, Option<String>), Failure> {
    let text = read(path)?;
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    if bytes >= settings.max_plan_bytes {
        return Err(Failure::usage(format!(
            "{}: plan too large: {bytes} bytes, and it must be smaller than {}; raise max_plan_bytes under \
             [limits] in candor.toml if that is meant",
            path.display(),
            settings.max_plan_bytes
        )));
    }
    plan_of(&text, run_id, settings).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// The plan of a run, and what it is for; the limit gives it room for what is added.
pub(crate) fn plan_of(
    text: &str,
    run_id: &RunId,
    settings: &mut RunSettings,
) -> Result<(Plan, Option<String>), ValidationError> {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    settings.max_plan_bytes = settings.max_plan_bytes.max(bytes.saturating_mul(GROWTH));
    let file = PlanFile::from_json(text)?;
    let description = file.description.clone();
    let name = run_id.as_str();
    Ok((file.into_plan(name.strip_prefix("run_").unwrap_or(name))?, description))
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::usage(format!("could not read standard input as text: {error}")))?;
        return Ok(text);
    }
    config::read_text(path)
}
