//! The lister: what there is to do, in a few large tasks, and which of them needs which.

use std::collections::{BTreeMap, BTreeSet};

use candor_language::split;
use candor_model::SubTask;
use candor_planning::completeness::CATEGORY_KEY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{hints, tiers};

/// How many parts of a text are told apart; what is beyond belongs to the last.
const MAX_PARTS: usize = 400;

/// How long the name of a task is at most, in words and in letters.
const NAME_WORDS: usize = 9;
const NAME_CHARS: usize = 72;

/// What kind of work a high-level task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskType {
    /// Data and logic.
    Model,
    /// Interfaces between programs.
    Api,
    /// What people see.
    Ui,
    /// Checks.
    Test,
    /// Settings.
    Config,
    /// What keeps harm out.
    Security,
    /// Texts and findings.
    Docs,
}

/// A large task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HighLevelTask {
    /// `T1`, `T2`, …
    pub id: String,
    /// In a few words.
    pub name: String,
    /// What kind of work.
    #[serde(rename = "type")]
    pub kind: TaskType,
    /// What is to be done.
    pub description: String,
    /// Paths, or patterns where they are not known exactly.
    #[serde(default)]
    pub affected_files: Vec<String>,
    /// What one must know to do it.
    #[serde(default)]
    pub required_context: Vec<String>,
}

impl HighLevelTask {
    /// A task that is told by its words alone.
    pub(super) fn told(number: usize, name: &str, description: &str) -> Self {
        Self {
            id: format!("T{number}"),
            name: short(name),
            kind: kind_of(description),
            description: description.to_owned(),
            affected_files: hints::files_in(description),
            required_context: Vec::new(),
        }
    }
}

/// What there is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// What is wanted.
    pub objective: String,
    /// The large tasks.
    pub high_level_tasks: Vec<HighLevelTask>,
    /// What each needs, by id; those that need nothing are absent.
    pub dependencies: BTreeMap<String, Vec<String>>,
    /// From 0 to 100.
    pub estimated_complexity: u8,
}

impl Listing {
    /// Says what is wrong with the ids and the dependencies; nothing if they can be used.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut known = BTreeSet::new();
        for (n, task) in self.high_level_tasks.iter().enumerate() {
            if !is_id(&task.id) {
                problems.push(format!("highLevelTasks[{n}].id: `{}` is no id; write T1, T2, …", task.id));
            } else if !known.insert(task.id.as_str()) {
                problems.push(format!("highLevelTasks[{n}].id: {} is there twice", task.id));
            }
        }
        for (task, needs) in &self.dependencies {
            for id in std::iter::once(task).chain(needs) {
                if !known.contains(id.as_str()) {
                    problems.push(format!("dependencies: `{id}` is none of the tasks"));
                }
            }
        }
        if let Some(circle) = self.circle().filter(|_| problems.is_empty()) {
            problems.push(format!(
                "dependencies: {} wait for each other in a circle; leave one of them out",
                circle.join(" → ")
            ));
        }
        problems
    }

    /// Removes the dependencies that close circles: those by which a task waits for one that is listed later.
    /// Says which.
    pub fn break_cycles(&mut self) -> Vec<String> {
        let mut removed = Vec::new();
        if self.circle().is_none() {
            return removed;
        }
        let place: BTreeMap<&str, usize> =
            self.high_level_tasks.iter().enumerate().map(|(n, task)| (task.id.as_str(), n)).collect();
        for (task, needs) in &mut self.dependencies {
            needs.retain(|need| {
                let keep = place.get(need.as_str()) < place.get(task.as_str());
                if !keep {
                    removed.push(format!(
                        "{task} no longer waits for {need}, which is listed later: they waited for each other"
                    ));
                }
                keep
            });
        }
        self.dependencies.retain(|_, needs| !needs.is_empty());
        removed
    }

    /// The first tasks that wait for each other, the first named again at the end.
    fn circle(&self) -> Option<Vec<String>> {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        for start in self.dependencies.keys() {
            let mut path: Vec<(&str, usize)> = vec![(start, 0)];
            while let Some((at, next)) = path.last_mut() {
                let needs = self.dependencies.get(*at).map_or(&[][..], Vec::as_slice);
                let Some(need) = needs.get(*next) else {
                    done.insert(at);
                    path.pop();
                    continue;
                };
                *next += 1;
                if let Some(from) = path.iter().position(|(id, _)| id == need) {
                    let ids = path.iter().skip(from).map(|(id, _)| (*id).to_owned());
                    return Some(ids.chain([need.clone()]).collect());
                }
                if !done.contains(need.as_str()) {
                    path.push((need, 0));
                }
            }
        }
        None
    }

    /// The list in lines, for a prompt.
    #[must_use]
    pub fn lines(&self) -> String {
        let line = |task: &HighLevelTask| {
            let needs = self.dependencies.get(&task.id).map(|needs| needs.join(", "));
            let after = needs.map_or_else(String::new, |needs| format!(" (after {needs})"));
            format!("{}: {}{after}", task.id, task.description)
        };
        self.high_level_tasks.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Whether a text is `T1`, `T2`, …
fn is_id(text: &str) -> bool {
    text.strip_prefix('T').and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number > 0)
}

/// A high-level task to be, and the places of the steps under it.
pub(super) struct Shelf {
    pub(super) task: HighLevelTask,
    pub(super) steps: Vec<usize>,
}

/// Finds the high-level tasks of a text, and which steps belong to which.
pub(super) fn shelve(text: &str, tasks: &[SubTask]) -> Vec<Shelf> {
    let is_known = |task: &SubTask| task.metadata.other.contains_key(CATEGORY_KEY);
    if !tasks.is_empty() && tasks.iter().all(is_known) {
        return (0..).zip(tasks).map(|(n, task)| shelf_of(n, task)).collect();
    }
    let mut parts = split::parts(text);
    if parts.len() > MAX_PARTS {
        let beyond = parts.split_off(MAX_PARTS - 1).join(" ");
        parts.push(beyond);
    }
    let mut shelves: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (step, part) in assigned(tasks, &parts).into_iter().enumerate() {
        shelves.entry(part).or_default().push(step);
    }
    let shelf = |(number, (part, steps)): (usize, (usize, Vec<usize>))| {
        let words = parts.get(part).map_or(text, String::as_str);
        Shelf { task: HighLevelTask::told(number, words, words), steps }
    };
    (1..).zip(shelves).map(shelf).collect()
}

fn shelf_of(n: usize, task: &SubTask) -> Shelf {
    let name = task.metadata.name.as_deref().unwrap_or(task.description.as_str());
    Shelf { task: HighLevelTask::told(n + 1, name, task.description.as_str()), steps: vec![n] }
}

/// The part of each step: steps and parts both keep their order, and as many words as possible are shared.
pub(super) fn assigned(tasks: &[SubTask], parts: &[String]) -> Vec<usize> {
    let parts: Vec<BTreeSet<String>> = parts.iter().map(|part| words(part)).collect();
    if parts.len() < 2 {
        return vec![0; tasks.len()];
    }
    // The best sum when the step at hand belongs to a part; and from which part the step before came.
    let mut best = vec![0.0_f64; parts.len()];
    let mut from: Vec<Vec<usize>> = Vec::with_capacity(tasks.len());
    for task in tasks {
        let wanted = words(task.description.as_str());
        let (mut most, mut origin) = (f64::NEG_INFINITY, 0);
        let mut origins = Vec::with_capacity(parts.len());
        for (at, (sum, part)) in best.iter_mut().zip(&parts).enumerate() {
            if *sum > most {
                (most, origin) = (*sum, at);
            }
            origins.push(origin);
            *sum = most + shared(&wanted, part);
        }
        from.push(origins);
    }
    let last = (0..best.len())
        .rev()
        .max_by(|a, b| best.get(*a).partial_cmp(&best.get(*b)).unwrap_or(std::cmp::Ordering::Equal));
    let mut at = last.unwrap_or(0);
    let mut places = Vec::with_capacity(tasks.len());
    for origins in from.iter().rev() {
        places.push(at);
        at = origins.get(at).copied().unwrap_or(0);
    }
    places.reverse();
    places
}

fn shared(wanted: &BTreeSet<String>, part: &BTreeSet<String>) -> f64 {
    let common = wanted.intersection(part).count() as f64;
    if wanted.is_empty() { 0.0 } else { common / wanted.len() as f64 }
}

fn words(text: &str) -> BTreeSet<String> {
    crate::consult::content_words(text).collect()
}

/// What is wanted, in a line.
pub(super) fn objective(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, as a name.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let kept = words.get(..words.len().min(NAME_WORDS)).unwrap_or_default().join(" ");
    let name: String = kept.chars().take(NAME_CHARS).collect();
    let is_cut = words.len() > NAME_WORDS || kept.chars().count() > NAME_CHARS;
    let name = name.trim_end_matches([',', ';', ':', '.', ' ']);
    if is_cut { format!("{name} …") } else { name.to_owned() }
}

/// Words by which the kind of a task is told; the first kind that has one counts.
const KINDS: &[(TaskType, &[&str])] = &[
    (TaskType::Test, &["test*", "validat*", "verif*", "check*", "review*", "prueba*", "comprueb*", "revis*"]),
    (
        TaskType::Docs,
        &["document*", "docs", "readme", "report*", "summar*", "write-up", "manual", "informe*", "resum*"],
    ),
    (
        TaskType::Ui,
        &["ui", "page*", "screen*", "button*", "form", "frontend", "component*", "pantalla*", "botón"],
    ),
    (TaskType::Config, &["config*", "setting*", "deploy*", "install*", "environment", "ajuste*", "instal*"]),
    (
        TaskType::Api,
        &["api", "apis", "endpoint*", "route*", "server", "http", "request*", "middleware", "servidor"],
    ),
    (
        TaskType::Model,
        &[
            "model*",
            "schema*",
            "database",
            "table*",
            "implement*",
            "function*",
            "class",
            "refactor*",
            "fix*",
            "algorithm*",
            "migrat*",
        ],
    ),
];

/// The kind of work that words tell. What builds nothing leaves findings: it counts as text.
pub(super) fn kind_of(text: &str) -> TaskType {
    if tiers::is_security(text) {
        return TaskType::Security;
    }
    let found = KINDS.iter().find(|(_, cues)| hints::has_word(text, cues));
    found.map_or(TaskType::Docs, |(kind, _)| *kind)
}
