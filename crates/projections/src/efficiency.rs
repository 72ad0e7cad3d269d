//! What tokens and money buy: quality by kind of work, where more tokens bring no more, and what each model returns.
//!
//! The quality of a run is the share of its checked criteria that held, from 0 to 100. A run of which nothing was checked
//! has no quality and counts nowhere here; it is advice, and stops nothing.

use std::collections::BTreeMap;

use candor_model::{CriterionResult, EventBody, Money, Recorded, RunFigures, RunId, Seconds, Timestamp};
use candor_planning::tally::Tally;
use schemars::JsonSchema;
use serde::Serialize;

/// Runs of a kind that make up its baseline, and that a trend compares.
const COMPARED: usize = 10;
/// Fewer runs than this show no plateau.
const FEWEST: usize = 10;
/// Groups of runs with similar tokens that a plateau is looked for in.
const BUCKETS: usize = 5;
/// Quality that rises by less than this share has reached its plateau.
const GAIN: f64 = 0.02;
/// A change of less than this share is none.
const STABLE: f64 = 0.03;
/// A model that returns so many times what another one does is worth a word.
const WORTH_SAYING: f64 = 10.0;
/// Only so many of the latest runs of a kind are drawn.
const DRAWN: usize = 50;

/// What a run took, and how good what it gave was.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// Run that the figures are about.
    pub run_id: RunId,
    /// Moment of its end.
    pub ended_at: Timestamp,
    /// False for runs that failed or were stopped.
    pub completed: bool,
    /// The share of checked criteria that held, from 0 to 100.
    pub quality: Option<f64>,
    /// Tokens, money and time of the run.
    pub figures: RunFigures,
}

impl RunOutcome {
    /// A run that has ended; nothing for others.
    #[must_use]
    pub fn of(run: &RunId, records: &[Recorded]) -> Option<Self> {
        let end = records.iter().rev().find(|recorded| recorded.event.body.is_end())?;
        let assessment = records.iter().rev().find_map(|recorded| match &recorded.event.body {
            EventBody::OutcomeRecorded(record) => record.assessment.as_deref(),
            _ => None,
        });
        let count = |wanted: CriterionResult| {
            assessment.map_or(0, |found| found.criteria.iter().filter(|it| it.result == wanted).count())
        };
        let (held, failed) = (count(CriterionResult::Holds), count(CriterionResult::Fails));
        let quality = (held + failed > 0).then(|| held as f64 * 100.0 / (held + failed) as f64);
        Some(Self {
            run_id: run.clone(),
            ended_at: end.event.at,
            completed: matches!(end.event.body, EventBody::RunCompleted { .. }),
            quality,
            figures: Tally::of(records.iter().map(|recorded| &recorded.event)).figures(),
        })
    }

    fn tokens(&self) -> f64 {
        self.figures.total.tokens.total() as f64
    }

    /// Quality divided by tokens; `None` without either.
    fn efficiency(&self) -> Option<f64> {
        self.quality.filter(|_| self.tokens() > 0.0).map(|quality| quality / self.tokens())
    }
}

/// What tokens and money bought.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct EfficiencyReport {
    /// How many runs have a quality.
    pub judged: u64,
    /// By kind of work, the most frequent first.
    pub types: Vec<TypeRow>,
    /// Quality by tokens, for each kind of work whose runs asked models.
    pub curves: Vec<Curve>,
    /// By model, the one with the highest return first.
    pub models: Vec<ModelRow>,
    /// Two models whose returns are far apart.
    pub advice: Option<Advice>,
}

/// One kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TypeRow {
    /// The kind of work.
    pub task_type: String,
    /// How many runs have a quality.
    pub runs: u64,
    /// Their quality on average, from 0 to 100.
    pub quality: f64,
    /// Their tokens on average.
    pub tokens: f64,
    /// What they cost on average.
    pub cost: Money,
    /// How long they took on average.
    pub duration: Seconds,
    /// Quality per token; absent if no model was asked.
    pub quality_per_token: Option<f64>,
    /// How much better the last ten are than the first ten, in percent; absent with fewer runs.
    pub improvement: Option<f64>,
    /// `better`, `stable` or `worse`: the last ten against the ten before.
    pub trend: Option<&'static str>,
}

/// Quality against tokens, for runs of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Curve {
    /// The kind of work.
    pub task_type: String,
    /// The latest runs, by their tokens.
    pub points: Vec<CurvePoint>,
    /// Where more tokens bring no more; absent if that cannot be told.
    pub plateau: Option<Plateau>,
}

/// One run on a curve.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CurvePoint {
    /// Run behind the point.
    pub run_id: RunId,
    /// Tokens of the run.
    pub tokens: f64,
    /// Measured quality of the run.
    pub quality: f64,
}

/// Where more tokens bring no more.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Plateau {
    /// Tokens that are enough.
    pub tokens: f64,
    /// The quality to expect from them.
    pub quality: f64,
    /// How much quality rises beyond, in percent.
    pub gain_beyond: f64,
    /// How many runs took more.
    pub runs_beyond: u64,
}

/// What one model returned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelRow {
    /// Provider and model.
    pub model: String,
    /// How many runs with a quality asked it.
    pub runs: u64,
    /// The quality of these runs, weighted by its tokens.
    pub quality: f64,
    /// Tokens of all its calls.
    pub tokens: u64,
    /// Charged for all its calls.
    pub cost: Money,
    /// What a thousand tokens cost, in dollars.
    pub cost_per_1k: f64,
    /// Quality per dollar for a thousand tokens; absent for a model that costs nothing.
    pub roi: Option<f64>,
}

/// Two models whose returns are far apart.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    /// The model with the higher return.
    pub prefer: String,
    /// The model with the lower return: for architecture, changes of many files, and security.
    pub keep_for_hard_work: String,
    /// How many times higher the return is.
    pub ratio: f64,
}

impl EfficiencyReport {
    /// What runs that have ended say.
    #[must_use]
    pub fn of(outcomes: &[RunOutcome]) -> Self {
        let mut judged: Vec<&RunOutcome> = outcomes.iter().filter(|it| it.quality.is_some()).collect();
        judged.sort_by_key(|outcome| outcome.ended_at);
        let mut kinds: BTreeMap<&str, Vec<&RunOutcome>> = BTreeMap::new();
        for outcome in &judged {
            kinds.entry(outcome.figures.task_type.as_str()).or_default().push(outcome);
        }
        let mut types: Vec<TypeRow> = kinds.iter().map(|(kind, runs)| type_row(kind, runs)).collect();
        types.sort_by_key(|row| std::cmp::Reverse(row.runs));
        let curves = kinds.iter().filter_map(|(kind, runs)| curve(kind, runs)).collect();
        let models = model_rows(&judged);
        let advice = advice(&models);
        Self { judged: judged.len() as u64, types, curves, models, advice }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn type_row(kind: &str, runs: &[&RunOutcome]) -> TypeRow {
    let count = runs.len().max(1) as u64;
    let efficiencies: Vec<f64> = runs.iter().filter_map(|run| run.efficiency()).collect();
    let last = efficiencies.len().checked_sub(COMPARED).and_then(|from| efficiencies.get(from..));
    let last = last.and_then(|last| mean(last.iter().copied()));
    let first = mean(efficiencies.iter().copied().take(COMPARED));
    let earlier = efficiencies.len().checked_sub(2 * COMPARED);
    let earlier = earlier.and_then(|from| mean(efficiencies.iter().copied().skip(from).take(COMPARED)));
    let change = |from: Option<f64>| last.zip(from).map(|(now, then)| now / then - 1.0);
    let trend = change(earlier).map(|change| match change {
        change if change > STABLE => "better",
        change if change < -STABLE => "worse",
        _ => "stable",
    });
    let cost: u64 = runs.iter().map(|run| run.figures.total.cost.micros()).sum();
    let millis: u64 = runs.iter().map(|run| run.figures.duration.as_millis()).sum();
    TypeRow {
        task_type: kind.to_owned(),
        runs: runs.len() as u64,
        quality: mean(runs.iter().filter_map(|run| run.quality)).unwrap_or_default(),
        tokens: mean(runs.iter().map(|run| run.tokens())).unwrap_or_default(),
        cost: Money::from_micros(cost / count),
        duration: Seconds::from_millis(millis / count),
        quality_per_token: mean(efficiencies.iter().copied()),
        improvement: change(first).filter(|_| efficiencies.len() > COMPARED).map(|change| change * 100.0),
        trend,
    }
}

fn curve(kind: &str, runs: &[&RunOutcome]) -> Option<Curve> {
    let latest = runs.iter().rev().filter(|run| run.tokens() > 0.0).take(DRAWN);
    let mut points: Vec<CurvePoint> = latest
        .filter_map(|run| {
            Some(CurvePoint { run_id: run.run_id.clone(), tokens: run.tokens(), quality: run.quality? })
        })
        .collect();
    points.sort_by(|one, other| one.tokens.total_cmp(&other.tokens));
    let plateau = plateau(&points);
    (!points.is_empty()).then(|| Curve { task_type: kind.to_owned(), points, plateau })
}

/// The first group of runs after which the best quality rises by hardly anything.
fn plateau(points: &[CurvePoint]) -> Option<Plateau> {
    if points.len() < FEWEST {
        return None;
    }
    let size = points.len().div_ceil(BUCKETS);
    let groups: Vec<(f64, f64)> = points
        .chunks(size)
        .filter_map(|group| {
            Some((mean(group.iter().map(|it| it.tokens))?, mean(group.iter().map(|it| it.quality))?))
        })
        .collect();
    let best = groups.iter().map(|(_, quality)| *quality).fold(0.0, f64::max);
    let at = groups.iter().position(|(_, quality)| best <= quality * (1.0 + GAIN))?;
    let (tokens, quality) = groups.get(at).copied().filter(|_| at + 1 < groups.len())?;
    let gain_beyond = if quality > 0.0 { (best / quality - 1.0) * 100.0 } else { 0.0 };
    let runs_beyond = points.iter().filter(|point| point.tokens > tokens).count() as u64;
    Some(Plateau { tokens, quality, gain_beyond, runs_beyond })
}

fn model_rows(runs: &[&RunOutcome]) -> Vec<ModelRow> {
    let mut sums: BTreeMap<&str, (u64, f64, u64, Money)> = BTreeMap::new();
    for run in runs {
        for (model, spend) in run.figures.by_model.iter().filter(|(_, spend)| spend.tokens.total() > 0) {
            let (count, weighted, tokens, cost) = sums.entry(model).or_default();
            *count += 1;
            *weighted += run.quality.unwrap_or_default() * spend.tokens.total() as f64;
            *tokens += spend.tokens.total();
            *cost = *cost + spend.cost;
        }
    }
    let row = |(model, (runs, weighted, tokens, cost)): (&str, (u64, f64, u64, Money))| {
        let quality = weighted / tokens as f64;
        let cost_per_1k = cost.as_dollars() * 1000.0 / tokens as f64;
        let roi = (cost_per_1k > 0.0).then(|| quality / cost_per_1k);
        ModelRow { model: model.to_owned(), runs, quality, tokens, cost, cost_per_1k, roi }
    };
    let mut rows: Vec<ModelRow> = sums.into_iter().map(row).collect();
    rows.sort_by(|one, other| other.roi.unwrap_or(f64::MAX).total_cmp(&one.roi.unwrap_or(f64::MAX)));
    rows
}

fn advice(models: &[ModelRow]) -> Option<Advice> {
    let known = || models.iter().filter_map(|row| Some((row.model.as_str(), row.roi?)));
    let best = known().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let worst = known().min_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, roi)| *roi > 0.0)?;
    let ratio = best.1 / worst.1;
    (ratio >= WORTH_SAYING).then(|| Advice {
        prefer: best.0.to_owned(),
        keep_for_hard_work: worst.0.to_owned(),
        ratio,
    })
}

#[cfg(test)]
mod tests {
    use candor_model::{Spend, TokenUse};

    use super::*;

    fn run(nth: u64, model: &str, tokens: u64, cost: u64, quality: f64) -> RunOutcome {
        let spend = Spend {
            cost: Money::from_micros(cost),
            tokens: TokenUse { input: tokens, ..TokenUse::default() },
            calls: 1,
        };
        let figures = RunFigures {
            task_type: "docs".to_owned(),
            total: spend,
            by_model: BTreeMap::from([(model.to_owned(), spend)]),
            ..RunFigures::default()
        };
        RunOutcome {
            run_id: RunId::new(format!("run_{nth}")).unwrap(),
            ended_at: Timestamp::from_millis(i64::try_from(nth).unwrap()),
            completed: true,
            quality: Some(quality),
            figures,
        }
    }

    #[test]
    fn a_plateau_is_found_where_quality_saturates_and_nowhere_on_a_line() {
        // spec: orchestrator CE-07 CE-08
        let saturating: Vec<RunOutcome> = (1..=60)
            .map(|nth| run(nth, "m", nth * 100, 10, 100.0 * (1.0 - (-(nth as f64) * 100.0 / 500.0).exp())))
            .collect();
        let report = EfficiencyReport::of(&saturating);
        let plateau = report.curves[0].plateau.as_ref().unwrap();
        assert!((1500.0..3200.0).contains(&plateau.tokens), "{plateau:?}");
        assert!(plateau.gain_beyond <= 2.0 && plateau.runs_beyond > 20, "{plateau:?}");
        let line: Vec<RunOutcome> = (1..=60).map(|nth| run(nth, "m", nth * 100, 10, nth as f64)).collect();
        assert_eq!(EfficiencyReport::of(&line).curves[0].plateau, None);
        assert_eq!(EfficiencyReport::of(&saturating[..9]).curves[0].plateau, None, "too few");
    }

    #[test]
    fn what_models_return_is_quality_per_dollar_for_a_thousand_tokens() {
        // spec: orchestrator CE-09 CE-10
        let runs = [run(1, "fast", 1000, 1_000, 78.0), run(2, "strong", 1000, 15_000, 97.0)];
        let report = EfficiencyReport::of(&runs);
        assert_eq!(report.models[0].roi.unwrap().round(), 78_000.0);
        assert_eq!(report.models[1].roi.unwrap().round(), 6_467.0);
        let advice = report.advice.unwrap();
        assert_eq!((advice.prefer.as_str(), advice.keep_for_hard_work.as_str()), ("fast", "strong"));
        assert!((12.0..12.1).contains(&advice.ratio), "{}", advice.ratio);
    }

    #[test]
    fn trend_and_improvement_need_enough_runs_and_compare_quality_per_token() {
        // spec: orchestrator CE-03 CE-05 CE-11
        let steady: Vec<RunOutcome> = (1..=20).map(|nth| run(nth, "m", 1000, 10, 80.0)).collect();
        let row = &EfficiencyReport::of(&steady).types[0];
        assert_eq!((row.trend, row.improvement.map(f64::round)), (Some("stable"), Some(0.0)));
        let better: Vec<RunOutcome> =
            (1..=20).map(|nth| run(nth, "m", if nth > 10 { 500 } else { 1000 }, 10, 80.0)).collect();
        let row = &EfficiencyReport::of(&better).types[0];
        assert_eq!((row.trend, row.improvement.map(f64::round)), (Some("better"), Some(100.0)));
        assert_eq!(EfficiencyReport::of(&steady[..9]).types[0].trend, None);
    }
}
