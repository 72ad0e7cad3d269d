//! Reading what a program or a service answered.

use candor_model::AgentAnswer;

use crate::text;

/// Reads the one JSON object of an answer; the error says what is wrong with the text.
pub(crate) fn read_answer(bytes: &[u8]) -> Result<AgentAnswer, String> {
    let quoted = || format!("it began with `{}`", text::head(bytes));
    let Ok(answer) = std::str::from_utf8(bytes) else {
        return Err(format!("expected one JSON object, found bytes that are not text; {}", quoted()));
    };
    if answer.trim().is_empty() {
        return Err("expected one JSON object, found nothing".to_owned());
    }
    candor_model::from_json(answer).map_err(|error| match serde_json::from_str::<serde_json::Value>(answer) {
        Ok(value) if value.is_object() => {
            format!("the answer's field `{}` is wrong: {}; {}", error.field, error.problem, quoted())
        }
        Ok(_) => format!("expected one JSON object, found other JSON; {}", quoted()),
        Err(error) => {
            format!("expected one JSON object, found text that is not JSON ({error}); {}", quoted())
        }
    })
}
