//! Something that is not installed.

use std::sync::Arc;

use candor_model::{StepStrategy, StrategyType, TodoItem, ToolSpec};
use serde_json::{Value, json};

use super::likeness::{tool_words, words};
use super::strategy_of;

/// How interpreters name what they miss: the name follows.
const PHRASES: &[&str] = &[
    "No module named ",
    "Cannot find module ",
    "no module named ",
    "cannot find module ",
    "ModuleNotFoundError: ",
];

/// The package that an error about something missing names: the kind tells that it is missing, only the words which.
pub(super) fn missing(text: &str) -> Option<String> {
    let named = PHRASES.iter().find_map(|phrase| text.split_once(phrase)).map(|(_, rest)| rest);
    let named = named.or_else(|| quoted(text))?;
    let named = named.trim_start_matches(['\'', '"', '`', ' ']);
    let is_part = |letter: &char| letter.is_ascii_alphanumeric() || "_-@/.".contains(*letter);
    let name: String = named.chars().take(80).take_while(is_part).collect();
    // Packages are installed whole: `PIL.Image` is in `PIL`. A path is no package.
    let name = name.trim_end_matches(['.', '/']);
    let package =
        if name.starts_with('@') { name } else { name.split(['.', '/']).next().unwrap_or_default() };
    package
        .starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '@')
        .then(|| package.to_owned())
}

fn quoted(text: &str) -> Option<&str> {
    ['\'', '"', '`'].iter().find_map(|quote| text.split(*quote).nth(1)).filter(|name| !name.is_empty())
}

/// First install it, then the step as it was.
pub(super) fn install_first(item: &TodoItem, package: &str, tools: &[Arc<ToolSpec>]) -> Option<StepStrategy> {
    let own = item.tool.as_deref();
    let (tool, parameters) = tools
        .iter()
        .filter(|tool| Some(tool.name.as_str()) != own && installs(tool))
        .find_map(|tool| Some((tool, parameters_for(tool, package)?)))?;
    let install = json!({
        "description": format!("Install {package}"),
        "tool": tool.name,
        "parameters": parameters,
    });
    let mut step = json!({ "description": item.description, "parameters": item.parameters });
    if let (Some(own), Some(map)) = (own, step.as_object_mut()) {
        map.insert("tool".to_owned(), json!(own));
    }
    let rationale = format!("{package} is not installed; {} can install it", tool.name);
    let subtasks = [("subtasks", json!([install, step]))];
    Some(strategy_of(StrategyType::DecomposeTask, rationale, &subtasks, 0.85))
}

/// Whether a tool installs packages.
fn installs(tool: &ToolSpec) -> bool {
    let all = tool_words(tool);
    let has = |wanted: &str| words(wanted).iter().all(|word| all.contains(word));
    let in_name = words(&tool.name).iter().any(|word| word == "install" || word == "pip" || word == "npm");
    let what = ["package", "module", "library", "dependency", "dependencies"].iter().any(|word| has(word));
    has("install") && (what || in_name)
}

/// The parameters that tell an installer what to install, if its schema makes that plain.
fn parameters_for(tool: &ToolSpec, package: &str) -> Option<Value> {
    let known = tool.input_schema.get("properties")?.as_object()?;
    let usual = ["package", "packages", "name", "names", "module", "modules", "library", "libraries"];
    let named = usual.iter().find(|name| known.contains_key(**name)).map(|name| (*name).to_owned());
    let name = named.or_else(|| if known.len() == 1 { known.keys().next().cloned() } else { None })?;
    let is_list = known.get(&name).and_then(|schema| schema.get("type")) == Some(&json!("array"));
    let value = if is_list { json!([package]) } else { json!(package) };
    let parameters = json!({ name: value });
    candor_schema::problems(&parameters, &tool.input_schema).is_empty().then_some(parameters)
}
