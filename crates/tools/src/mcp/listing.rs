//! Which tools a server has, as agents see them.

use std::sync::Arc;

use candor_model::{ToolHints, ToolSpec};
use rmcp::model::{PaginatedRequestParams, Tool, ToolAnnotations};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;

use super::result::shortened;
use crate::config::ServerConfig;

/// How many pages are asked for; a server can go on for ever.
const MAX_PAGES: usize = 100;
/// How many tools of a server are offered.
const MAX_TOOLS: usize = 1_000;
/// How long a description may be: models read it with every call.
const MAX_DESCRIPTION_BYTES: usize = 8 * 1024;

/// The tools of a server at one time.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) tools: Vec<Arc<ToolSpec>>,
    /// What in the description of the server does not fit its tools.
    pub(super) warnings: Vec<String>,
}

impl Listing {
    /// Asks the server, page by page.
    pub(super) async fn ask(
        peer: &Peer<RoleClient>,
        server: &str,
        config: &ServerConfig,
    ) -> Result<Self, ServiceError> {
        let mut tools: Vec<Tool> = Vec::new();
        let mut cursor = None;
        let mut pages = 0;
        loop {
            let page = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let answer = peer.list_tools(page).await?;
            tools.extend(answer.tools);
            cursor = answer.next_cursor;
            pages += 1;
            if cursor.is_none() || pages >= MAX_PAGES || tools.len() > MAX_TOOLS {
                break;
            }
        }
        let more = cursor.is_some() || tools.len() > MAX_TOOLS;
        Ok(Self::new(&tools, more, server, config))
    }

    fn new(offered: &[Tool], more: bool, server: &str, config: &ServerConfig) -> Self {
        let mut warnings = Vec::new();
        if more {
            warnings.push(format!("it has more tools than are looked at; the first {MAX_TOOLS} are offered"));
        }
        let listed = config.tools.iter().flatten().map(|name| ("tools", name));
        let known = config.overrides.keys().map(|name| ("overrides", name));
        for (field, name) in listed.chain(known) {
            if !offered.iter().any(|tool| tool.name == name.as_str()) {
                warnings.push(format!("{field}: the server has no tool `{name}`"));
            }
        }
        let allowed = |tool: &&Tool| {
            config.tools.as_ref().is_none_or(|names| names.iter().any(|name| tool.name == *name))
        };
        let mut tools: Vec<Arc<ToolSpec>> = Vec::new();
        for tool in offered.iter().take(MAX_TOOLS).filter(allowed) {
            let spec = spec(tool, server, config);
            if !tools.iter().any(|known| known.name == spec.name) {
                tools.push(Arc::new(spec));
            }
        }
        Self { tools, warnings }
    }

    /// The tool with this full name.
    pub(super) fn find(&self, name: &str) -> Option<&Arc<ToolSpec>> {
        self.tools.iter().find(|spec| spec.name == name)
    }

    /// The names of all, for an error that asks for one of them.
    pub(super) fn names(&self) -> String {
        const SHOWN: usize = 20;
        let names: Vec<_> = self.tools.iter().take(SHOWN).map(|spec| spec.name.as_str()).collect();
        let rest = self.tools.len().saturating_sub(SHOWN);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        if names.is_empty() { "none".to_owned() } else { format!("{}{more}", names.join(", ")) }
    }
}

fn spec(tool: &Tool, server: &str, config: &ServerConfig) -> ToolSpec {
    let known = config.overrides.get(tool.name.as_ref()).cloned().unwrap_or_default();
    let hints = hints(tool.annotations.as_ref());
    let description = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    ToolSpec {
        name: format!("{server}.{}", tool.name),
        description: shortened(description, MAX_DESCRIPTION_BYTES).0,
        input_schema: Arc::new(Value::Object((*tool.input_schema).clone())),
        hints: known.hints.unwrap_or_default().over(hints),
        undo: known.undo,
        check: known.check,
    }
}

/// What the server says of a tool. What it does not say is taken for the worst.
fn hints(said: Option<&ToolAnnotations>) -> ToolHints {
    let worst = ToolHints::default();
    said.map_or(worst, |said| ToolHints {
        read_only_hint: said.read_only_hint.unwrap_or(worst.read_only_hint),
        destructive_hint: said.destructive_hint.unwrap_or(worst.destructive_hint),
        idempotent_hint: said.idempotent_hint.unwrap_or(worst.idempotent_hint),
        open_world_hint: said.open_world_hint.unwrap_or(worst.open_world_hint),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<Tool> {
        let tools = json!([
            { "name": "look", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } },
            { "name": "add", "inputSchema": { "type": "object" }, "annotations": { "destructiveHint": false } },
            { "name": "drop", "inputSchema": { "type": "object" } },
        ]);
        serde_json::from_value(tools).unwrap()
    }

    fn listing(config: &str) -> Listing {
        Listing::new(&tools(), false, "s", &toml::from_str(config).unwrap())
    }

    #[test]
    fn what_a_server_does_not_say_of_a_tool_is_taken_for_the_worst() {
        let all = listing("");
        let hints: Vec<_> =
            all.tools.iter().map(|spec| (spec.hints.changes(), spec.hints.destroys())).collect();
        assert_eq!(hints, [(false, false), (true, false), (true, true)]);
        assert_eq!(all.names(), "s.look, s.add, s.drop");
        assert!(all.warnings.is_empty());
    }

    #[test]
    fn the_configuration_chooses_tools_and_knows_better() {
        let chosen = listing(
            "tools = ['drop', 'gone']\n[overrides.drop]\nhints = { destructive = false, idempotent = true }\n\
             undo = { tool = 's.add', arguments = { id = '${arguments.id}' } }\n[overrides.typo]\ntimeout = 1",
        );
        assert_eq!(chosen.names(), "s.drop");
        let spec = chosen.find("s.drop").unwrap();
        assert!(!spec.hints.destroys() && spec.hints.idempotent_hint);
        assert_eq!(spec.undo.as_ref().unwrap().tool, "s.add");
        let warned = ["tools: the server has no tool `gone`", "overrides: the server has no tool `typo`"];
        assert_eq!(chosen.warnings, warned);
    }
}
