//! Batches: JSON lines `{"id", "text"}` on standard input, each answered by a line as soon as it is there.

use std::io::{BufRead, Write};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::failure::{Failure, code};

/// A text, with whatever name the asker gave it.
#[derive(Deserialize)]
struct Query {
    #[serde(default)]
    id: Value,
    text: String,
}

/// Answers each line with what `answer` gives for its text. A line that cannot be read or answered gets an error of its own, and
/// the rest goes on; then the exit code says so.
pub(crate) async fn answer_lines(
    answer: impl AsyncFn(String) -> Result<Map<String, Value>, Failure>,
) -> Result<u8, Failure> {
    let mut bad = 0_u64;
    for (n, line) in (1..).zip(std::io::stdin().lock().split(b'\n')) {
        let line = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answered = match serde_json::from_slice::<Query>(&line) {
            Ok(Query { id, text }) => match answer(text).await {
                Ok(fields) => Map::from_iter([("id".to_owned(), id)]).into_iter().chain(fields).collect(),
                Err(failure) => {
                    bad += 1;
                    json!({ "id": id, "line": n, "error": failure.to_string() })
                }
            },
            Err(error) => {
                bad += 1;
                json!({ "id": null, "line": n, "error": say!("expected {{\"id\", \"text\"}}: {error}", "se espera {{\"id\", \"text\"}}: {error}") })
            }
        };
        if !written(&answered)? {
            return Ok(code::DONE);
        }
    }
    Ok(if bad == 0 { code::DONE } else { code::USAGE })
}

/// Writes an answer; false if nobody reads any more.
fn written(answer: &Value) -> Result<bool, Failure> {
    let mut out = std::io::stdout().lock();
    let written = serde_json::to_writer(&mut out, answer).map_err(std::io::Error::from);
    match written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        other => other.map(|()| true).map_err(Failure::from),
    }
}
