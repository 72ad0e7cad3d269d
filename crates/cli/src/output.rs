//! Writing to standard output and asking on the terminal.

use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::OnceLock;

use candor_projections::line;
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::args::ColorWhen;
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

/// No line that is told on a terminal is longer, however wide that is.
const LONGEST: usize = 100;

/// The columns that a person sees on standard error; none if that is no terminal.
pub(crate) fn columns() -> Option<usize> {
    let size = io::stderr().is_terminal().then(|| rustix::termios::tcgetwinsize(io::stderr()).ok()).flatten();
    size.map(|size| usize::from(size.ws_col).min(LONGEST)).filter(|columns| *columns > 0)
}

/// Tells a person something on standard error, wrapped between words where that is a terminal. What goes on stands below
/// the words of the line, behind its indent and the mark of an entry.
pub(crate) fn complain(text: &str) {
    let Some(columns) = columns() else { return tell!("{text}") };
    for line in text.lines() {
        if line::width(line) <= columns {
            tell!("{line}");
            continue;
        }
        let words = line.trim_start_matches(' ');
        let indent = line.len() - words.len();
        let hanging = indent + mark_of_entry(words);
        let parts = wrapped(words, columns.saturating_sub(hanging).max(1));
        for (at, part) in parts.iter().enumerate() {
            let before = " ".repeat(if at == 0 { indent } else { hanging });
            tell!("{before}{part}");
        }
    }
}

/// How wide the mark of an entry of a list is: `- `, `1. `.
fn mark_of_entry(line: &str) -> usize {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let mark = line.get(digits..).unwrap_or_default();
    if digits > 0 && mark.starts_with(". ") {
        digits + 2
    } else if line.starts_with("- ") {
        2
    } else {
        0
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

/// Whether standard output and standard error are read in the same place, such as one terminal or one file.
pub(crate) fn is_one_place() -> bool {
    let place = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_ino);
    let (out, err) = (rustix::fs::fstat(io::stdout()), rustix::fs::fstat(io::stderr()));
    matches!((out, err), (Ok(out), Ok(err)) if place(out) == place(err))
}

/// When colours are used, as the command line says.
static COLOUR: OnceLock<ColorWhen> = OnceLock::new();

/// Sets when colours are used, once, before anything is shown.
pub(crate) fn set_colour(when: ColorWhen) {
    // Whoever sets it twice has started twice, and the first start counts.
    let _ = COLOUR.set(when);
}

/// How output on this terminal is to look.
pub(crate) fn style() -> Style {
    // An empty NO_COLOR does not count: so says its specification.
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let colour = match COLOUR.get().copied().unwrap_or_default() {
        ColorWhen::Auto => is_screen() && wanted,
        ColorWhen::Always => true,
        ColorWhen::Never => false,
    };
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

/// How many rows a frame may take: one less than the terminal has, for the line below it where the cursor stays.
pub(crate) fn frame_rows() -> usize {
    let seen = rustix::termios::tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_row > 1);
    seen.map_or(usize::MAX, |size| usize::from(size.ws_row) - 1)
}

/// How a question at the terminal ended.
pub(crate) enum Typed {
    /// What was typed, without the end of the line.
    Line(String),
    /// Ctrl-C was pressed, the process is told to end, or there is nothing more to read.
    Left,
    /// It needs no answer any more.
    Closed,
}

/// The lines that are typed. One thread reads them for as long as the process lives: reading cannot be called back, and a
/// second reader would take the line from under the first.
fn typed() -> &'static Mutex<UnboundedReceiver<io::Result<String>>> {
    static TYPED: OnceLock<Mutex<UnboundedReceiver<io::Result<String>>>> = OnceLock::new();
    TYPED.get_or_init(|| {
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in io::stdin().lock().lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Mutex::new(lines)
    })
}

/// Asks a question on the terminal and reads a line, unless somebody else answers first.
pub(crate) async fn ask_until(prompt: &str, closed: impl Future<Output = ()>) -> Result<Typed, Failure> {
    // Listened for before the question can be seen: whoever is quick is heard too.
    let mut interrupts = signal(SignalKind::interrupt())?;
    let mut terminations = signal(SignalKind::terminate())?;
    let mut hangups = signal(SignalKind::hangup())?;
    eprint!("{}", harmless(prompt));
    io::stderr().flush()?;
    let mut lines = typed().lock().await;
    tokio::select! {
        line = lines.recv() => match line {
            Some(line) => Ok(Typed::Line(line?.trim().to_owned())),
            None => Ok(Typed::Left),
        },
        _ = interrupts.recv() => {
            tell!("");
            Ok(Typed::Left)
        }
        // Whoever ends the process or closes the terminal does not wait for an answer.
        _ = terminations.recv() => Ok(Typed::Left),
        _ = hangups.recv() => Ok(Typed::Left),
        () = closed => {
            tell!("");
            Ok(Typed::Closed)
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
