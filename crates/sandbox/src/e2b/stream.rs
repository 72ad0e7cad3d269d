//! What a sandbox tells while a program runs: a line of JSON for everything that happens.

use reqwest::Response;
use serde::Deserialize;

use super::sandbox::Reach;
use super::trouble::Trouble;

/// How much a sandbox may tell about one program: what it prints, what it shows and its result together.
pub(super) const MAX_STREAM_BYTES: usize = 32 * 1024 * 1024;
/// How much of a line that cannot be read is told.
const QUOTED_CHARS: usize = 80;

/// What a sandbox has told so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Whether it has begun to answer.
    pub(super) answered: bool,
    /// Everything that was printed, with the wrapper's line.
    pub(super) stdout: String,
    /// Everything that was printed on the side.
    pub(super) stderr: String,
    /// An exception that came to the wrapper's outside, or what the service calls one.
    pub(super) error: Option<Raised>,
    /// Whether it said that this was all.
    pub(super) ended: bool,
    /// How much was told.
    bytes: usize,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
}

/// An exception, as the service tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Raised {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) traceback: String,
}

/// How listening ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Everything there was.
    All,
    /// More than there may be.
    TooMuch,
}

impl Seen {
    /// Listens to the end of the program.
    pub(super) async fn listen(&mut self, reach: &Reach, mut response: Response) -> Result<Heard, Trouble> {
        self.answered = true;
        while let Some(chunk) = response.chunk().await.map_err(|error| Trouble::lost(&reach.url, &error))? {
            self.bytes = self.bytes.saturating_add(chunk.len());
            if self.bytes > MAX_STREAM_BYTES {
                return Ok(Heard::TooMuch);
            }
            self.take(&chunk).map_err(|problem| Trouble::malformed(&reach.url, problem))?;
            if self.ended {
                return Ok(Heard::All);
            }
        }
        let last = std::mem::take(&mut self.line);
        // A line that was cut is no other problem than a stream that was.
        let _ = self.take_line(&last);
        Ok(Heard::All)
    }

    fn take(&mut self, chunk: &[u8]) -> Result<(), String> {
        let mut pieces = chunk.split(|byte| *byte == b'\n');
        self.line.extend_from_slice(pieces.next().unwrap_or_default());
        for piece in pieces {
            let line = std::mem::replace(&mut self.line, piece.to_vec());
            self.take_line(&line)?;
        }
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), String> {
        let line = line.trim_ascii();
        if line.is_empty() || self.ended {
            return Ok(());
        }
        let event = serde_json::from_slice(line).map_err(|error| {
            let start: String = String::from_utf8_lossy(line).chars().take(QUOTED_CHARS).collect();
            format!("a line is no event ({error}): {start:?}")
        })?;
        match event {
            Event::Stdout { text } => self.stdout.push_str(&text),
            Event::Stderr { text } => self.stderr.push_str(&text),
            Event::Error { name, value, traceback } => {
                let text = Option::unwrap_or_default;
                self.error = Some(Raised {
                    name: text(name),
                    value: text(value),
                    traceback: without_colours(traceback),
                });
            }
            Event::EndOfExecution => self.ended = true,
            Event::Other => {}
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    Stdout {
        text: String,
    },
    Stderr {
        text: String,
    },
    Error {
        name: Option<String>,
        value: Option<String>,
        traceback: Option<String>,
    },
    EndOfExecution,
    /// Signs of life, counts of programs, pictures, and whatever comes in later versions.
    #[serde(other)]
    Other,
}

/// Notebooks colour their traces with escape sequences: `ESC [`, digits and `;`, a letter.
fn without_colours(trace: Option<String>) -> String {
    let trace = trace.unwrap_or_default();
    let mut parts = trace.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        plain.push_str(rest.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pieces: &[&str]) -> Result<Seen, String> {
        let mut seen = Seen::default();
        pieces.iter().try_for_each(|piece| seen.take(piece.as_bytes()))?;
        Ok(seen)
    }

    // spec: code-agent NX-15
    #[test]
    fn lines_can_come_in_any_pieces() {
        let all = concat!(
            "{\"type\":\"number_of_executions\",\"execution_count\":1}\n",
            "{\"type\":\"stdout\",\"text\":\"é1\\n\",\"timestamp\":\"t\"}\r\n\n{\"type\":\"keepalive\"}\n",
            "{\"type\":\"stderr\",\"text\":\"e\"}\n{\"type\":\"stdout\",\"text\":\"2\"}\n",
            "{\"type\":\"result\",\"text\":\"3\"}\n{\"type\":\"new\",\"text\":[3]}\n{\"type\":\"end_of_execution\"}\nrest\n",
        );
        let mut bytes = Seen::default();
        all.as_bytes().chunks(1).for_each(|byte| bytes.take(byte).unwrap());
        for seen in [bytes, seen(&[all]).unwrap()] {
            assert_eq!((seen.stdout.as_str(), seen.stderr.as_str(), seen.ended), ("é1\n2", "e", true));
        }
    }

    #[test]
    fn a_line_that_is_no_event_is_quoted() {
        for (line, quoted) in
            [("<html>\n", "<html>"), ("{\"text\":1}\n", "missing field `type`"), ("[]\n", "[]")]
        {
            let problem = seen(&[line]).unwrap_err();
            assert!(problem.contains(quoted), "{problem}");
        }
    }

    #[test]
    fn exceptions_are_told_without_colours() {
        let line =
            "{\"type\":\"error\",\"name\":\"E\",\"traceback\":\"\\u001b[0;31mE\\u001b[0m: x\\u001b[\"}\n";
        let raised = seen(&[line]).unwrap().error.unwrap();
        assert_eq!(raised, Raised { name: "E".into(), value: String::new(), traceback: "E: x".into() });
    }
}
