//! The text that is sent to be run: a program and its context inside a wrapper of ours.
//!
//! Neither the program nor the context can change the wrapper, whatever they hold: both stand in it in base64.
//! The wrapper prints what came of the program on a line that begins with a marker. The marker ends with a token
//! that is another one in every run, so that nothing printed by chance or copied from data is taken for it. A
//! program that looks for the token finds it: it runs in the same process, and what it tells of itself was never
//! more trustworthy than it is.

use std::hash::{BuildHasher, RandomState};

use candor_model::{Failure, FailureKind};
use candor_ports::{CodeFault, CodeJob, CodeResult};

use super::base64;

/// How the line with the result begins; a token and a colon follow.
pub(super) const MARKER: &str = "__NOVA_RESULT__:";

const WRAPPER: &str = include_str!("wrapper.py");

/// What is sent, and how its result is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// Python.
    pub(super) text: String,
    /// What the line with the result begins with.
    pub(super) marker: String,
}

impl Program {
    /// The wrapped program of a job.
    pub(super) fn of(job: &CodeJob) -> Result<Self, CodeFault> {
        let context = serde_json::to_vec(&job.context)
            .map_err(|error| format!("the context cannot be written as JSON: {error}"))
            .map_err(|message| CodeFault(Failure::new(FailureKind::TaskError, message)))?;
        let marker = format!("{MARKER}{}:", token());
        let take = match job.result {
            CodeResult::Context => "context",
            CodeResult::Insights => "insights",
        };
        // None of what is put in holds braces, so the order does not matter.
        let text = WRAPPER
            .replace("{{take}}", take)
            .replace("{{marker}}", &marker)
            .replace("{{code}}", &base64::encode(job.code.as_bytes()))
            .replace("{{context}}", &base64::encode(&context));
        Ok(Self { text, marker })
    }
}

/// The standard library seeds its hashers at random: a token that nobody can foresee.
fn token() -> String {
    let half = || RandomState::new().hash_one("E2B");
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use candor_model::JsonMap;

    use super::*;

    fn job(code: &str, context: JsonMap) -> CodeJob {
        CodeJob {
            code: code.to_owned(),
            context,
            result: CodeResult::Context,
            timeout: Duration::from_secs(1),
        }
    }

    // spec: code-agent SB-03
    #[test]
    fn the_wrapped_text_imports_builds_runs_and_prints_in_that_order() {
        let program = Program::of(&job("x = 1", JsonMap::new())).unwrap();
        let at = |part: &str| program.text.find(part).unwrap_or_else(|| panic!("{part} is missing"));
        assert!(at("import base64\nimport json\n") < at("alone(compile(code"));
        assert!(at("alone(compile(code") < at("out.write("));
        assert!(program.text.contains(&base64::encode(b"x = 1")));
        assert!(program.text.contains(&base64::encode(b"{}")));
        assert!(program.text.contains(&format!("\"{}\"", program.marker)));
        assert!(!program.text.contains("{{"));
    }

    // spec: code-agent SB-04, NX-14
    #[test]
    fn nothing_of_the_program_or_the_context_stands_in_the_text_as_it_is() {
        let mut context = JsonMap::new();
        context.insert("k".into(), "'''+x+'''\n\\\"é {{code}}".into());
        let program = Program::of(&job("'''\nboom()\n'''", context)).unwrap();
        for part in ["'''", "boom", "é", "+x+"] {
            assert!(!program.text.contains(part), "{part}");
        }
    }

    // spec: code-agent NX-15
    #[test]
    fn every_run_has_a_marker_of_its_own() {
        let marker = || Program::of(&job("", JsonMap::new())).unwrap().marker;
        let (one, other) = (marker(), marker());
        assert!(one.starts_with("__NOVA_RESULT__:") && one.len() == MARKER.len() + 33, "{one}");
        assert_ne!(one, other);
    }

    // Notebooks give these a meaning of their own at the start or the end of a line.
    #[test]
    fn no_line_of_the_wrapper_is_a_command_of_notebooks() {
        for line in WRAPPER.lines() {
            assert!(!line.trim_start().starts_with(['%', '!', '?']) && !line.ends_with('?'), "{line}");
        }
    }
}
