//! `candor doctor`: whether everything is in place, and what to do where it is not.

mod models;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_app::config::{AgentInFile, AgentKind};
use candor_app::{App, ModelUse, Sandbox, commands_own_world, probe_confinement};
use candor_model::{RiskClass, Tier};
use candor_ports::Toolbox;
use serde_json::json;

use self::models::{meaning, models};
use crate::args::GlobalOptions;
use crate::failure::{Failure, code};
use crate::output;
use crate::view::{self, words::plural};

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
        Err(failure) => findings.push(Finding::ill("configuration", failure.told())),
        Ok(app) => {
            findings.push(Finding::well("configuration", configured(&app)));
            let of_log = log(&app).await;
            let sound = of_log.iter().all(|finding| finding.well);
            findings.extend(of_log);
            findings.extend(agents(&app).await);
            findings.push(registry(&app));
            findings.extend(remote_agents(&app).await);
            findings.extend(tools(&app).await);
            findings.push(sandbox(&app).await);
            let (well, told) = super::code::health(&app).await;
            findings.push(Finding { what: "code".to_owned(), well, told });
            findings.extend(models(&app).await);
            findings.extend(meaning(&app).await);
            findings.extend(webhooks(&app, sound).await);
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
            let mark = if finding.well { word!("ok  ", "bien") } else { word!("FAIL", "MAL ") };
            let told = told_within(&finding.told, style.columns());
            output::print(&format!("{mark}  {:<16} {told}\n", shown(&finding.what)))?;
        }
    }
    Ok(if well { code::DONE } else { code::FAILED })
}

/// What was looked at, by the name that JSON has for it, for people.
fn shown(what: &str) -> &str {
    match what {
        "configuration" => word!("configuration", "configuración"),
        recorded!("data folder") => word!("data folder", "datos"),
        "log" => word!("log", "registro"),
        "agents" => word!("agents", "agentes"),
        "tools" => word!("tools", "herramientas"),
        "sandbox" => word!("sandbox", "aislamiento"),
        "code" => word!("code", "código"),
        "models" => word!("models", "modelos"),
        what => what,
    }
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
    say!(
        "{} and {}",
        "{} y {}",
        plural(app.config.agents.len(), word!("agent", "agente")),
        plural(app.packs.len(), word!("pack", "paquete"))
    )
}

/// Whether the data directory can be used, and whether its log is what was written.
async fn log(app: &App) -> Vec<Finding> {
    let place = app.data.path().display().to_string();
    let verified = match app.data.verify() {
        Err(failure) => return vec![Finding::ill("log", failure.told())],
        Ok(verified) => verified.unwrap_or_default(),
    };
    if !verified.problems.is_empty() {
        return damage(&verified.problems);
    }
    let told = say!(
        "{} events of {} runs, all checksums match",
        "{} eventos en {} ejecuciones; todas las sumas coinciden",
        verified.events,
        verified.runs
    );
    let sound = Finding::well("log", told);
    let usable = match app.data.open_quietly() {
        Err(failure) => Finding::ill(recorded!("data folder"), failure.told()),
        Ok(_) => {
            Finding::well(recorded!("data folder"), say!("{place}: writable", "{place}: se puede escribir"))
        }
    };
    vec![usable, sound]
}

/// How many problems of a log are told; the rest is counted.
const MOST_TOLD: usize = 20;

fn damage(problems: &[String]) -> Vec<Finding> {
    let mut told: Vec<Finding> =
        problems.iter().take(MOST_TOLD).map(|problem| Finding::ill("log", problem.clone())).collect();
    if problems.len() > MOST_TOLD {
        told.push(Finding::ill(
            "log",
            say!("{} more problems", "{} problemas más", problems.len() - MOST_TOLD),
        ));
    }
    told.push(Finding::ill(
        "log",
        word!(
            "damaged; `candor repair` saves what is intact",
            "dañado; `candor repair` salva lo que está intacto"
        ),
    ));
    told
}

/// Whether those who are told of events have their secrets, and take what they are told.
async fn webhooks(app: &App, log_is_sound: bool) -> Vec<Finding> {
    // Opened, a damaged log would be changed by SQLite before anybody could save what is in it.
    let log = log_is_sound.then(|| app.data.open_if_there().ok().flatten()).flatten();
    let views = candor_app::webhooks::views(&app.config, log.as_ref()).await.unwrap_or_default();
    let finding = |(hook, view): (&candor_app::config::Webhook, candor_app::WebhookView)| {
        let what = format!("webhook {}", hook.name);
        if std::env::var_os(&hook.secret_env).is_none() {
            return Finding::ill(
                what,
                say!(
                    "{} is not set; it holds the secret",
                    "{} no está definida; contiene el secreto",
                    hook.secret_env
                ),
            );
        }
        let state = view.state.unwrap_or_default();
        let given_up = match state.given_up {
            0 => String::new(),
            given_up => say!(", {given_up} given up", ", {given_up} abandonados"),
        };
        match (state.failing_since, state.last_delivered) {
            (Some(since), _) => {
                let error = state.error.unwrap_or_default();
                Finding::ill(
                    what,
                    say!(
                        "{}: failing since {since}: {error}{given_up}",
                        "{}: falla desde {since}: {error}{given_up}",
                        view.place
                    ),
                )
            }
            (None, Some(last)) => Finding::well(
                what,
                say!(
                    "{}: {} delivered, the last at {}{given_up}",
                    "{}: {} entregados, el último a las {}{given_up}",
                    view.place,
                    state.delivered,
                    last.at
                ),
            ),
            (None, None) => {
                Finding::well(what, say!("{}: nothing sent yet", "{}: aún no se ha enviado nada", view.place))
            }
        }
    };
    app.config.webhooks.iter().zip(views).map(finding).collect()
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
                Ok(told) => Finding::well(what, say!("service {url} {told}", "servicio {url} {told}")),
                Err(problem) => Finding::ill(
                    what,
                    say!(
                        "service {url} does not answer: {problem}",
                        "el servicio {url} no responde: {problem}"
                    ),
                ),
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
    let (scheme, rest) = url.split_once("://").ok_or(word!("it is no address", "no es una dirección"))?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = if scheme == "https" { 443 } else { 80 };
    let place = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    let is_here = ["127.", "localhost", "[::1]"].iter().any(|here| host.starts_with(here));
    let proxied = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    if !is_here && proxied.iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(word!(
            "was not called: it is reached through a proxy",
            "no se llamó: se alcanza a través de un proxy"
        ));
    }
    match tokio::time::timeout(CONNECT, tokio::net::TcpStream::connect(&place)).await {
        Ok(Ok(_)) => Ok(word!("accepts connections", "acepta conexiones")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(say!("no connection within {} s", "sin conexión en {} s", CONNECT.as_secs())),
    }
}

async fn with_tools(app: &App, what: String, patterns: &[String]) -> Finding {
    let tools = match app.tools() {
        Err(failure) => return Finding::ill(what, failure.told()),
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
        true => Finding::well(what, say!("tools: {}", "herramientas: {}", patterns.join(", "))),
        false => {
            let told = say!(
                "no tool is called {}; `candor tools` lists them",
                "ninguna herramienta se llama {}; `candor tools` las muestra",
                unknown.join(", ")
            );
            Finding::ill(what, told)
        }
    }
}

/// A tier that is not configured is stood in for by another one; where there is none the agent can do nothing.
fn with_model(app: &App, what: String, tier: Tier) -> Finding {
    let tiers = match app.models(ModelUse::default()) {
        Err(failure) => return Finding::ill(what, failure.told()),
        Ok(None) => {
            let told = say!(
                "needs a model of the {tier} tier, and none is configured: add [models.{tier}]",
                "necesita un modelo del nivel {tier}, y no hay ninguno configurado: añadir [models.{tier}]"
            );
            return Finding::ill(what, told);
        }
        Ok(Some(tiers)) => tiers,
    };
    match tiers.clients().any(|(there, _)| there == tier) {
        true => Finding::well(what, say!("a model of the {tier} tier", "un modelo del nivel {tier}")),
        false => Finding::well(
            what,
            say!(
                "the {tier} tier is not configured; another one is used",
                "el nivel {tier} no está configurado; se usa otro"
            ),
        ),
    }
}

/// Whether an agent can be reached, as far as that can be told without calling it.
fn reach(folder: &Path, agent: &AgentInFile) -> Finding {
    let what = agent.agent_type.to_string();
    match agent.kind() {
        AgentKind::Command(command) => {
            let program = command.first().map(String::as_str).unwrap_or_default();
            match find_program(folder, program) {
                Some(path) => Finding::well(what, say!("command {}", "orden {}", path.display())),
                None => Finding::ill(
                    what,
                    say!(
                        "there is no program {program}; check `command`, or install it",
                        "no hay ningún programa {program}; revisar `command`, o instalarlo"
                    ),
                ),
            }
        }
        AgentKind::Cli(preset, program) => match find_program(folder, program) {
            Some(path) => {
                let effects = agent.capability().effects.unwrap_or_default();
                let effects: Vec<&str> = effects.into_iter().map(RiskClass::does).collect();
                let told = say!(
                    "{} assistant {}; {}",
                    "asistente {} {}; {}",
                    preset.program(),
                    path.display(),
                    effects.join(", ")
                );
                Finding::well(what, told)
            }
            None => Finding::ill(
                what,
                say!(
                    "there is no program {program}; install it, or set `program`",
                    "no hay ningún programa {program}; instalarlo, o definir `program`"
                ),
            ),
        },
        AgentKind::Builtin(kind) => Finding::well(what, say!("built in: {kind}", "incorporado: {kind}")),
        AgentKind::A2a(url) => {
            Finding::well(what, say!("A2A agent {url} (see below)", "agente A2A {url} (ver abajo)"))
        }
        AgentKind::Code => Finding::well(
            what,
            word!("writes code (see `code` below)", "escribe código (ver `code` abajo)").to_owned(),
        ),
        AgentKind::Nothing | AgentKind::Http(_) | AgentKind::Tools(_) | AgentKind::Model(_) => {
            Finding::ill(what, say!("has none of {}", "no tiene ninguna de {}", AgentInFile::WAYS))
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
                    say!("{}: {} skills", "{}: {} habilidades", card.name, card.skills.len()),
                ),
                Err(problem) => Finding::ill(agent.agent_type.to_string(), format!("{url}: {problem}")),
            });
        }
    }
    findings
}

/// Whether every server of tools answers.
async fn tools(app: &App) -> Vec<Finding> {
    let tools = match app.tools() {
        Err(failure) => return vec![Finding::ill("tools", failure.told())],
        Ok(tools) => tools,
    };
    let findings = super::tools::health(&tools)
        .await
        .into_iter()
        .map(|(well, what, told)| Finding { what, well, told })
        .collect();
    app.close().await;
    findings
}

/// Which boundaries hold here for commands, code and data, in one line.
async fn sandbox(app: &App) -> Finding {
    let offer = probe_confinement();
    let builtin = &app.config.tools.builtin;
    let mut holds: Vec<&str> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    let kernel = [
        (offer.files, word!("Landlock (files)", "Landlock (archivos)")),
        (offer.signals, word!("Landlock (signals)", "Landlock (señales)")),
        (offer.calls, word!("seccomp (system calls)", "seccomp (llamadas al sistema)")),
        (are_modes_kept(app), word!("file modes of the data folder", "permisos de la carpeta de datos")),
    ];
    for (held, name) in kernel {
        if held { holds.push(name) } else { missing.push(name.to_owned()) }
    }
    match namespaces(app).await {
        Ok(()) => holds.push(word!("namespaces", "espacios de nombres")),
        Err(why) => missing.push(say!(
            "namespaces, so names, sizes and times of other files are in reach ({why})",
            "espacios de nombres, así que se ven nombres, tamaños y fechas de otros archivos ({why})"
        )),
    }
    let mut told = say!(
        "{}; memory is counted, without cgroups",
        "{}; la memoria se cuenta, sin cgroups",
        holds.join(", ")
    );
    if !missing.is_empty() {
        told = say!("{told}; missing: {}", "{told}; falta: {}", missing.join(", "));
    }
    if offer.suffices() || builtin.commands.is_empty() {
        return Finding::well("sandbox", told);
    }
    if builtin.allow_unconfined {
        let allowed = word!(
            "commands run UNCONFINED, as you allowed",
            "las órdenes se ejecutan SIN CONFINAR, como se permitió"
        );
        return Finding::well("sandbox", format!("{allowed}; {told}"));
    }
    let refused = word!("commands cannot be confined here", "aquí no se pueden confinar las órdenes");
    Finding::ill("sandbox", format!("{refused}; {told}"))
}

/// Whether what is started here gets namespaces of its own; if not, why.
async fn namespaces(app: &App) -> Result<(), String> {
    if let Some(tried) = commands_own_world(&app.config.tools.builtin).await {
        return tried;
    }
    match app.sandbox() {
        Ok(Sandbox::Local(python)) => python.own_world().map_err(str::to_owned),
        _ => Err(word!("not tried", "no se ha probado").to_owned()),
    }
}

/// Whether the file system of the data folder keeps others out. A folder that is not there yet is made with its modes.
fn are_modes_kept(app: &App) -> bool {
    let mode = std::fs::metadata(app.data.path()).map(|found| found.permissions().mode());
    mode.map_or(true, |mode| mode & 0o077 == 0)
}

fn find_program(folder: &Path, program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(folder.join(program)).filter(|path| path.is_file());
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|path| path.join(program)).find(|path| path.is_file())
}

fn registry(app: &App) -> Finding {
    match app.registry(&[]) {
        Err(failure) => Finding::ill("agents", failure.told()),
        Ok(registry) => {
            let (there, needed) = (registry.declared().len(), app.config.planning.min_agents);
            let told = say!(
                "{there} available; planning a goal needs at least {needed}",
                "{there} disponibles; planificar un objetivo necesita al menos {needed}"
            );
            if there >= needed { Finding::well("agents", told) } else { Finding::ill("agents", told) }
        }
    }
}
