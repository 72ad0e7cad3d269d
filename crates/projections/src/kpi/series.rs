//! Figures over time, and what each run contributes to them: what stands behind a figure on a page.

use std::collections::BTreeMap;

use candor_model::{Recorded, RunId, Seconds, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{KpiFold, KpiReport, Targets, Window};

/// How many points a figure's course has.
const POINTS: u32 = 12;

/// The figures of a window, with their course up to its end.
#[derive(Debug, Clone)]
pub struct KpiSeries {
    window: Window,
    whole: KpiFold,
    /// The window as it was at earlier moments, the earliest first.
    points: Vec<(Window, KpiFold)>,
}

/// The course of one figure: its value over a window of the same length that ended then.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Trail {
    /// Name of the key figure.
    pub name: &'static str,
    /// Its values, the earliest first; absent where there were too few samples.
    pub values: Vec<Option<f64>>,
}

impl KpiSeries {
    /// Figures over a window, of no run yet.
    #[must_use]
    pub fn new(window: Window) -> Self {
        let length = window.until.since(window.since);
        let step = Seconds::from_millis(length.as_millis() / u64::from(POINTS));
        let first = window.since;
        let moved = |nth: u32| {
            let by = Seconds::from_millis(step.as_millis() * u64::from(nth));
            let (since, until) = (before(first, length).plus(by), first.plus(by));
            (Window { since, until }, KpiFold::new(Window { since, until }))
        };
        Self { window, whole: KpiFold::new(window), points: (1..=POINTS).map(moved).collect() }
    }

    /// The earliest moment that counts: a run that last changed before it need not be read.
    #[must_use]
    pub fn since(&self) -> Timestamp {
        self.points.first().map_or(self.window.since, |(window, _)| window.since)
    }

    /// Takes a run into account.
    pub fn add_run(&mut self, records: &[Recorded]) {
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return };
        let touches = |window: &Window| first.event.at <= window.until && last.event.at >= window.since;
        if touches(&self.window) {
            self.whole.add_run(records);
        }
        for (_, fold) in self.points.iter_mut().filter(|(window, _)| touches(window)) {
            fold.add_run(records);
        }
    }

    /// The figures with their targets, and their course.
    #[must_use]
    pub fn report(&self, targets: &Targets) -> (KpiReport, Vec<Trail>) {
        let report = self.whole.report(targets);
        let points: Vec<KpiReport> = self.points.iter().map(|(_, fold)| fold.report(targets)).collect();
        let trail = |name: &'static str| Trail {
            name,
            values: points.iter().map(|point| point.value(name)).collect(),
        };
        let trails = report.kpis.iter().map(|kpi| trail(kpi.name)).collect();
        (report, trails)
    }
}

fn before(at: Timestamp, length: Seconds) -> Timestamp {
    let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(at.as_millis().saturating_sub(millis))
}

/// What one run contributes to a figure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunShare {
    /// Run that contributes.
    pub run_id: RunId,
    /// What the run is for.
    pub request: String,
    /// The figure over this run alone.
    pub value: f64,
    /// How many samples of it are this run's.
    pub samples: u64,
}

impl RunShare {
    /// What a run contributes to the figure of this name; nothing if it has no part in it.
    #[must_use]
    pub fn of(name: &str, window: Window, run: &RunId, request: &str, records: &[Recorded]) -> Option<Self> {
        let mut fold = KpiFold::new(window);
        fold.add_run(records);
        let report = fold.report_from(1, &BTreeMap::new());
        let kpi = report.kpis.into_iter().find(|kpi| kpi.name == name)?;
        let value = kpi.value.filter(|_| kpi.samples > 0)?;
        Some(Self { run_id: run.clone(), request: request.to_owned(), value, samples: kpi.samples })
    }
}
