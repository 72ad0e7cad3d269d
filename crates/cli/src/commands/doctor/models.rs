//! What `candor doctor` finds of models: whether each tier answers, and whether texts can be embedded.

use std::sync::Arc;

use candor_app::{App, ChatClient, ModelUse};
use candor_model::Tier;
use tokio::task::JoinSet;

use super::Finding;
use crate::commands::models::price;

/// Whether each tier answers, how fast, and at what price. One tiny call each, side by side.
pub(super) async fn models(app: &App) -> Vec<Finding> {
    let tiers = match app.models(ModelUse::default()) {
        Err(failure) => return vec![Finding::ill("models", failure.told())],
        Ok(None) => {
            return vec![Finding::well(
                "models",
                word!(
                    "none configured: goals are planned by rules",
                    "ninguno configurado: los objetivos se planifican con reglas"
                ),
            )];
        }
        Ok(Some(tiers)) => tiers,
    };
    let mut probes = JoinSet::new();
    for (tier, _) in tiers.clients() {
        let tiers = Arc::clone(&tiers);
        probes.spawn(async move {
            let (_, client) = tiers.clients().find(|(other, _)| *other == tier)?;
            Some((tier, probed(tier, client).await))
        });
    }
    let mut found: Vec<(Tier, Finding)> = probes.join_all().await.into_iter().flatten().collect();
    found.sort_by_key(|(tier, _)| *tier);
    found.into_iter().map(|(_, finding)| finding).collect()
}

async fn probed(tier: Tier, client: &ChatClient) -> Finding {
    let (what, config) = (say!("{tier} tier", "nivel {tier}"), client.tier());
    let probe = client.probe().await;
    match probe.problem {
        None => Finding::well(
            what,
            say!(
                "{} answers in {} s; {}; this call cost ${}",
                "{} responde en {} s; {}; esta llamada costó ${}",
                config.name(),
                probe.latency,
                price(config),
                probe.cost
            ),
        ),
        Some(problem) => Finding::ill(what, format!("{}: {problem}", config.name())),
    }
}

/// Whether texts can be embedded.
pub(super) async fn meaning(app: &App) -> Option<Finding> {
    let embedder = match app.embedder() {
        Err(failure) => return Some(Finding::ill("embeddings", failure.told())),
        Ok(None) => return None,
        Ok(Some(embedder)) => embedder,
    };
    let started = std::time::Instant::now();
    let texts = [recorded!("Find a hotel in Paris").to_owned()];
    Some(match embedder.embed(&texts).await {
        Ok(vectors) => {
            let numbers = vectors.first().map_or(0, |vector| vector.len());
            let millis = started.elapsed().as_millis();
            Finding::well(
                "embeddings",
                say!(
                    "{}: {numbers} numbers in {millis} ms",
                    "{}: {numbers} números en {millis} ms",
                    embedder.name()
                ),
            )
        }
        Err(error) => Finding::ill("embeddings", error.to_string()),
    })
}
