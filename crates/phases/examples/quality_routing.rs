//! How often routing names the right tool: `quality_routing DATA_DIR [MINILM_DIR]`.
//!
//! By words, with the embedded model, and with MiniLM if a folder with its weights is named: without history,
//! with up to 1, 3 and 5 successes per agent, and with successes of half of the agents only; and without history among
//! 2 to 10 agents, of which some are the right one's nearest. Rows with an even id are those that parameters were
//! chosen on; the odd ones show whether they generalise, and how far the chance that a ranking gives its first agent
//! can be trusted.

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use candor_embed::{FixedEmbedder, MiniLm};
use candor_model::{AgentCapability, AgentType};
use candor_phases::router::{Router, Success};
use candor_planning::routing;
use candor_ports::{Vector, Vectors};
use serde::Deserialize;

/// Each query is ranked by a router that has seen the other parts' queries and not its own.
const PARTS: usize = 5;
/// How many times half of the agents are drawn.
const DRAWS: u64 = 4;

#[derive(Deserialize)]
struct Query {
    id: u64,
    query: String,
    tool: String,
}

/// Hits among the rows seen so far.
#[derive(Default, Clone, Copy)]
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

    fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            first: self.first + other.first,
            among_five: self.among_five + other.among_five,
        }
    }

    fn percent(self, hits: u32) -> f64 {
        f64::from(hits) * 100.0 / f64::from(self.rows.max(1))
    }

    fn figures(self) -> String {
        format!("{:.1} / {:.1}", self.percent(self.first), self.percent(self.among_five))
    }
}

/// The rows, with the vectors of one model.
struct Bench {
    agents: Vec<AgentCapability>,
    vectors: Vec<Option<Vector>>,
    queries: Vec<Query>,
    query_vectors: Vec<Option<Vector>>,
    /// The how-many-eth of its tool each query is.
    turns: Vec<usize>,
}

impl Bench {
    fn new(folder: &Path) -> io::Result<Self> {
        let agents: Vec<AgentCapability> = rows(&folder.join("routing_tools.jsonl"))?;
        let queries: Vec<Query> = rows(&folder.join("routing_queries.jsonl"))?;
        let mut seen = std::collections::BTreeMap::<String, usize>::new();
        let mut turn = |query: &Query| {
            let count = seen.entry(query.tool.clone()).or_default();
            *count += 1;
            *count - 1
        };
        let turns = queries.iter().map(&mut turn).collect();
        let (vectors, query_vectors) = (vec![None; agents.len()], vec![None; queries.len()]);
        Ok(Self { agents, vectors, queries, query_vectors, turns })
    }

    fn embed(&mut self, model: &dyn Fn(&[String]) -> Vec<Option<Vector>>) {
        self.vectors = model(&self.agents.iter().map(routing::agent_text).collect::<Vec<_>>());
        self.query_vectors = model(&self.queries.iter().map(|query| query.query.clone()).collect::<Vec<_>>());
    }

    /// Hits of the even and of the odd rows that are `counted`, each ranked after up to `most` successes of
    /// every agent that is `known`.
    fn hits(&self, most: usize, known: &dyn Fn(&str) -> bool, counted: &dyn Fn(&str) -> bool) -> [Tally; 2] {
        let mut tallies = [Tally::default(); 2];
        for part in 0..PARTS {
            let history = self.history(part, most, known);
            let Ok(router) = Router::new(self.agents.clone(), &self.vectors, &history) else { continue };
            let asked = self.queries.iter().zip(&self.query_vectors).zip(&self.turns);
            for ((query, vector), turn) in asked.filter(|((query, _), _)| counted(&query.tool)) {
                if turn % PARTS != part {
                    continue;
                }
                let ranking =
                    router.rank_request(&query.query, vector.as_deref(), &|_| false, 5).unwrap_or_default();
                let place = ranking.iter().position(|ranked| ranked.agent_type.as_str() == query.tool);
                let [even, odd] = &mut tallies;
                if query.id.is_multiple_of(2) { even } else { odd }.add(place);
            }
        }
        tallies
    }

    /// Hits without any success, each half ranked after the queries of the other half were seen.
    fn hits_after_others(&self) -> [Tally; 2] {
        let mut tallies = [Tally::default(); 2];
        for (half, tally) in tallies.iter_mut().enumerate() {
            let Ok(mut router) = Router::new(self.agents.clone(), &self.vectors, &[]) else { continue };
            let asked = || self.queries.iter().zip(&self.query_vectors);
            let of_half = |query: &Query| (query.id % 2) as usize == half;
            for vector in
                asked().filter(|(query, _)| !of_half(query)).filter_map(|(_, vector)| vector.as_ref())
            {
                router.note(vector);
            }
            for (query, vector) in asked().filter(|(query, _)| of_half(query)) {
                let ranking =
                    router.rank_request(&query.query, vector.as_deref(), &|_| false, 5).unwrap_or_default();
                tally.add(ranking.iter().position(|ranked| ranked.agent_type.as_str() == query.tool));
            }
        }
        tallies
    }

    fn history(&self, part: usize, most: usize, known: &dyn Fn(&str) -> bool) -> Vec<Success> {
        let mut taken = std::collections::BTreeMap::<&str, usize>::new();
        let asked = self.queries.iter().zip(&self.query_vectors).zip(&self.turns);
        let others = asked.filter(|((query, _), turn)| *turn % PARTS != part && known(&query.tool));
        let success = |((query, vector), _): ((&Query, &Option<Vector>), &usize)| {
            let agent_type = AgentType::new(query.tool.as_str()).ok()?;
            Some(Success { text: query.query.clone(), agent_type, vector: vector.clone() })
        };
        others
            .filter(|((query, _), _)| {
                let count = taken.entry(&query.tool).or_default();
                *count += 1;
                *count <= most
            })
            .filter_map(success)
            .collect()
    }

    /// The right agent of a query with others: a third of them its nearest neighbours, the rest drawn.
    fn candidates(&self, row: usize, right: usize, count: usize) -> Vec<usize> {
        let near = |other: usize| match (self.vectors.get(right), self.vectors.get(other)) {
            (Some(Some(one)), Some(Some(two))) => one.iter().zip(two.iter()).map(|(a, b)| a * b).sum::<f32>(),
            _ => 0.0,
        };
        let mut others: Vec<usize> = (0..self.agents.len()).filter(|other| *other != right).collect();
        others.sort_by(|one, other| near(*other).total_cmp(&near(*one)));
        let (neighbours, strangers) = others.split_at((count / 3).min(others.len()));
        let step = strangers.len() / count.max(1);
        let drawn = strangers.iter().skip(row % step.max(1)).step_by(step.max(1));
        let mut all: Vec<usize> = neighbours.iter().chain(drawn).copied().take(count - 1).collect();
        all.push(right);
        all.sort_unstable();
        all
    }

    /// Hits among few agents, and the chances that were given with whether they came true; for every fourth query also
    /// without the right agent, where every choice is wrong.
    fn few(&self, count: usize) -> ([Tally; 2], Vec<(f64, bool)>) {
        let (mut tallies, mut chances) = ([Tally::default(); 2], Vec::new());
        for (row, (query, vector)) in self.queries.iter().zip(&self.query_vectors).enumerate() {
            let is_right = |agent: &AgentCapability| agent.agent_type.as_str() == query.tool;
            let Some(right) = self.agents.iter().position(is_right) else { continue };
            let all = self.candidates(row, right, count);
            for without in [false, true].into_iter().take(if row.is_multiple_of(4) { 2 } else { 1 }) {
                let chosen = all.iter().filter(|at| !without || **at != right);
                let pairs: Vec<_> =
                    chosen.filter_map(|at| self.agents.get(*at).zip(self.vectors.get(*at))).collect();
                let (agents, vectors): (Vec<_>, Vec<_>) =
                    pairs.into_iter().map(|(agent, vector)| (agent.clone(), vector.clone())).unzip();
                let Ok(router) = Router::new(agents, &vectors, &[]) else { continue };
                let ranking =
                    router.rank_request(&query.query, vector.as_deref(), &|_| false, 5).unwrap_or_default();
                let place = ranking.iter().position(|ranked| ranked.agent_type.as_str() == query.tool);
                let [even, odd] = &mut tallies;
                if !without {
                    if query.id.is_multiple_of(2) { even } else { odd }.add(place);
                }
                let chance = ranking.first().and_then(|first| first.chance);
                chances
                    .extend(chance.filter(|_| !query.id.is_multiple_of(2)).map(|it| (it, place == Some(0))));
            }
        }
        (tallies, chances)
    }

    fn report_few(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        let mut all = Vec::new();
        for count in [2, 3, 4, 5, 10] {
            let (tallies, chances) = self.few(count);
            line(out, &format!("{name}, among {count} agents"), tallies)?;
            all.extend(chances);
        }
        let error = calibration_error(&all);
        writeln!(out, "{name}, chance of the first agent, odd ids: calibration error {error:.3}")
    }

    fn report(&self, name: &str, out: &mut impl Write) -> io::Result<()> {
        let (short, _) = name.split_once(' ').unwrap_or((name, ""));
        let figures = |out: &mut dyn Write, after: &str, [even, odd]: [Tally; 2]| {
            let (all, short) = (even.and(odd), short.to_lowercase());
            let (first, among_five) = (all.percent(all.first), all.percent(all.among_five));
            writeln!(out, "figure metatool_{short}{after}_first {first:.1}")?;
            writeln!(out, "figure metatool_{short}{after}_five {among_five:.1}")
        };
        self.report_few(name, out)?;
        let everyone = |_: &str| true;
        for most in [0, 1, 3, 5] {
            let title = if most == 0 { "cold".to_owned() } else { format!("up to {most} successes") };
            let hits = self.hits(most, &everyone, &everyone);
            line(out, &format!("{name}, {title}"), hits)?;
            if most == 0 {
                figures(out, "", hits)?;
            }
            if most == 0 && self.query_vectors.iter().all(Option::is_none) {
                return Ok(());
            }
        }
        let hits = self.hits_after_others();
        line(out, &format!("{name}, cold, after the other half's queries"), hits)?;
        figures(out, "_after", hits)?;
        let mut sums = [[Tally::default(); 2]; 4];
        for draw in 0..DRAWS {
            let known = move |tool: &str| drawn(tool, draw);
            let unknown = move |tool: &str| !drawn(tool, draw);
            let runs = [
                self.hits(5, &known, &unknown),
                self.hits(0, &known, &unknown),
                self.hits(5, &known, &known),
                self.hits(0, &known, &known),
            ];
            for (sum, run) in sums.iter_mut().zip(runs) {
                let ([even, odd], [more_even, more_odd]) = (*sum, run);
                *sum = [even.and(more_even), odd.and(more_odd)];
            }
        }
        let titles = ["those without", "the same, cold", "those with", "the same, cold"];
        for (title, tallies) in titles.iter().zip(sums) {
            line(out, &format!("{name}, half of the agents have history, {title}"), tallies)?;
        }
        Ok(())
    }
}

/// How far chances are from what came true, in ten bins weighted by their rows.
fn calibration_error(chances: &[(f64, bool)]) -> f64 {
    let bin = |lower: u32| {
        let of_bin = chances.iter().filter(|(chance, _)| (chance * 10.0).min(9.0) as u32 == lower);
        of_bin.map(|(chance, right)| chance - f64::from(u8::from(*right))).sum::<f64>().abs()
    };
    (0..10).map(bin).sum::<f64>() / chances.len().max(1) as f64
}

/// Whether a tool is in the half that is drawn.
fn drawn(tool: &str, draw: u64) -> bool {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = tool.bytes().fold(0xcbf2_9ce4_8422_2325 ^ draw.wrapping_mul(0x9e37_79b9_7f4a_7c15), mix);
    (hash ^ (hash >> 32)).is_multiple_of(2)
}

fn line(out: &mut impl Write, title: &str, [even, odd]: [Tally; 2]) -> io::Result<()> {
    let all = even.and(odd);
    writeln!(
        out,
        "{title}: top-1 / top-5 {} % of {} rows (even ids {}, odd ids {})",
        all.figures(),
        all.rows,
        even.figures(),
        odd.figures()
    )
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        let _ = writeln!(io::stderr(), "usage: quality_routing DATA_DIR [MINILM_DIR]");
        return ExitCode::from(2);
    };
    match measure(Path::new(&folder), arguments.next().as_deref().map(Path::new)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path, weights: Option<&Path>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut bench = Bench::new(folder)?;
    bench.report("words", &mut out)?;
    let fixed = FixedEmbedder::new();
    bench.embed(&|texts| texts.iter().map(|text| fixed.at_once(text)).collect());
    bench.report("embedded model", &mut out)?;
    let Some(weights) = weights else { return Ok(()) };
    let model = MiniLm::load(weights).map_err(io::Error::other)?;
    bench.embed(&|texts| model.embed_here(texts).into_iter().map(Some).collect());
    bench.report("MiniLM", &mut out)
}

/// Reads a file of JSON lines.
fn rows<T: serde::de::DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| named(&error))).collect()
}
