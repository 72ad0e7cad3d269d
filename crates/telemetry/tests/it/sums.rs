//! What a run spent is the same however it is divided, and the same in its trace.

use std::collections::BTreeSet;

use candor_model::{EventBody, Money, Recorded, RunId, Spend};
use candor_planning::tally::Tally;
use candor_projections::spend::{SpendReport, SpendRow};
use candor_projections::trace::{Content, SpanKind, SpanStatus, Trace};
use candor_telemetry::otlp;
use candor_testkit::golden::{STORIES, story};
use candor_testkit::sim::log_of_seed;

/// How many random runs there are.
const SEEDS: u64 = 100;

fn logs() -> impl Iterator<Item = (String, Vec<Recorded>)> {
    let golden = STORIES.iter().map(|(name, _)| ((*name).to_owned(), story(name)));
    golden.chain((0..SEEDS).map(|seed| (format!("seed {seed}"), log_of_seed(seed).unwrap())))
}

fn charged(records: &[Recorded]) -> Money {
    let amounts = records.iter().map(|recorded| match &recorded.event.body {
        EventBody::Charged { amount, .. } => *amount,
        _ => Money::ZERO,
    });
    amounts.sum()
}

fn sum(rows: &[SpendRow]) -> Spend {
    rows.iter().fold(Spend::default(), |mut sum, row| {
        sum.add(&row.spend);
        sum
    })
}

#[test]
fn every_division_of_what_a_run_spent_adds_up_to_what_was_charged() {
    // spec: orchestrator DB-11 OB-13
    let mut spent = 0;
    for (name, records) in logs() {
        let report = SpendReport::of_run(&records);
        assert_eq!(report.total.cost, charged(&records), "{name}");
        for rows in [&report.by_model, &report.by_phase, &report.by_task] {
            assert_eq!(sum(rows), report.total, "{name}");
        }
        spent += u32::from(report.total.cost > Money::ZERO);
    }
    assert!(spent > 20, "only {spent} runs spent anything");
}

#[test]
fn a_trace_holds_every_charge_once_and_is_the_same_each_time() {
    // spec: orchestrator OB-01 OB-02 OB-03 OB-04
    let run = RunId::new("run_test").unwrap();
    for (name, records) in logs() {
        let trace = Trace::of(&run, &records, Content::Without, "1.0").unwrap();
        assert_eq!(trace.cost(), charged(&records), "{name}");
        let mut ids = BTreeSet::new();
        for (nth, span) in trace.spans.iter().enumerate() {
            assert!(ids.insert(span.id.clone()), "{name}: {} twice", span.id);
            assert!(span.parent.as_ref().map_or(nth == 0, |parent| ids.contains(parent)), "{name}: {span:?}");
            assert!(span.kind == SpanKind::Generation || (span.cost, span.tokens) == (None, None));
            assert!((&span.input, &span.output) == (&None, &None), "{name}");
            assert!(!trace.status.is_end() || span.status != SpanStatus::Running, "{name}: {span:?}");
        }
        let calls = records.iter().filter(|recorded| match &recorded.event.body {
            EventBody::ModelConsulted { step, .. } => step.call.is_some(),
            EventBody::AgentNoted { note, .. } => match &**note {
                candor_model::AgentNote::Consulted { step, .. } => step.call.is_some(),
                _ => false,
            },
            _ => false,
        });
        let generations = trace.spans.iter().filter(|span| span.tokens.is_some());
        assert!(generations.count() >= calls.count(), "{name}");
        assert_eq!(Trace::of(&run, &records, Content::Without, "1.0").unwrap(), trace);
        assert_eq!(otlp::request(&trace, "1.0"), otlp::request(&trace, "1.0"));
    }
}

#[test]
fn the_figures_kept_with_an_outcome_are_those_of_the_log_before_it() {
    // spec: orchestrator OB-14
    let mut kept = 0;
    for seed in 0..SEEDS {
        let records = log_of_seed(seed).unwrap();
        for recorded in &records {
            let EventBody::OutcomeRecorded(outcome) = &recorded.event.body else { continue };
            let until = records.iter().take_while(|other| other.position <= recorded.position);
            let fresh = Tally::of(until.map(|other| &other.event)).figures();
            assert_eq!(outcome.figures.as_deref(), Some(&fresh), "seed {seed}");
            kept += 1;
        }
    }
    assert!(kept > 20, "only {kept} outcomes");
}
