//! How well requests are cut into steps: `quality_decomposition DATA_DIR [--misses SOURCE | --plans FILE]`.
//!
//! With `--plans` the steps are those of the plans in a file, lines `{"id", "plan"}` as `candor plan --stdin --json` answers
//! them. A request is lost in part if one of its words is in none of its parts, or in no clause of the plan's coverage.
//!
//! A found step is one that is paired with a labelled step, greedily and one to one, the most similar first,
//! at a similarity of at least `THRESHOLD`: the F2 measure (recall of the labelled words counts four times)
//! over their words without stop words, cut to six letters. Edges are compared as labelled, without transitive
//! reduction, among paired steps. Order pairs are those of the transitive closure over all steps: a pair of which
//! one step was not found is missed, one with a step that nobody labelled is wrong. A graph is right as a whole if
//! every step is paired and every order pair is right. Rows with an even number are those that the rules were
//! tuned on.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use candor_language::split::{self, Step};
use candor_text::{fold, words};
use serde::Deserialize;

/// The similarity from which two steps are taken for the same.
const THRESHOLD: f64 = 0.4;

#[derive(Deserialize)]
struct Row {
    id: String,
    source: String,
    task: String,
    nodes: Vec<Node>,
    edges: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    text: String,
}

/// An answer of `candor plan --stdin --json`.
#[derive(Deserialize)]
struct Answer {
    id: String,
    plan: Plan,
}

#[derive(Deserialize)]
struct Plan {
    subtasks: Vec<Subtask>,
    coverage: Vec<Covered>,
}

#[derive(Deserialize)]
struct Subtask {
    task_id: String,
    description: String,
    dependencies: Vec<String>,
}

#[derive(Deserialize)]
struct Covered {
    clause: String,
}

impl Plan {
    fn steps(&self) -> Vec<Step> {
        let place = |id: &String| self.subtasks.iter().position(|task| task.task_id == *id);
        let step = |task: &Subtask| Step {
            description: task.description.clone(),
            depends_on: task.dependencies.iter().filter_map(place).collect(),
            guessed: false,
            conditions: Vec::new(),
        };
        self.subtasks.iter().map(step).collect()
    }
}

/// The words of a request that are in none of its clauses.
fn lost<'a>(request: &str, clauses: impl Iterator<Item = &'a str>) -> Vec<String> {
    let words =
        |text: &str| -> BTreeSet<String> { words(text).map(|word| fold(word).to_lowercase()).collect() };
    let clauses: Vec<&str> = clauses.collect();
    let kept = words(&clauses.join(" "));
    // A secret is taken out before anything is recorded; the place says so.
    let redacted = clauses.iter().any(|clause| clause.contains("[redacted:"));
    let coded = |token: &&str| token.contains(|c: char| c.is_ascii_digit());
    let secrets: BTreeSet<String> =
        request.split_whitespace().filter(|token| redacted && coded(token)).flat_map(words).collect();
    words(request).into_iter().filter(|word| !kept.contains(word) && !secrets.contains(word)).collect()
}

/// Right, predicted and labelled things, counted.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    right: usize,
    predicted: usize,
    labelled: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.predicted += other.predicted;
        self.labelled += other.labelled;
    }

    fn line(&self) -> String {
        let percent = |all: usize| 100.0 * self.right as f64 / all.max(1) as f64;
        format!("P {:5.1} R {:5.1} F1 {:5.1}", percent(self.predicted), percent(self.labelled), self.f1())
    }

    fn f1(&self) -> f64 {
        200.0 * self.right as f64 / (self.predicted + self.labelled).max(1) as f64
    }
}

#[derive(Default, Clone, Copy)]
struct Tally {
    rows: usize,
    steps: Count,
    edges: Count,
    /// Pairs of paired steps whose relation, edge or none, is right.
    relations: Count,
    same_number: usize,
    order: Count,
    whole: usize,
}

impl Tally {
    /// Counts a row; says whether its graph is right as a whole.
    fn add(&mut self, row: &Row, found: &[Step]) -> bool {
        let pairs = pair(row, found);
        self.rows += 1;
        self.same_number += usize::from(found.len() == row.nodes.len());
        self.steps.add(Count { right: pairs.len(), predicted: found.len(), labelled: row.nodes.len() });
        let (edges, relations) = compare_edges(row, found, &pairs);
        self.edges.add(edges);
        self.relations.add(relations);
        let order = compare_order(row, found, &pairs);
        let complete = pairs.len() == found.len() && pairs.len() == row.nodes.len();
        let whole = complete && order.right == order.predicted && order.right == order.labelled;
        self.whole += usize::from(whole);
        self.order.add(order);
        whole
    }

    fn absorb(&mut self, other: &Self) {
        self.rows += other.rows;
        self.same_number += other.same_number;
        self.steps.add(other.steps);
        self.edges.add(other.edges);
        self.relations.add(other.relations);
        self.order.add(other.order);
        self.whole += other.whole;
    }

    fn line(&self) -> String {
        format!(
            "{:3} rows  steps {}  edges {}  order pairs {}  relations right {:5.1} %  number of steps right {:5.1} %  whole graph {:5.1} %",
            self.rows,
            self.steps.line(),
            self.edges.line(),
            self.order.line(),
            100.0 * self.relations.right as f64 / self.relations.labelled.max(1) as f64,
            100.0 * self.same_number as f64 / self.rows.max(1) as f64,
            100.0 * self.whole as f64 / self.rows.max(1) as f64,
        )
    }
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        let _ =
            writeln!(io::stderr(), "usage: quality_decomposition DATA_DIR [--misses SOURCE | --plans FILE]");
        return ExitCode::from(2);
    };
    match measure(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path) -> io::Result<()> {
    let path = folder.join("decomposition.jsonl");
    let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| named(&error))?;
    let mut arguments = std::env::args().skip(2);
    let (option, value) = (arguments.next(), arguments.next());
    let of = |name: &str| value.clone().filter(|_| option.as_deref() == Some(name));
    let (shown, plans) = (of("--misses"), of("--plans").map(|file| plans(Path::new(&file))).transpose()?);
    let mut out = io::stdout().lock();
    let mut tallies = BTreeMap::<(String, &str), Tally>::new();
    let mut rows_lost = 0;
    for line in text.lines() {
        let row: Row = serde_json::from_str(line).map_err(|error| named(&error))?;
        let plan = plans.as_ref().and_then(|plans| plans.get(&row.id));
        let (found, missing) = match (&plans, plan) {
            (None, _) => {
                let split = split::read(&row.task);
                let missing = lost(&row.task, split.parts.iter().map(|part| part.text.as_str()));
                (split.steps, missing)
            }
            (Some(_), Some(plan)) => {
                let clauses = plan.coverage.iter().map(|it| it.clause.as_str());
                (plan.steps(), lost(&row.task, clauses))
            }
            (Some(_), None) => Default::default(),
        };
        if !missing.is_empty() {
            rows_lost += 1;
            writeln!(out, "{} lost {missing:?}", row.id)?;
        }
        let number: u64 = row.id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let half = if number.is_multiple_of(2) { "tuned on (even)" } else { "held out (odd)" };
        let whole = tallies.entry((row.source.clone(), half)).or_default().add(&row, &found);
        if shown.as_ref() == Some(&row.source) && number.is_multiple_of(2) {
            show(&mut out, &row, &found, whole)?;
        }
    }
    let (mut halves, mut sources) = (BTreeMap::<&str, Tally>::new(), BTreeMap::<&str, Tally>::new());
    for ((source, half), tally) in &tallies {
        writeln!(out, "{source:11} {half:15} {}", tally.line())?;
        sources.entry(source).or_default().absorb(tally);
        halves.entry(half).or_default().absorb(tally);
        halves.entry("~all").or_default().absorb(tally);
    }
    for (half, tally) in &halves {
        writeln!(out, "{:11} {half:15} {}", "overall", tally.line())?;
    }
    let by = if plans.is_some() { "plan" } else { "split" };
    writeln!(out, "figure {by}_lost {rows_lost}")?;
    let summed = [("worfbench", halves.get("~all")), ("seal_tools", sources.get("seal_tools"))];
    for (name, tally) in summed {
        let Some(tally) = tally else { continue };
        let whole = 100.0 * tally.whole as f64 / tally.rows.max(1) as f64;
        for (what, value) in [("steps", tally.steps.f1()), ("order", tally.order.f1()), ("whole", whole)] {
            writeln!(out, "figure {by}_{name}_{what} {value:.1}")?;
        }
    }
    Ok(())
}

/// The plans of a file, by the names of their rows.
fn plans(file: &Path) -> io::Result<BTreeMap<String, Plan>> {
    let text = std::fs::read_to_string(file)?;
    let answers = text.lines().map(serde_json::from_str::<Answer>);
    answers.map(|answer| answer.map(|it| (it.id, it.plan)).map_err(io::Error::other)).collect()
}

fn show(out: &mut impl Write, row: &Row, found: &[Step], whole: bool) -> io::Result<()> {
    let task: String = row.task.chars().take(600).collect();
    writeln!(out, "{} {}: {task}", row.id, if whole { "right" } else { "wrong" })?;
    let pairs = pair(row, found);
    for (at, step) in found.iter().enumerate() {
        let paired =
            pairs.iter().find(|(found, _)| *found == at).and_then(|(_, label)| row.nodes.get(*label));
        let label = paired.map_or("-", |node| node.id.as_str());
        let guess = if step.guessed { " ?" } else { "" };
        writeln!(out, "   found {at} ={label} {:?}{guess} {}", step.depends_on, step.description)?;
    }
    for node in &row.nodes {
        writeln!(out, "   label {} {}", node.id, node.text)?;
    }
    writeln!(out, "   edges {:?}", row.edges)
}

/// Pairs of places, predicted and labelled, the most similar first.
fn pair(row: &Row, found: &[Step]) -> Vec<(usize, usize)> {
    let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
    for (predicted, step) in found.iter().enumerate() {
        for (labelled, node) in row.nodes.iter().enumerate() {
            let similarity = similarity(&step.description, &node.text);
            if similarity >= THRESHOLD {
                candidates.push((similarity, predicted, labelled));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (_, predicted, labelled) in candidates {
        if pairs.iter().all(|&(p, l)| p != predicted && l != labelled) {
            pairs.push((predicted, labelled));
        }
    }
    pairs
}

fn compare_edges(row: &Row, found: &[Step], pairs: &[(usize, usize)]) -> (Count, Count) {
    let place = |id: &String| row.nodes.iter().position(|node| node.id == *id);
    let labelled: BTreeSet<_> = row.edges.iter().filter_map(|(a, b)| Some((place(a)?, place(b)?))).collect();
    let (mut edges, mut relations) = (Count::default(), Count::default());
    for &(from, from_label) in pairs {
        for &(to, to_label) in pairs.iter().filter(|(to, _)| *to != from) {
            let predicted = found.get(to).is_some_and(|step| step.depends_on.contains(&from));
            let said = labelled.contains(&(from_label, to_label));
            edges.predicted += usize::from(predicted);
            edges.labelled += usize::from(said);
            edges.right += usize::from(predicted && said);
            relations.right += usize::from(predicted == said);
            relations.labelled += 1;
        }
    }
    (edges, relations)
}

/// The order pairs of the closure, of all steps.
fn compare_order(row: &Row, found: &[Step], pairs: &[(usize, usize)]) -> Count {
    let place = |id: &String| row.nodes.iter().position(|node| node.id == *id);
    let labelled = closure(row.edges.iter().filter_map(|(a, b)| Some((place(a)?, place(b)?))).collect());
    let edges =
        found.iter().enumerate().flat_map(|(to, step)| step.depends_on.iter().map(move |&from| (from, to)));
    let predicted = closure(edges.collect());
    let label = |place: usize| pairs.iter().find(|(found, _)| *found == place).map(|(_, label)| *label);
    let right =
        |(a, b): &&(usize, usize)| label(*a).zip(label(*b)).is_some_and(|pair| labelled.contains(&pair));
    Count {
        right: predicted.iter().filter(right).count(),
        predicted: predicted.len(),
        labelled: labelled.len(),
    }
}

fn closure(mut pairs: BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    loop {
        let further: BTreeSet<_> = pairs
            .iter()
            .flat_map(|&(a, b)| pairs.range((b, 0)..(b + 1, 0)).map(move |&(_, c)| (a, c)))
            .filter(|pair| !pairs.contains(pair))
            .collect();
        if further.is_empty() {
            return pairs;
        }
        pairs.extend(further);
    }
}

/// The F2 measure of the words of a predicted step against those of a labelled one.
fn similarity(predicted: &str, labelled: &str) -> f64 {
    let (predicted, labelled) = (stems(predicted), stems(labelled));
    let common = predicted.intersection(&labelled).count() as f64;
    let weight = predicted.len() as f64 + 4.0 * labelled.len() as f64;
    if weight > 0.0 { 5.0 * common / weight } else { 0.0 }
}

fn stems(text: &str) -> BTreeSet<String> {
    const STOP_WORDS: &[&str] = &[
        "a", "an", "and", "are", "at", "by", "for", "from", "i", "in", "is", "it", "its", "me", "my", "of",
        "on", "or", "please", "that", "the", "this", "to", "with", "you", "your", "be", "as",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
        .map(|word| word.chars().take(6).collect())
        .collect()
}
