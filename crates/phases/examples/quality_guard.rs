//! How many attacks the content guard flags, and how many harmless prompts: `quality_guard DATA_DIR`.
//!
//! By words and form alone, and with the embedded model; by label, and by label and source. It fails if either is
//! not better than a filter of keywords on both sides.

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
    let Some(folder) = std::env::args().nth(1) else {
        let _ = writeln!(io::stderr(), "usage: quality_guard DATA_DIR");
        return ExitCode::from(2);
    };
    match measure(Path::new(&folder)) {
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
fn measure(folder: &Path) -> io::Result<bool> {
    let prompts = rows(&folder.join("prompts_injection.jsonl"))?;
    let mut out = io::stdout().lock();
    let fixed = FixedEmbedder::new();
    let words = report("words and form", &prompts, None, &mut out)?;
    let model = report("with the embedded model", &prompts, Some(&|text| fixed.at_once(text)), &mut out)?;
    Ok(words && model)
}

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
