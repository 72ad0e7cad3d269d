//! The evaluation cases that a pack carries: requests with what must become of them. Each is planned as a run would plan
//! it, in a folder that holds the files that the case names, and nothing is carried out.

use std::path::Path;

use candor_model::{JsonMap, Plan};
use candor_planning::completeness::CATEGORY_KEY;
use candor_ports::Experience;
use candor_text::both;
use serde::Deserialize;
use serde_json::Value;

use crate::{App, AppError, FoundPack, ModelUse, Planned, Understood};

/// The file of a pack that holds its cases.
pub const CASES_FILE: &str = "cases.toml";

/// What stands in a file that a case names: a table for those who look into it, a text for the others.
const CONTENT: &str = recorded!("name,value\nfirst,1\nsecond,2\n");

/// A request, and what must become of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackCase {
    /// The words of a person.
    pub request: String,
    /// The files that are in the folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// Whether the pack is meant.
    pub applies: bool,
    /// The categories of the plan's tasks, in any order; not looked at if empty.
    #[serde(default)]
    pub tasks: Vec<String>,
    /// Inputs that some task of the plan must have.
    #[serde(default)]
    pub inputs: JsonMap,
    /// Parts of the goal as it is read, such as `{ duration_days = 3 }`.
    #[serde(default)]
    pub goal: JsonMap,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CasesFile {
    cases: Vec<PackCase>,
}

/// A case that was tried.
#[derive(Debug, Clone)]
pub struct TriedCase {
    /// Request of the case.
    pub request: String,
    /// What is not as it must be; empty if all is.
    pub problems: Vec<String>,
}

impl FoundPack {
    /// The cases that it carries; none if it has no such file.
    pub fn cases(&self) -> Result<Vec<PackCase>, AppError> {
        let Some(text) = self.file(CASES_FILE) else { return Ok(Vec::new()) };
        let at =
            |problem: String| AppError::usage(format!("pack {}, {CASES_FILE}: {problem}", self.pack.name));
        let value: Value = toml::from_str(&text).map_err(|error| at(error.to_string()))?;
        let file: CasesFile = candor_model::from_value(value).map_err(|error| at(error.to_string()))?;
        Ok(file.cases)
    }
}

/// Tries a case of a pack. The app's folder is taken over for it.
pub async fn try_case(app: &mut App, pack: &FoundPack, case: &PackCase) -> Result<TriedCase, AppError> {
    let failed = |error: std::io::Error| {
        AppError::failed(both!("the files of a case: {error}", "los archivos de un caso: {error}"))
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    for file in &case.files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(folder.path())).map_err(failed)?;
        std::fs::write(path, CONTENT).map_err(failed)?;
    }
    let before = std::mem::replace(&mut app.config.folder, folder.path().to_owned());
    let problems = problems(app, pack, case).await;
    app.config.folder = before;
    Ok(TriedCase { request: case.request.clone(), problems: problems? })
}

async fn problems(app: &App, pack: &FoundPack, case: &PackCase) -> Result<Vec<String>, AppError> {
    let by_rules = || ModelUse { no_models: true, ..ModelUse::default() };
    let understood = Understood::of(app, case.request.clone(), by_rules()).await?;
    let is_ours = understood.goal.goal_type == pack.pack.goal_type;
    if is_ours != case.applies {
        let kind = &understood.goal.goal_type;
        return Ok(vec![match case.applies {
            true => say!(
                "the pack must apply and does not: the goal is {kind}",
                "el paquete debe aplicarse y no se aplica: el objetivo es {kind}"
            ),
            false => say!(
                "the pack must not apply and does: the goal is {kind}",
                "el paquete no debe aplicarse y se aplica: el objetivo es {kind}"
            ),
        }]);
    }
    let extracted = serde_json::to_value(&understood.reading.extracted).unwrap_or_default();
    let mut problems = not_in("goal", &case.goal, &extracted);
    if case.applies {
        let planned = Planned::of(app, Experience::default(), case.request.clone(), by_rules()).await?;
        problems.extend(
            planned.refusal.iter().map(|why| say!("the plan is refused: {why}", "el plan se rechaza: {why}")),
        );
        problems.extend(of_plan(planned.plan(), case));
    }
    Ok(problems)
}

fn of_plan(plan: &Plan, case: &PackCase) -> Vec<String> {
    let found = plan.subtasks.iter().filter_map(|task| task.metadata.other.get(CATEGORY_KEY)?.as_str());
    let mut found: Vec<&str> = found.collect();
    let mut wanted: Vec<&str> = case.tasks.iter().map(String::as_str).collect();
    found.sort_unstable();
    wanted.sort_unstable();
    let mut problems = Vec::new();
    if !wanted.is_empty() && wanted != found {
        problems.push(say!(
            "tasks: expected {}, found {}",
            "tareas: se esperaba {}, se encontró {}",
            wanted.join(", "),
            found.join(", ")
        ));
    }
    let mut inputs = JsonMap::new();
    for task in &plan.subtasks {
        inputs.extend(task.inputs.clone());
    }
    problems.extend(not_in("inputs", &case.inputs, &Value::Object(inputs)));
    problems
}

/// What is wanted and is not so.
fn not_in(what: &str, wanted: &JsonMap, found: &Value) -> Vec<String> {
    let differs = |(key, value): (&String, &Value)| {
        let there = found.get(key).unwrap_or(&Value::Null);
        (there != value).then(|| {
            say!(
                "{what}.{key}: expected {value}, found {there}",
                "{what}.{key}: se esperaba {value}, se encontró {there}"
            )
        })
    };
    wanted.iter().filter_map(differs).collect()
}

/// The files of a pack to start from.
const STARTER: [(&str, &str); 3] = [
    ("pack.toml", include_str!("../../../packs/starter/pack.toml")),
    (CASES_FILE, include_str!("../../../packs/starter/cases.toml")),
    ("count.py", include_str!("../../../packs/starter/count.py")),
];

/// Writes a pack to start from into a new folder of this name, here. It works as it is.
pub fn write_starter(folder: &Path, name: &str, taken: &[&str]) -> Result<(), AppError> {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if name.is_empty() || !name.chars().all(is_plain) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Err(AppError::usage(both!(
            "`{name}` is no name for a pack: it has small letters, digits and _, and begins with a letter",
            "`{name}` no es un nombre de paquete: tiene minúsculas, cifras y _, y empieza por una letra"
        )));
    }
    if taken.contains(&name) {
        return Err(AppError::usage(both!(
            "there is a pack {name} already; choose another name",
            "ya hay un paquete {name}; elegir otro nombre"
        )));
    }
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => AppError::usage(both!(
            "{} is there already; it was left as it is",
            "{} ya existe; se dejó como está",
            folder.display()
        )),
        _ => AppError::usage(both!(
            "could not make {}: {error}",
            "no se pudo crear {}: {error}",
            folder.display()
        )),
    };
    std::fs::create_dir(folder).map_err(failed)?;
    for (file, text) in STARTER {
        std::fs::write(folder.join(file), text.replace("NAME", name)).map_err(failed)?;
    }
    Ok(())
}
