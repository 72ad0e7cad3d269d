//! The texts that phase 2 loaded, as models and agents get them.

use std::collections::BTreeMap;

use candor_model::handoff::{LoadedItem, LoadedKind};
use candor_model::{ContextText, ReadFile};

/// What a token has, in characters.
pub const CHARS_PER_TOKEN: usize = 4;

/// The loaded instructions and files, each cut to the room that it was given.
#[must_use]
pub fn texts(loaded: &[LoadedItem], files: &BTreeMap<String, ReadFile>) -> Vec<ContextText> {
    let is_text = |item: &&LoadedItem| matches!(item.kind, LoadedKind::Instructions | LoadedKind::File);
    let text = |item: &LoadedItem| {
        let whole = files.get(&item.name)?.text.as_ref().ok()?;
        let text: String = whole.chars().take(item.tokens.saturating_mul(CHARS_PER_TOKEN)).collect();
        let left_out = whole.get(text.len()..).unwrap_or_default().chars().count();
        Some(ContextText { name: item.name.clone(), text, left_out })
    };
    loaded.iter().filter(is_text).filter_map(text).collect()
}
