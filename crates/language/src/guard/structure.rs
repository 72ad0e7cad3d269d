//! What the form of a text gives away: marks of a model's own format, turns of a conversation, labels for answers,
//! hidden characters and comments, pictures that carry data away, letters spread out, names in capitals.

use super::tokens::{Token, is_invisible};
use super::weights::Sign;
use super::words::Hit;
use super::{agentic, encoded, frames};

/// Marks that belong to a model's own format and have no business in a request, in lower case.
const MARKS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "[inst]",
    "[/inst]",
    "[system]",
    "[system message]",
    "<<sys>>",
    "<</sys>>",
    "</data>",
    "<data ",
    "</system>",
    "<system>",
    "<start_of_turn>",
    "</user_input>",
    "</instructions>",
    "### system",
    "###system",
    "### instruction:",
    "[system](#",
    "```system",
    "{{#system",
    "<tool_call>",
    "</tool_call>",
    "<tool_result>",
    "</tool_result>",
    "<function_call>",
    "<function_results>",
];
/// What makes a part of a page invisible to people, in lower case without spaces.
const UNSEEN: &[&str] =
    &["display:none", "visibility:hidden", "font-size:0", "opacity:0", "color:#fff", "color:white"];
/// Who speaks at the beginning of a line, in a conversation with a model.
const SPEAKERS: &[&str] =
    &["system", "user", "assistant", "human", "ai", "chatgpt", "gpt", "bot", "sistema", "usuario"];
/// What stands in front of a speaker.
const DECORATION: &[char] = &['#', '*', '-', '>', '<', '[', '(', '{', '_', ' ', '=', '~'];
/// What spread letters spell if they are an order.
const SPELLED: &[&str] = &[
    "ignore",
    "forget",
    "bypass",
    "reveal",
    "instruct",
    "prompt",
    "disregard",
    "override",
    "jailbreak",
    "password",
    "system",
];
/// How many letters in a row make a disguised word.
const LEAST_SPREAD: usize = 6;
/// The most bytes of a comment that are looked at.
const MOST_INSIDE: usize = 2_000;
/// The most bytes of a picture's address, and of a label.
const MOST_ADDRESS: usize = 300;
const MOST_LABEL: usize = 64;

/// Every sign in the form of the text, in no order. `is_order` says whether a text that was hidden is an order.
pub(super) fn hits(text: &str, lower: &str, tokens: &[Token], is_order: &dyn Fn(&str) -> bool) -> Vec<Hit> {
    let mut hits = Vec::new();
    marks(text, is_order, &mut hits);
    turns(text, &mut hits);
    frames::hits(text, &mut hits);
    characters(text, is_order, &mut hits);
    spread(text, tokens, &mut hits);
    hits.extend(agentic::hits(text, lower));
    for (at, end) in encoded::orders(text, is_order) {
        hits.push(Hit { at, end, sign: Sign::EncodedOrder });
    }
    hits
}

/// What begins with a bracket or a sharp: marks, comments, pictures, labels.
fn marks(text: &str, is_order: &dyn Fn(&str) -> bool, hits: &mut Vec<Hit>) {
    // Where the last comment ended: an unfinished one is not read again and again.
    let mut seen = 0;
    let begins =
        |(at, byte): (usize, u8)| matches!(byte, b'<' | b'[' | b'#' | b'`' | b'{' | b'!').then_some(at);
    for at in text.bytes().enumerate().filter_map(begins) {
        let rest = head(text.get(at..).unwrap_or_default(), MOST_INSIDE);
        if let Some(mark) = MARKS.iter().find(|mark| starts_with(rest, mark)) {
            hits.push(Hit { at, end: at + mark.len(), sign: Sign::Mark });
        } else if rest.starts_with(['<', '[']) && frames::bracketed(rest) {
            hits.push(Hit { at, end: at + 1, sign: Sign::Frame });
        }
        if at < seen {
            continue;
        }
        if let Some(inside) = rest.strip_prefix("<!--").map(|rest| rest.split("-->").next().unwrap_or(rest)) {
            seen = at + inside.len();
            if is_order(inside) {
                hits.push(Hit { at, end: at + 4, sign: Sign::HiddenOrder });
            }
        } else if unseen(rest).is_some_and(is_order) {
            hits.push(Hit { at, end: at + 1, sign: Sign::HiddenOrder });
        } else if is_leak(head(rest, MOST_ADDRESS)) {
            hits.push(Hit { at, end: at + 2, sign: Sign::Leak });
        } else if let Some(end) = label(head(rest, MOST_LABEL)) {
            hits.push(Hit { at, end: at + end, sign: Sign::Label });
        }
    }
}

/// The text of an element that people do not see: `<div style="display:none">…</div>`.
fn unseen(rest: &str) -> Option<&str> {
    let (tag, inside) = rest.strip_prefix('<')?.split_once('>')?;
    let style: String =
        tag.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_lowercase();
    let hides = style.contains("style=") && UNSEEN.iter().any(|mark| style.contains(mark));
    hides.then(|| inside.split("</").next().unwrap_or(inside))
}

/// A picture whose address has room for data: `![x](https://host/?q={…})`.
fn is_leak(rest: &str) -> bool {
    let Some((_, address)) = rest.strip_prefix("![").and_then(|rest| rest.split_once("](")) else {
        return false;
    };
    let address = address.split(')').next().unwrap_or_default();
    let asks = address.split_once('?').map(|(_, query)| query).unwrap_or_default();
    let has_slot = address.contains(['{', '<', '[', '$'])
        || ["data=", "q=", "secret=", "info=", "leak="].iter().any(|name| asks.contains(name));
    address.starts_with("http") && has_slot
}

/// A label such as `[ChatGPT]:`, and where it ends.
fn label(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let close = inside.find(']').filter(|close| (2..40).contains(close))?;
    let name = inside.get(..close)?;
    let after = inside.get(close + 1..)?;
    let is_name = name.chars().any(char::is_alphabetic) && !name.contains(['\n', '[']);
    // In Markdown the address of a link is given so.
    let is_link = after.strip_prefix(':').is_some_and(|to| {
        ["http", "/", "#", ".", "<"].iter().any(|start| to.trim_start().starts_with(start))
    });
    (is_name && !is_link && after.starts_with([':', '"'])).then_some(close + 2)
}

/// Lines that begin with who speaks, of two speakers or more, or of the system.
fn turns(text: &str, hits: &mut Vec<Hit>) {
    let mut speakers: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = head(line, 48).trim_start_matches(DECORATION);
        let speaker = SPEAKERS.iter().find(|speaker| {
            starts_with(bare, speaker)
                && bare
                    .get(speaker.len()..)
                    .is_some_and(|rest| rest.trim_start_matches([']', ')', '*', ' ', '>']).starts_with(':'))
        });
        if let Some(speaker) = speaker {
            speakers.push((at, speaker));
        }
        at += line.len();
    }
    let first = speakers.first().map(|(_, speaker)| *speaker);
    let mut counted: Vec<&str> = Vec::new();
    for (at, speaker) in speakers {
        if (speaker == "system" || Some(speaker) != first) && !counted.contains(&speaker) {
            counted.push(speaker);
            hits.push(Hit { at, end: at + speaker.len(), sign: Sign::Turn });
        }
    }
}

/// Characters that are not to be seen, and too many strange ones.
fn characters(text: &str, is_order: &dyn Fn(&str) -> bool, hits: &mut Vec<Hit>) {
    let mut tagged = String::new();
    let mut before = ' ';
    // A character that is not to be seen is none of ASCII's.
    let wide = if text.is_ascii() { "" } else { text }.char_indices();
    for (at, letter) in wide {
        // Between pictures they join people and flags.
        let joins = letter == '\u{200d}'
            || (letter as u32 >= 0xe0000 && before as u32 > 0x1f000 && tagged.is_empty());
        // Persian and the languages of India write their words with joiners between the letters.
        let spells = matches!(letter, '\u{200c}' | '\u{200d}') && before.is_alphabetic() && !is_latin(before);
        if is_invisible(letter) && at > 0 && !joins && !spells {
            hits.push(Hit { at, end: at, sign: Sign::Hidden });
        }
        if let Some(plain) =
            (letter as u32).checked_sub(0xe0000).and_then(char::from_u32).filter(char::is_ascii)
        {
            tagged.push(plain);
        }
        before = letter;
    }
    let mut strange = 0_usize;
    let mut last = b' ';
    for byte in text.bytes() {
        strange += usize::from(byte != last && byte.is_ascii_punctuation() && last.is_ascii_punctuation());
        last = byte;
    }
    if !tagged.is_empty() && (is_order(&tagged) || tagged.split(' ').count() > 3) {
        hits.push(Hit { at: 0, end: 0, sign: Sign::HiddenOrder });
    }
    if strange > 12 && strange * 12 > text.len() {
        hits.push(Hit { at: 0, end: 0, sign: Sign::Strange });
    }
}

const fn is_latin(letter: char) -> bool {
    (letter as u32) < 0x250
}

/// `i g n o r e`: letters that stand alone and spell an order.
fn spread(text: &str, tokens: &[Token], hits: &mut Vec<Hit>) {
    let runs = tokens.split(|token| token.alone.is_none()).filter(|run| run.len() >= LEAST_SPREAD);
    for run in runs {
        let spelled: String = run.iter().filter_map(|token| token.alone).collect();
        if let (true, Some(first), Some(last)) =
            (SPELLED.iter().any(|word| spelled.contains(word)), run.first(), run.last())
        {
            let end = last.end.min(text.len());
            hits.push(Hit { at: first.at, end, sign: Sign::EncodedOrder });
        }
    }
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// The beginning of a text, of so many bytes at most.
pub(super) fn head(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}
