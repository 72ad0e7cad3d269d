//! `candor tools`: what agents can call, and how the servers stand.

use std::sync::Arc;

use candor_app::{App, ServerHealth, Tools};
use candor_model::{ToolHints, ToolSpec};
use candor_ports::Toolbox;
use serde_json::json;

use crate::args::{GlobalOptions, Listing};
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

/// Lists the tools; servers are started for it and ended after it.
pub(crate) async fn tools(global: &GlobalOptions, listing: Listing) -> Result<u8, Failure> {
    let app = App::build(global)?;
    let tools = app.tools()?;
    let servers = tools.health(true).await;
    let mut specs = tools.tools().await;
    app.close().await;
    listing.cut(&mut specs);
    if listing.json {
        output::print_json(&json!({ "tools": specs, "servers": servers }))?;
    } else {
        output::print(&listed(&specs, &servers))?;
    }
    Ok(if servers.iter().all(is_well) { code::DONE } else { code::FAILED })
}

/// How every server stands, for `candor doctor`.
pub(super) async fn health(tools: &Tools) -> Vec<(bool, String, String)> {
    let servers = tools.health(true).await;
    servers
        .iter()
        .map(|server| (is_well(server), say!("server {}", "servidor {}", server.name), snapshot(server)))
        .collect()
}

fn is_well(server: &ServerHealth) -> bool {
    server.last_error.is_none() && server.warnings.is_empty()
}

fn snapshot(server: &ServerHealth) -> String {
    let problems = server.last_error.iter().chain(&server.warnings);
    let problems: String = problems.map(|problem| format!("; {problem}")).collect();
    say!("{}, {} tools{problems}", "{}, {} herramientas{problems}", server.state, server.tools)
}

fn listed(specs: &[Arc<ToolSpec>], servers: &[ServerHealth]) -> String {
    let mut text = String::new();
    for server in servers {
        text.push_str(&say!("server {}: {}\n", "servidor {}: {}\n", server.name, snapshot(server)));
    }
    if !servers.is_empty() {
        text.push('\n');
    }
    let width = specs.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
    for spec in specs {
        let said = view::one_line(&spec.description);
        text.push_str(&format!("{:<width$}  {:<20}  {said}\n", spec.name, does(spec.hints)));
    }
    if specs.is_empty() {
        text.push_str(word!(
            "No tools are configured: add [tools.builtin] or [tools.servers.NAME] to candor.toml.\n",
            "No hay herramientas configuradas: añadir [tools.builtin] o [tools.servers.NAME] a candor.toml.\n"
        ));
    }
    text
}

fn does(hints: ToolHints) -> &'static str {
    match (hints.changes(), hints.destroys(), hints.idempotent_hint) {
        (false, _, _) => word!("reads", "lee"),
        (true, true, true) => word!("destroys, repeatable", "destruye, repetible"),
        (true, true, false) => word!("destroys", "destruye"),
        (true, false, true) => word!("adds, repeatable", "añade, repetible"),
        (true, false, false) => word!("adds", "añade"),
    }
}
