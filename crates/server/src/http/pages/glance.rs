//! A run at a glance: tokens, latency and cost against their limits, and the eight phases. And how well confidence
//! foretells success.

use candor_app::Band;
use candor_model::Seconds;
use candor_projections::dashboard::{PhaseRow, RunDashboard, Tile};
use candor_projections::{format, words as projected};
use maud::{Markup, html};

use super::parts;
use super::words::Words;

/// Where nothing is known.
const NONE: &str = "–";
/// The size of the picture of confidence and success.
const PLOT: (f64, f64) = (320.0, 240.0);

/// Tokens, latency and cost.
pub(super) fn tiles(board: &RunDashboard, words: &Words) -> Markup {
    html! { div.tiles { @for tile in &board.tiles { (tile_of(tile, words)) } } }
}

fn tile_of(Tile { name, value, limit }: &Tile, words: &Words) -> Markup {
    let figure = |value: f64| match *name {
        "cost" => format!("${value:.4}"),
        "latency" => format!("{value:.1} s"),
        _ => format!("{value:.0}"),
    };
    let label = match *name {
        "cost" => words.cost,
        "latency" => words.latency,
        _ => words.tokens,
    };
    let share = value.zip(*limit).map(|(value, limit)| value / limit.max(f64::MIN_POSITIVE) * 100.0);
    html! {
        div.tile {
            span.tile-name { (label) }
            span.tile-value.num { (value.map_or_else(|| NONE.to_owned(), figure)) }
            @if let Some(share) = share { span { (parts::bar(share.min(100.0), label)) } }
            span.sub { @if let Some(limit) = limit { (words.of) " " (figure(*limit)) } @else { (words.no_limit) } }
        }
    }
}

/// The phases with what they took.
pub(super) fn phases(board: &RunDashboard, silent: Seconds, words: &Words) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words.phases) { table {
            thead { tr {
                th { (words.phases) } th { (words.status) } th.right { (words.duration) } th.right { (words.tokens) }
                th.right { (words.calls) } th { (words.model) } th.right { (words.cost) }
            } }
            tbody { @for phase in &board.phases { (row(phase, silent, words)) } }
        } }
    }
}

fn sum(one: Seconds, other: Seconds) -> Seconds {
    Seconds::from_millis(one.as_millis().saturating_add(other.as_millis()))
}

/// `silent` is for how long the run has gone on since its last event.
fn row(phase: &PhaseRow, silent: Seconds, words: &Words) -> Markup {
    let (mark, class, status) = match phase.status {
        "complete" => ("✓", "s-ok", words.phase_complete),
        "running" => ("▶", "s-run", words.phase_running),
        "failed" => ("✗", "s-bad", words.phase_failed),
        "degraded" => ("~", "s-ask", words.phase_degraded),
        _ => ("○", "s-idle", words.phase_pending),
    };
    let known = phase.status != "pending";
    let number = |number: u64| if known { number.to_string() } else { NONE.to_owned() };
    html! {
        tr {
            td.nowrap { (phase.number) " " (projected::phase(words.language(), phase.name)) }
            td.nowrap { span.badge.(class) { (mark) " " (status) } }
            td.num.right { @match phase.duration {
                Some(took) if phase.status == "running" => { (parts::lasts(sum(took, silent), silent > Seconds::ZERO)) }
                Some(took) => { (format::duration(took)) }
                None => { (NONE) }
            } }
            td.num.right { (number(phase.tokens)) }
            td.num.right { (number(phase.agents)) }
            td { (phase.model.as_deref().unwrap_or(NONE)) }
            td.num.right { @if known { (format::money(phase.cost)) } @else { (NONE) } }
        }
    }
}

/// How sure runs were, and how many of them succeeded: on the line, confidence means what it says.
pub(super) fn calibration(bands: &[Band], words: &Words) -> Markup {
    let (width, height) = PLOT;
    let x = |share: f64| 44.0 + share * (width - 56.0);
    let y = |share: f64| height - 26.0 - share * (height - 38.0);
    let most = bands.iter().map(|band| band.runs).max().unwrap_or(1).max(1) as f64;
    html! {
        section.card {
            h2 { (words.calibration) }
            @if bands.is_empty() { p.empty { (words.no_data) } }
            @else {
                p.note { (words.calibration_note) }
                div.scroll tabindex="0" role="region" aria-label=(words.calibration) {
                    svg.plot width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(words.calibration) {
                        line.axis x1=(x(0.0)) x2=(x(1.0)) y1=(y(0.0)) y2=(y(0.0)) {}
                        line.axis x1=(x(0.0)) x2=(x(0.0)) y1=(y(0.0)) y2=(y(1.0)) {}
                        line.target x1=(x(0.0)) x2=(x(1.0)) y1=(y(0.0)) y2=(y(1.0)) {}
                        text.sub x="38" y=(y(1.0) + 4.0) text-anchor="end" { "100 %" }
                        text.sub x="38" y=(y(0.0) + 4.0) text-anchor="end" { "0" }
                        text.sub x=(x(1.0)) y=(height - 8.0) text-anchor="end" { (words.confidence) }
                        @for band in bands {
                            circle.point cx=(format!("{:.1}", x(band.predicted))) cy=(format!("{:.1}", y(band.actual))) r=(format!("{:.1}", 4.0 + 6.0 * (band.runs as f64 / most).sqrt())) {
                                title { (format!("{:.0} % → {:.0} % (n = {})", band.predicted * 100.0, band.actual * 100.0, band.runs)) }
                            }
                        }
                    }
                }
                div.scroll tabindex="0" role="region" aria-label=(words.calibration) { table {
                    thead { tr { th { (words.confidence) } th.right { (words.succeeded) } th.right { (words.runs) } } }
                    tbody { @for band in bands { tr {
                        td.num { (format!("{:.0}–{:.0} %", band.from * 100.0, band.to * 100.0)) }
                        td.num.right { (format!("{:.0} %", band.actual * 100.0)) }
                        td.num.right { (band.runs) }
                    } } }
                } }
            }
        }
    }
}
