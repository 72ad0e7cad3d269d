//! What runs have beyond agents and rules: models, meaning, breakers, as the configuration says.

use std::path::PathBuf;
use std::sync::Arc;

use candor_agents::FolderInspector;
use candor_llm::record::{Channel, Recorder, Replayer};
use candor_llm::{ModelsConfig, Tiers};
use candor_ports::{Inspector, Models};
use candor_runtime::RuntimeDeps;
use candor_text::both;

use super::App;
use crate::error::AppError;

/// How models are used.
#[derive(Debug, Clone, Default)]
pub struct ModelUse {
    /// Use no chat model, whatever is configured.
    pub no_models: bool,
    /// Keep every exchange with a model in this folder.
    pub record: Option<PathBuf>,
    /// Take models' answers from this folder.
    pub replay: Option<PathBuf>,
}

impl App {
    /// Everything that the configuration names, with these models.
    pub fn runtime_deps(&self, tiers: Option<&Arc<Tiers>>) -> Result<RuntimeDeps, AppError> {
        Ok(RuntimeDeps {
            models: tiers.map(|tiers| Arc::clone(tiers) as Arc<dyn Models>),
            meaning: self.embedder()?,
            breakers: self.config.breakers,
            inspector: self.inspector(),
            redactor: self.redactor(),
            shortage: Some(candor_process::near_shortage),
        })
    }

    /// Who reads files and checks results: where the agents work, which is beside the configuration.
    fn inspector(&self) -> Option<Arc<dyn Inspector>> {
        Some(Arc::new(FolderInspector::new(self.config.folder.clone())))
    }

    /// The models, unless there are none or none are wanted.
    pub fn models(&self, how: impl Into<ModelUse>) -> Result<Option<Arc<Tiers>>, AppError> {
        let (how, config) = (how.into(), &self.config.models);
        if how.no_models || config.is_empty() {
            return unused(&how);
        }
        let tiers = Tiers::new(&self.in_folder(config), &channel(&how)?)
            .map_err(|error| AppError::usage(format!("{}: {error}", self.config.path.display())))?;
        Ok(Some(Arc::new(tiers)))
    }

    /// Paths in the file start at the file.
    fn in_folder(&self, config: &ModelsConfig) -> ModelsConfig {
        let prompts = config.prompts.as_ref().map(|folder| self.config.folder.join(folder));
        ModelsConfig { prompts, ..config.clone() }
    }
}

/// Recording or replaying nothing is not what anybody means.
fn unused(how: &ModelUse) -> Result<Option<Arc<Tiers>>, AppError> {
    let wanted = [("--record", &how.record), ("--replay", &how.replay)];
    match wanted.iter().find(|(_, folder)| folder.is_some()) {
        Some((flag, _)) => Err(AppError::usage(both!(
            "{flag} keeps exchanges with models, and no model is configured; add [models.balanced] to \
             candor.toml (`candor init` writes one to start from)",
            "{flag} guarda intercambios con modelos, y no hay ninguno configurado; añadir [models.balanced] a \
             candor.toml (`candor init` escribe uno para empezar)"
        ))),
        None => Ok(None),
    }
}

fn channel(how: &ModelUse) -> Result<Channel, AppError> {
    let failed = |flag: &str| {
        let flag = flag.to_owned();
        move |problem: String| AppError::usage(format!("{flag}: {problem}"))
    };
    match (&how.record, &how.replay) {
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
