//! Questions of other agents to one that is a program: it is started with `{"query": …}` on stdin instead of
//! an order, and prints `{"response": …, "confidence": 0–100}`, or `{"error": …}` if it has no answer.

use std::time::Duration;

use candor_model::{Query, QueryAnswer, RunId};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::streams::Streams;
use super::{CommandAgent, Ending, Why, outcome};
use crate::answer::{read_query_answer, write_query};
use crate::log_folder::file_name;
use crate::text;
use crate::wait::FAR_AWAY;

impl CommandAgent {
    pub(super) async fn answer_query(
        &self,
        run: &RunId,
        query: &Query,
        stop: CancellationToken,
    ) -> Result<QueryAnswer, String> {
        let deadline = Instant::now() + Duration::from_millis(query.timeout).min(FAR_AWAY);
        let input = write_query(query)?;
        let key = format!("{run}/{}", query.id);
        let mut command = self.command();
        command
            .env("CANDOR_RUN_ID", run.as_str())
            .env("CANDOR_QUERY_ID", &query.id)
            .env("CANDOR_IDEMPOTENCY_KEY", &key)
            .env_remove("CANDOR_BUS");
        let name = file_name(&query.id);
        let note = |pid| self.attempts.as_ref().and_then(|it| it.note_process(run, &name, &key, pid).ok());
        let streams = Streams::new(self.limits.stdout_bytes, None);
        let ending = self.run(&mut command, &input, note, streams, (deadline, &stop)).await;
        self.read_ending(&ending.map_err(|failure| failure.to_string())?, query.timeout)
    }

    fn read_ending(&self, ending: &Ending, timeout: u64) -> Result<QueryAnswer, String> {
        let program = &self.program;
        let problem = match (ending.why, &ending.status) {
            (Why::Stopped, _) => return Err("it was stopped".to_owned()),
            (Why::Deadline, _) => format!("it had no answer after {timeout} ms"),
            (Why::Flooded, _) => format!("`{program}` printed too much"),
            (Why::Ended, Err(error)) => format!("`{program}` could not be waited for: {error}"),
            (Why::Ended, Ok(status)) if status.success() => {
                match read_query_answer(ending.streams.stdout()) {
                    Ok(answer) => return Ok(answer),
                    Err(problem) => problem,
                }
            }
            (Why::Ended, Ok(status)) => format!("`{program}` {}", outcome::end_in_words(*status)),
        };
        match text::tail(ending.streams.stderr()).as_str() {
            "" => Err(problem),
            tail => Err(format!("{problem}; the end of its stderr: {tail}")),
        }
    }
}
