//! What is only known of a span beside others: whether it ran beside one of its kind, and the tokens within a phase.

use std::collections::BTreeMap;

use candor_model::TokenUse;
use serde_json::json;

use super::{Span, SpanKind};

/// Adds it to the spans of a run.
pub(super) fn add(spans: &mut [Span]) {
    for kind in [SpanKind::Agent, SpanKind::Generation] {
        modes(spans, kind);
    }
    tokens(spans);
}

/// Marks every span of a kind as parallel if another one of the kind lasted at the same time. What an agent charged for
/// itself took no time of its own, and has no mark.
fn modes(spans: &mut [Span], kind: SpanKind) {
    let lasts = |span: &Span| span.kind == kind && (kind == SpanKind::Agent || span.tokens.is_some());
    let mut order: Vec<usize> =
        spans.iter().enumerate().filter(|(_, span)| lasts(span)).map(|(at, _)| at).collect();
    let time = |spans: &[Span], at: &usize| spans.get(*at).map(|span| (span.start, span.end));
    order.sort_by_key(|at| time(spans, at));
    let times: Vec<_> = order.iter().filter_map(|at| time(spans, at)).collect();
    let mut latest_end = None;
    for (nth, at) in order.iter().enumerate() {
        let Some((start, end)) = times.get(nth) else { continue };
        let beside_earlier = latest_end.is_some_and(|latest| start < latest);
        let beside_later = times.get(nth + 1).is_some_and(|(next, _)| next < end);
        let mode = if beside_earlier || beside_later { "parallel" } else { "sequential" };
        latest_end = latest_end.max(Some(end));
        if let Some(span) = spans.get_mut(*at) {
            span.metadata.insert("mode".to_owned(), json!(mode));
        }
    }
}

/// Tokens stand on generations; a phase says how many there were within it.
fn tokens(spans: &mut [Span]) {
    let parents: BTreeMap<String, String> =
        spans.iter().filter_map(|span| Some((span.id.clone(), span.parent.clone()?))).collect();
    let mut sums: BTreeMap<String, TokenUse> = BTreeMap::new();
    for span in spans.iter() {
        let Some(used) = span.tokens else { continue };
        let mut above = span.parent.as_ref();
        while let Some(id) = above {
            sums.entry(id.clone()).or_default().add(&used);
            above = parents.get(id).filter(|parent| *parent != id);
        }
    }
    let is_phase = |span: &&mut Span| span.metadata.contains_key("phaseId");
    for span in spans.iter_mut().filter(is_phase) {
        let used = sums.get(&span.id).copied().unwrap_or_default();
        let input = used.input + used.cached_read + used.cached_write;
        span.metadata.insert("tokens".to_owned(), json!({ "input": input, "output": used.output }));
    }
}
