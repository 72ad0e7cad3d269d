//! The assistants that are known: how each is started, and how one of its sessions is continued.
//!
//! All of them take the prompt on stdin, so that its length is not limited and no other user of the machine sees it.

use std::hash::{BuildHasher, RandomState};

use serde::Deserialize;

/// What Gemini CLI is told beside its stdin, which it puts before these words.
const SEE_STDIN: &str = "Carry out the task that is described above.";

/// An assistant that is run as a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Claude Code: `claude -p`.
    Claude,
    /// Codex CLI: `codex exec`.
    Codex,
    /// Gemini CLI: `gemini -p`.
    Gemini,
    /// The program `goose run`.
    Goose,
}

/// How an assistant begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// With a new session: under this name, or under one that it chooses.
    New(Option<String>),
    /// With a session that it has.
    Resume(String),
}

impl Start {
    /// The name of the session, as far as it is known before the start.
    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Self::New(session) => session.as_deref(),
            Self::Resume(session) => Some(session),
        }
    }
}

impl Preset {
    /// The name of the program, and of the preset.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Goose => "goose",
        }
    }

    /// A new session, under a name that nothing else has where the assistant lets us choose.
    pub(super) fn new_session(self) -> Start {
        Start::New(match self {
            Self::Claude => Some(uuid()),
            Self::Goose => Some(format!("candor-{}", uuid())),
            Self::Codex | Self::Gemini => None,
        })
    }

    /// The arguments that make it print what we read.
    pub(super) fn arguments(self, start: &Start, model: Option<&str>) -> Vec<String> {
        let mut words: Vec<&str> = match self {
            Self::Claude => vec!["-p", "--output-format", "stream-json", "--verbose"],
            // It refuses to start in a folder without a repository otherwise.
            Self::Codex => vec!["exec", "--json", "--skip-git-repo-check"],
            Self::Gemini => vec!["--output-format", "stream-json", "-p", SEE_STDIN],
            Self::Goose => vec!["run", "-i", "-", "--output-format", "stream-json"],
        };
        words.extend(model.into_iter().flat_map(|model| ["--model", model]));
        match (self, start) {
            (Self::Claude, Start::New(Some(id))) => words.extend(["--session-id", id]),
            (Self::Claude | Self::Gemini, Start::Resume(id)) => words.extend(["--resume", id]),
            (Self::Goose, Start::New(Some(id))) => words.extend(["--name", id]),
            (Self::Goose, Start::Resume(id)) => words.extend(["--name", id, "--resume"]),
            _ => {}
        }
        words.into_iter().map(str::to_owned).collect()
    }

    /// The arguments behind all others: Codex takes the options of `exec` before its subcommand only.
    pub(super) fn last_arguments(self, start: &Start) -> Vec<String> {
        match (self, start) {
            (Self::Codex, Start::Resume(id)) => vec!["resume".to_owned(), id.clone()],
            _ => Vec::new(),
        }
    }

    /// The arguments that let it change files in its folder, or keep it from that. None if `given` decides already.
    pub(super) fn permissions(self, read_only: bool, given: &[String]) -> Vec<String> {
        let (decides, mode): (&[&str], [&str; 2]) = match (self, read_only) {
            (Self::Claude, false) => (CLAUDE_DECIDES, ["--permission-mode", "acceptEdits"]),
            // What is not allowed beforehand is refused when nobody can be asked.
            (Self::Claude, true) => (CLAUDE_DECIDES, ["--permission-mode", "default"]),
            (Self::Codex, false) => (CODEX_DECIDES, ["--sandbox", "workspace-write"]),
            (Self::Codex, true) => (CODEX_DECIDES, ["--sandbox", "read-only"]),
            (Self::Gemini, false) => (GEMINI_DECIDES, ["--approval-mode", "auto_edit"]),
            (Self::Gemini, true) => (GEMINI_DECIDES, ["--approval-mode", "default"]),
            (Self::Goose, _) => return Vec::new(),
        };
        let named = |word: &String| decides.contains(&word.split('=').next().unwrap_or_default());
        if given.iter().any(named) { Vec::new() } else { mode.map(str::to_owned).to_vec() }
    }

    /// The variable by which it is told the same, where that is no argument.
    pub(super) const fn mode_variable(self, read_only: bool) -> Option<(&'static str, &'static str)> {
        match (self, read_only) {
            (Self::Goose, false) => Some(("GOOSE_MODE", "auto")),
            (Self::Goose, true) => Some(("GOOSE_MODE", "chat")),
            _ => None,
        }
    }
}

const CLAUDE_DECIDES: &[&str] =
    &["--permission-mode", "--dangerously-skip-permissions", "--permission-prompt-tool"];
const CODEX_DECIDES: &[&str] =
    &["--sandbox", "-s", "--full-auto", "--dangerously-bypass-approvals-and-sandbox", "--yolo"];
const GEMINI_DECIDES: &[&str] = &["--approval-mode", "--yolo", "-y"];

/// A random UUID (version 4).
fn uuid() -> String {
    // The standard library seeds each of these with random keys.
    let bits = || u128::from(RandomState::new().hash_one("session"));
    let random = (bits() << 64) | bits();
    let versioned = random & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let digits = format!("{versioned:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default().to_owned();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_names_are_uuids_and_differ() {
        let (one, other) = (uuid(), uuid());
        assert_ne!(one, other);
        let parts: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(one.as_bytes()[14], b'4', "{one}");
        assert!(b"89ab".contains(&one.as_bytes()[19]), "{one}");
    }

    #[test]
    fn arguments_that_decide_on_permissions_win() {
        let given = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(Preset::Claude.permissions(false, &[]), ["--permission-mode", "acceptEdits"]);
        assert_eq!(Preset::Codex.permissions(true, &[]), ["--sandbox", "read-only"]);
        assert!(Preset::Claude.permissions(false, &given(&["--permission-mode=plan"])).is_empty());
        assert!(Preset::Gemini.permissions(false, &given(&["--yolo"])).is_empty());
        assert!(!Preset::Codex.permissions(false, &given(&["--model", "x"])).is_empty());
    }
}
