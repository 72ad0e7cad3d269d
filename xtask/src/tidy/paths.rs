//! The paths that a piece of code mentions, read from its tokens.
//!
//! Tokens rather than text, so that comments and strings may say anything; tokens rather than a syntax
//! tree, so that the insides of macros are seen as well.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path as it is written, such as `std::fs::File`; a lone word is a path of one segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) segments: Vec<String>,
    pub(super) line: usize,
}

impl Mention {
    /// Tells whether these segments stand in the path, one after the other.
    pub(super) fn contains(&self, wanted: &str) -> bool {
        let wanted: Vec<_> = wanted.split("::").collect();
        self.segments.windows(wanted.len()).any(|segments| segments == wanted)
    }
}

/// Returns every path, with the braces of `use` spelled out: `use a::{b, c}` mentions `a::b` and `a::c`.
pub(super) fn mentions(tokens: &TokenStream) -> Vec<Mention> {
    let mut found = Vec::new();
    read(tokens, &[], &mut found);
    found
}

fn read(tokens: &TokenStream, prefix: &[String], found: &mut Vec<Mention>) {
    let mut path = OpenPath::default();
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let line = token.span().start().line;
        match token {
            // In `use a::{b as c}` the new name is no part of any path.
            TokenTree::Ident(word) if word == "as" && !prefix.is_empty() => {
                path.close(found);
                tokens.next();
            }
            TokenTree::Ident(word) => path.go_on_with(word.to_string(), line, prefix, found),
            TokenTree::Punct(mark) if mark.as_char() == '*' && (path.goes_on || !prefix.is_empty()) => {
                path.go_on_with("*".to_owned(), line, prefix, found);
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && is_colon(tokens.peek()) => {
                tokens.next();
                path.goes_on = true;
            }
            TokenTree::Group(group) if path.goes_on && group.delimiter() == Delimiter::Brace => {
                read(&group.stream(), &path.segments, found);
                path = OpenPath::default();
            }
            TokenTree::Group(group) => {
                path.close(found);
                read(&group.stream(), &[], found);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => path.close(found),
        }
    }
    path.close(found);
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':')
}

/// A path that may have more segments to come.
#[derive(Default)]
struct OpenPath {
    segments: Vec<String>,
    /// The line of the last segment, which is the one a reader looks for.
    line: usize,
    /// Whether the last token was `::`.
    goes_on: bool,
}

impl OpenPath {
    /// Adds a segment; without a `::` before it, it is the first of a new path.
    fn go_on_with(&mut self, segment: String, line: usize, prefix: &[String], found: &mut Vec<Mention>) {
        if !self.goes_on {
            self.close(found);
            self.segments.extend_from_slice(prefix);
        }
        self.segments.push(segment);
        self.line = line;
        self.goes_on = false;
    }

    /// Hands over what there is and starts afresh.
    fn close(&mut self, found: &mut Vec<Mention>) {
        let Self { segments, line, .. } = std::mem::take(self);
        if !segments.is_empty() {
            found.push(Mention { segments, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(code: &str) -> Vec<String> {
        let tokens = code.parse().unwrap();
        mentions(&tokens).into_iter().map(|mention| mention.segments.join("::")).collect()
    }

    #[test]
    fn paths_are_read_whole() {
        assert_eq!(paths("let a = ::std::fs::read(b);"), ["let", "a", "std::fs::read", "b"]);
        assert_eq!(paths("a.b(c: D)"), ["a", "b", "c", "D"]);
    }

    #[test]
    fn the_braces_of_use_are_spelled_out() {
        assert_eq!(
            paths("use std::{self, io as fs, collections::{BTreeMap, *}};"),
            ["use", "std::self", "std::io", "std::collections::BTreeMap", "std::collections::*"]
        );
    }

    #[test]
    fn macros_are_seen_and_comments_and_strings_are_not() {
        assert_eq!(
            paths("/* std::fs */ m! { x(std::net::Y, \"std::thread\") } // async"),
            ["m", "x", "std::net::Y"]
        );
    }

    #[test]
    fn segments_are_found_as_whole_words_in_a_row() {
        let mention = Mention { segments: ["std", "fs", "File"].map(String::from).into(), line: 1 };
        assert!(mention.contains("std::fs") && mention.contains("fs::File") && mention.contains("fs"));
        assert!(
            !mention.contains("std::File") && !mention.contains("f") && !mention.contains("a::std::fs::File")
        );
    }

    #[test]
    fn a_mention_knows_the_line_of_its_last_segment() {
        let found = mentions(&"use std::{\n    io,\n    fs::\n    File,\n};".parse().unwrap());
        assert_eq!(found.last().map(|mention| mention.line), Some(4));
    }
}
