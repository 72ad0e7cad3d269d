//! Every sentence that people read, in English. A second language is a second folder like this one.

mod announcements;
mod lessons;
mod recovery;
mod review;
mod suggestions;

use candor_model::{Seconds, TaskId};

pub(crate) use self::announcements::*;
pub(crate) use self::lessons::*;
pub(crate) use self::recovery::*;
pub(crate) use self::review::*;
pub(crate) use self::suggestions::*;

/// Lists for people end here; the whole is in the log.
pub(crate) const LIST_LIMIT: usize = 20;
/// What others wrote is quoted up to here.
const QUOTE_CHARS: usize = 200;

/// What means nothing to people, and what is said instead. Longer forms stand before shorter ones.
///
/// Plurals come by themselves. They must not be entries of their own: "exceptions" and "tacktrace" left
/// over would grow together again.
pub(crate) const JARGON: [(&str, &str); 9] = [
    ("exceptionally", "unusually"),
    ("exceptional", "unusual"),
    ("exception", "error"),
    ("stack trace", "technical detail"),
    ("stack-trace", "technical detail"),
    ("stack_trace", "technical detail"),
    ("stacktrace", "technical detail"),
    ("traceback", "technical detail"),
    ("backtrace", "technical detail"),
];

pub(crate) const NO_CAUSE: &str = "no reason was given";
pub(crate) const UNNAMED_TASK: &str = "A task";
pub(crate) const ANOTHER_AGENT: &str = "another agent";

pub(crate) fn logs_url(task: &TaskId) -> String {
    format!("/logs/{task}")
}

/// A length of time as people say it.
pub(crate) fn duration(time: Seconds) -> String {
    let seconds = time.get();
    if seconds < 1.0 {
        "less than a second".to_owned()
    } else if seconds < 1.5 {
        "about 1 second".to_owned()
    } else if seconds < 120.0 {
        format!("about {seconds:.0} seconds")
    } else if seconds < 7200.0 {
        format!("about {:.0} minutes", seconds / 60.0)
    } else {
        format!("about {:.0} hours", seconds / 3600.0)
    }
}

/// `text`, followed by details where there are any.
pub(crate) fn with_details(text: &str, details: &[String]) -> String {
    if details.is_empty() { text.to_owned() } else { format!("{text}: {}", listed(details, "; ")) }
}

/// The first entries of a list, and how many there are besides.
pub(crate) fn listed(entries: &[String], separator: &str) -> String {
    bounded(entries, LIST_LIMIT, separator)
}

pub(crate) fn bounded<T: AsRef<str>>(entries: &[T], limit: usize, separator: &str) -> String {
    let shown: Vec<&str> = entries.iter().take(limit).map(AsRef::as_ref).collect();
    let text = shown.join(separator);
    match entries.len().saturating_sub(limit) {
        0 => text,
        more => format!("{text}{separator}{}", and_more(more)),
    }
}

pub(crate) fn and_more(count: usize) -> String {
    format!("and {count} more")
}

/// `text` with a full stop, unless it ends a sentence already.
pub(crate) fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}
