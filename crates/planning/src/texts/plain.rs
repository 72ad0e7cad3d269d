//! Plain words: names for tasks, short causes, and technical jargon reworded.

use candor_model::{AgentType, SubTask};

use super::english;

const NAME_CHARS: usize = 40;
const SHORT_CAUSE_CHARS: usize = 100;
const CAUSE_CHARS: usize = 300;

/// Gives what an agent suggests as a sentence of its own, in plain words.
#[must_use]
pub fn agents_suggestion(text: &str) -> String {
    let text = plain(text);
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{text}{end}")
}

/// Rewords what means nothing to people ("exception", "stack trace", …) and joins lines.
#[must_use]
pub fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Only ASCII letters change, so both texts have the same byte positions.
    let lower = text.to_ascii_lowercase();
    let mut reworded = String::with_capacity(text.len());
    let mut skip_to = 0;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        let rest = lower.get(at..).unwrap_or_default();
        match english::JARGON.iter().find(|(jargon, _)| rest.starts_with(jargon)) {
            Some((jargon, word)) => {
                push_word(&mut reworded, word, previous, letter);
                skip_to = at + jargon.len();
                previous = 'x';
            }
            None => {
                reworded.push(letter);
                previous = letter;
            }
        }
    }
    reworded
}

/// Sets a plain word in the place of jargon: apart from what it was glued to, and capital where it was.
fn push_word(text: &mut String, word: &str, previous: char, first: char) {
    if previous.is_alphanumeric() {
        text.push(' ');
        text.push_str(word);
    } else if first.is_uppercase() {
        let mut letters = word.chars();
        text.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    } else {
        text.push_str(word);
    }
}

/// Gives a task a short name: its own, or else the beginning of its description.
#[must_use]
pub fn task_name(task: &SubTask) -> String {
    let name = task.metadata.name.as_deref().unwrap_or_default();
    let name = if name.trim().is_empty() { task.description.as_str() } else { name };
    shortened(&plain(name), NAME_CHARS)
}

/// Writes an agent's name as words: `backup_flight_agent` becomes "backup flight agent".
#[must_use]
pub fn agent_name(agent: &AgentType) -> String {
    let words = agent.as_str().replace('_', " ");
    let words = plain(&words);
    if words.is_empty() { agent.as_str().to_owned() } else { words }
}

/// Says in a few words why a task failed; the details stay in the log.
#[must_use]
pub fn short_cause(errors: &[String]) -> String {
    let cause = first_line(errors).map(plain).unwrap_or_default();
    let cause = shortened(without_duration(&cause), SHORT_CAUSE_CHARS);
    if cause.is_empty() { english::NO_CAUSE.to_owned() } else { cause }
}

/// Says why a task failed, with its numbers.
#[must_use]
pub fn cause(errors: &[String]) -> String {
    let cause = shortened(&first_line(errors).map(plain).unwrap_or_default(), CAUSE_CHARS);
    if cause.is_empty() { english::NO_CAUSE.to_owned() } else { cause }
}

/// The line of the first error that says what went wrong, rather than where in some program it did.
fn first_line(errors: &[String]) -> Option<&str> {
    let mut lines = errors.iter().filter_map(|error| candor_model::told_line(error));
    let first = lines.next()?;
    Some(if is_program_detail(first) {
        lines.find(|line| !is_program_detail(line)).unwrap_or(first)
    } else {
        first
    })
}

fn is_program_detail(line: &str) -> bool {
    ["at ", "File \"", "Traceback"].iter().any(|start| line.starts_with(start))
}

/// "Agent timeout after 10s" without its " after 10s".
fn without_duration(cause: &str) -> &str {
    let starts = cause.match_indices(" after ").find_map(|(at, found)| {
        let (before, rest) = cause.split_at_checked(at)?;
        let value = rest.strip_prefix(found)?;
        value.starts_with(|letter: char| letter.is_ascii_digit()).then_some(before)
    });
    starts.unwrap_or(cause).trim_end()
}

/// `text`, cut at a word so that it has at most `limit` characters.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    let text = text.trim();
    // One more than allowed tells whether anything has to go; a very long text is not walked to its end.
    let Some((cut, _)) = text.char_indices().nth(limit) else {
        return text.to_owned();
    };
    let last = text.char_indices().nth(limit.saturating_sub(1)).map_or(cut, |(at, _)| at);
    let head = text.get(..last).unwrap_or_default();
    let head = head.rsplit_once(' ').map_or(head, |(words, _)| words);
    format!("{}…", head.trim_end_matches([' ', ',', ';', ':', '(']))
}
