//! Adds up the signs of a text, window by window.

use super::tokens::{Token, tokens};
use super::weights::{BASE, SIGNS, Sign, WEIGHTS};
use super::words::{Hit, TABLES};
use super::{Embed, elsewhere, harmless, meaning, orders, structure};

/// From here on a text is flagged.
const FLAGGED: f64 = 0.42;
/// How many words are judged together.
const WINDOW: usize = 512;
/// How far apart windows begin.
const STRIDE: usize = 256;
/// How many windows are judged by their meaning too: those that look worst.
const MEANT: usize = 2;
/// How many words make a text that would speak to someone if it had someone to speak to.
const LONG: usize = 100;
/// A text is impersonal if it says “you” less often than once in so many words.
const SELDOM: usize = 150;
/// A text without a task of its own is shorter, in words, and says at once what it wants.
const SHORT: usize = 40;
const AT_ONCE: usize = 8;
/// How many signs a reason names.
const NAMED: usize = 3;
/// The most of the text that is quoted for a sign, in bytes.
const QUOTED: usize = 60;

/// What is thought of a text that was flagged.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    /// How sure, from 0 to 1.
    pub(super) score: f64,
    /// How often each sign counts.
    pub(super) counts: [f64; SIGNS],
    /// The signs that weigh most, the worst first, with what was seen.
    seen: Vec<(Sign, &'a str)>,
}

impl Judged<'_> {
    /// The words of the worst sign that has any.
    pub(super) fn quote(&self) -> String {
        let words = self.seen.iter().map(|(_, words)| words.trim()).find(|words| !words.is_empty());
        words.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Why, in words: with quotations, without, and in short.
    pub(super) fn reasons(&self, subject: &str) -> [String; 3] {
        let says = |sign: Sign| WEIGHTS.get(sign as usize).map(|row| row.says).unwrap_or_default();
        let quoted = self.seen.iter().map(|(sign, words)| match words.trim() {
            "" => says(*sign).to_owned(),
            words => {
                format!("{} (“{}”)", says(*sign), words.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        });
        let bare = self.seen.iter().map(|(sign, _)| says(*sign).to_owned());
        let whole = |parts: Vec<String>| {
            format!("{subject} speaks to a model: {}; it is taken as data and not obeyed", parts.join(", "))
        };
        [whole(quoted.collect()), whole(bare.collect()), "it speaks to a model".to_owned()]
    }
}

/// What is thought of a text; nothing if it looks like a request.
pub(super) fn judge<'a>(text: &'a str, embed: Option<Embed<'_>>) -> Option<Judged<'a>> {
    weigh(text, embed).filter(|judged| judged.score >= FLAGGED)
}

/// What is thought of a text, flagged or not.
pub(super) fn weigh<'a>(text: &'a str, embed: Option<Embed<'_>>) -> Option<Judged<'a>> {
    let read = Read::new(text, &|inner| is_order(inner));
    let mut windows = read.windows();
    windows.sort_by(|one, other| other.sum().total_cmp(&one.sum()));
    for window in windows.iter_mut().take(MEANT) {
        let part = text.get(window.from..window.to).unwrap_or(text);
        window.lean(embed.and_then(|embed| meaning::leaning(part, embed)));
    }
    let worst = windows.into_iter().max_by(|one, other| one.sum().total_cmp(&other.sum()))?;
    let score = 1.0 / (1.0 + (-worst.sum()).exp());
    let mut counts = worst.counts;
    WEIGHTS.iter().zip(&mut counts).for_each(|(row, count)| *count = count.clamp(-row.most, row.most));
    Some(Judged { score, counts, seen: worst.seen(text) })
}

/// How little is enough for what was hidden: people hide no requests.
const HIDDEN: f64 = BASE + 1.5;

/// Whether a text that was hidden in another is an order. What is hidden in it again is not looked at.
fn is_order(text: &str) -> bool {
    let read = Read::new(text, &|_| false);
    read.windows().iter().any(|window| window.sum() >= HIDDEN)
}

/// Leaves one of the hits of a sign that overlap: two phrases for the same words are no more than one.
fn once_each(hits: &mut Vec<Hit>) {
    let mut ends = [0; SIGNS];
    hits.retain(|hit| {
        let Some(end) = ends.get_mut(hit.sign as usize) else { return true };
        let is_new = hit.at >= *end;
        *end = hit.end.max(*end);
        is_new
    });
}

/// A text with its signs.
struct Read {
    length: usize,
    tokens: Vec<Token>,
    hits: Vec<Hit>,
}

impl Read {
    fn new(text: &str, is_order: &dyn Fn(&str) -> bool) -> Self {
        let tokens = tokens(text, &TABLES);
        let first = tokens.first().map_or(0, |token| token.at);
        let mut hits = TABLES.hits(&tokens);
        hits.retain(|hit| !harmless::is_example(text, hit) && !harmless::is_name(text, hit));
        // Only what a text begins with says what it is.
        hits.retain(|hit| hit.sign != Sign::Learns || hit.at == first);
        hits.extend(orders::hits(text, &tokens));
        let lower = text.to_lowercase();
        hits.extend(structure::hits(text, &lower, &tokens, is_order));
        hits.extend(elsewhere::hits(text, &lower));
        harmless::take_away(text, &mut hits);
        hits.sort_by_key(|hit| hit.at);
        once_each(&mut hits);
        Self { length: text.len(), tokens, hits }
    }

    fn windows(&self) -> Vec<Window> {
        let count = self.tokens.len().saturating_sub(STRIDE).div_ceil(STRIDE).max(1);
        let place = |index: usize| self.tokens.get(index).map_or(self.length, |token| token.at);
        let bounds = (0..count).map(|index| {
            let from = if index == 0 { 0 } else { place(index * STRIDE) };
            let to = if index + 1 == count { self.length } else { place(index * STRIDE + WINDOW) };
            (from, to)
        });
        bounds.map(|(from, to)| self.window(from, to, count == 1)).collect()
    }

    fn window(&self, from: usize, to: usize, is_whole: bool) -> Window {
        let words = self.tokens.partition_point(|token| token.at < to)
            - self.tokens.partition_point(|token| token.at < from);
        let mut window = Window { from, to, counts: [0.0; SIGNS], firsts: [None; SIGNS] };
        let start = self.hits.partition_point(|hit| hit.at < from);
        let inside = self.hits.get(start..).unwrap_or_default().iter().take_while(|hit| hit.at <= to);
        for hit in inside {
            let speaks_for = matches!(hit.sign, Sign::Learns | Sign::Creates);
            // What a long text begins with says nothing of its other windows.
            if !speaks_for || is_whole {
                window.add(hit);
            }
        }
        if words > LONG && window.count(Sign::Addressed) * SELDOM as f64 <= words as f64 {
            window.add(&Hit { at: from, end: from, sign: Sign::Impersonal });
        }
        if is_whole && self.is_rider(&window) {
            window.add(&Hit { at: from, end: from, sign: Sign::Rider });
        }
        window
    }

    /// Whether a text does nothing but put something into an answer: what comes after a fence is what it puts.
    fn is_rider(&self, window: &Window) -> bool {
        let first = |sign: Sign| window.firsts.get(sign as usize).copied().flatten();
        let Some((at, _)) = first(Sign::Payload).or_else(|| first(Sign::CodePayload)) else { return false };
        let before = self.tokens.partition_point(|token| token.at < at);
        before <= AT_ONCE && (self.tokens.len() <= SHORT || first(Sign::RiskyCode).is_some())
    }
}

/// A part of a text with what was counted in it.
struct Window {
    from: usize,
    to: usize,
    counts: [f64; SIGNS],
    /// Where each sign was seen first.
    firsts: [Option<(usize, usize)>; SIGNS],
}

impl Window {
    fn add(&mut self, hit: &Hit) {
        let index = hit.sign as usize;
        if let (Some(count), Some(first)) = (self.counts.get_mut(index), self.firsts.get_mut(index)) {
            *count += 1.0;
            first.get_or_insert((hit.at, hit.end));
        }
    }

    fn count(&self, sign: Sign) -> f64 {
        self.counts.get(sign as usize).copied().unwrap_or_default()
    }

    fn lean(&mut self, leaning: Option<f64>) {
        if let (Some(leaning), Some(count)) = (leaning, self.counts.get_mut(Sign::Meaning as usize)) {
            *count = leaning;
        }
    }

    /// What each sign adds.
    fn parts(&self) -> impl Iterator<Item = (Sign, f64)> {
        let rows = WEIGHTS.iter().zip(self.counts);
        rows.map(|(row, count)| (row.sign, row.weight * count.clamp(-row.most, row.most)))
    }

    fn sum(&self) -> f64 {
        BASE + self.parts().map(|(_, part)| part).sum::<f64>()
    }

    fn seen<'a>(&self, text: &'a str) -> Vec<(Sign, &'a str)> {
        let mut parts: Vec<(Sign, f64)> = self.parts().filter(|(_, part)| *part > 0.3).collect();
        parts.sort_by(|one, other| other.1.total_cmp(&one.1));
        let quote = |sign: Sign| {
            let place = self.firsts.get(sign as usize).copied().flatten();
            let words = place.and_then(|(at, end)| text.get(at..end)).unwrap_or_default();
            structure::head(words, QUOTED)
        };
        parts.into_iter().take(NAMED).map(|(sign, _)| (sign, quote(sign))).collect()
    }
}
