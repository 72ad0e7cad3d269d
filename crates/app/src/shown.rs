//! An installation as data: its agents, packs and configuration, the same for commands and servers.

use std::path::PathBuf;

use candor_model::Tier;
use candor_ports::Experience;
use serde_json::{Map, Value, json};

use crate::config::TierConfig;
use crate::error::AppError;
use crate::packs::FoundPack;
use crate::wiring::App;

impl App {
    /// Every agent: what is declared, what was measured, what is therefore known, and its circuit breaker.
    pub fn shown_agents(&self, experience: &Experience) -> Result<Value, AppError> {
        let registry = self.registry(&[])?;
        let known = registry.known(&experience.measured);
        let rows = registry.declared().iter().zip(&known).map(|(declared, known)| {
            let measured = experience.measured.get(&declared.agent_type);
            let name = declared.agent_type.as_str();
            let breaker = experience.breakers.iter().find(|breaker| breaker.agent_id == name);
            json!({ "declared": declared, "measured": measured, "known": known, "breaker": breaker })
        });
        Ok(json!({ "agents": rows.collect::<Vec<_>>() }))
    }

    /// Every pack in short.
    #[must_use]
    pub fn shown_packs(&self) -> Value {
        json!({ "packs": self.packs.iter().map(FoundPack::in_short).collect::<Vec<_>>() })
    }

    /// Everything that holds, by the names of `candor.toml` and of the files of rules.
    pub fn shown_config(&self) -> Result<Value, AppError> {
        let config = &self.config;
        let rules = &config.rulebook;
        let from = (!config.path.as_os_str().is_empty()).then(|| config.path.display().to_string());
        let tiers =
            config.models.tiers().map(|(tier, model)| (tier.as_str().to_owned(), shown_tier(tier, model)));
        let tiers: Map<String, Value> = tiers.collect();
        let agents: Vec<&str> = config.agents.iter().map(|agent| agent.agent_type.as_str()).collect();
        Ok(json!({
            "file": from,
            "data": self.data.path(),
            "limits": config.limits,
            "planning": {
                "min_agents": config.planning.min_agents,
                "instructions": config.planning.instructions,
            },
            "packs": {
                "folders": config.packs.folders, "agents": config.packs.agents,
                "allow_unconfined": config.packs.allow_unconfined,
            },
            "models": tiers,
            "breakers": config.breakers,
            "guardrails": with_rules(&config.guardrails.rules, &rules.guardrails, &[
                ("injection", json!(rules.injection)),
                ("secrets", json!(rules.secrets)),
            ])?,
            "scaling": with_rules(&config.scaling.rules, &rules.scaling, &[])?,
            "conflicts": with_rules(&config.conflicts.rules, &rules.conflicts, &[])?,
            "roster": with_rules(&config.roster.rules, &rules.roster, &[])?,
            "retention": config.retention,
            "validation": config.validation,
            "agents": agents,
        }))
    }
}

impl FoundPack {
    /// The pack in short.
    #[must_use]
    pub fn in_short(&self) -> Value {
        let pack = &self.pack;
        json!({
            "name": pack.name, "description": pack.description, "goal_type": pack.goal_type,
            "sample_data": pack.sample_data, "source": self.source(),
            "categories": pack.categories.iter().map(|it| &it.name).collect::<Vec<_>>(),
            "tasks": pack.tasks.iter().map(|task| &task.name).collect::<Vec<_>>(),
            "agents": pack.agents.iter().filter_map(|agent| agent.get("agent_type")).collect::<Vec<_>>(),
        })
    }
}

/// A tier of models as data; of its key only the variable's name.
#[must_use]
pub fn shown_tier(tier: Tier, config: &TierConfig) -> Value {
    let key = config.key_variable();
    json!({
        "tier": tier,
        "provider": config.provider,
        "model": config.model,
        "endpoint": config.endpoint,
        "price": config.price_in_force(),
        "key_variable": key,
        "key_set": key.map(|name| std::env::var_os(name).is_some()),
    })
}

/// Rules with the file that they come from; nobody's file means the defaults.
fn with_rules(
    file: &Option<PathBuf>,
    rules: &impl serde::Serialize,
    more: &[(&str, Value)],
) -> Result<Value, AppError> {
    let mut shown = json!({ "file": file });
    let rules = serde_json::to_value(rules).map_err(AppError::failed)?;
    if let (Value::Object(shown), Value::Object(rules)) = (&mut shown, rules) {
        shown.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        shown.extend(rules);
    }
    Ok(shown)
}
