//! How many attacks the content guard flags, and how many harmless prompts: `quality_guard DATA_DIR`.
//!
//! By words and form alone, and with the embedded model; by label, and by label and source. It fails if either is
//! not better than a filter of keywords on both sides.
//!
//! Then how it does on sources that had no part in it: for each source the weights are fitted anew on the others, the line is drawn so
//! that it flags at most 3 % of their harmless prompts, and the source is measured with both. The words of the signs are the
//! same throughout: they were written by hand with the sources in the folder in view, so only files that are named behind the
//! folder (`{"text", "label", "source"}` per line), each of which is a source too, can tell how the guard does on what
//! nobody had seen.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use candor_embed::FixedEmbedder;
use candor_language::guard::{self, Embed};
use candor_model::Vectors;
use serde::Deserialize;

/// What a filter of keywords flags: percent of attacks, and of harmless prompts.
const KEYWORDS: (f64, f64) = (56.0, 11.0);

#[derive(Deserialize)]
struct Prompt {
    text: String,
    label: String,
    source: String,
}

/// Flagged among those seen so far.
#[derive(Default, Clone, Copy)]
struct Tally {
    rows: u32,
    flagged: u32,
}

impl Tally {
    fn add(&mut self, flagged: bool) {
        self.rows += 1;
        self.flagged += u32::from(flagged);
    }

    fn percent(self) -> f64 {
        f64::from(self.flagged) * 100.0 / f64::from(self.rows.max(1))
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        let _ = writeln!(io::stderr(), "usage: quality_guard DATA_DIR [FILE...]");
        return ExitCode::from(2);
    };
    match measure(Path::new(&folder), arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            let (attacks, harmless) = KEYWORDS;
            let _ = writeln!(io::stderr(), "no better than keywords: {attacks} % of attacks at {harmless} %");
            ExitCode::FAILURE
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "cannot measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the guard is better than keywords, with and without the embedded model.
fn measure(folder: &Path, unseen: impl Iterator<Item = String>) -> io::Result<bool> {
    let prompts = rows(&folder.join("prompts_injection.jsonl"))?;
    let mut out = io::stdout().lock();
    let fixed = FixedEmbedder::new();
    let words = report("words and form", &prompts, None, &mut out)?;
    let model = report("with the embedded model", &prompts, Some(&|text| fixed.at_once(text)), &mut out)?;
    lines(&prompts, &|text| fixed.at_once(text), &mut out)?;
    let mut all = prompts;
    for file in unseen {
        writeln!(out, "{file}:")?;
        let own = rows(Path::new(&file))?;
        report("with the embedded model", &own, Some(&|text| fixed.at_once(text)), &mut out)?;
        // One source: most of its own are too small to be left out alone.
        all.extend(own.into_iter().map(|prompt| Prompt { source: file.clone(), ..prompt }));
    }
    left_out(&all, &|text| fixed.at_once(text), &mut out)?;
    Ok(words && model)
}

/// The most harmless prompts that may be flagged, in percent.
const MOST_HARMLESS: f64 = 3.0;

/// What is flagged where the line is drawn here or there.
fn lines(prompts: &[Prompt], embed: Embed<'_>, out: &mut impl Write) -> io::Result<()> {
    let scored: Vec<(&Prompt, f64)> =
        prompts.iter().map(|prompt| (prompt, guard::likelihood(&prompt.text, Some(embed)))).collect();
    let flagged = |line: f64, attacks: bool| {
        let mut tally = Tally::default();
        let rows = scored.iter().filter(|(prompt, _)| (prompt.label != "benign") == attacks);
        rows.for_each(|(_, score)| tally.add(*score >= line));
        tally
    };
    writeln!(out, "where the line is drawn:")?;
    for line in LINES {
        let (attacks, harmless) = (flagged(line, true), flagged(line, false));
        writeln!(
            out,
            "  {line:.2}: {:.1} % of attacks, {:.1} % of harmless",
            attacks.percent(),
            harmless.percent()
        )?;
    }
    Ok(())
}

/// How often the weights are moved, how far, and how much they are drawn towards nothing.
const STEPS: u32 = 400;
const PACE: f64 = 1.0;
const RIDGE: f64 = 0.002;

/// Each source with weights and a line that only the others gave: the weights are fitted anew from nothing, none to a side that
/// a reader would not expect; the line flags at most 3 % of the harmless prompts of the others.
fn left_out(prompts: &[Prompt], embed: Embed<'_>, out: &mut impl Write) -> io::Result<()> {
    let read: Vec<(&Prompt, Vec<f64>)> =
        prompts.iter().map(|prompt| (prompt, guard::signs(&prompt.text, Some(embed)))).collect();
    let mut sources: Vec<&str> = prompts.iter().map(|prompt| prompt.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    writeln!(out, "each source with weights and line that the others give:")?;
    let mut all = [Tally::default(); 2];
    for source in sources {
        let (own, others): (Vec<_>, Vec<_>) = read.iter().partition(|(prompt, _)| prompt.source == source);
        let weights = fitted(&others);
        let mut harmless: Vec<f64> = others
            .iter()
            .filter(|(it, _)| it.label == "benign")
            .map(|(_, signs)| sum(&weights, signs))
            .collect();
        harmless.sort_by(|one, other| other.total_cmp(one));
        let allowed = (harmless.len() as f64 * MOST_HARMLESS / 100.0) as usize;
        let line = harmless.get(allowed).copied().unwrap_or_default();
        let mut tallies = [Tally::default(); 2];
        for (prompt, signs) in own {
            let side = usize::from(prompt.label == "benign");
            for tally in [tallies.get_mut(side), all.get_mut(side)].into_iter().flatten() {
                tally.add(sum(&weights, signs) > line);
            }
        }
        for (name, tally) in
            ["attacks", "harmless"].into_iter().zip(tallies).filter(|(_, tally)| tally.rows > 0)
        {
            writeln!(out, "  {source}: {:.1} % of {} {name}", tally.percent(), tally.rows)?;
        }
    }
    let [attacks, harmless] = all.map(Tally::percent);
    writeln!(out, "  all: {attacks:.1} % of attacks at {harmless:.1} % of harmless prompts")
}

/// The base and the weights that tell these apart, by logistic regression; both sides count the same.
fn fitted(rows: &[&(&Prompt, Vec<f64>)]) -> Vec<f64> {
    let speaks_for = guard::speaks_for();
    let mut weights = vec![0.0; speaks_for.len() + 1];
    let harmless = rows.iter().filter(|(prompt, _)| prompt.label == "benign").count().max(1) as f64;
    let attacks = (rows.len() as f64 - harmless).max(1.0);
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights.iter().map(|weight| RIDGE * weight).collect();
        for (prompt, signs) in rows {
            let (wanted, share) = if prompt.label == "benign" { (0.0, harmless) } else { (1.0, attacks) };
            let error = (1.0 / (1.0 + (-sum(&weights, signs)).exp()) - wanted) / share;
            let counts = std::iter::once(&1.0).chain(signs);
            slope.iter_mut().zip(counts).for_each(|(slope, count)| *slope += error * count);
        }
        weights.iter_mut().zip(slope).for_each(|(weight, slope)| *weight -= PACE * slope);
        for (weight, speaks_for) in weights.iter_mut().skip(1).zip(&speaks_for) {
            *weight = if *speaks_for { weight.min(0.0) } else { weight.max(0.0) };
        }
    }
    weights
}

fn sum(weights: &[f64], signs: &[f64]) -> f64 {
    weights.iter().zip(std::iter::once(&1.0).chain(signs)).map(|(weight, count)| weight * count).sum()
}

/// Where the line may be drawn.
const LINES: [f64; 9] = [0.20, 0.25, 0.30, 0.35, 0.42, 0.50, 0.60, 0.70, 0.80];

fn report(
    name: &str,
    prompts: &[Prompt],
    embed: Option<Embed<'_>>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    let (mut attacks, mut harmless) = (Tally::default(), Tally::default());
    for prompt in prompts {
        let findings = guard::examine(&prompt.text, embed);
        let flagged = findings.iter().any(|finding| finding.rule == "prompt_injection");
        for source in ["", &prompt.source] {
            tallies.entry((&prompt.label, source)).or_default().add(flagged);
        }
        if prompt.label == "benign" { &mut harmless } else { &mut attacks }.add(flagged);
    }
    writeln!(
        out,
        "{name}: {:.1} % of attacks at {:.1} % of harmless prompts",
        attacks.percent(),
        harmless.percent()
    )?;
    for ((label, source), tally) in tallies {
        let title = if source.is_empty() { label.to_owned() } else { format!("  {label}, {source}") };
        writeln!(out, "  {title}: {:.1} % ({} of {})", tally.percent(), tally.flagged, tally.rows)?;
    }
    Ok(attacks.percent() > KEYWORDS.0 && harmless.percent() < KEYWORDS.1)
}

/// Reads a file of JSON lines.
fn rows(path: &Path) -> io::Result<Vec<Prompt>> {
    let named = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| named(&error))).collect()
}
