//! How often the lexical ranking names the right tool: `quality_routing DATA_DIR`.
//!
//! Rows with an even id are those that the ranking was tuned on; the odd ones show whether it generalises.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use candor_model::AgentCapability;
use candor_phases::lexical::{Lexicon, rank};
use serde::Deserialize;

#[derive(Deserialize)]
struct Query {
    id: u64,
    query: String,
    tool: String,
}

/// Hits among the rows seen so far.
#[derive(Default)]
struct Tally {
    rows: u32,
    first: u32,
    among_five: u32,
}

impl Tally {
    fn add(&mut self, place: Option<usize>) {
        self.rows += 1;
        self.first += u32::from(place == Some(0));
        self.among_five += u32::from(place.is_some());
    }

    fn line(&self, name: &str) -> String {
        let percent = |hits: u32| f64::from(hits) * 100.0 / f64::from(self.rows.max(1));
        format!(
            "{name}: top-1 {:.1} %, top-5 {:.1} % of {} rows",
            percent(self.first),
            percent(self.among_five),
            self.rows
        )
    }
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        let _ = writeln!(io::stderr(), "usage: quality_routing DATA_DIR");
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
    let agents: Vec<AgentCapability> = rows(&folder.join("routing_tools.jsonl"))?;
    let queries: Vec<Query> = rows(&folder.join("routing_queries.jsonl"))?;
    let lexicon = Lexicon::new(&agents);
    let misses = std::env::args().nth(2).is_some_and(|flag| flag == "--misses");
    let (mut tuned, mut held) = (Tally::default(), Tally::default());
    let mut out = io::stdout().lock();
    for Query { id, query, tool } in &queries {
        let ranking = rank(&agents, &lexicon, query, 5);
        let place = ranking.iter().position(|ranked| ranked.agent_type.as_str() == tool);
        let half = if id.is_multiple_of(2) { &mut tuned } else { &mut held };
        half.add(place);
        if misses && id.is_multiple_of(2) && place != Some(0) {
            let named: Vec<_> = ranking.iter().map(|ranked| ranked.agent_type.as_str()).collect();
            writeln!(out, "{tool} <- {query}\n    {named:?}")?;
        }
    }
    writeln!(out, "{}\n{}", tuned.line("tuned on (even ids)"), held.line("held out (odd ids)"))?;
    let all = Tally {
        rows: tuned.rows + held.rows,
        first: tuned.first + held.first,
        among_five: tuned.among_five + held.among_five,
    };
    writeln!(out, "{}", all.line("all"))
}

/// Reads a file of JSON lines.
fn rows<T: serde::de::DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| named(&error))).collect()
}
