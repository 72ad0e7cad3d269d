//! Which line of what a program printed says why it failed.

/// How a traceback of Python begins.
const TRACEBACK: &str = "Traceback (most recent call last):";
/// How lines begin that follow the cause and say nothing of it.
const HINTS: [&str; 3] = ["Node.js v", "(Use `node --trace", "note: run with `RUST_BACKTRACE"];

/// The line of a program's log that says why it failed: of its last traceback, or else the last one.
#[must_use]
pub fn cause_line(log: &str) -> Option<&str> {
    let is_cause = |line: &&str| !line.is_empty() && !HINTS.iter().any(|hint| line.starts_with(hint));
    traceback_line(log).or_else(|| log.lines().map(str::trim).rfind(is_cause))
}

/// The line of an error that says why, where whoever wrote the error meant it to be read: of a traceback, or else
/// the first one.
#[must_use]
pub fn told_line(error: &str) -> Option<&str> {
    traceback_line(error).or_else(|| error.lines().map(str::trim).find(|line| !line.is_empty()))
}

/// The line with the error of the last traceback in a text; nothing if there is no traceback.
fn traceback_line(text: &str) -> Option<&str> {
    python_line(text).or_else(|| stack_line(text))
}

/// Python writes the error below the frames, which are indented. A group of errors has a margin of `|`.
fn python_line(text: &str) -> Option<&str> {
    let (_, frames) = text.rsplit_once(TRACEBACK)?;
    frames
        .lines()
        .skip(1)
        .map(|line| line.trim_start().strip_prefix("| ").unwrap_or(line))
        .find(|line| !line.is_empty() && !line.starts_with([' ', '\t', '+']))
        .map(str::trim_end)
}

/// Node and Java write the error above the frames, each of which begins with `at`.
fn stack_line(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = (1..lines.len()).rev().filter(|&at| {
        lines.get(at).is_some_and(|line| is_frame(line))
            && lines.get(at - 1).is_some_and(|line| !is_frame(line))
    });
    starts.filter_map(|start| head_of(lines.get(..start)?)).next()
}

/// The line above the frames that names the error: a message may have several lines.
fn head_of<'a>(above: &[&'a str]) -> Option<&'a str> {
    let block = above.iter().rev().take_while(|line| !line.trim().is_empty() && !is_frame(line));
    let heads: Vec<&str> =
        block.copied().filter(|line| !line.starts_with([' ', '\t'])).map(str::trim_end).collect();
    heads.iter().copied().find(|line| names_error(line)).or_else(|| heads.first().copied())
}

fn is_frame(line: &str) -> bool {
    let frame = line.trim_start();
    frame.len() < line.len()
        && frame.starts_with("at ")
        && (frame.contains('(') || frame.trim_end().ends_with(|letter: char| letter.is_ascii_digit()))
}

fn names_error(line: &str) -> bool {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let name = line.split([':', ' ']).next().unwrap_or_default();
    name.ends_with("Error") || name.ends_with("Exception")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_log_is_the_cause_unless_it_is_only_a_hint() {
        // spec: findings RC-02
        let log = "connecting http timeout=30s\nrow 7\n\nno column 'price'\n\n";
        assert_eq!(cause_line(log), Some("no column 'price'"));
        assert_eq!(cause_line(" \n\n"), None);
        let panic = "thread 'main' panicked at x.rs:1:\nboom\nnote: run with `RUST_BACKTRACE=1` to see\n";
        assert_eq!(cause_line(panic), Some("boom"));
        assert_eq!(told_line("\n no seats \ntry another day"), Some("no seats"));
    }

    #[test]
    fn the_cause_of_a_python_traceback_stands_below_its_frames() {
        // spec: findings RC-02
        let log = "connecting http timeout=30s\nTraceback (most recent call last):\n  File \"a.py\", line 7, in <module>\n    \
                   raise ValueError(\"x\")\nKeyError: 'a'\n\nDuring handling of the above exception, another exception \
                   occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 9, in <module>\n    main()\n    \
                   ~~~~^^\nValueError: row 7 has no column 'price'\nof 9\nclosing the file\n";
        assert_eq!(cause_line(log), Some("ValueError: row 7 has no column 'price'"));
        assert_eq!(told_line(log), Some("ValueError: row 7 has no column 'price'"));
        let group = "  + Exception Group Traceback (most recent call last):\n  |   File \"a.py\", line 1\n  | \
                     ExceptionGroup: many (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most \
                     recent call last):\n    |   File \"a.py\", line 2\n    | ValueError: one\n    \
                     +------------------------------------\n";
        assert_eq!(cause_line(group), Some("ValueError: one"));
        assert_eq!(
            cause_line("x\nTraceback (most recent call last):\n  File \"a.py\""),
            Some("File \"a.py\"")
        );
    }

    #[test]
    fn the_cause_of_a_node_stack_stands_above_its_frames() {
        // spec: findings RC-02
        let log = "listening\n/srv/a.js:3\n    throw new TypeError('x')\n    ^\n\nTypeError: row 7 has no price\nand no name\n    \
                   at main (/srv/a.js:3:11)\n    at node:internal/main:22:49 {\n  [cause]: Error: inner\n      at inner \
                   (/srv/a.js:1:2)\n}\n\nNode.js v22.1.0\n";
        assert_eq!(cause_line(log), Some("TypeError: row 7 has no price"));
        let java = "Exception in thread \"main\" java.lang.RuntimeException: outer\n\tat A.main(A.java:3)\nCaused by: \
                    java.io.IOException: disk\n\tat A.f(A.java:9)\n\t... 1 more\n";
        assert_eq!(cause_line(java), Some("Caused by: java.io.IOException: disk"));
        assert_eq!(
            cause_line("x.js:1\nthrow 'boom'\n^\nboom\n(Use `node --trace-uncaught ...`)\n\nNode.js v22.1.0"),
            Some("boom")
        );
        assert_eq!(cause_line("dinner\n  at noon\nlate"), Some("late"));
    }
}
