//! `candor hook install`: registers the hook and the MCP server with Claude Code, and leaves all other settings alone.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::failure::{Failure, code};

/// The events, and the tools that they are wanted for.
const EVENTS: [(&str, &str); 3] = [
    ("UserPromptSubmit", ""),
    ("PreToolUse", "Bash|Edit|Write|MultiEdit|NotebookEdit|mcp__.*"),
    ("PostToolUse", "Read|Bash|Edit|Write|MultiEdit|NotebookEdit|WebFetch|WebSearch|mcp__.*"),
];

/// The name under which the MCP server is registered.
const SERVER: &str = "candor";

pub(super) fn install(user: bool, dry_run: bool) -> Result<u8, Failure> {
    let program = program();
    let settings =
        if user { home()?.join(".claude/settings.json") } else { PathBuf::from(".claude/settings.json") };
    change(&settings, dry_run, |fields| add_hooks(fields, &program))?;
    if user {
        tell!(
            "candor: register the MCP server with: claude mcp add --scope user {SERVER} -- {program} serve --mcp",
            "candor: registrar el servidor MCP con: claude mcp add --scope user {SERVER} -- {program} serve --mcp"
        );
    } else {
        change(Path::new(".mcp.json"), dry_run, |fields| add_server(fields, &program))?;
    }
    Ok(code::DONE)
}

/// How the assistant starts this program: by its name if that leads here, otherwise by its path.
fn program() -> String {
    let own = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&folders).map(|folder| folder.join(SERVER)).find(|path| path.is_file());
    let leads_here = named.and_then(|path| path.canonicalize().ok()) == own;
    match own {
        Some(own) if !leads_here => own.display().to_string(),
        _ => SERVER.to_owned(),
    }
}

fn home() -> Result<PathBuf, Failure> {
    std::env::home_dir().ok_or_else(|| {
        Failure::usage(word!(
            "--user: the home folder is not known; set HOME",
            "--user: no se conoce la carpeta personal; definir HOME"
        ))
    })
}

/// Changes the JSON object in a file, or a new one; says what was done.
fn change(
    path: &Path,
    dry_run: bool,
    add: impl FnOnce(&mut Map<String, Value>) -> bool,
) -> Result<(), Failure> {
    let shown = path.display();
    let mut value = match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            Failure::usage(say!(
                "{shown} is no JSON: {error}; mend it, it was left as it is",
                "{shown} no es JSON: {error}; corregirlo, se dejó como está"
            ))
        })?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => json!({}),
        Err(error) => {
            return Err(Failure::usage(say!(
                "{shown} cannot be read: {error}",
                "{shown} no se puede leer: {error}"
            )));
        }
    };
    let Some(fields) = value.as_object_mut() else {
        return Err(Failure::usage(say!(
            "{shown} holds no JSON object; it was left as it is",
            "{shown} no contiene un objeto JSON; se dejó como está"
        )));
    };
    if !add(fields) {
        tell!("candor: {shown} has it already", "candor: {shown} ya lo tiene");
        return Ok(());
    }
    let text = serde_json::to_string_pretty(&value)? + "\n";
    if dry_run {
        tell!("candor: {shown} would be:\n{text}", "candor: {shown} quedaría así:\n{text}");
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)?;
    tell!("candor: wrote {shown}", "candor: escrito {shown}");
    Ok(())
}

/// Adds the hook to every event that lacks it; whether anything changed.
fn add_hooks(fields: &mut Map<String, Value>, program: &str) -> bool {
    let mut changed = false;
    let hooks = fields.entry("hooks").or_insert_with(|| json!({}));
    for (event, matcher) in EVENTS {
        let Some(hooks) = hooks.as_object_mut() else { continue };
        let groups = hooks.entry(event).or_insert_with(|| json!([]));
        let Some(groups) = groups.as_array_mut() else { continue };
        if groups.iter().any(has_hook) {
            continue;
        }
        let hook = json!([{ "type": "command", "command": format!("{program} hook") }]);
        let group = match matcher {
            "" => json!({ "hooks": hook }),
            matcher => json!({ "matcher": matcher, "hooks": hook }),
        };
        groups.push(group);
        changed = true;
    }
    changed
}

fn has_hook(group: &Value) -> bool {
    let hooks = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
    hooks.filter_map(|hook| hook.get("command")?.as_str()).any(|command| command.ends_with("candor hook"))
}

fn add_server(fields: &mut Map<String, Value>, program: &str) -> bool {
    let servers = fields.entry("mcpServers").or_insert_with(|| json!({}));
    let Some(servers) = servers.as_object_mut() else { return false };
    if servers.contains_key(SERVER) {
        return false;
    }
    servers.insert(SERVER.to_owned(), json!({ "command": program, "args": ["serve", "--mcp"] }));
    true
}
