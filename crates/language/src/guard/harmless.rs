//! What has the words of an order and is none in its place: a warning, a prompt that somebody wants written, an example.
//!
//! It excuses only what stands in the same words: a harmless sentence beside an order must not weigh against it.

use super::structure::head;
use super::weights::Sign;
use super::words::Hit;

/// Takes away what is excused.
pub(super) fn take_away(text: &str, hits: &mut Vec<Hit>) {
    hits.retain(|hit| !(is_form(hit.sign) && is_title(text, hit.at)));
    let fenced = fences(text);
    hits.retain(|hit| !(is_form(hit.sign) && meets(&fenced, hit)));
    let warned = places(hits, Sign::Warns);
    let written = places(hits, Sign::WritesPrompt);
    hits.retain(|hit| match hit.sign {
        Sign::Warns | Sign::WritesPrompt => true,
        Sign::AsksForPrompt | Sign::NamesPrompt | Sign::ToAssistants | Sign::Vocative | Sign::Duty => {
            !meets(&written, hit) && !meets(&warned, hit)
        }
        _ => !meets(&warned, hit),
    });
}

/// Where a sign was seen, in order and joined where places meet, so that a text full of them is not compared with itself.
fn places(hits: &[Hit], sign: Sign) -> Vec<(usize, usize)> {
    let mut places: Vec<(usize, usize)> =
        hits.iter().filter(|hit| hit.sign == sign).map(|hit| (hit.at, hit.end)).collect();
    places.sort_unstable();
    places.dedup_by(|next, last| {
        let joined = next.0 <= last.1;
        if joined {
            last.1 = last.1.max(next.1);
        }
        joined
    });
    places
}

fn meets(places: &[(usize, usize)], hit: &Hit) -> bool {
    let first = places.partition_point(|(_, end)| *end < hit.at);
    places.get(first).is_some_and(|(at, _)| *at <= hit.end)
}

/// Whether a phrase about consent is one name in a program: `skip_approval`.
pub(super) fn is_name(text: &str, hit: &Hit) -> bool {
    let words = text.get(hit.at..hit.end).unwrap_or_default();
    let is_one = words.contains('_') && !words.contains(char::is_whitespace);
    is_one && matches!(hit.sign, Sign::SkipsApproval | Sign::Unasked)
}

/// Whether a sign is the form of a conversation or of a call, which documentation shows and lists name.
const fn is_form(sign: Sign) -> bool {
    matches!(
        sign,
        Sign::Mark
            | Sign::Turn
            | Sign::Label
            | Sign::Frame
            | Sign::Persona
            | Sign::Slot
            | Sign::Vocative
            | Sign::Duty
            | Sign::ToAssistants
            | Sign::Vendor
    )
}

/// The parts of a text between lines of three backticks, closed ones only: an example, a program, what a program printed.
fn fences(text: &str) -> Vec<(usize, usize)> {
    let marks: Vec<usize> = text.match_indices("```").map(|(at, _)| at).collect();
    // Where a text is nothing but its fence, the fence says nothing.
    let (pairs, inside) = (marks.chunks_exact(2), |pair: &[usize]| Some((*pair.first()?, *pair.get(1)?)));
    pairs.filter_map(inside).filter(|(at, end)| (end - at) * 4 < text.len() * 3).collect()
}

/// Whether a place is in the text of a link, which is the title of something.
pub(super) fn is_title(text: &str, at: usize) -> bool {
    let before = text.get(text.floor_char_boundary(at.saturating_sub(TITLE))..at).unwrap_or_default();
    let after = head(text.get(at..).unwrap_or_default(), TITLE);
    let opened = before.rfind('[').is_some_and(|open| !before.get(open..).unwrap_or_default().contains("]("));
    opened && after.find("](").is_some_and(|close| !after.get(..close).unwrap_or_default().contains('['))
}

/// The longest title, in bytes.
const TITLE: usize = 160;
/// What comes before an example.
const INTRODUCES: &[&str] =
    &["such as", "like", "e.g.", "for example", "como", "por ejemplo", "wie", "etwa", "comme", "par exemple"];
const QUOTES: &[char] = &['"', '“', '”', '«', '„', '‘', '\''];
/// The longest example, in bytes.
const EXAMPLE: usize = 80;

/// Whether a phrase is quoted as an example: `orders such as "ignore your rules"`.
pub(super) fn is_example(text: &str, hit: &Hit) -> bool {
    let before = text.get(..hit.at).unwrap_or_default();
    let Some(before) = before.trim_end().strip_suffix(QUOTES) else { return false };
    let before = before.trim_end().trim_end_matches([':', ',']);
    let ends = |word: &str| {
        before
            .get(before.len().saturating_sub(word.len())..)
            .is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    INTRODUCES.iter().any(|word| ends(word))
        && head(text.get(hit.end..).unwrap_or_default(), EXAMPLE).contains(QUOTES)
}
