//! What agents say they did, as far as it can be compared with something: files they say they wrote, commands they
//! say they ran, web addresses they say they used, and how many things they say they made or worked on.
//!
//! A wrong finding is worse than none. So only statements of doing count, in words or in outputs that are named so;
//! plans, conditions and denials do not, and neither does anything that could be a name of something else.

mod words;

use candor_model::JsonMap;
use serde_json::Value;
use words::{
    AFTER_COMMAND, ALL_RUN, ALL_WRITTEN, AT_ADDRESS, DOUBT, ENDINGS, MAKING, PROGRAMS, RUNNING, WELL,
    WORKING, WRITTEN,
};

/// Something that an agent says it did.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It wrote this file.
    Wrote(String),
    /// It made so many things, of which the outputs have a list: what they are, how many it says, how many there are.
    Made(String, usize, usize),
    /// It worked on more things than it was given: what they are, how many it says, how many it was given.
    Handled(String, usize, usize),
    /// It ran this command; and whether it says that this went well.
    Ran(String, bool),
    /// It did or read something at this web address.
    Reached(String),
}

/// How many words may lie between what was done and the file.
const NEAR: usize = 12;
/// How many words of a command without marks are taken.
const MOST_WORDS: usize = 3;
/// So many claims of one task are looked up.
const MOST: usize = 20;

/// What an agent says it did with what it was given, each once, in the order of its outputs.
#[must_use]
pub fn of(outputs: &JsonMap, given: &[&JsonMap]) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for (name, value) in outputs {
        let found = named(name, value)
            .into_iter()
            .chain(value.as_str().into_iter().flat_map(|text| said(text, outputs, given)));
        for claim in found {
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
    }
    claims.truncate(MOST);
    claims
}

/// Files and commands in an output that is named so.
fn named(name: &str, value: &Value) -> Vec<Claim> {
    let name = name.to_lowercase();
    let (one, many) = (WRITTEN.contains(&name.as_str()), ALL_WRITTEN.contains(&name.as_str()));
    let commands = ALL_RUN.contains(&name.as_str());
    let texts: Vec<&str> = match value {
        Value::String(text) if one || commands => vec![text],
        Value::Array(texts) if many || commands => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let texts = texts.into_iter().map(str::trim);
    if commands {
        return texts
            .filter(|text| !text.is_empty())
            .map(|text| Claim::Ran(text.to_owned(), false))
            .collect();
    }
    texts.filter(|path| is_file(path)).map(|path| Claim::Wrote(path.to_owned())).collect()
}

/// What the sentences of a text say was done.
fn said(text: &str, outputs: &JsonMap, given: &[&JsonMap]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for sentence in sentences(text) {
        let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
        let folded: Vec<String> = words.iter().map(|word| candor_text::fold(word).into_owned()).collect();
        if folded.iter().any(|word| DOUBT.contains(&word.as_str())) || sentence.ends_with('?') {
            continue;
        }
        let done = |verbs: &[&str]| folded.iter().position(|word| verbs.contains(&word.as_str()));
        let after = |at: usize| words.get(at + 1..).unwrap_or_default();
        if let Some(at) = done(MAKING) {
            let files = after(at).iter().take(NEAR).filter(|word| is_file(word));
            claims.extend(files.map(|file| Claim::Wrote((*file).to_owned())));
            claims.extend(
                counted(after(at), &[outputs]).map(|(what, said, there)| Claim::Made(what, said, there)),
            );
        }
        if let Some(at) = done(WORKING) {
            let more = counted(after(at), given).filter(|(_, said, there)| said > there);
            claims.extend(more.map(|(what, said, there)| Claim::Handled(what, said, there)));
        }
        if let Some(at) = done(RUNNING) {
            let well = folded.iter().any(|word| WELL.contains(&word.as_str()));
            claims.extend(command(sentence, after(at)).map(|command| Claim::Ran(command, well)));
        }
        if done(AT_ADDRESS).or_else(|| done(MAKING)).is_some() {
            claims.extend(addresses(sentence).map(|address| Claim::Reached(address.to_owned())));
        }
    }
    claims
}

/// The command that a sentence names: in marks, or one that begins with a well-known program.
fn command(sentence: &str, after: &[&str]) -> Option<String> {
    if let Some(marked) = sentence.split('`').nth(1).map(str::trim).filter(|text| !text.is_empty()) {
        return Some(marked.to_owned());
    }
    let program = after.iter().take(2).position(|word| PROGRAMS.contains(word))?;
    let more = after.get(program..)?.iter().take_while(|word| !AFTER_COMMAND.contains(word));
    Some(more.take(MOST_WORDS).copied().collect::<Vec<_>>().join(" "))
}

/// The web addresses in a text, without the marks around them.
pub fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ')' | ']' | '>' | '}' | '`' | '*' | '\\');
    text.match_indices("http").filter_map(move |(at, _)| {
        let address = text.get(at..)?.split(end).next()?;
        let host = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
        (!host.is_empty()).then(|| address.trim_end_matches(['.', ',', ';', ':', '!', '?', '/']))
    })
}

/// `5 tickets`, where one of these has a list of that name: what, how many are said, how many there are.
fn counted(words: &[&str], lists: &[&JsonMap]) -> Option<(String, usize, usize)> {
    let number = words.iter().take(2).position(|word| word.parse::<usize>().is_ok())?;
    let said: usize = words.get(number)?.parse().ok()?;
    let what = candor_text::fold(words.get(number + 1)?).into_owned();
    let named = |fields: &&JsonMap| {
        fields.iter().find(|(name, _)| candor_text::fold(name) == what)?.1.as_array().map(Vec::len)
    };
    lists.iter().find_map(named).map(|there| (what, said, there))
}

/// The sentences of a text. A point ends one only before a space, so that the name of a file stays whole.
fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let mut letters = line.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let before_space = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
            if matches!(letter, '.' | '!' | '?' | ';') && before_space {
                let end = at + letter.len_utf8();
                all.extend(line.get(start..end));
                start = end;
            }
        }
        all.extend(line.get(start..).filter(|rest| !rest.trim().is_empty()));
    }
    all
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    let marks = |c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '~' | '.' | '-'));
    word.trim_matches(marks).trim_end_matches(['.', '-']).trim_matches(marks)
}

/// Whether a word is the name of one file. A web address, an address and a pattern are not.
fn is_file(word: &str) -> bool {
    if word.contains("://")
        || word.starts_with("www.")
        || word.contains(['@', '*', '?', '\n', ' ', ',', '{', '<', '$'])
    {
        return false;
    }
    let last = word.rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending.to_lowercase().as_str()))
}
