//! From text to syntax tree, or to the first syntax error.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_python_ast::{Mod, ModModule, PythonVersion};
use ruff_python_parser::{Mode, ParseError, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextSize};

use crate::depth::{self, May};
use crate::findings::Code;
use crate::words::Message;

/// Which Python the code must run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// Everything the parser knows, which is Python 3.14.
    #[default]
    Latest,
    /// This version; newer syntax is an error.
    Version(u8, u8),
}

impl Syntax {
    pub(crate) fn version(self) -> PythonVersion {
        match self {
            Self::Latest => PythonVersion::PY314,
            Self::Version(major, minor) => PythonVersion { major, minor },
        }
    }
}

/// A problem that has a place but no words yet.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) code: Code,
    pub(crate) at: TextSize,
    pub(crate) message: Message,
}

impl Found {
    fn new(code: Code, at: TextSize, message: Message) -> Self {
        Self { code, at, message }
    }
}

/// Parses a whole program.
pub(crate) fn parse(code: &str, syntax: Syntax) -> Result<Parsed<ModModule>, Found> {
    // Offsets are 32 bits wide, and nobody writes programs of four gigabytes.
    if u32::try_from(code.len()).is_err() {
        return Err(Found::new(Code::TooDeep, TextSize::new(0), Message::TooDeep));
    }
    let too_deep = |at| Found::new(Code::TooDeep, at, Message::TooDeep);
    let may = depth::may(code);
    if may == May::BeBottomless
        && let Some(at) = depth::too_deep(code)
    {
        return Err(too_deep(at));
    }
    let options = ParseOptions::from(Mode::Module).with_target_version(syntax.version());
    let parsed = parse_unchecked(code, options);
    if may == May::BeDeep
        && let Some(at) = depth::too_deep_in(code, parsed.tokens())
    {
        depth::drop_deep(parsed);
        return Err(too_deep(at));
    }
    if let Some(error) = parsed.errors().iter().min_by_key(|error| error.range().start()) {
        return Err(first_error(code, &parsed, error));
    }
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        let message = Message::Syntax(error.to_string());
        return Err(Found::new(Code::TooNew, error.range().start(), message));
    }
    let nothing = || Message::Syntax("this is no module".to_owned());
    parsed.try_into_module().ok_or_else(|| Found::new(Code::InvalidSyntax, TextSize::new(0), nothing()))
}

/// The first error; a bracket that was left open on an earlier line is its cause.
fn first_error(code: &str, parsed: &Parsed<Mod>, error: &ParseError) -> Found {
    // What is missing at the end is missed after the last word, not in the blank lines below.
    let words = u32::try_from(code.trim_end().len()).map_or(TextSize::new(0), TextSize::new);
    let at = error.range().start().min(words);
    if let Some((open, bracket)) = open_bracket(code, parsed.tokens(), at) {
        return Found::new(Code::InvalidSyntax, open, Message::NeverClosed(bracket));
    }
    let said = error.error.to_string();
    // A missing block is missed where the next line starts, as Python sees it.
    let at = if said.starts_with("Expected an indented block") {
        next_line(parsed.tokens(), at).unwrap_or(at)
    } else {
        at
    };
    Found::new(Code::InvalidSyntax, at, Message::Syntax(said))
}

/// Where the text goes on after this place.
fn next_line(tokens: &Tokens, at: TextSize) -> Option<TextSize> {
    let mut after = tokens.iter().skip_while(|token| token.start() < at);
    let text = after.find(|token| !token.kind().is_trivia() && !is_layout(token.kind()))?;
    Some(text.start())
}

fn is_layout(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent)
}

/// The innermost bracket that no bracket of the whole text closes, if the error comes
/// after the end of its line.
fn open_bracket(code: &str, tokens: &Tokens, at: TextSize) -> Option<(TextSize, char)> {
    let mut open: Vec<(TextSize, char)> = Vec::new();
    for token in tokens {
        let bracket = match token.kind() {
            TokenKind::Lpar => '(',
            TokenKind::Lsqb => '[',
            TokenKind::Lbrace => '{',
            TokenKind::Rpar if open.pop()?.1 == '(' => continue,
            TokenKind::Rsqb if open.pop()?.1 == '[' => continue,
            TokenKind::Rbrace if open.pop()?.1 == '{' => continue,
            // A bracket that closes another kind is an error of its own.
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => return None,
            _ => continue,
        };
        open.push((token.start(), bracket));
    }
    let (start, bracket) = open.pop()?;
    let between = code.get(start.to_usize()..at.to_usize())?;
    let rest = code.get(at.to_usize()..)?.trim_start_matches([' ', '\t']);
    let line_is_over = rest.is_empty() || rest.starts_with(['\n', '\r', '#']);
    (line_is_over || between.contains(['\n', '\r'])).then_some((start, bracket))
}
