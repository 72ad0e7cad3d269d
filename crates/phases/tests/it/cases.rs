//! How well requests are read, on cases of our own that were labelled by hand: English and Spanish, many domains.
//!
//! `tests/cases/requests.jsonl` has one request a line. `tasks` are words that one step each must have, `edges` the order
//! pairs between them (compared as transitive closure), `must_not` and `conditions` what must be found of them, `absent` the
//! facts that must not be read. The cases with `held_out` were written first and are not looked at when rules are changed;
//! only their figures are printed.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use candor_language::evaluate::evaluate;
use candor_language::split::{self, Split};
use candor_model::{GoalType, RunId, Timestamp};
use candor_phases::{Pack, Phases, define_goal};
use candor_text::fold;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Case {
    id: String,
    text: String,
    held_out: bool,
    goal_type: String,
    tasks: Vec<String>,
    edges: BTreeSet<(usize, usize)>,
    must_not: Vec<String>,
    conditions: Vec<String>,
    absent: Vec<String>,
}

impl Default for Case {
    fn default() -> Self {
        Self {
            id: String::new(),
            text: String::new(),
            held_out: false,
            goal_type: "generic".to_owned(),
            tasks: Vec::new(),
            edges: BTreeSet::new(),
            must_not: Vec::new(),
            conditions: Vec::new(),
            absent: Vec::new(),
        }
    }
}

/// Right, found and labelled things.
#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    found: usize,
    labelled: usize,
}

impl Count {
    fn add(&mut self, right: usize, found: usize, labelled: usize) {
        self.right += right;
        self.found += found;
        self.labelled += labelled;
    }

    fn f1(self) -> f64 {
        200.0 * self.right as f64 / (self.found + self.labelled).max(1) as f64
    }

    fn recall(self) -> f64 {
        100.0 * self.right as f64 / self.labelled.max(1) as f64
    }
}

#[derive(Default)]
struct Figures {
    cases: usize,
    kinds: usize,
    tasks: Count,
    order: Count,
    limits: Count,
    conditions: Count,
    /// Facts that were read and must not be, and limits that became steps.
    invented: usize,
    /// Clauses that are in nothing.
    lost: usize,
    misses: Vec<String>,
    /// The complexity of each request that no pack is for, and its effort by the labels.
    efforts: Vec<(f64, f64)>,
}

impl Figures {
    fn add(&mut self, case: &Case, phases: &Phases) {
        let now: Timestamp = "2025-01-15T10:00:00Z".parse().unwrap();
        let (goal, reading) = define_goal(phases, &case.text, now, &RunId::new("run_case").unwrap()).unwrap();
        self.cases += 1;
        let kind = goal.goal_type.to_string() == case.goal_type;
        self.kinds += usize::from(kind);
        let read = json!(reading.extracted);
        let invented = case.absent.iter().filter(|field| read.get(field.as_str()).is_some()).count();
        let complexity = evaluate(&case.text, &reading).evaluation.complexity.total;
        // What a request forbids or makes depend on something is work too, about half of a task's.
        let minded = (case.must_not.len() + case.conditions.len()) as f64 / 2.0;
        let generic = case.goal_type == "generic";
        self.efforts.extend(generic.then_some((f64::from(complexity), case.tasks.len() as f64 + minded)));
        let split = split::read(&case.text);
        let lost = lost(&case.text, &split);
        self.lost += lost;
        let forbidden = |step: &&split::Step| {
            let text = fold(&step.description).into_owned();
            ["do not", "don't", "never", "no ", "stop if", "nunca"]
                .iter()
                .any(|limit| text.starts_with(limit))
        };
        self.invented += invented + split.steps.iter().filter(forbidden).count();
        let has = |found: &[String], wanted: &&String| {
            found.iter().any(|it| fold(it).contains(fold(wanted).as_ref()))
        };
        let limits = case.must_not.iter().filter(|it| has(&reading.extracted.must_not, it)).count();
        self.limits.add(limits, 0, case.must_not.len());
        let guards: Vec<String> = split.steps.iter().flat_map(|step| step.conditions.clone()).collect();
        let conditions = case.conditions.iter().filter(|it| has(&guards, it)).count();
        self.conditions.add(conditions, 0, case.conditions.len());
        let whole = case.goal_type != "generic" || self.steps(case, &split);
        if !(whole
            && kind
            && invented + lost == 0
            && limits == case.must_not.len()
            && conditions == case.conditions.len())
        {
            let steps: Vec<_> =
                split.steps.iter().map(|step| (&step.description, &step.depends_on)).collect();
            self.misses.push(format!(
                "{} {} {steps:?} must_not {:?} conditions {guards:?} invented {invented} lost {lost}",
                case.id, case.text, reading.extracted.must_not
            ));
        }
    }

    /// Compares steps and their order; says whether all of it is right.
    fn steps(&mut self, case: &Case, split: &Split) -> bool {
        let mut free: Vec<usize> = (0..split.steps.len()).collect();
        let pairs: Vec<Option<usize>> = case
            .tasks
            .iter()
            .map(|label| {
                let at = free.iter().position(|&step| names(&split.steps[step].description, label))?;
                Some(free.remove(at))
            })
            .collect();
        let right = pairs.iter().flatten().count();
        self.tasks.add(right, split.steps.len(), case.tasks.len());
        let edges = split.steps.iter().enumerate();
        let found = closure(
            edges.flat_map(|(to, step)| step.depends_on.iter().map(move |&from| (from, to))).collect(),
        );
        let labelled = closure(case.edges.clone());
        let is_found = |(a, b): &&(usize, usize)| matches!((pairs[*a], pairs[*b]), (Some(a), Some(b)) if found.contains(&(a, b)));
        let ordered = labelled.iter().filter(is_found).count();
        self.order.add(ordered, found.len(), labelled.len());
        let exact = right == case.tasks.len() && right == split.steps.len();
        exact && ordered == labelled.len() && ordered == found.len()
    }

    fn line(&self) -> String {
        format!(
            "{} cases: complexity against labelled effort r {:.2}, goal type {}, tasks F1 {:.1}, order pairs F1 {:.1}, limits {:.1} %, conditions {:.1} %, invented {}, lost {}, all right {:.1} %",
            self.cases,
            r(&self.efforts),
            self.kinds,
            self.tasks.f1(),
            self.order.f1(),
            self.limits.recall(),
            self.conditions.recall(),
            self.invented,
            self.lost,
            100.0 * (self.cases - self.misses.len()) as f64 / self.cases as f64
        )
    }
}

/// Pearson's r.
fn r(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (one, other) in points {
        (xy, xx, yy) = (xy + (one - x) * (other - y), xx + (one - x).powi(2), yy + (other - y).powi(2));
    }
    xy / (xx * yy).sqrt()
}

/// Whether a step has all words of a label, as far as their beginnings go.
fn names(step: &str, label: &str) -> bool {
    let step = fold(step).into_owned();
    let has = |word: &str| step.split(|c: char| !c.is_alphanumeric()).any(|known| known.starts_with(word));
    label.split_whitespace().all(|word| {
        let word: String = fold(word).chars().take(6).collect();
        has(&word)
    })
}

fn closure(mut pairs: BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
    loop {
        let further: BTreeSet<_> = pairs
            .iter()
            .flat_map(|&(a, b)| pairs.iter().filter(move |(c, _)| *c == b).map(move |&(_, d)| (a, d)))
            .filter(|pair| !pairs.contains(pair))
            .collect();
        if further.is_empty() {
            return pairs;
        }
        pairs.extend(further);
    }
}

/// How many words of a request are in no part of it, but for those that only join parts.
fn lost(request: &str, split: &Split) -> usize {
    const JOINING: &[&str] = &[
        "and",
        "but",
        "then",
        "finally",
        "afterwards",
        "also",
        "y",
        "e",
        "pero",
        "luego",
        "antes",
        "de",
        "primero",
        "despues",
        "finalmente",
        "por",
        "ultimo",
        "please",
        "before",
        "after",
        "you",
    ];
    let words = |text: &str| -> Vec<String> {
        candor_text::words(text).map(|word| fold(word).into_owned()).collect()
    };
    let kept: BTreeSet<String> = split.parts.iter().flat_map(|part| words(&part.text)).collect();
    // "Deploying" is told as "deploy".
    let gerund = |word: &String| {
        word.strip_suffix("ing")
            .is_some_and(|stem| kept.iter().any(|known| stem.starts_with(known.get(..3).unwrap_or(known))))
    };
    let missing = |word: &String| !kept.contains(word) && !JOINING.contains(&word.as_str()) && !gerund(word);
    words(request).iter().filter(|word| missing(word)).filter(|word| word.parse::<u32>().is_err()).count()
}

fn measured() -> (Figures, Figures) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pack = std::fs::read_to_string(folder.join("../../packs/travel/pack.toml")).unwrap();
    let phases = Phases::new(vec![Pack::from_toml(&pack).unwrap()], 1);
    assert!(phases.pack(&GoalType::GENERIC).is_none());
    let (mut tuned, mut held_out) = (Figures::default(), Figures::default());
    for line in std::fs::read_to_string(folder.join("tests/cases/requests.jsonl")).unwrap().lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        (if case.held_out { &mut held_out } else { &mut tuned }).add(&case, &phases);
    }
    (tuned, held_out)
}

#[test]
fn our_own_cases_are_read_as_labelled() {
    let (tuned, held_out) = measured();
    let figures = format!("tuned on: {}\nheld out: {}", tuned.line(), held_out.line());
    // Not by `println`, which is only shown when a test fails: the figures are to be seen wherever the tests run.
    let _ = writeln!(std::io::stderr(), "cases/requests.jsonl\n{figures}");
    // What is below was reached when the rules were last changed, less a case or two.
    for (figures_of, misses, [tasks, order, limits, conditions, all_right]) in [
        (&tuned, tuned.misses.join("\n"), [97.0, 86.0, 98.0, 98.0, 72.0]),
        (&held_out, String::new(), [97.0, 88.0, 98.0, 85.0, 73.0]),
    ] {
        // spec: findings HE-13
        assert!(r(&figures_of.efforts) >= 0.4, "complexity must tell how much there is to do: {figures}");
        assert_eq!(figures_of.kinds, figures_of.cases, "{figures}\n{misses}");
        assert_eq!((figures_of.invented, figures_of.lost), (0, 0), "{figures}\n{misses}");
        let right = 100.0 * (figures_of.cases - figures_of.misses.len()) as f64 / figures_of.cases as f64;
        let reached = [
            (figures_of.tasks.f1(), tasks),
            (figures_of.order.f1(), order),
            (figures_of.limits.recall(), limits),
            (figures_of.conditions.recall(), conditions),
            (right, all_right),
        ];
        assert!(reached.iter().all(|(reached, floor)| reached >= floor), "{reached:?}\n{figures}\n{misses}");
    }
}
