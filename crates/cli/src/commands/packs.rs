//! `candor packs`: which there are, what one of them is allowed and does, its evaluation cases, and one to start from.

use std::path::Path;

use candor_app::config::FILE_NAME;
use candor_app::pack_cases::{try_case, write_starter};
use candor_app::{App, FoundPack};
use candor_phases::Pack;
use serde_json::{Value, json};

use crate::args::{GlobalOptions, PacksArgs, PacksCommand};
use crate::failure::{Failure, code};
use crate::output;

pub(crate) async fn packs(global: &GlobalOptions, args: &PacksArgs) -> Result<u8, Failure> {
    let mut app = App::build(global)?;
    match &args.command {
        None => list(&app, args),
        Some(PacksCommand::Show { name }) => show(named(&app, name)?, args.json),
        Some(PacksCommand::Test { name }) => test(&mut app, name.as_deref(), args.json).await,
        Some(PacksCommand::New { name }) => begin(&app, name),
    }
}

fn list(app: &App, args: &PacksArgs) -> Result<u8, Failure> {
    let most = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    if args.json {
        let mut shown = app.shown_packs();
        if let Some(rows) = shown.get_mut("packs").and_then(Value::as_array_mut) {
            rows.truncate(most);
        }
        output::print_json(&shown)?;
        return Ok(code::DONE);
    }
    for found in app.packs.iter().take(most) {
        let pack = &found.pack;
        let sample =
            if pack.sample_data { word!(", sample data only", ", solo datos de ejemplo") } else { "" };
        output::print(&say!(
            "{}: {} ({}{sample})\n  {} tasks, {} agents\n",
            "{}: {} ({}{sample})\n  {} tareas, {} agentes\n",
            pack.name,
            pack.description,
            found.source(),
            pack.tasks.len(),
            pack.agents.len()
        ))?;
    }
    Ok(code::DONE)
}

fn named<'a>(app: &'a App, name: &str) -> Result<&'a FoundPack, Failure> {
    let known = || app.packs.iter().map(|found| found.pack.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = app.packs.iter().find(|found| found.pack.name == name);
    found.ok_or_else(|| {
        Failure::usage(say!(
            "there is no pack {name}; there are {}",
            "no hay ningún paquete {name}; hay {}",
            known()
        ))
    })
}

fn show(found: &FoundPack, as_json: bool) -> Result<u8, Failure> {
    let pack = &found.pack;
    if as_json {
        let mut shown = found.in_short();
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("applies".to_owned(), json!(pack.applies));
            fields.insert("criteria".to_owned(), json!(pack.criteria));
            fields.insert("permissions".to_owned(), json!(pack.has_programs().then_some(&pack.permissions)));
            fields.insert("agents".to_owned(), json!(pack.agents));
            fields.insert("cases".to_owned(), json!(found.cases()?.len()));
        }
        output::print_json(&shown)?;
        return Ok(code::DONE);
    }
    let mut text = format!("{}: {} ({})\n", pack.name, pack.description, found.source());
    text.push_str(&say!("\nGoals of kind {}\n", "\nObjetivos del tipo {}\n", pack.goal_type));
    if let Some(applies) = pack.applies.as_ref().filter(|applies| !applies.files.is_empty()) {
        text.push_str(&say!(
            "  that name a file of the folder: .{}\n",
            "  que nombran un archivo de la carpeta: .{}\n",
            applies.files.join(", .")
        ));
    }
    text.push_str(&permissions(pack));
    text.push_str(word!("\nTasks\n", "\nTareas\n"));
    for task in &pack.tasks {
        let agent = task
            .agent
            .as_ref()
            .map_or_else(|| word!("the best agent", "el mejor agente").to_owned(), ToString::to_string);
        text.push_str(&format!("  {:<18} {agent}: {}\n", task.name, task.description));
    }
    text.push_str(word!("\nVerified by\n", "\nSe verifica con\n"));
    pack.criteria.iter().for_each(|criterion| text.push_str(&format!("  {criterion}\n")));
    text.push_str(word!("\nAgents\n", "\nAgentes\n"));
    pack.agents.iter().for_each(|agent| text.push_str(&agent_line(agent)));
    text.push_str(&say!(
        "\n{} evaluation cases: candor packs test {}\n",
        "\n{} casos de evaluación: candor packs test {}\n",
        found.cases()?.len(),
        pack.name
    ));
    output::print(&text)?;
    Ok(code::DONE)
}

fn permissions(pack: &Pack) -> String {
    if !pack.has_programs() {
        return word!(
            "\nPermissions\n  has no programs of its own\n",
            "\nPermisos\n  no tiene programas propios\n"
        )
        .to_owned();
    }
    let mut text = say!(
        "\nPermissions, held to by the kernel\n  {}\n",
        "\nPermisos, que el núcleo hace cumplir\n  {}\n",
        pack.permissions.in_words()
    );
    let list = [
        (word!("also reads", "también lee"), &pack.permissions.reads),
        (word!("is given", "recibe"), &pack.permissions.environment),
    ];
    for (what, values) in list.iter().filter(|(_, values)| !values.is_empty()) {
        text.push_str(&format!("  {what} {}\n", values.join(", ")));
    }
    text
}

fn agent_line(agent: &candor_model::JsonMap) -> String {
    let text = |name: &str| agent.get(name).and_then(Value::as_str).unwrap_or_default();
    let words =
        agent.get("command").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let how = match text("builtin") {
        "" => words.collect::<Vec<_>>().join(" "),
        kind => say!("built-in {kind}", "incorporado {kind}"),
    };
    format!("  {:<18} {how}\n", text("agent_type"))
}

async fn test(app: &mut App, name: Option<&str>, as_json: bool) -> Result<u8, Failure> {
    if let Some(name) = name {
        named(app, name)?;
    }
    // The phases know all packs while one is tested: what belongs to another is part of the test.
    let packs = app.packs.clone();
    let mut failed = 0_usize;
    let mut rows = Vec::new();
    for found in packs.iter().filter(|found| name.is_none_or(|name| found.pack.name == name)) {
        let cases = found.cases()?;
        for case in &cases {
            let tried = try_case(app, found, case).await?;
            failed += usize::from(!tried.problems.is_empty());
            if !as_json && !tried.problems.is_empty() {
                let pack = &found.pack.name;
                output::print(&format!("✗ {pack}: {}\n  {}\n", tried.request, tried.problems.join("\n  ")))?;
            }
            rows.push(
                json!({ "pack": found.pack.name, "request": tried.request, "problems": tried.problems }),
            );
        }
        if !as_json {
            output::print(&say!("{}: {} cases\n", "{}: {} casos\n", found.pack.name, cases.len()))?;
        }
    }
    if as_json {
        output::print_json(&json!({ "cases": rows, "failed": failed }))?;
    } else {
        output::print(&say!(
            "{} of {} cases hold\n",
            "{} de {} casos se cumplen\n",
            rows.len() - failed,
            rows.len()
        ))?;
    }
    Ok(if failed == 0 { code::DONE } else { code::FAILED })
}

fn begin(app: &App, name: &str) -> Result<u8, Failure> {
    let taken: Vec<&str> = app.packs.iter().map(|found| found.pack.name.as_str()).collect();
    write_starter(Path::new(name), name, &taken)?;
    let section = format!("[packs]\nfolders = [\"{name}\"]\n");
    if app.config.path.as_os_str().is_empty() {
        std::fs::write(FILE_NAME, section)?;
        tell!(
            "candor: wrote {name}/ and {FILE_NAME}, which names it",
            "candor: escritos {name}/ y {FILE_NAME}, que lo nombra"
        );
    } else {
        let file = app.config.path.display();
        tell!(
            "candor: wrote {name}/; name it in {file}: [packs] folders = [\"{name}\"]",
            "candor: escrito {name}/; nombrarlo en {file}: [packs] folders = [\"{name}\"]"
        );
    }
    tell!("candor: try it: candor packs test {name}", "candor: para probarlo: candor packs test {name}");
    Ok(code::DONE)
}
