//! What is loaded for the phases to come: the most relevant first, and no more than a model reads at a glance.

use std::collections::BTreeSet;

use candor_model::ReadFile;
use candor_model::handoff::{LoadedItem, LoadedKind};
use candor_planning::context::CHARS_PER_TOKEN;

use super::skills::Skills;
use crate::PhaseContext;

/// What is loaded at most beside the project's instructions, in tokens.
const MOST_TOKENS: usize = 3_000;
/// What the project's instructions may take, in tokens: they stand in every prompt.
const MOST_INSTRUCTIONS: usize = 1_500;
/// A piece of a file that is smaller says nothing.
const SMALLEST_PIECE: usize = 200;
/// How relevant a file is that the request names, whatever is in it.
const NAMED: f64 = 0.5;

/// What is loaded, and what is not.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) items: Vec<LoadedItem>,
    /// What there was no room for, a line each.
    pub(super) dropped: Vec<String>,
    /// What could not be read, a line each.
    pub(super) failed: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) tokens: usize,
}

impl Loaded {
    pub(super) fn new(
        cx: &PhaseContext<'_>,
        instructions: &[String],
        files: &[String],
        keywords: &[String],
        skills: &Skills,
    ) -> Self {
        let mut loaded = Self::default();
        loaded.instruct(cx, instructions, files);
        let instructed = loaded.tokens;
        let folded: Vec<String> = keywords.iter().map(|keyword| keyword.to_lowercase()).collect();
        let mut candidates = Vec::new();
        for file in files.iter().filter_map(|path| cx.files.get(path)) {
            match &file.text {
                Ok(text) => candidates.push(of_file(file, text, &folded)),
                Err(reason) => loaded.failed.push(format!("{} could not be read: {reason}", file.path)),
            }
        }
        candidates.extend(of_experience(cx, skills));
        candidates.extend(of_decisions(cx, &folded));
        // The sort is stable: what is equally relevant stays in the order of the request.
        candidates.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
        for item in candidates {
            loaded.take(item, MOST_TOKENS + instructed);
        }
        loaded
    }

    /// Takes the project's instructions: each text once, and none that the request names anyway. One that went away
    /// since Candor started is no failure.
    fn instruct(&mut self, cx: &PhaseContext<'_>, instructions: &[String], named: &[String]) {
        let mut seen = BTreeSet::new();
        for file in
            instructions.iter().filter(|path| !named.contains(path)).filter_map(|path| cx.files.get(path))
        {
            let Ok(text) = &file.text else { continue };
            if seen.insert(&file.hash) {
                let item = of_file(file, text, &[]);
                self.take(
                    LoadedItem { kind: LoadedKind::Instructions, relevance: 1.0, ..item },
                    MOST_INSTRUCTIONS,
                );
            }
        }
    }

    /// Takes an item, the beginning of a file that is too long, or notes that there was no room.
    fn take(&mut self, mut item: LoadedItem, most: usize) {
        let left = most.saturating_sub(self.tokens);
        if item.tokens > left {
            let has_beginning = matches!(item.kind, LoadedKind::File | LoadedKind::Instructions);
            if !has_beginning || left < SMALLEST_PIECE {
                self.dropped.push(format!(
                    "{} {}: {} tokens, and there was room for {left}",
                    item.kind, item.name, item.tokens
                ));
                return;
            }
            self.dropped.push(format!(
                "{} {}: all but the first {left} of {} tokens",
                item.kind, item.name, item.tokens
            ));
            item.tokens = left;
        }
        self.tokens += item.tokens;
        if item.kind == LoadedKind::File {
            self.files.push(item.name.clone());
        }
        self.items.push(item);
    }
}

fn tokens_of(chars: usize) -> usize {
    chars.div_ceil(CHARS_PER_TOKEN)
}

fn of_file(file: &ReadFile, text: &str, keywords: &[String]) -> LoadedItem {
    let relevance = NAMED + (1.0 - NAMED) * share_in(&text.to_lowercase(), keywords);
    LoadedItem {
        kind: LoadedKind::File,
        name: file.path.clone(),
        tokens: tokens_of(text.chars().count()),
        relevance: rounded(relevance),
        hash: file.hash.clone(),
    }
}

/// How past plans ended, and who fits.
fn of_experience(cx: &PhaseContext<'_>, skills: &Skills) -> Vec<LoadedItem> {
    let mut items = Vec::new();
    if cx.calibration.sample_size > 0 {
        let text = serde_json::to_string(cx.calibration).unwrap_or_default();
        items.push(LoadedItem {
            kind: LoadedKind::Calibration,
            name: "past plans".to_owned(),
            tokens: tokens_of(text.len()),
            relevance: 0.4,
            hash: String::new(),
        });
    }
    let chars: usize = skills.activated.iter().map(|name| name.len() + 1).sum();
    if chars > 0 {
        items.push(LoadedItem {
            kind: LoadedKind::Agents,
            name: "those who fit".to_owned(),
            tokens: tokens_of(chars),
            relevance: 0.3,
            hash: String::new(),
        });
    }
    items
}

/// Decisions that share a keyword with the request, the latest first.
fn of_decisions(cx: &PhaseContext<'_>, keywords: &[String]) -> Vec<LoadedItem> {
    let items = cx.decisions.iter().rev().filter_map(|entry| {
        let text = format!("{}: {} ({})", entry.operation, entry.decision, entry.reasoning);
        let share = share_in(&text.to_lowercase(), keywords);
        let name = format!("{} at {}", entry.operation, entry.timestamp);
        let item = LoadedItem {
            kind: LoadedKind::Decision,
            name,
            tokens: tokens_of(text.chars().count()),
            relevance: rounded(0.3 * share),
            hash: String::new(),
        };
        (share > 0.0).then_some(item)
    });
    items.collect()
}

/// Which share of the keywords a text has.
fn share_in(text: &str, keywords: &[String]) -> f64 {
    if keywords.is_empty() {
        return 0.0;
    }
    let found = keywords.iter().filter(|keyword| text.contains(keyword.as_str())).count();
    let count = |items: usize| u32::try_from(items).map_or(f64::MAX, f64::from);
    count(found) / count(keywords.len())
}

fn rounded(relevance: f64) -> f64 {
    (relevance * 100.0).round() / 100.0
}
