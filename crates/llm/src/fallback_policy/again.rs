//! The words with which a model is asked once more.

use std::fmt::Write;

use crate::prompt::data;

/// How much of the earlier answer is shown, in bytes.
const MAX_ANSWER: usize = 16 * 1024;

/// How much of what is wrong is told, in bytes.
const MAX_PROBLEMS: usize = 4 * 1024;

/// The question once more, with the earlier answer and what is wrong with it.
#[must_use]
pub fn again(question: &str, answer: &str, problems: &[String]) -> String {
    let mut list = String::new();
    for problem in problems {
        // One problem, one line: line breaks inside a message would look like further ones.
        let line: Vec<&str> = problem.split_whitespace().collect();
        let _ = writeln!(list, "- {}", line.join(" "));
    }
    format!(
        "{question}\n\nYou answered this before, and the answer cannot be used.\n{}\nWhat is wrong with it:\n\
         {}\nAnswer once more with the whole JSON, and put right what is listed. JSON only.",
        data("earlier_answer", answer, MAX_ANSWER),
        data("problems", list.trim_end(), MAX_PROBLEMS),
    )
}
