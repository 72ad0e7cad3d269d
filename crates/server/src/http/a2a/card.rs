//! The card: what this installation is called, what its agents can do, and where it is reached.

use std::collections::HashMap;

use a2a::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, HttpAuthSecurityScheme, SecurityScheme,
    TRANSPORT_PROTOCOL_JSONRPC,
};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use serde_json::Value;

use super::super::Shared;
use super::super::problem::Problem;
use super::ENDPOINT;

/// What tokens are called on the card.
const BEARER: &str = "bearer";
/// How many agents are named as skills.
const SKILLS: usize = 50;
const ABOUT: &str = "Turns a goal in plain words into a checked plan and has agents carry it out durably. Asks before it \
    acts where it should, and says what was verified.";
const RUN: &str = "Plans a goal and carries it out. Say limits too. What it asks on the way is input-required: reply with \
    one of the decisions that its message names.";

pub(super) async fn show(
    State(server): State<Shared>,
    headers: HeaderMap,
) -> Result<Json<AgentCard>, Problem> {
    // The guard has let in no host but ours.
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let url = format!("{}://{host}{ENDPOINT}", server.scheme());
    let agents = server.service.agents().await?;
    Ok(Json(card(url, &agents)))
}

fn card(url: String, agents: &Value) -> AgentCard {
    let mut interface = AgentInterface::new(url, TRANSPORT_PROTOCOL_JSONRPC);
    a2a::VERSION.clone_into(&mut interface.protocol_version);
    let bearer = HttpAuthSecurityScheme {
        scheme: "Bearer".to_owned(),
        description: Some("A token of this installation: `candor token add NAME --scope SCOPE`".to_owned()),
        bearer_format: None,
    };
    let modes = || vec!["text/plain".to_owned(), "application/json".to_owned()];
    AgentCard {
        name: "Candor".to_owned(),
        description: ABOUT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        supported_interfaces: vec![interface],
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(false),
            extensions: None,
            extended_agent_card: Some(false),
        },
        default_input_modes: modes(),
        default_output_modes: modes(),
        skills: skills(agents),
        provider: None,
        documentation_url: None,
        icon_url: None,
        security_schemes: Some(HashMap::from([(BEARER.to_owned(), SecurityScheme::HttpAuth(bearer))])),
        security_requirements: Some(vec![HashMap::from([(BEARER.to_owned(), Vec::new())])]),
        signatures: None,
    }
}

/// Carrying out goals, and what each agent is good at.
fn skills(agents: &Value) -> Vec<AgentSkill> {
    let run = skill("run", "Carry out a goal", RUN, vec!["plan".to_owned(), "orchestrate".to_owned()]);
    let rows = agents.get("agents").and_then(Value::as_array).into_iter().flatten();
    let of_agent = |row: &Value| {
        let declared = row.get("declared")?;
        let name = declared.get("agent_type")?.as_str()?;
        let about = declared.get("specialization").and_then(Value::as_str).unwrap_or_default();
        let words = declared.get("capabilities").and_then(Value::as_array).into_iter().flatten();
        let tags = words.filter_map(Value::as_str).map(str::to_owned).collect();
        Some(skill(name, name, about, tags))
    };
    std::iter::once(run).chain(rows.filter_map(of_agent).take(SKILLS)).collect()
}

fn skill(id: &str, name: &str, description: &str, tags: Vec<String>) -> AgentSkill {
    AgentSkill {
        id: id.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        tags,
        examples: None,
        input_modes: None,
        output_modes: None,
        security_requirements: None,
    }
}
