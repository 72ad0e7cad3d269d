//! Writing to standard output and asking on the terminal.

use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal, Write};

use candor_projections::line;
use serde::Serialize;

use crate::failure::Failure;
use crate::view::{Style, wrapped};

/// How many columns there are when nobody says.
const USUAL_WIDTH: u16 = 100;

/// Prints text for people. A reader that has gone away is no error: it has seen what it wanted.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_as_is(&harmless(text))
}

/// Tells something on standard error, on a line of its own. Whoever closed it wants to hear nothing.
pub(crate) fn tell(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(harmless(text).as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// A text without anything that a terminal would obey, but for line breaks, tabs and colours.
///
/// Views clean what they show; this is for what gets past them.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.char_indices();
    while let Some((at, letter)) = rest.next() {
        let colour = if letter == '\u{1b}' { colour(text.get(at..).unwrap_or_default()) } else { None };
        if let Some(colour) = colour {
            kept.push_str(colour);
            // All of it is ASCII: one letter is one byte.
            rest.by_ref().take(colour.len() - 1).for_each(drop);
        } else if is_shown(letter) {
            kept.push(letter);
        }
    }
    Cow::Owned(kept)
}

/// The sequence for a colour that a text begins with: `ESC [ 1;31 m`.
fn colour(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let end = inner.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    inner.get(end..)?.starts_with('m').then(|| text.get(..end + 3))?
}

fn is_shown(letter: char) -> bool {
    matches!(letter, '\n' | '\t') || !(letter.is_control() || line::is_invisible(letter))
}

/// Prints text as it is: data for programs, or what this program draws itself.
pub(crate) fn print_as_is(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::from),
    }
}

/// Tells a person something on standard error, wrapped between words where that is a terminal.
pub(crate) fn complain(text: &str) {
    let size = io::stderr().is_terminal().then(|| rustix::termios::tcgetwinsize(io::stderr()).ok()).flatten();
    let Some(columns) = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0) else {
        return tell!("{text}");
    };
    for line in text.lines() {
        let indent: String = line.chars().take_while(|letter| *letter == ' ').collect();
        let room = columns.saturating_sub(indent.len());
        if line::width(line) <= columns {
            tell!("{line}");
        } else {
            wrapped(line, room).iter().for_each(|part| tell!("{indent}{part}"));
        }
    }
}

/// Prints one JSON document on one line.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    print_as_is(&text)
}

/// Whether a person sees standard output and can answer.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether standard output is a terminal that can be drawn on.
pub(crate) fn is_screen() -> bool {
    io::stdout().is_terminal() && std::env::var("TERM").is_ok_and(|term| term != "dumb")
}

/// How output on this terminal is to look.
pub(crate) fn style() -> Style {
    let colour = is_screen() && std::env::var_os("NO_COLOR").is_none();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok());
    let unicode = locale.is_none_or(|locale| locale != "C" && locale != "POSIX");
    let (width, rows) = size();
    Style { colour, width, unicode, rows }
}

/// Columns, and the rows that a drawn plan may take.
fn size() -> (u16, u16) {
    let seen = rustix::termios::tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_col > 0);
    match seen {
        Some(size) => (size.ws_col, size.ws_row.saturating_sub(12).max(8)),
        None => (USUAL_WIDTH, Style::default().rows),
    }
}

/// Asks a question on the terminal and reads a line; nothing if Ctrl-C is pressed instead.
pub(crate) async fn ask(prompt: &str) -> Result<Option<String>, Failure> {
    // Listened for before the question can be seen: whoever is quick is heard too.
    let mut interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    eprint!("{prompt}");
    io::stderr().flush()?;
    let (sender, answer) = tokio::sync::oneshot::channel();
    // A thread of its own: it cannot be called back from reading, but it does not outlive the process.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line).map(|_| line);
        // Nobody waits for the line any more after Ctrl-C.
        let _ = sender.send(read);
    });
    tokio::select! {
        line = answer => match line {
            Ok(line) => Ok(Some(line?.trim().to_owned())),
            Err(_) => Ok(None),
        },
        _ = interrupts.recv() => {
            tell!("");
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_breaks_tabs_and_colours_reach_a_terminal() {
        // spec: findings SE-06
        let told = "a\u{1b}[31mred\u{1b}[0m\n\tb\u{1b}]0;title\u{7}c\u{9b}2Jd\u{202e}e\u{200b}f\u{200d}g\r\u{8}h\u{1b}[2Ji\u{1b}";
        assert_eq!(harmless(told), "a\u{1b}[31mred\u{1b}[0m\n\tb]0;titlec2Jdefgh[2Ji");
        assert!(matches!(harmless("plain é 漢\n"), Cow::Borrowed(_)));
    }
}
