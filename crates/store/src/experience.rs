//! What runs that have ended teach: a reader of their outcomes, kept in the same transaction.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use candor_model::{
    AgentMeasure, AgentType, Breaker, Event, EventBody, Money, OutcomeRecord, PlanOutcome, RoutedExample,
    RunId,
};
use candor_ports::{Experience, LogError};
use rusqlite::{Connection, params};

use crate::error::while_doing;
use crate::notes;

/// How many outcomes are looked at: what happened long ago says little of today.
const OUTCOMES: usize = 1_000;

/// How many tasks of an agent are remembered for routing.
const EXAMPLES_PER_AGENT: u32 = 20;

/// Takes note of outcomes. What concerns an agent, and not a run, is written once for all of them: in a commit of many runs'
/// ends the same agents come again and again.
pub(crate) struct Lessons<'c> {
    connection: &'c Connection,
    /// What is to be added to the sums of each agent.
    sums: BTreeMap<AgentType, [i64; 4]>,
    /// The agents that have new examples.
    taught: BTreeSet<AgentType>,
}

impl<'c> Lessons<'c> {
    pub(crate) fn new(connection: &'c Connection) -> Self {
        Self { connection, sums: BTreeMap::new(), taught: BTreeSet::new() }
    }

    /// Takes note of the outcomes among events of a run.
    pub(crate) fn note(&mut self, run: &RunId, events: &[Event]) -> rusqlite::Result<()> {
        for event in events {
            if let EventBody::OutcomeRecorded(OutcomeRecord {
                outcome,
                measured: Some(measured),
                examples,
                figures,
                ..
            }) = &event.body
            {
                let again = note_outcome(self.connection, run, outcome)?;
                if again {
                    // What it taught before may be among what is not written yet.
                    self.write()?;
                    take_back(self.connection, run)?;
                }
                self.note_measures(run, measured)?;
                self.note_examples(run, examples)?;
                if let Some(figures) = figures {
                    notes::append_figures(self.connection, run, event.at, figures)?;
                }
            }
        }
        Ok(())
    }

    fn note_measures(
        &mut self,
        run: &RunId,
        measured: &BTreeMap<AgentType, AgentMeasure>,
    ) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached(
            "INSERT OR REPLACE INTO measures (run, agent, attempts, successes, latency_ms, cost_micros)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (agent, measure) in measured {
            let AgentMeasure { attempts, successes, latency_ms, cost } = *measure;
            let figures = [attempts, successes, latency_ms, cost.micros()].map(small);
            let [attempts, successes, latency, cost] = figures;
            insert.execute(params![run.as_str(), agent.as_str(), attempts, successes, latency, cost])?;
            if let Some(sums) = self.sums.get_mut(agent) {
                sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum = sum.saturating_add(figure));
            } else {
                self.sums.insert(agent.clone(), figures);
            }
        }
        Ok(())
    }

    fn note_examples(&mut self, run: &RunId, examples: &[RoutedExample]) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO examples (run, agent, text, took_ms, cost_micros, tokens) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for RoutedExample { text, agent_type, took_ms, cost, tokens } in examples {
            let cost = cost.map(|cost| small(cost.micros()));
            let (took, tokens) = (took_ms.map(small), tokens.map(small));
            insert.execute(params![run.as_str(), agent_type.as_str(), text, took, cost, tokens])?;
            if !self.taught.contains(agent_type) {
                self.taught.insert(agent_type.clone());
            }
        }
        Ok(())
    }

    /// Writes the sums, and keeps only the latest tasks that each agent succeeded at.
    pub(crate) fn write(&mut self) -> rusqlite::Result<()> {
        let mut add = self.connection.prepare_cached(
            "INSERT INTO totals (agent, attempts, successes, latency_ms, cost_micros) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (agent) DO UPDATE SET attempts = attempts + excluded.attempts,
             successes = successes + excluded.successes, latency_ms = latency_ms + excluded.latency_ms,
             cost_micros = cost_micros + excluded.cost_micros",
        )?;
        for (agent, [attempts, successes, latency, cost]) in std::mem::take(&mut self.sums) {
            add.execute(params![agent.as_str(), attempts, successes, latency, cost])?;
        }
        let mut old = self.connection.prepare_cached(
            "DELETE FROM examples WHERE agent = ?1 AND no <=
             (SELECT no FROM examples WHERE agent = ?1 ORDER BY no DESC LIMIT 1 OFFSET ?2)",
        )?;
        for agent in std::mem::take(&mut self.taught) {
            old.execute(params![agent.as_str(), EXAMPLES_PER_AGENT])?;
        }
        Ok(())
    }
}

/// Keeps how a plan ended, in place of how it ended before; says whether it had.
fn note_outcome(connection: &Connection, run: &RunId, outcome: &PlanOutcome) -> rusqlite::Result<bool> {
    let body = serde_json::to_string(outcome)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let removed =
        connection.prepare_cached("DELETE FROM outcomes WHERE run = ?1")?.execute([run.as_str()])?;
    let sql = "INSERT INTO outcomes (run, body) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![run.as_str(), body])?;
    Ok(removed > 0)
}

/// Takes back what a run taught when it ended before: a run that ends twice counts once.
fn take_back(connection: &Connection, run: &RunId) -> rusqlite::Result<()> {
    for sql in [
        "UPDATE totals AS t SET attempts = t.attempts - m.attempts, successes = t.successes - m.successes,
         latency_ms = t.latency_ms - m.latency_ms, cost_micros = t.cost_micros - m.cost_micros
         FROM measures m WHERE m.run = ?1 AND m.agent = t.agent",
        "DELETE FROM measures WHERE run = ?1",
        "DELETE FROM examples WHERE run = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([run.as_str()])?;
    }
    Ok(())
}

/// Keeps how things stand with someone's breaker.
pub(crate) fn keep_breaker(connection: &Connection, breaker: &Breaker) -> rusqlite::Result<()> {
    let body = serde_json::to_string(breaker)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let sql = "INSERT OR REPLACE INTO breakers (id, body) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![breaker.agent_id, body]).map(|_| ())
}

/// A number as SQLite keeps it; sums of small numbers cannot overflow there.
fn small(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX).min(1 << 50)
}

/// Outcomes that were read before: a run that starts reads only those that are new.
#[derive(Debug, Default)]
pub(crate) struct Outcomes(VecDeque<Kept>);

#[derive(Debug)]
struct Kept {
    no: i64,
    run: String,
    outcome: Arc<PlanOutcome>,
}

/// Reads everything that was noted.
pub(crate) fn read(connection: &Connection, known: &mut Outcomes) -> Result<Experience, LogError> {
    let doing = while_doing("read what past runs teach");
    let mut read = || {
        Ok(Experience {
            measured: measured(connection)?,
            outcomes: known.latest(connection)?,
            examples: examples(connection)?,
            breakers: breakers(connection)?,
        })
    };
    read().map_err(doing)
}

fn measured(connection: &Connection) -> rusqlite::Result<BTreeMap<AgentType, AgentMeasure>> {
    let mut statement = connection
        .prepare_cached("SELECT agent, attempts, successes, latency_ms, cost_micros FROM totals")?;
    let rows = statement.query_map([], |row| {
        let count = |column| row.get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or(0));
        let measure = AgentMeasure {
            attempts: count(1)?,
            successes: count(2)?,
            latency_ms: count(3)?,
            cost: Money::from_micros(count(4)?),
        };
        Ok((AgentType::new(row.get::<_, String>(0)?), measure))
    })?;
    let known = rows.filter_map(|row| match row {
        // A name that is no name any more belongs to no agent that could be asked.
        Ok((agent, measure)) => Some(Ok((agent.ok()?, measure))),
        Err(error) => Some(Err(error)),
    });
    known.collect()
}

fn examples(connection: &Connection) -> rusqlite::Result<Vec<RoutedExample>> {
    let mut statement = connection
        .prepare_cached("SELECT agent, text, took_ms, cost_micros, tokens FROM examples ORDER BY no")?;
    let rows = statement.query_map([], |row| {
        let figure = |column| {
            let kept: Option<i64> = row.get(column)?;
            Ok::<_, rusqlite::Error>(kept.and_then(|kept| u64::try_from(kept).ok()))
        };
        let Ok(agent_type) = AgentType::new(row.get::<_, String>(0)?) else { return Ok(None) };
        let (text, took_ms, cost) = (row.get(1)?, figure(2)?, figure(3)?.map(Money::from_micros));
        Ok(Some(RoutedExample { text, agent_type, took_ms, cost, tokens: figure(4)? }))
    })?;
    rows.filter_map(Result::transpose).collect()
}

fn breakers(connection: &Connection) -> rusqlite::Result<Vec<Breaker>> {
    let mut statement = connection.prepare_cached("SELECT body FROM breakers")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    let texts: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

impl Outcomes {
    /// The latest outcomes, oldest first.
    fn latest(&mut self, connection: &Connection) -> rusqlite::Result<Vec<Arc<PlanOutcome>>> {
        let last = self.0.back().map_or(i64::MIN, |kept| kept.no);
        let sql = "SELECT no, run, body FROM outcomes WHERE no > ?1 ORDER BY no DESC LIMIT ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![last, OUTCOMES as i64], |row| {
            Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        let new: Vec<(i64, String, String)> = rows.collect::<Result<_, _>>()?;
        for (no, run, body) in new.into_iter().rev() {
            // A run that ended again has a new row in place of its old one.
            self.0.retain(|kept| kept.run != run);
            let Ok(outcome) = serde_json::from_str(&body) else { continue };
            self.0.push_back(Kept { no, run, outcome: Arc::new(outcome) });
        }
        self.0.drain(..self.0.len().saturating_sub(OUTCOMES));
        Ok(self.0.iter().map(|kept| Arc::clone(&kept.outcome)).collect())
    }
}
