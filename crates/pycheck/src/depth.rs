//! Is a text nested deeper than anybody could handle?
//!
//! The parser grows its stack as it needs, but dropping and walking a tree recurse as deep as the tree is. Python
//! itself stops at 200 brackets, at 100 indentations and at about 3,000 operators in a row. A text that has fewer
//! brackets and words altogether is cleared by counting them. One that has so many that even parsing it would take
//! a stack of hundreds of megabytes is looked at token by token before; all others after they were parsed, when the
//! tokens are there anyway.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_python_parser::{Mode, lexer};
use ruff_text_size::TextSize;

/// Brackets in each other.
const BRACKETS: usize = 200;
/// Indentations in each other.
const INDENTS: usize = 100;
/// Operators, prefixes and suffixes that hang on each other in one statement.
const CHAIN: u32 = 2_500;
/// So many brackets and words can be parsed, however they are nested.
const PARSED_BRACKETS: usize = 10_000;
const PARSED_WORDS: usize = 60_000;
/// What a tree of that depth takes to be dropped.
const DROP_STACK: usize = 256 * 1024 * 1024;

/// How deep a text may be, by its length and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum May {
    /// It is not too deep.
    NotBeDeep,
    /// It can be parsed, and must be looked at before its tree is walked or dropped.
    BeDeep,
    /// It must not even be parsed before it was looked at.
    BeBottomless,
}

/// Says how deep a text may be. Its length alone clears most programs, and the rest costs little.
pub(crate) fn may(code: &str) -> May {
    let long = code.len();
    // A hundred indentations, each a blank deeper, take more bytes than the longest chain.
    if long < CHAIN as usize && brackets(code) < BRACKETS {
        return May::NotBeDeep;
    }
    let few_brackets = long < PARSED_BRACKETS || brackets(code) < PARSED_BRACKETS;
    let few_words = long < PARSED_WORDS || words(code) < PARSED_WORDS;
    if few_brackets && few_words { May::BeDeep } else { May::BeBottomless }
}

/// How many brackets are opened. Small sums are added up many at a time.
fn brackets(code: &str) -> usize {
    let opens = |byte: &u8| u8::from(matches!(byte, b'(' | b'[' | b'{'));
    code.as_bytes().chunks(255).map(|some| usize::from(some.iter().map(opens).sum::<u8>())).sum()
}

/// How many links the chains of a text can have together: every sign is one, and so is the end of every word, as
/// in `not not not x`.
fn words(code: &str) -> usize {
    let (mut words, mut in_word) = (0_usize, false);
    for byte in code.bytes() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let is_blank = matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
        words += usize::from(!is_word && (in_word || !is_blank));
        in_word = is_word;
    }
    words
}

/// Where the text becomes too deep, if it does.
pub(crate) fn too_deep(code: &str) -> Option<TextSize> {
    let mut lexer = lexer::lex(code, Mode::Module);
    first_too_deep(code, std::iter::from_fn(|| Some(lexer.next_token())))
}

/// The same for a text that was parsed.
pub(crate) fn too_deep_in(code: &str, tokens: &Tokens) -> Option<TextSize> {
    first_too_deep(code, tokens.iter().map(|token| token.kind()).chain([TokenKind::EndOfFile]))
}

/// Drops something whose drop recurses deeply.
pub(crate) fn drop_deep<T>(deep: T) {
    stacker::grow(DROP_STACK, || drop(deep));
}

fn first_too_deep(code: &str, kinds: impl Iterator<Item = TokenKind>) -> Option<TextSize> {
    let mut depth = Depth::default();
    for kind in kinds.take_while(|kind| *kind != TokenKind::EndOfFile) {
        depth.step(kind);
        if depth.brackets() > BRACKETS || depth.indents > INDENTS || depth.chain() > CHAIN {
            return Some(line_start(code, depth.lines));
        }
    }
    None
}

/// How deep the text is at one token.
#[derive(Default)]
struct Depth {
    /// Links of the chains around, one entry for each open bracket.
    around: Vec<(u32, u32)>,
    /// Their sum.
    sum: u32,
    /// Links of the chain at hand.
    links: u32,
    /// Links of its last term: the terms of a sum hang side by side.
    term: u32,
    indents: usize,
    lines: usize,
}

impl Depth {
    fn brackets(&self) -> usize {
        self.around.len()
    }

    fn chain(&self) -> u32 {
        self.sum.saturating_add(self.links).saturating_add(self.term)
    }

    fn step(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                self.around.push((self.links, self.term));
                self.sum = self.chain();
                (self.links, self.term) = (0, 0);
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                // A call or a subscript is one more link of the term it hangs on.
                let (links, term) = self.around.pop().unwrap_or((0, 0));
                self.sum = self.sum.saturating_sub(links).saturating_sub(term);
                (self.links, self.term) = (links, term.saturating_add(1));
            }
            TokenKind::Newline => {
                self.lines += 1;
                self.restart();
            }
            TokenKind::NonLogicalNewline => self.lines += 1,
            TokenKind::Indent => self.indents += 1,
            TokenKind::Dedent => self.indents = self.indents.saturating_sub(1),
            TokenKind::Comma | TokenKind::Semi => (self.links, self.term) = (0, 0),
            kind if starts_statement(kind) => self.restart(),
            kind if is_flat(kind) => {}
            kind if is_tight(kind) => self.term = self.term.saturating_add(1),
            _ => {
                self.links = self.links.saturating_add(1);
                self.term = 0;
            }
        }
    }

    fn restart(&mut self) {
        self.around.clear();
        (self.sum, self.links, self.term) = (0, 0, 0);
    }
}

/// Keywords that no expression holds: an open bracket before them was forgotten.
fn starts_statement(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Def
            | TokenKind::Class
            | TokenKind::Return
            | TokenKind::Import
            | TokenKind::Raise
            | TokenKind::Del
            | TokenKind::Assert
            | TokenKind::Global
            | TokenKind::Nonlocal
            | TokenKind::Pass
            | TokenKind::Break
            | TokenKind::Continue
    )
}

/// Tokens that bind tighter than a sum.
fn is_tight(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Star
            | TokenKind::Slash
            | TokenKind::DoubleSlash
            | TokenKind::Percent
            | TokenKind::At
            | TokenKind::DoubleStar
            | TokenKind::Dot
    )
}

/// Tokens that add no level to the tree.
fn is_flat(kind: TokenKind) -> bool {
    kind.is_trivia()
        || kind.is_singleton()
        || kind.is_soft_keyword()
        || matches!(
            kind,
            TokenKind::Name
                | TokenKind::Int
                | TokenKind::Float
                | TokenKind::Complex
                | TokenKind::String
                | TokenKind::FStringStart
                | TokenKind::FStringMiddle
                | TokenKind::FStringEnd
                | TokenKind::TStringStart
                | TokenKind::TStringMiddle
                | TokenKind::TStringEnd
                | TokenKind::And
                | TokenKind::Or
                | TokenKind::EqEqual
                | TokenKind::NotEqual
                | TokenKind::Less
                | TokenKind::LessEqual
                | TokenKind::Greater
                | TokenKind::GreaterEqual
                | TokenKind::In
                | TokenKind::Is
                | TokenKind::Equal
        )
}

/// The start of a line, counted from zero.
fn line_start(code: &str, line: usize) -> TextSize {
    let mut starts = code.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let before = line.checked_sub(1).and_then(|line| starts.nth(line));
    let start = before.map_or(0, |(at, _)| at + 1);
    u32::try_from(start).map_or(TextSize::new(0), TextSize::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_deep(code: &str) -> bool {
        too_deep(code).is_some()
    }

    #[test]
    fn python_s_own_limits_are_the_limits() {
        let nested = |depth: usize| format!("x = {}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deep(&nested(200)));
        assert!(is_deep(&nested(201)));
        assert!(is_deep(&nested(10_000)));
    }

    #[test]
    fn long_chains_are_deep_and_long_lists_are_not() {
        assert!(is_deep(&format!("x = a{}", "+a".repeat(50_000))));
        assert!(is_deep(&format!("x = {}a", "-".repeat(50_000))));
        assert!(is_deep(&format!("x = a{}", ".b()".repeat(50_000))));
        assert!(is_deep(&format!("x = {}1", "lambda: ".repeat(5_000))));
        assert!(!is_deep(&format!("x = [{}]", "-1, ".repeat(50_000))));
        assert!(!is_deep(&"x = a + b\n".repeat(50_000)));
        assert!(!is_deep(&format!("x = a{}", " or a == 1".repeat(50_000))));
    }

    #[test]
    fn the_place_is_the_line() {
        let code = format!("a = 1\nb = 2\nx = {}1", "-".repeat(5_000));
        assert_eq!(too_deep(&code), Some(TextSize::new(12)));
    }
}
