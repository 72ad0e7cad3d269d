//! What fuzz targets call: any bytes as what agents answer. Ordinary tests call the same, so that the targets keep
//! working without a fuzzer. Nothing here panics or hangs.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use crate::answer::{read_answer, read_query_answer, reported_error};

/// Output of a program, with exit code 0 and 1 and after a signal; the answer to another agent's question.
pub fn agent_answer(data: &[u8]) {
    let (stdout, stderr) = data.split_at(data.len() / 2);
    for status in [0, 256, 9] {
        let _ = crate::judge_command("agent", ExitStatus::from_raw(status), stdout, stderr);
    }
    let _ = crate::judge_command("agent", ExitStatus::from_raw(0), data, b"");
    let _ = read_query_answer(data);
}

/// A line of a program at work to the others, and one of a worker behind a URL.
pub fn bus_message(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        let _ = crate::command::is_request(line);
        let _ = crate::worker::is_part(line);
    }
}

/// The body of an HTTP service: an answer, a failure, a question to a person.
#[cfg(feature = "http")]
pub fn http_answer(data: &[u8]) {
    let _ = reported_error(data);
    let _ = read_answer(data);
    let _ = crate::worker::is_part(data);
}

/// The card of an A2A agent, and its stream of events cut at every place that the first byte says.
#[cfg(feature = "http")]
pub fn a2a(data: &[u8]) {
    crate::a2a::read_anything(data);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_that_an_agent_says_is_too_strange(data in proptest::collection::vec(any::<u8>(), 0..400)) {
            super::agent_answer(&data);
            super::bus_message(&data);
            super::http_answer(&data);
            super::a2a(&data);
        }

        #[test]
        fn nor_if_it_looks_like_the_protocol(pieces in proptest::collection::vec(prop_oneof![
            Just("{\"outputs\":"), Just("{\"tell\":"), Just("{\"ask\":{\"toAgent\":\"a\",\"query\":"), Just("\"x\""), Just("}"), Just("data: "),
            Just("{\"result\":{\"task\":{\"id\":\"1\",\"contextId\":\"2\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}"), Just("\n\n"), Just("["), Just("1e999"),
            Just("{\"question\":{\"text\":\"q\",\"options\":["), Just(","), Just("]"), Just("\\ud800"), Just("{\"error\":"),
        ], 0..12)) {
            let data = pieces.concat();
            super::agent_answer(data.as_bytes());
            super::bus_message(data.as_bytes());
            super::http_answer(data.as_bytes());
            super::a2a(data.as_bytes());
        }
    }
}
