//! How often routing names the right function among those that a row offers: `quality_functions FILE [MINILM_DIR]`.
//!
//! The file has JSON lines `{"query", "tool", "tools": [{"agent_type", "specialization"}]}`, such as BFCL's live_multiple
//! makes them: the candidates differ from row to row and are few. By words, with the embedded model, and with MiniLM if a
//! folder with its weights is named; for each also a row of the meaning alone, to see what words add or cost.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use candor_embed::{FixedEmbedder, MiniLm};
use candor_model::AgentCapability;
use candor_phases::router::Router;
use candor_planning::routing;
use candor_ports::{Vector, Vectors};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    query: String,
    tool: String,
    tools: Vec<AgentCapability>,
}

/// How many rows are right, and how many have the nearest meaning right.
#[derive(Default)]
struct Hits {
    ranked: u32,
    nearest: u32,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(file) = arguments.first() else {
        let _ = writeln!(io::stderr(), "usage: quality_functions FILE [MINILM_DIR]");
        return ExitCode::from(2);
    };
    match measure(Path::new(file), arguments.get(1).map(Path::new)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(file: &Path, weights: Option<&Path>) -> io::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let rows: Vec<Row> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    report("words", &rows, &|texts| vec![None; texts.len()])?;
    let fixed = FixedEmbedder::new();
    report("embedded model", &rows, &|texts| texts.iter().map(|text| fixed.at_once(text)).collect())?;
    let Some(weights) = weights else { return Ok(()) };
    let model = MiniLm::load(weights).map_err(io::Error::other)?;
    report("MiniLM", &rows, &|texts| model.embed_here(texts).into_iter().map(Some).collect())
}

fn report(name: &str, rows: &[Row], embed: &dyn Fn(&[String]) -> Vec<Option<Vector>>) -> io::Result<()> {
    let mut hits = Hits::default();
    for row in rows {
        let mut texts: Vec<String> = row.tools.iter().map(routing::agent_text).collect();
        texts.push(row.query.clone());
        let mut vectors = embed(&texts);
        let query = vectors.pop().flatten();
        hits.nearest += u32::from(nearest(&vectors, query.as_ref()).is_some_and(|at| is_right(row, at)));
        let Ok(router) = Router::new(row.tools.clone(), &vectors, &[]) else { continue };
        let ranking = router.rank(&row.query, query.as_deref(), &|_| false, 1).unwrap_or_default();
        hits.ranked += u32::from(ranking.first().is_some_and(|first| first.agent_type.as_str() == row.tool));
    }
    let percent = |hits: u32| 100.0 * f64::from(hits) / rows.len().max(1) as f64;
    let (ranked, nearest) = (percent(hits.ranked), percent(hits.nearest));
    writeln!(io::stdout(), "{name}: {ranked:.1} % of {} rows; meaning alone {nearest:.1} %", rows.len())?;
    let short = name.split(' ').next().unwrap_or_default().to_lowercase();
    writeln!(io::stdout(), "figure functions_{short} {ranked:.1}")
}

fn is_right(row: &Row, at: usize) -> bool {
    row.tools.get(at).is_some_and(|tool| tool.agent_type.as_str() == row.tool)
}

fn nearest(vectors: &[Option<Vector>], query: Option<&Vector>) -> Option<usize> {
    let query = query?;
    let score = |vector: &Vector| vector.iter().zip(query.iter()).map(|(a, b)| a * b).sum::<f32>();
    let scored = vectors.iter().enumerate().filter_map(|(at, vector)| Some((at, score(vector.as_ref()?))));
    scored.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at)
}
