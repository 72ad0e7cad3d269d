//! Our syntax check against Python's own compiler, when there is a `python3` on this machine.

#![expect(clippy::disallowed_types, reason = "a test may ask a real Python")]

use std::error::Error;
use std::io::Write;
use std::process::{Command, Stdio};

use candor_pycheck::{AnyLibrary, Check, Checker, Policy, Program, Syntax};

/// Answers with its version and with one truth value for each snippet.
const ASK: &str = "
import json, sys, warnings
warnings.simplefilter('ignore')
def compiles(code):
    try:
        compile(code, 'snippet', 'exec', dont_inherit=True)
        return True
    except (SyntaxError, ValueError):
        return False
snippets = json.load(sys.stdin)
print(json.dumps([list(sys.version_info[:2]), [compiles(code) for code in snippets]]))
";

/// The version, and which snippets compile.
type Answers = ((u8, u8), Vec<bool>);

fn ask_python(snippets: &[&str]) -> Result<Answers, Box<dyn Error>> {
    let mut python =
        Command::new("python3").args(["-c", ASK]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let question = serde_json::to_vec(snippets)?;
    python.stdin.take().ok_or("no way in")?.write_all(&question)?;
    let output = python.wait_with_output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok()
}

// spec: code-agent CV-06, NX-45
#[test]
fn the_compiler_and_the_check_refuse_the_same_snippets() {
    let snippets: Vec<&str> = include_str!("../programs/compile.txt").split("\n---\n").collect();
    if !has_python() {
        candor_testkit::skips::skipped("there is no python3");
        return;
    }
    let ((major, minor), answers) = ask_python(&snippets).unwrap();
    let checker = Checker::new(Policy::default(), &AnyLibrary, Syntax::Version(major, minor));
    let differing: Vec<(&&str, bool)> = snippets
        .iter()
        .zip(answers)
        .filter(|(code, compiles)| {
            let findings = checker.check(&Program::new(code));
            let refused = findings.errors.iter().any(|e| e.code.check() == Check::Syntax);
            refused == *compiles
        })
        .collect();
    assert!(differing.is_empty(), "Python compiles, and we do not agree: {differing:#?}");
    assert!(snippets.len() > 300);
}
