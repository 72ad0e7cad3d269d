//! What runs spent: by model, phase and task of one run; by model, phase, user, project and day of many.
//!
//! Every part is counted exactly once, so that each list adds up to the total, and the total of one run is what was
//! charged to it.

use std::collections::BTreeMap;

use candor_model::{Money, Phase, Recorded, RunFigures, RunId, Spend, TaskId};
use candor_planning::tally::SpendParts;
use schemars::JsonSchema;
use serde::Serialize;

/// The name of what belongs to no task, user or project.
pub const NONE: &str = "–";

/// How many runs are listed by name.
const MOST_RUNS: usize = 10;

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpendRow {
    /// The model, phase, task, run, user, project or day.
    pub name: String,
    /// Calls, tokens and money of the row.
    #[serde(flatten)]
    pub spend: Spend,
}

/// Money and tokens of runs, added up in several ways.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpendReport {
    /// How many runs it is about.
    pub runs: u64,
    /// Sum over all rows of any one table.
    pub total: Spend,
    /// What reading from providers' caches saved; of many runs only.
    pub saved: Money,
    /// By model; `agent:NAME` is what an agent charged for itself.
    pub by_model: Vec<SpendRow>,
    /// By phase, in their order.
    pub by_phase: Vec<SpendRow>,
    /// By task, of one run only; `–` is the work of the phases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub by_task: Vec<SpendRow>,
    /// The runs that cost most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub by_run: Vec<SpendRow>,
    /// A row for each user who began runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub by_user: Vec<SpendRow>,
    /// A row for each project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub by_project: Vec<SpendRow>,
    /// By the day on which the runs began, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub by_day: Vec<SpendRow>,
}

impl SpendReport {
    /// What one run spent.
    #[must_use]
    pub fn of_run(records: &[Recorded]) -> Self {
        let SpendParts { total, models, phases, tasks } =
            SpendParts::of(records.iter().map(|recorded| &recorded.event));
        let task = |task: Option<TaskId>| task.map_or_else(|| NONE.to_owned(), |task| task.to_string());
        Self {
            runs: 1,
            total,
            by_model: dearest_first(models),
            by_phase: in_order(&phases),
            by_task: dearest_first(tasks.into_iter().map(|(id, spend)| (task(id), spend)).collect()),
            ..Self::default()
        }
    }

    /// What many runs spent.
    pub fn of_runs<'a>(runs: impl IntoIterator<Item = (&'a RunId, &'a RunFigures)>) -> Self {
        let mut sums = Sums::default();
        runs.into_iter().for_each(|(run, figures)| sums.add(run, figures));
        sums.report()
    }
}

#[derive(Default)]
struct Sums {
    runs: u64,
    total: Spend,
    saved: Money,
    models: BTreeMap<String, Spend>,
    phases: BTreeMap<Phase, Spend>,
    by_run: BTreeMap<String, Spend>,
    users: BTreeMap<String, Spend>,
    projects: BTreeMap<String, Spend>,
    days: BTreeMap<String, Spend>,
}

impl Sums {
    fn add(&mut self, run: &RunId, figures: &RunFigures) {
        let total = &figures.total;
        self.runs += 1;
        self.total.add(total);
        self.saved = self.saved + figures.saved;
        for (model, spend) in &figures.by_model {
            self.models.entry(model.clone()).or_default().add(spend);
        }
        for (phase, spend) in &figures.by_phase {
            self.phases.entry(*phase).or_default().add(spend);
        }
        self.by_run.entry(run.to_string()).or_default().add(total);
        let origin = figures.origin.as_deref();
        let none = || NONE.to_owned();
        let user = origin.map_or_else(none, |origin| origin.user.clone());
        self.users.entry(user).or_default().add(total);
        let project = origin.and_then(|origin| origin.project.clone()).unwrap_or_else(none);
        self.projects.entry(project).or_default().add(total);
        let day = figures.started_at.map(|at| at.to_string().chars().take(10).collect());
        self.days.entry(day.unwrap_or_else(none)).or_default().add(total);
    }

    fn report(self) -> SpendReport {
        let mut by_run = dearest_first(self.by_run);
        by_run.truncate(MOST_RUNS);
        let mut by_day = rows(self.days);
        by_day.reverse();
        SpendReport {
            runs: self.runs,
            total: self.total,
            saved: self.saved,
            by_model: dearest_first(self.models),
            by_phase: in_order(&self.phases),
            by_task: Vec::new(),
            by_run,
            by_user: dearest_first(self.users),
            by_project: dearest_first(self.projects),
            by_day,
        }
    }
}

fn rows(map: BTreeMap<String, Spend>) -> Vec<SpendRow> {
    map.into_iter().map(|(name, spend)| SpendRow { name, spend }).collect()
}

fn dearest_first(map: BTreeMap<String, Spend>) -> Vec<SpendRow> {
    let mut rows = rows(map);
    rows.sort_by_key(|row| std::cmp::Reverse((row.spend.cost, row.spend.tokens.total())));
    rows
}

fn in_order(phases: &BTreeMap<Phase, Spend>) -> Vec<SpendRow> {
    let mut known: Vec<_> = phases.iter().collect();
    known.sort_by_key(|(phase, _)| phase.number());
    let row = |(phase, spend): (&Phase, &Spend)| SpendRow { name: phase.to_string(), spend: *spend };
    known.into_iter().map(row).collect()
}
