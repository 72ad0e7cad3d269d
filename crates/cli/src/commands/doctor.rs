//! `candor doctor`: whether everything is in place, and what to do where it is not.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use candor_app::config::{AgentInFile, AgentKind};
use candor_app::{App, ChatClient, ModelUse, commands_own_world, probe_confinement};
use candor_model::{RiskClass, Tier};
use candor_ports::Toolbox;
use candor_projections::words::plural;
use serde_json::json;
use tokio::task::JoinSet;

use super::models::price;
use crate::args::GlobalOptions;
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

/// What was looked at, and what was found.
struct Finding {
    what: String,
    well: bool,
    told: String,
}

impl Finding {
    fn well(what: impl Into<String>, told: impl Into<String>) -> Self {
        Self { what: what.into(), well: true, told: told.into() }
    }

    fn ill(what: impl Into<String>, told: impl Into<String>) -> Self {
        Self { what: what.into(), well: false, told: told.into() }
    }
}

/// As wide as the mark and the name of what was looked at.
const INDENT: usize = 23;

pub(crate) async fn doctor(global: &GlobalOptions, as_json: bool) -> Result<u8, Failure> {
    let mut findings = Vec::new();
    match App::build(global) {
        Err(failure) => findings.push(Finding::ill("configuration", failure.message)),
        Ok(app) => {
            findings.push(Finding::well("configuration", configured(&app)));
            findings.extend(log(&app).await);
            findings.extend(agents(&app).await);
            findings.push(registry(&app));
            findings.extend(remote_agents(&app).await);
            findings.extend(tools(&app).await);
            let (well, told) = super::code::health(&app).await;
            findings.push(Finding { what: "code".to_owned(), well, told });
            findings.extend(models(&app).await);
            findings.extend(meaning(&app).await);
        }
    }
    let well = findings.iter().all(|finding| finding.well);
    if as_json {
        let rows: Vec<_> = findings
            .iter()
            .map(|finding| json!({ "check": finding.what, "ok": finding.well, "message": finding.told }))
            .collect();
        output::print_json(&json!({ "ok": well, "checks": rows }))?;
    } else {
        let style = output::style();
        for finding in &findings {
            let mark = if finding.well { "ok  " } else { "FAIL" };
            let told = told_within(&finding.told, style.columns());
            output::print(&format!("{mark}  {:<16} {told}\n", finding.what))?;
        }
    }
    Ok(if well { code::DONE } else { code::FAILED })
}

/// A finding below itself where a terminal is narrower; in a pipe it stays on its line.
fn told_within(told: &str, columns: usize) -> String {
    if !output::is_screen() {
        return told.to_owned();
    }
    let room = columns.saturating_sub(INDENT).max(INDENT);
    view::wrapped(told, room).join(&format!("\n{:INDENT$}", ""))
}

fn configured(app: &App) -> String {
    format!("{} and {}", plural(app.config.agents.len(), "agent"), plural(app.packs.len(), "pack"))
}

/// Whether the data directory can be used, and whether its log is what was written.
async fn log(app: &App) -> Vec<Finding> {
    let place = app.data.path().display().to_string();
    let verified = match app.data.verify() {
        Err(failure) => return vec![Finding::ill("log", failure.message)],
        Ok(verified) => verified.unwrap_or_default(),
    };
    if !verified.problems.is_empty() {
        return damage(&verified.problems);
    }
    let told = format!("{} events of {} runs, all checksums match", verified.events, verified.runs);
    let sound = Finding::well("log", told);
    let usable = match app.data.open_quietly() {
        Err(failure) => Finding::ill("data folder", failure.message),
        Ok(_) => Finding::well("data folder", format!("{place}: writable")),
    };
    vec![usable, sound]
}

/// How many problems of a log are told; the rest is counted.
const MOST_TOLD: usize = 20;

fn damage(problems: &[String]) -> Vec<Finding> {
    let mut told: Vec<Finding> =
        problems.iter().take(MOST_TOLD).map(|problem| Finding::ill("log", problem.clone())).collect();
    if problems.len() > MOST_TOLD {
        told.push(Finding::ill("log", format!("{} more problems", problems.len() - MOST_TOLD)));
    }
    told.push(Finding::ill("log", "damaged; `candor repair` saves what is intact"));
    told
}

/// How long a service has to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// Whether every agent has what it needs: its program, service, tools or model.
async fn agents(app: &App) -> Vec<Finding> {
    let mut findings = Vec::new();
    for agent in &app.config.agents {
        let what = agent.agent_type.to_string();
        findings.push(match agent.kind() {
            AgentKind::Http(url) => match answers(url).await {
                Ok(told) => Finding::well(what, format!("service {url} {told}")),
                Err(problem) => Finding::ill(what, format!("service {url} does not answer: {problem}")),
            },
            AgentKind::Tools(patterns) => with_tools(app, what, patterns).await,
            AgentKind::Model(tier) => with_model(app, what, tier),
            _ => reach(&app.config.folder, agent),
        });
    }
    findings
}

/// Whether somebody accepts a connection at this address. No request is sent: it could be taken for a task.
async fn answers(url: &str) -> Result<&'static str, String> {
    let (scheme, rest) = url.split_once("://").ok_or("it is no address")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = if scheme == "https" { 443 } else { 80 };
    let place = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    let is_here = ["127.", "localhost", "[::1]"].iter().any(|here| host.starts_with(here));
    let proxied = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    if !is_here && proxied.iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok("was not called: it is reached through a proxy");
    }
    match tokio::time::timeout(CONNECT, tokio::net::TcpStream::connect(&place)).await {
        Ok(Ok(_)) => Ok("accepts connections"),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no connection within {} s", CONNECT.as_secs())),
    }
}

async fn with_tools(app: &App, what: String, patterns: &[String]) -> Finding {
    let tools = match app.tools() {
        Err(failure) => return Finding::ill(what, failure.message),
        Ok(tools) => tools,
    };
    let mut unknown = Vec::new();
    // All tools of a server that is configured may be none today; how the server stands is a finding of its own.
    let of_server = |pattern: &str| {
        pattern.strip_suffix(".*").is_some_and(|server| app.config.tools.servers.contains_key(server))
    };
    for pattern in patterns {
        if !of_server(pattern) && tools.only(std::slice::from_ref(pattern)).tools().await.is_empty() {
            unknown.push(pattern.as_str());
        }
    }
    match unknown.is_empty() {
        true => Finding::well(what, format!("tools: {}", patterns.join(", "))),
        false => {
            let told = format!("no tool is called {}; `candor tools` lists them", unknown.join(", "));
            Finding::ill(what, told)
        }
    }
}

/// A tier that is not configured is stood in for by another one; where there is none the agent can do nothing.
fn with_model(app: &App, what: String, tier: Tier) -> Finding {
    let tiers = match app.models(ModelUse::default()) {
        Err(failure) => return Finding::ill(what, failure.message),
        Ok(None) => {
            let told =
                format!("needs a model of the {tier} tier, and none is configured: add [models.{tier}]");
            return Finding::ill(what, told);
        }
        Ok(Some(tiers)) => tiers,
    };
    match tiers.clients().any(|(there, _)| there == tier) {
        true => Finding::well(what, format!("a model of the {tier} tier")),
        false => Finding::well(what, format!("the {tier} tier is not configured; another one is used")),
    }
}

/// Whether an agent can be reached, as far as that can be told without calling it.
fn reach(folder: &Path, agent: &AgentInFile) -> Finding {
    let what = agent.agent_type.to_string();
    match agent.kind() {
        AgentKind::Command(command) => {
            let program = command.first().map(String::as_str).unwrap_or_default();
            match find_program(folder, program) {
                Some(path) => Finding::well(what, format!("command {}", path.display())),
                None => Finding::ill(
                    what,
                    format!("there is no program {program}; check `command`, or install it"),
                ),
            }
        }
        AgentKind::Cli(preset, program) => match find_program(folder, program) {
            Some(path) => {
                let effects = agent.capability().effects.unwrap_or_default();
                let effects: Vec<&str> = effects.into_iter().map(RiskClass::does).collect();
                let told =
                    format!("{} assistant {}; {}", preset.program(), path.display(), effects.join(", "));
                Finding::well(what, told)
            }
            None => {
                Finding::ill(what, format!("there is no program {program}; install it, or set `program`"))
            }
        },
        AgentKind::Builtin(kind) => Finding::well(what, format!("built in: {kind}")),
        AgentKind::A2a(url) => Finding::well(what, format!("A2A agent {url} (see below)")),
        AgentKind::Code => Finding::well(what, "writes code (see `code` below)".to_owned()),
        AgentKind::Nothing | AgentKind::Http(_) | AgentKind::Tools(_) | AgentKind::Model(_) => {
            Finding::ill(what, format!("has none of {}", AgentInFile::WAYS))
        }
    }
}

/// Whether remote agents show their cards.
async fn remote_agents(app: &App) -> Vec<Finding> {
    let mut findings = Vec::new();
    for agent in &app.config.agents {
        if let AgentKind::A2a(url) = agent.kind() {
            findings.push(match app.card(agent).await {
                Ok(card) => Finding::well(
                    agent.agent_type.to_string(),
                    format!("{}: {} skills", card.name, card.skills.len()),
                ),
                Err(problem) => Finding::ill(agent.agent_type.to_string(), format!("{url}: {problem}")),
            });
        }
    }
    findings
}

/// Whether every server of tools answers, and whether commands can be confined.
async fn tools(app: &App) -> Vec<Finding> {
    let tools = match app.tools() {
        Err(failure) => return vec![Finding::ill("tools", failure.message)],
        Ok(tools) => tools,
    };
    let mut findings: Vec<Finding> = super::tools::health(&tools)
        .await
        .into_iter()
        .map(|(well, what, told)| Finding { what, well, told })
        .collect();
    app.close().await;
    let builtin = &app.config.tools.builtin;
    if !builtin.commands.is_empty() {
        let offer = probe_confinement();
        findings.push(match (offer.suffices(), builtin.allow_unconfined) {
            (true, _) => Finding::well("sandbox", how_confined(commands_own_world(builtin).await)),
            (false, true) => Finding::well(
                "sandbox",
                format!("commands run UNCONFINED, as you allowed: {}", offer.missing()),
            ),
            (false, false) => {
                Finding::ill("sandbox", format!("commands cannot be confined here: {}", offer.missing()))
            }
        });
    }
    findings
}

/// What the kernel of this machine offers for commands, in one line.
fn how_confined(own_world: Option<Result<(), String>>) -> String {
    match own_world {
        None => "commands are confined by the kernel".to_owned(),
        Some(Ok(())) => "commands are confined by the kernel, in namespaces of their own".to_owned(),
        Some(Err(why)) => {
            format!("commands are confined, but names, sizes and times of other files are in reach: {why}")
        }
    }
}

fn find_program(folder: &Path, program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(folder.join(program)).filter(|path| path.is_file());
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|path| path.join(program)).find(|path| path.is_file())
}

/// Whether each tier answers, how fast, and at what price. One tiny call each, side by side.
async fn models(app: &App) -> Vec<Finding> {
    let tiers = match app.models(ModelUse::default()) {
        Err(failure) => return vec![Finding::ill("models", failure.message)],
        Ok(None) => return vec![Finding::well("models", "none configured: goals are planned by rules")],
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
    let (what, config) = (format!("{tier} tier"), client.tier());
    let probe = client.probe().await;
    match probe.problem {
        None => Finding::well(
            what,
            format!(
                "{} answers in {} s; {}; this call cost ${}",
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
async fn meaning(app: &App) -> Option<Finding> {
    let embedder = match app.embedder() {
        Err(failure) => return Some(Finding::ill("embeddings", failure.message)),
        Ok(None) => return None,
        Ok(Some(embedder)) => embedder,
    };
    let started = std::time::Instant::now();
    let texts = ["Find a hotel in Paris".to_owned()];
    Some(match embedder.embed(&texts).await {
        Ok(vectors) => {
            let numbers = vectors.first().map_or(0, |vector| vector.len());
            let millis = started.elapsed().as_millis();
            Finding::well("embeddings", format!("{}: {numbers} numbers in {millis} ms", embedder.name()))
        }
        Err(error) => Finding::ill("embeddings", error.to_string()),
    })
}

fn registry(app: &App) -> Finding {
    match app.registry(&[]) {
        Err(failure) => Finding::ill("agents", failure.message),
        Ok(registry) => {
            let (there, needed) = (registry.declared().len(), app.config.planning.min_agents);
            let told = format!("{there} available; planning a goal needs at least {needed}");
            if there >= needed { Finding::well("agents", told) } else { Finding::ill("agents", told) }
        }
    }
}
