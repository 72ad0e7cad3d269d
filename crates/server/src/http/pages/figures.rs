//! Pages of figures: key figures with their course, what stands behind one of them, money and efficiency.

use candor_projections::efficiency::{Curve, EfficiencyReport};
use candor_projections::kpi::{Comparison, Group, Kpi, KpiReport, RunShare, Trail, Unit, shown};
use candor_projections::spend::{SpendReport, SpendRow};
use candor_projections::summary::Summary;
use candor_projections::{format, words as projected};
use maud::{Markup, html};

use super::list::encoded;
use super::parts;
use super::words::Words;

/// Windows that can be chosen, and how they are written.
const WINDOWS: [&str; 4] = ["1h", "24h", "7d", "30d"];
/// The size of a figure's course.
const SPARK: (f64, f64) = (96.0, 24.0);
/// The size of the picture of quality by tokens.
const PLOT: (f64, f64) = (420.0, 180.0);
/// Where nothing is known.
const NONE: &str = "–";

/// Links to the same page over another window.
fn windows(path: &str, since: Option<&str>, words: &Words) -> Markup {
    html! {
        div.filters { nav aria-label=(words.window) {
            @for window in WINDOWS {
                a href={ (path) "?since=" (window) } aria-current=[(since == Some(window)).then_some("true")] { (window) }
            }
        } }
    }
}

fn query(since: Option<&str>) -> String {
    since.map(|since| format!("?since={}", encoded(since))).unwrap_or_default()
}

pub(super) fn kpis(report: &KpiReport, trails: &[Trail], since: Option<&str>, words: &Words) -> Markup {
    let groups = [Group::Latency, Group::Quality, Group::Efficiency, Group::Orchestration];
    html! {
        div.title { h1 { (words.kpis) } (windows("/kpis", since, words)) }
        p.note { (report.runs) " " (words.runs_lower) " · " (report.ended) " " (words.ended) " · " (words.kpi_note) }
        @for group in groups {
            section.card {
                h2 { (words.group(group)) }
                div.tiles {
                    @for kpi in report.kpis.iter().filter(|kpi| kpi.group == group) {
                        (tile(kpi, trails.iter().find(|trail| trail.name == kpi.name), since, words))
                    }
                }
            }
        }
    }
}

fn tile(kpi: &Kpi, trail: Option<&Trail>, since: Option<&str>, words: &Words) -> Markup {
    let value = kpi.value.map_or_else(|| NONE.to_owned(), |value| shown(value, kpi.unit));
    let (class, mark) = match kpi.met {
        Some(true) => ("s-ok", words.target_met),
        Some(false) => ("s-bad", words.target_missed),
        None => ("s-idle", ""),
    };
    html! {
        a.tile href={ "/kpis/" (kpi.name) (query(since)) } title=(words.kpi_about(kpi.name)) {
            span.tile-name { (words.kpi_name(kpi.name)) }
            span.tile-value.num { (value) }
            @if let Some(trail) = trail { (spark(trail, kpi, words)) }
            span.sub {
                @if !mark.is_empty() { span.dot-mark.(class) { span.dot {} (mark) } " · " }
                @if let Some(target) = kpi.target { (target_text(target, kpi.unit)) " · " }
                span.nowrap { "n = " (kpi.samples) }
            }
        }
    }
}

fn target_text(target: Comparison, unit: Unit) -> String {
    let (sign, bound) = target.parts();
    let sign = match sign {
        "<=" => "≤",
        ">=" => "≥",
        sign => sign,
    };
    format!("{sign} {}", shown(bound, unit))
}

/// The course of a figure as a line, with its target.
fn spark(trail: &Trail, kpi: &Kpi, words: &Words) -> Markup {
    let known: Vec<f64> = trail.values.iter().flatten().copied().collect();
    let bound = kpi.target.map(|target| target.parts().1);
    let top = known.iter().copied().chain(bound).fold(f64::MIN_POSITIVE, f64::max);
    let (width, height) = SPARK;
    let step = width / (trail.values.len().saturating_sub(1).max(1)) as f64;
    let y = |value: f64| height - 2.0 - value / top * (height - 4.0);
    let points: Vec<(f64, f64)> = trail
        .values
        .iter()
        .enumerate()
        .filter_map(|(nth, value)| Some((nth as f64 * step, y((*value)?))))
        .collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    html! {
        svg.spark width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(words.course) {
            @if let Some(bound) = bound.filter(|_| !points.is_empty()) { line.target x1="0" x2=(width) y1=(format!("{:.1}", y(bound))) y2=(format!("{:.1}", y(bound))) {} }
            @if points.len() > 1 { polyline.course points=(line.join(" ")) {} }
            @if let Some((x, y)) = points.last() { circle.now cx=(format!("{:.1}", x.min(width - 2.0))) cy=(format!("{y:.1}")) r="2" {} }
        }
    }
}

/// What stands behind a figure.
pub(super) fn kpi(kpi: &Kpi, shares: &[RunShare], since: Option<&str>, words: &Words) -> Markup {
    let value = kpi.value.map_or_else(|| NONE.to_owned(), |value| shown(value, kpi.unit));
    html! {
        p { a href={ "/kpis" (query(since)) } { "← " (words.kpis) } }
        div.title { h1 { (words.kpi_name(kpi.name)) } (windows(&format!("/kpis/{}", kpi.name), since, words)) }
        dl.facts {
            div { dt { (words.value) } dd { (value) } }
            div { dt { (words.target) } dd { (kpi.target.map_or_else(|| NONE.to_owned(), |target| target_text(target, kpi.unit))) } }
            div { dt { (words.samples) } dd { (kpi.samples) } }
        }
        p.note { (words.kpi_about(kpi.name)) }
        @if shares.is_empty() { p.empty { (words.no_data) } }
        @else {
            div.scroll tabindex="0" role="region" aria-label=(words.runs) { table {
                thead { tr { th { (words.request) } th.right { (words.value) } th.right { (words.samples) } th { (words.events) } } }
                tbody { @for share in shares { tr {
                    td.request { a href={ "/runs/" (share.run_id) } { (share.request) } div.sub { code { (share.run_id) } } }
                    td.num.right { (shown(share.value, kpi.unit)) }
                    td.num.right { (share.samples) }
                    td { a href={ "/runs/" (share.run_id) "#h-events" } { (words.events) } }
                } } }
            } }
        }
    }
}

pub(super) fn cost(
    spent: &SpendReport,
    efficiency: &EfficiencyReport,
    summary: &Summary,
    since: Option<&str>,
    words: &Words,
) -> Markup {
    let rate =
        summary.cache_hit_rate.map_or_else(|| NONE.to_owned(), |rate| format!("{:.0} %", rate * 100.0));
    html! {
        div.title { h1 { (words.cost_page) } (windows("/cost", since, words)) }
        dl.facts {
            div { dt { (words.cost) } dd { (format::money(spent.total.cost)) } }
            div { dt { (words.tokens) } dd { (spent.total.tokens.total()) } }
            div { dt { (words.calls) } dd { (spent.total.calls) } }
            div { dt { (words.runs) } dd { a href="/" { (spent.runs) } } }
            div { dt { (words.succeeded) } dd { a href="/?status=completed" { (summary.tasks_completed) } } }
            div { dt { (words.avg_duration) } dd { (summary.avg_duration.map_or_else(|| NONE.to_owned(), format::duration)) } }
            div { dt { (words.cache_hits) } dd { (rate) } }
            div { dt { (words.saved) } dd { (format::money(spent.saved)) } }
        }
        @if spent.runs == 0 { p.empty { (words.no_data) } }
        @else {
            div.columns {
                (spending(words.model, &spent.by_model, spent, words, |_| None))
                (phases(spent, summary, words))
                (spending(words.runs, &spent.by_run, spent, words, |name| Some(format!("/runs/{name}"))))
                (spending(words.day, &spent.by_day, spent, words, |_| None))
                (spending(words.user, &spent.by_user, spent, words, |_| None))
                (spending(words.project, &spent.by_project, spent, words, |_| None))
            }
            (efficient(efficiency, words))
        }
    }
}

fn spending(
    title: &str,
    rows: &[SpendRow],
    all: &SpendReport,
    words: &Words,
    link: fn(&str) -> Option<String>,
) -> Markup {
    let whole = all.total.cost.micros().max(1) as f64;
    html! {
        section.card {
            h2 { (title) }
            @if rows.is_empty() { p.empty { (words.no_data) } }
            @else { div.scroll tabindex="0" role="region" aria-label=(title) { table {
                thead { tr { th { (title) } th.right { (words.cost) } th { (words.share) } th.right { (words.tokens) } th.right { (words.calls) } } }
                tbody { @for row in rows { tr {
                    td.name { @if let Some(link) = link(&row.name) { a href=(link) { (row.name) } } @else { (row.name) } }
                    td.num.right { (format::money(row.spend.cost)) }
                    td.nowrap { (parts::bar(row.spend.cost.micros() as f64 * 100.0 / whole, &row.name)) }
                    td.num.right { (row.spend.tokens.total()) }
                    td.num.right { (row.spend.calls) }
                } } }
            } } }
        }
    }
}

fn phases(spent: &SpendReport, summary: &Summary, words: &Words) -> Markup {
    html! {
        section.card {
            h2 { (words.phases) }
            div.scroll tabindex="0" role="region" aria-label=(words.phases) { table {
                thead { tr { th { (words.phases) } th.right { (words.cost) } th.right { (words.tokens) } th.right { (words.avg_duration) } th.right { (words.avg_tokens) } } }
                tbody { @for phase in candor_model::Phase::ALL {
                    @let row = spent.by_phase.iter().find(|row| row.name == phase.as_str());
                    @let mean = summary.by_phase.get(&phase.number());
                    tr {
                        td { (phase.number()) " " (projected::phase(words.language(), *phase)) }
                        td.num.right { (row.map_or_else(|| NONE.to_owned(), |row| format::money(row.spend.cost))) }
                        td.num.right { (row.map_or(0, |row| row.spend.tokens.total())) }
                        td.num.right { (mean.map_or_else(|| NONE.to_owned(), |mean| format::duration(mean.avg_duration))) }
                        td.num.right { (mean.map_or_else(|| NONE.to_owned(), |mean| format!("{:.0}", mean.avg_tokens))) }
                    }
                } }
            } }
        }
    }
}

fn efficient(report: &EfficiencyReport, words: &Words) -> Markup {
    html! {
        section.card {
            h2 { (words.efficiency) }
            @if report.types.is_empty() { p.empty { (words.nothing_judged) } }
            @else {
                p.note { (words.quality_note) }
                div.scroll tabindex="0" role="region" aria-label=(words.efficiency) { table {
                    thead { tr {
                        th { (words.task_type) } th.right { (words.runs) } th.right { (words.quality) } th.right { (words.tokens) }
                        th.right { (words.cost) } th.right { (words.duration) } th.right { (words.per_1k) } th { (words.trend) }
                    } }
                    tbody { @for row in &report.types { tr {
                        td { (row.task_type) }
                        td.num.right { (row.runs) }
                        td.num.right { (format!("{:.0}", row.quality)) }
                        td.num.right { (format!("{:.0}", row.tokens)) }
                        td.num.right { (format::money(row.cost)) }
                        td.num.right { (format::duration(row.duration)) }
                        td.num.right { (row.quality_per_token.map_or_else(|| NONE.to_owned(), |it| format!("{:.1}", it * 1000.0))) }
                        td { (words.trend_of(row.trend)) }
                    } } }
                } }
            }
            @for curve in &report.curves { (plot(curve, words)) }
            @if !report.models.is_empty() { (returns(report, words)) }
        }
    }
}

/// Quality by tokens: a point for each run, and where more tokens bring no more.
fn plot(curve: &Curve, words: &Words) -> Markup {
    let (width, height) = PLOT;
    let most = curve.points.iter().map(|point| point.tokens).fold(1.0, f64::max);
    let x = |tokens: f64| 32.0 + tokens / most * (width - 44.0);
    let y = |quality: f64| height - 22.0 - quality / 100.0 * (height - 34.0);
    html! {
        h3 { (words.quality_by_tokens) ": " (curve.task_type) }
        div.scroll tabindex="0" role="region" aria-label=(words.quality_by_tokens) {
            svg.plot width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(words.quality_by_tokens) {
                line.axis x1="32" x2=(width - 12.0) y1=(y(0.0)) y2=(y(0.0)) {}
                line.axis x1="32" x2="32" y1=(y(0.0)) y2=(y(100.0)) {}
                text.sub x="26" y=(y(100.0) + 4.0) text-anchor="end" { "100" }
                text.sub x="26" y=(y(0.0) + 4.0) text-anchor="end" { "0" }
                text.sub x=(width - 12.0) y=(height - 6.0) text-anchor="end" { (format!("{most:.0} ")) (words.tokens) }
                @if let Some(plateau) = &curve.plateau {
                    line.target x1=(format!("{:.1}", x(plateau.tokens))) x2=(format!("{:.1}", x(plateau.tokens))) y1=(y(0.0)) y2=(y(100.0)) {}
                }
                @for point in &curve.points {
                    a href={ "/runs/" (point.run_id) } aria-label={ (point.run_id) ": " (format!("{:.0}", point.quality)) } {
                        circle.point cx=(format!("{:.1}", x(point.tokens))) cy=(format!("{:.1}", y(point.quality))) r="4" {}
                    }
                }
            }
        }
        @if let Some(plateau) = &curve.plateau {
            p { (words.plateau(plateau.tokens, plateau.quality, plateau.gain_beyond, plateau.runs_beyond)) }
        }
    }
}

fn returns(report: &EfficiencyReport, words: &Words) -> Markup {
    html! {
        h3 { (words.returns) }
        div.scroll tabindex="0" role="region" aria-label=(words.returns) { table {
            thead { tr { th { (words.model) } th.right { (words.runs) } th.right { (words.quality) } th.right { (words.cost_per_1k) } th.right { (words.roi) } } }
            tbody { @for row in &report.models { tr {
                td.name { (row.model) }
                td.num.right { (row.runs) }
                td.num.right { (format!("{:.0}", row.quality)) }
                td.num.right { (format!("${:.4}", row.cost_per_1k)) }
                td.num.right { (row.roi.map_or_else(|| NONE.to_owned(), |roi| format!("{roi:.0}"))) }
            } } }
        } }
        @if let Some(advice) = &report.advice {
            p { (words.advice(&advice.prefer, &advice.keep_for_hard_work, advice.ratio)) }
        }
    }
}
