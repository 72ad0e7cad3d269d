//! The report's part on models: what was asked, what it took, and how far the run was degraded.

use candor_planning::degradation;
use candor_planning::report::ModelFigures;
use candor_projections::format;
use candor_projections::report::Subject;

use super::block::{Block, list, section, text};
use crate::view::words::{column, models as words, title};

pub(super) fn models(subject: &Subject<'_>) -> Vec<Block> {
    let figures = ModelFigures::of(subject.records.iter().map(|recorded| &recorded.event));
    let mut body = Vec::new();
    if figures.calls > 0 {
        let rows = figures.cost_by_model.iter();
        let rows = rows.map(|(model, cost)| vec![text(model.as_str()), text(format::money(*cost))]).collect();
        body.push(Block::Table(vec![column::MODEL.text().to_owned(), column::COST.text().to_owned()], rows));
        body.extend(list(words::figures(&figures).into_iter().map(text).collect()));
    }
    if let Some(report) = degradation::report(subject.state.degradation()) {
        body.extend(list(report.lines().map(text).collect()));
    }
    section(3, title::MODELS.text(), body)
}
