//! The report's part on models: what was asked, what it took, and with how much less than it should the run
//! worked.

use candor_planning::degradation;
use candor_planning::report::ModelFigures;
use candor_projections::format;
use candor_projections::report::Subject;

use super::markdown::{bullets, inline, table};
use crate::view::words::{column, models as words, title};

pub(super) fn section(subject: &Subject<'_>) -> String {
    let figures = ModelFigures::of(subject.records.iter().map(|recorded| &recorded.event));
    let mut parts = Vec::new();
    if figures.calls > 0 {
        let rows = figures.cost_by_model.iter();
        let rows: Vec<[String; 2]> =
            rows.map(|(model, cost)| [inline(model), inline(&format::money(*cost))]).collect();
        parts.push(table([column::MODEL, column::COST], &rows));
        parts.push(bullets(words::figures(&figures).iter().map(|line| inline(line))));
    }
    if let Some(report) = degradation::report(subject.state.degradation()) {
        parts.push(bullets(report.lines().map(inline)));
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("## {}\n\n{}", title::MODELS, parts.join("\n"))
}
