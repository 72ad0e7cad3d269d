//! `candor run`: from a goal or a plan to a finished run.

use std::io::Read;
use std::path::{Path, PathBuf};

use candor_app::{App, AskedBy, Begin, Document, OrderRequest, config, fresh_run_id, predecessor, user_name};
use candor_model::RunId;
use candor_runtime::RunOrder;

use super::kpi;
use crate::args::{DriveOptions, GlobalOptions, RunArgs};
use crate::drive;
use crate::failure::Failure;
use crate::output;
use crate::remote::{self, Remote};

pub(crate) async fn run(global: &GlobalOptions, args: RunArgs) -> Result<u8, Failure> {
    if let Some(remote) = Remote::of(global)? {
        return remote::run(&remote, args).await;
    }
    let app = App::build(global)?.discover_agents().await;
    let run_id = match &args.run_id {
        Some(name) => RunId::new(name).map_err(|error| Failure::usage(format!("--run-id: {error}")))?,
        None => fresh_run_id()?,
    };
    let options = args.drive.clone();
    let in_words = args.plan_file.is_none() && args.goal_file.is_none();
    let (user, log) = (user_name(args.user.as_deref()), app.data.open_if_there()?);
    let follows = predecessor(&app, log.as_ref(), args.follows.as_deref(), &user, kpi::now()).await?;
    let order = order(&app, run_id, args, follows)?;
    if in_words && let Some(why) = app.nobody_for(&order.request, &options.models).await {
        return Err(why.into());
    }
    // Agents, faults and models that cannot be made are found before the data folder is touched.
    app.registry(&options.faults)?;
    app.models(&options.models)?;
    let log = app.data.open()?;
    super::prune::retain(&app.data, &app.config.retention).await;
    drive::drive(&app, log, Begin::Start(Box::new(order)), &options, global).await
}

/// What a run begins with: the words or files of the arguments, and the limits of the configuration.
fn order(app: &App, run_id: RunId, args: RunArgs, follows: Option<RunId>) -> Result<RunOrder, Failure> {
    let document = |path: PathBuf| read(&path).map(|text| Document { path, text });
    let request = OrderRequest {
        words: args.words.join(" "),
        goal: args.goal_file.map(document).transpose()?,
        plan: args.plan_file.map(document).transpose()?,
        unattended: args.unattended || unattended(app, &args.drive),
        allow: args.allow,
        origin: AskedBy { user: args.user, follows },
        learn: args.drive.faults.is_empty(),
    };
    Ok(app.order(run_id, request)?)
}

/// Whether nobody is there to be asked: as the configuration says, or else as it looks from here.
fn unattended(app: &App, options: &DriveOptions) -> bool {
    app.config.unattended.unwrap_or(options.json || !output::is_interactive())
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(|error| {
            Failure::usage(say!(
                "could not read standard input as text: {error}",
                "no se pudo leer la entrada estándar como texto: {error}"
            ))
        })?;
        return Ok(text);
    }
    Ok(config::read_text(path)?)
}
