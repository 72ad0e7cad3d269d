//! What runs that have ended teach: a reader of their outcomes, kept in the same transaction.

use std::collections::BTreeMap;

use candor_model::{
    AgentMeasure, AgentType, Breaker, Event, EventBody, Money, OutcomeRecord, PlanOutcome, RoutedExample,
    RunId,
};
use candor_ports::{Experience, LogError};
use rusqlite::{Connection, params};

use crate::error::while_doing;
use crate::notes;

/// How many outcomes are looked at: what happened long ago says little of today.
const OUTCOMES: u32 = 1_000;

/// How many tasks of an agent are remembered for routing.
const EXAMPLES_PER_AGENT: u32 = 20;

/// Takes note of the outcomes among events of a run.
pub(crate) fn note(connection: &Connection, run: &RunId, events: &[Event]) -> rusqlite::Result<()> {
    for event in events {
        if let EventBody::OutcomeRecorded(OutcomeRecord {
            outcome,
            measured: Some(measured),
            examples,
            figures,
            ..
        }) = &event.body
        {
            note_outcome(connection, run, outcome)?;
            note_measures(connection, run, measured)?;
            note_examples(connection, run, examples)?;
            if let Some(figures) = figures {
                notes::append_figures(connection, run, event.at, figures)?;
            }
        }
    }
    Ok(())
}

fn note_outcome(connection: &Connection, run: &RunId, outcome: &PlanOutcome) -> rusqlite::Result<()> {
    let body = serde_json::to_string(outcome)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let sql = "INSERT OR REPLACE INTO outcomes (run, body) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![run.as_str(), body]).map(|_| ())
}

fn note_measures(
    connection: &Connection,
    run: &RunId,
    measured: &BTreeMap<AgentType, AgentMeasure>,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO measures (run, agent, attempts, successes, latency_ms, cost_micros)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (agent, measure) in measured {
        let AgentMeasure { attempts, successes, latency_ms, cost } = *measure;
        let [attempts, successes, latency, cost] =
            [attempts, successes, latency_ms, cost.micros()].map(small);
        insert.execute(params![run.as_str(), agent.as_str(), attempts, successes, latency, cost])?;
    }
    Ok(())
}

/// Keeps the latest tasks that each agent succeeded at; a run that ended twice counts once.
fn note_examples(connection: &Connection, run: &RunId, examples: &[RoutedExample]) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM examples WHERE run = ?1")?.execute([run.as_str()])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO examples (run, agent, text, took_ms, cost_micros, tokens) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut old = connection.prepare_cached(
        "DELETE FROM examples WHERE agent = ?1 AND no <=
         (SELECT no FROM examples WHERE agent = ?1 ORDER BY no DESC LIMIT 1 OFFSET ?2)",
    )?;
    for RoutedExample { text, agent_type, took_ms, cost, tokens } in examples {
        let cost = cost.map(|cost| small(cost.micros()));
        let (took, tokens) = (took_ms.map(small), tokens.map(small));
        insert.execute(params![run.as_str(), agent_type.as_str(), text, took, cost, tokens])?;
        old.execute(params![agent_type.as_str(), EXAMPLES_PER_AGENT])?;
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

/// Reads everything that was noted.
pub(crate) fn read(connection: &Connection) -> Result<Experience, LogError> {
    let doing = while_doing("read what past runs teach");
    let read = || {
        Ok(Experience {
            measured: measured(connection)?,
            outcomes: outcomes(connection)?,
            examples: examples(connection)?,
            breakers: breakers(connection)?,
        })
    };
    read().map_err(doing)
}

fn measured(connection: &Connection) -> rusqlite::Result<BTreeMap<AgentType, AgentMeasure>> {
    let mut statement = connection.prepare_cached(
        "SELECT agent, sum(attempts), sum(successes), sum(latency_ms), sum(cost_micros) FROM measures GROUP BY agent",
    )?;
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

fn outcomes(connection: &Connection) -> rusqlite::Result<Vec<PlanOutcome>> {
    let mut statement = connection.prepare_cached("SELECT body FROM outcomes ORDER BY no DESC LIMIT ?1")?;
    let rows = statement.query_map([OUTCOMES], |row| row.get::<_, String>(0))?;
    let texts: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(texts.iter().rev().filter_map(|text| serde_json::from_str(text).ok()).collect())
}
