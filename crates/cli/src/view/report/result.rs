//! What a reader wants first: the result, and what is missing from it.

use candor_projections::deliverable::{Deliverable, Missing};
use candor_projections::format;
use candor_projections::report::Subject;
use candor_projections::results::Results;

use super::block::{Block, Inline, Span, paragraph, section, text};
use super::{layout, values};
use crate::view::words::{self, label, title};

/// How it ended, and the figures that everybody asks for.
pub(super) fn head(subject: &Subject<'_>) -> Vec<Block> {
    let state = subject.state;
    let mut facts: Vec<(&str, Span)> = vec![
        (label::RUN.text(), vec![Inline::Code(state.run_id().to_string())]),
        (label::STATUS.text(), text(words::run_status(state.status()))),
    ];
    let started = subject.chronicle.started.map(crate::view::zone::moment);
    facts.extend(started.map(|at| (label::STARTED.text(), text(at))));
    facts.push((label::COST.text(), text(format::money(state.spent()))));
    let mut line: Span = Vec::new();
    for (name, fact) in facts {
        line.extend((!line.is_empty()).then(|| Inline::Text("·".to_owned())));
        line.push(Inline::Strong(name.to_owned()));
        line.extend(fact);
    }
    vec![paragraph(subject.verdict()), Block::Text(line)]
}

/// What the run produced: as its pack lays it out, else what the last tasks put out.
pub(super) fn result(subject: &Subject<'_>, made: &[Deliverable]) -> Vec<Block> {
    let rules = subject.plan.as_ref().and_then(|plan| plan.metadata.pack_rules.as_deref());
    let layout = rules.and_then(|rules| rules.report.as_ref());
    let laid_out = layout.map(|layout| (layout.title.as_str(), layout::sections(layout, made)));
    let (heading, mut body) = match laid_out.filter(|(_, body)| !body.is_empty()) {
        Some((heading, body)) => (heading, body),
        None => (title::RESULT.text(), last_outputs(made)),
    };
    if body.is_empty() {
        body.push(paragraph(words::NO_RESULTS.text()));
    }
    if Results::of(subject.state).sample_data {
        body.push(Block::Text(vec![Inline::Strong(words::sample_data().to_owned())]));
    }
    section(2, heading, body)
}

fn last_outputs(made: &[Deliverable]) -> Vec<Block> {
    let parts: Vec<&Deliverable> = made.iter().filter(|made| made.is_result).collect();
    let mut body = Vec::new();
    for part in &parts {
        body.extend((parts.len() > 1).then(|| Block::Heading(3, part.task.clone())));
        body.extend(values::outputs(&part.outputs));
    }
    body
}

/// What the result lacks.
pub(super) fn missing(missing: &[Missing]) -> Vec<Block> {
    if missing.is_empty() {
        return section(2, title::MISSING.text(), vec![paragraph(words::NOTHING_MISSING.text())]);
    }
    let entry = |it: &Missing| vec![Inline::Strong(it.what.clone()), Inline::Text(format!("— {}", it.why))];
    section(2, title::MISSING.text(), vec![Block::List(missing.iter().map(entry).collect())])
}
