//! The attempts of a run in time. Time in which nothing ran is folded, so that an hour of waiting for a person does not
//! squeeze the seconds of work together.

use candor_model::Timestamp;
use candor_projections::format;
use candor_projections::line::shortened;
use candor_projections::timeline::AttemptEntry;
use maud::{Markup, html};

use super::words::Words;

/// How many attempts are drawn; the latest ones.
const DRAWN: usize = 120;
const WIDTH: f64 = 900.0;
const LEFT: f64 = 210.0;
const ROW: f64 = 22.0;
const TOP: f64 = 22.0;
/// Room for how long the last one took.
const RIGHT: f64 = 60.0;
/// How wide a folded gap is.
const FOLD: f64 = 44.0;
/// A gap is folded if it is longer than this share of the time in which something ran.
const LONG: f64 = 0.15;
/// How many letters of a name fit.
const LETTERS: usize = 27;

/// A stretch of time and where it is drawn.
struct Piece {
    from: f64,
    to: f64,
    x: f64,
    width: f64,
    idle: bool,
}

/// Draws attempts on a time axis as SVG.
pub(super) fn draw(attempts: &[AttemptEntry<'_>], now: Timestamp, words: &Words) -> Markup {
    let hidden = attempts.len().saturating_sub(DRAWN);
    let shown = attempts.get(hidden..).unwrap_or_default();
    if shown.is_empty() {
        return html! { p.empty { (words.no_attempts) } };
    }
    let spans: Vec<(f64, f64)> = shown.iter().map(|it| span(it, now)).collect();
    let pieces = pieces(&spans);
    let height = TOP + ROW * float(shown.len()) + 6.0;
    html! {
        @if hidden > 0 { p.note { (shown.len()) " " (words.of) " " (format::count(attempts.len())) ", " (words.recent_first) } }
        div.scroll tabindex="0" role="region" aria-label=(words.timeline) {
            svg.gantt width=(WIDTH) height=(height) viewBox={ "0 0 " (WIDTH) " " (height) } role="group" aria-label=(words.timeline) {
                @for piece in pieces.iter().filter(|piece| piece.idle) { (fold(piece, height, words)) }
                @for (at, (attempt, (from, to))) in shown.iter().zip(&spans).enumerate() {
                    (row(attempt, TOP + ROW * float(at), (place(&pieces, *from), place(&pieces, *to)), words))
                }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
fn float(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit")]
fn span(attempt: &AttemptEntry<'_>, now: Timestamp) -> (f64, f64) {
    let seconds = |at: Timestamp| at.as_millis() as f64 / 1000.0;
    let from = seconds(attempt.started_at);
    (from, seconds(attempt.ended_at.unwrap_or(now)).max(from))
}

/// Cuts the time into stretches with and without work, and gives each its place.
fn pieces(spans: &[(f64, f64)]) -> Vec<Piece> {
    let mut sorted = spans.to_vec();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut busy: Vec<(f64, f64)> = Vec::new();
    for (from, to) in sorted {
        match busy.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => busy.push((from, to)),
        }
    }
    let worked: f64 = busy.iter().map(|(from, to)| to - from).sum();
    let is_long = |from: f64, to: f64| to - from > (worked * LONG).max(1.0);
    let gaps = busy.windows(2).filter_map(|pair| match pair {
        [one, other] => Some((one.1, other.0)),
        _ => None,
    });
    let long: Vec<(f64, f64)> = gaps.filter(|(from, to)| is_long(*from, *to)).collect();
    let (start, end) = (busy.first().map_or(0.0, |it| it.0), busy.last().map_or(0.0, |it| it.1));
    let idle: f64 = long.iter().map(|(from, to)| to - from).sum();
    let room = (WIDTH - LEFT - RIGHT - FOLD * float(long.len())).max(100.0);
    let scale = room / (end - start - idle).max(0.001);
    let (mut pieces, mut at, mut x) = (Vec::new(), start, LEFT);
    for (from, to) in long.into_iter().chain([(end, end)]) {
        let width = (from - at) * scale;
        pieces.push(Piece { from: at, to: from, x, width, idle: false });
        x += width;
        if to > from {
            pieces.push(Piece { from, to, x, width: FOLD, idle: true });
            x += FOLD;
        }
        at = to;
    }
    pieces
}

/// Where a moment is drawn.
fn place(pieces: &[Piece], at: f64) -> f64 {
    let piece = pieces.iter().find(|piece| at <= piece.to).or(pieces.last());
    piece.map_or(LEFT, |piece| {
        let share = ((at - piece.from) / (piece.to - piece.from).max(0.001)).clamp(0.0, 1.0);
        share.mul_add(piece.width, piece.x)
    })
}

fn fold(piece: &Piece, height: f64, words: &Words) -> Markup {
    let length = candor_model::Seconds::from_millis(millis(piece.to - piece.from));
    html! {
        rect.fold x=(round(piece.x)) y=(TOP - 4.0) width=(piece.width) height=(height - TOP) {}
        text.sub x=(round(piece.x + piece.width / 2.0)) y="12" text-anchor="middle" {
            title { (words.idle) }
            (format::duration(length))
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length of time")]
fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

fn row(attempt: &AttemptEntry<'_>, y: f64, (from, to): (f64, f64), words: &Words) -> Markup {
    let agent = attempt.agent_type.map(ToString::to_string).unwrap_or_default();
    let took = format::duration(attempt.duration_seconds);
    html! {
        a href={ "#task-" (attempt.task_id) } {
            title { (attempt.name) " #" (attempt.attempt) " · " (agent) " · " (words.outcome(attempt.outcome)) " · " (took) }
            text.name x="0" y=(y + 14.0) { (shortened(&attempt.name, LETTERS, true)) }
            rect.span.(class(attempt.outcome)) x=(round(from)) y=(y + 3.0) width=(round((to - from).max(3.0))) height=(ROW - 8.0) rx="3" {}
        }
        text.sub x=(round(to + 6.0)) y=(y + 14.0) { (took) }
    }
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// The class of an outcome.
pub(super) fn class(outcome: &str) -> &'static str {
    match outcome {
        "running" => "s-run",
        "succeeded" | "partial_success" => "s-ok",
        "failed" | "never_started" => "s-bad",
        _ => "s-skip",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_of_waiting_takes_as_much_room_as_a_label() {
        let pieces = pieces(&[(0.0, 2.0), (1.0, 4.0), (3604.0, 3608.0)]);
        assert_eq!(pieces.iter().filter(|piece| piece.idle).count(), 1);
        // Four seconds before and four after are equally wide.
        let (first, last) =
            (place(&pieces, 4.0) - place(&pieces, 0.0), place(&pieces, 3608.0) - place(&pieces, 3604.0));
        assert!((first - last).abs() < 1.0, "{first} {last}");
        assert!((place(&pieces, 3608.0) - (WIDTH - RIGHT)).abs() < 1.0);
        let mut before = 0.0;
        for at in 0..3608 {
            let x = place(&pieces, f64::from(at));
            assert!(x >= before, "time goes on");
            before = x;
        }
    }
}
