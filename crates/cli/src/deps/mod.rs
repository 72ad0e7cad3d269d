//! What runs have beyond agents and rules: models, meaning, breakers, as the configuration says.

mod meaning;

use std::sync::Arc;

use candor_agents::FolderInspector;
use candor_llm::record::{Channel, Recorder, Replayer};
use candor_llm::{ModelsConfig, Tiers};
use candor_runtime::RuntimeDeps;

pub(crate) use self::meaning::meaning;
use crate::app::App;
use crate::args::ModelOptions;
use crate::failure::Failure;

/// Everything that the configuration names, with these models.
pub(crate) fn equipment(app: &App, tiers: Option<&Arc<Tiers>>) -> Result<RuntimeDeps, Failure> {
    let models = tiers.map(|tiers| Arc::clone(tiers) as Arc<dyn candor_ports::Models>);
    Ok(RuntimeDeps {
        models,
        meaning: meaning(app)?,
        breakers: app.config.breakers,
        inspector: inspector(app),
    })
}

/// Who reads files and checks results: where the agents work, which is beside the configuration.
pub(crate) fn inspector(app: &App) -> Option<Arc<dyn candor_ports::Inspector>> {
    Some(Arc::new(FolderInspector::new(app.config.folder.clone())))
}

/// The models, unless there are none or none are wanted.
pub(crate) fn models(app: &App, options: &ModelOptions) -> Result<Option<Arc<Tiers>>, Failure> {
    let config = &app.config.models;
    if options.no_models || config.is_empty() {
        return unused(options);
    }
    let tiers = Tiers::new(&in_folder(app, config), &channel(options)?)
        .map_err(|error| Failure::usage(format!("{}: {error}", app.config.path.display())))?;
    Ok(Some(Arc::new(tiers)))
}

/// Recording or replaying nothing is not what anybody means.
fn unused(options: &ModelOptions) -> Result<Option<Arc<Tiers>>, Failure> {
    let wanted = [("--record", &options.record), ("--replay", &options.replay)];
    match wanted.iter().find(|(_, folder)| folder.is_some()) {
        Some((flag, _)) => Err(Failure::usage(format!(
            "{flag} keeps exchanges with models, and no model is configured; add [models.balanced] to \
             candor.toml (`candor init` writes one to start from)"
        ))),
        None => Ok(None),
    }
}

/// Paths in the file start at the file.
fn in_folder(app: &App, config: &ModelsConfig) -> ModelsConfig {
    let prompts = config.prompts.as_ref().map(|folder| app.config.folder.join(folder));
    ModelsConfig { prompts, ..config.clone() }
}

fn channel(options: &ModelOptions) -> Result<Channel, Failure> {
    let failed = |flag: &str| {
        let flag = flag.to_owned();
        move |problem: String| Failure::usage(format!("{flag}: {problem}"))
    };
    match (&options.record, &options.replay) {
        (Some(folder), _) => {
            let recorder = Recorder::new(folder).map_err(failed("--record"))?;
            Ok(Channel::Recording(Arc::new(recorder)))
        }
        (None, Some(folder)) => {
            let replayer = Replayer::new(folder).map_err(failed("--replay"))?;
            Ok(Channel::Replaying(Arc::new(replayer)))
        }
        (None, None) => Ok(Channel::Live),
    }
}
