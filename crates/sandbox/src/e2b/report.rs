//! What the wrapper told: the line with the marker, taken out of everything that was printed.

use candor_model::JsonMap;
use candor_ports::{CodeLimit, CodeOutcome};
use serde::Deserialize;

/// What came of a program, as it told it itself.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    /// How it ended.
    pub(super) outcome: CodeOutcome,
    /// What was changed to make its result JSON.
    pub(super) warnings: Vec<String>,
    /// What it printed beside.
    pub(super) printed: String,
}

/// Looks for the report in everything that was printed: the last line that begins with the marker.
pub(super) fn find(stdout: &str, marker: &str) -> Option<Report> {
    let begins_line = |at: usize| at == 0 || stdout.get(..at).is_some_and(|before| before.ends_with('\n'));
    let (at, _) = stdout.rmatch_indices(marker).find(|(at, _)| begins_line(*at))?;
    let (before, line) = stdout.split_at_checked(at)?;
    let line = line.strip_prefix(marker)?;
    let (json, after) = line.split_once('\n').unwrap_or((line, ""));
    // The wrapper begins a line of its own; what was printed had no part in that.
    let printed = format!("{}{after}", before.strip_suffix('\n').unwrap_or(before));
    let (outcome, warnings) = match serde_json::from_str::<Told>(json) {
        Ok(told) => (told.what.into(), told.warnings),
        Err(error) => {
            (CodeOutcome::BadResult { reason: format!("Invalid JSON in result: {error}") }, Vec::new())
        }
    };
    Some(Report { outcome, warnings, printed })
}

#[derive(Deserialize)]
struct Told {
    what: What,
    warnings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Finished(JsonMap),
    Raised { name: String, text: String, line: Option<u32>, trace: String },
    Left(String),
    Bad(String),
    Memory(()),
}

impl From<What> for CodeOutcome {
    fn from(what: What) -> Self {
        match what {
            What::Finished(result) => Self::Finished { result },
            What::Raised { name, text, line, trace } => Self::Raised { name, text, line, trace },
            What::Left(code) => Self::NoResult {
                reason: format!(
                    "the program left with exit({code}) before its end, so that there is no result"
                ),
            },
            What::Bad(reason) => Self::BadResult { reason },
            What::Memory(()) => Self::Limit {
                limit: CodeLimit::Memory,
                text: "it asked for more memory than the sandbox has".to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKER: &str = "__NOVA_RESULT__:abc:";

    fn found(stdout: &str) -> Report {
        find(stdout, MARKER).unwrap()
    }

    fn finished(key: &str) -> String {
        format!("{{\"what\":{{\"finished\":{{\"{key}\":1}}}},\"warnings\":[]}}")
    }

    fn keys(report: &Report) -> Vec<&str> {
        match &report.outcome {
            CodeOutcome::Finished { result } => result.keys().map(String::as_str).collect(),
            other => panic!("{other:?}"),
        }
    }

    // spec: code-agent SB-06, NX-15
    #[test]
    fn the_last_line_with_the_right_token_counts_and_everything_else_was_printed() {
        let stdout = format!(
            "a\n{MARKER}{}\nmid {MARKER}{{}}\n__NOVA_RESULT__:zzz:{{}}\n{MARKER}{}\nz\n",
            finished("early"),
            finished("late")
        );
        let report = found(&stdout);
        assert_eq!(keys(&report), ["late"]);
        let printed =
            format!("a\n{MARKER}{}\nmid {MARKER}{{}}\n__NOVA_RESULT__:zzz:{{}}z\n", finished("early"));
        assert_eq!(report.printed, printed);
    }

    // spec: code-agent SB-06
    #[test]
    fn a_report_can_be_all_that_was_printed() {
        assert_eq!(found(&format!("{MARKER}{}", finished("x"))).printed, "");
        assert_eq!(found(&format!("\n{MARKER}{}\n", finished("x"))).printed, "");
    }

    // spec: code-agent SB-07
    #[test]
    fn a_report_that_is_no_json_is_told_with_its_cause() {
        let CodeOutcome::BadResult { reason } = found(&format!("{MARKER} {{bad\n")).outcome else { panic!() };
        assert!(reason.starts_with("Invalid JSON in result: key must be a string"), "{reason}");
    }

    // spec: code-agent SB-08
    #[test]
    fn without_the_marker_at_the_start_of_a_line_there_is_no_report() {
        for stdout in ["", "x __NOVA_RESULT__:abc:{}", "__NOVA_RESULT__:abd:{}", "__NOVA_RESULT__: {bad"] {
            assert_eq!(find(stdout, MARKER), None, "{stdout}");
        }
    }
}
