//! Finds the lists in a request: bullets, numbers, letters, and lists in brackets.

use std::collections::BTreeSet;

/// A part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// Running text outside lists.
    Prose(String),
    /// Items of a list; whether they were numbered.
    List { items: Vec<String>, numbered: bool },
    /// Quoted names of things that can be done, in no order.
    Menu { items: Vec<String> },
    /// Data for a machine, and all that stands behind it.
    Data(String),
}

/// How an item is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Bullet,
    Number,
}

/// Cuts a text into running text and lists, up to data that only accompanies the text.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            continue;
        }
        if is_data(line) {
            blocks.push(Block::Data(line.trim().to_owned()));
            break;
        }
        if let Some((before, items)) = bracketed(line) {
            add_prose(&mut blocks, before);
            blocks.push(Block::Menu { items });
        } else if let Some((before, items)) = numbered_inline(line) {
            add_prose(&mut blocks, before);
            blocks.push(Block::List { items, numbered: true });
        } else if let Some((mark, item)) = item(line) {
            add_item(&mut blocks, mark, item);
        } else if line.starts_with([' ', '\t']) && continues_item(&mut blocks, line) {
        } else {
            add_prose(&mut blocks, line);
        }
    }
    single_items_are_prose(blocks)
}

fn add_prose(blocks: &mut Vec<Block>, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    if let Some(Block::Prose(text)) = blocks.last_mut() {
        text.push('\n');
        text.push_str(line.trim());
    } else {
        blocks.push(Block::Prose(line.trim().to_owned()));
    }
}

fn add_item(blocks: &mut Vec<Block>, mark: Mark, item: &str) {
    let is_numbered = mark == Mark::Number;
    match blocks.last_mut() {
        Some(Block::List { items, numbered }) if *numbered == is_numbered => items.push(item.to_owned()),
        // A bullet under a number is a detail of it.
        Some(Block::List { items, numbered: true }) if !is_numbered => {
            if let Some(last) = items.last_mut() {
                last.push_str("; ");
                last.push_str(item);
            }
        }
        _ => blocks.push(Block::List { items: vec![item.to_owned()], numbered: is_numbered }),
    }
}

/// An indented line without a mark goes on with the item above it.
fn continues_item(blocks: &mut [Block], line: &str) -> bool {
    let Some(Block::List { items, .. }) = blocks.last_mut() else { return false };
    let Some(last) = items.last_mut() else { return false };
    last.push(' ');
    last.push_str(line.trim());
    true
}

/// A list of one is a sentence that happens to begin with a mark.
fn single_items_are_prose(blocks: Vec<Block>) -> Vec<Block> {
    let unlist = |block| match block {
        Block::List { items, .. } if items.len() == 1 => Block::Prose(items.concat()),
        block => block,
    };
    blocks.into_iter().map(unlist).collect()
}

/// The text of a list item, if the line is one: "- x", "* x", "• x", "1. x", "2) x", "(3) x", "a) x".
fn item(line: &str) -> Option<(Mark, &str)> {
    let line = line.trim_start();
    let spaced = |rest: &str| rest.starts_with(char::is_whitespace);
    if let Some(rest) =
        line.strip_prefix(['-', '*', '+', '•', '–', '·', '▪', '‣']).filter(|rest| spaced(rest))
    {
        let rest = rest.trim_start();
        let unticked = rest.strip_prefix("[ ]").or_else(|| rest.strip_prefix("[x]"));
        return filled(Mark::Bullet, unticked.unwrap_or(rest));
    }
    let line = line.strip_prefix("Step ").or_else(|| line.strip_prefix("Paso ")).unwrap_or(line);
    let open = line.strip_prefix('(').unwrap_or(line);
    let label: String = open.chars().take_while(|c| c.is_alphanumeric()).take(4).collect();
    let is_number = (1..=3).contains(&label.len()) && label.chars().all(|c| c.is_ascii_digit());
    let is_letter = label.len() == 1 && label.chars().all(|c| c.is_ascii_alphabetic());
    let rest = open.strip_prefix(label.as_str())?;
    let rest = if is_number { rest.strip_prefix(['.', ')', ':', '-'])? } else { rest.strip_prefix(')')? };
    if (is_number || is_letter) && spaced(rest) { filled(Mark::Number, rest) } else { None }
}

fn filled(mark: Mark, item: &str) -> Option<(Mark, &str)> {
    let item = item.trim();
    item.chars().any(char::is_alphanumeric).then_some((mark, item))
}

/// Whether the line is data for a machine, such as `api_list:[{…}]`.
fn is_data(line: &str) -> bool {
    let line = line.trim_start();
    let name: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let value = line.strip_prefix(name.as_str()).unwrap_or(line);
    let value = value.strip_prefix([':', '=']).unwrap_or(value).trim_start();
    ["[{", "{\"", "{'"].iter().any(|opening| value.starts_with(opening))
}

/// The quoted items of a list in brackets, and the text before it; each item once.
fn bracketed(line: &str) -> Option<(&str, Vec<String>)> {
    let (before, list) = line.split_once('[')?;
    // A list may have been cut off by whoever handed it in.
    let list = list.trim_end();
    let list = list.strip_suffix(']').unwrap_or(list);
    list.starts_with(['\'', '"']).then_some(())?;
    let mut seen = BTreeSet::new();
    let items: Vec<_> = quoted(list).into_iter().filter(|item| seen.insert(item.clone())).collect();
    (items.len() > 1).then_some((before, items))
}

/// The items of a list that is numbered within one line, "1) … 2) …", and the text before it.
fn numbered_inline(line: &str) -> Option<(&str, Vec<String>)> {
    [")", "."].iter().find_map(|mark| {
        let (before, mut rest) = split_at_number(line, 1, mark)?;
        let mut items = Vec::new();
        while let Some((item, after)) = split_at_number(rest, items.len() + 2, mark) {
            items.push(item);
            rest = after;
        }
        items.push(rest);
        let items: Vec<_> = items.into_iter().map(without_joint).filter(|item| !item.is_empty()).collect();
        (items.len() > 1).then_some((before, items))
    })
}

/// Cuts before and behind a number such as "2)", where one item ends and the next begins.
fn split_at_number<'a>(text: &'a str, number: usize, mark: &str) -> Option<(&'a str, &'a str)> {
    let label = format!("{number}{mark} ");
    text.match_indices(&label).find_map(|(at, label)| {
        let before = text.get(..at)?;
        let head = before.trim_end().trim_end_matches('(');
        let ended = head.is_empty()
            || head.ends_with([':', ';', ',', '.'])
            || head.ends_with(" and")
            || head.ends_with(" y");
        ended.then_some((head, text.get(at + label.len()..)?))
    })
}

fn without_joint(item: &str) -> String {
    let item = item.trim();
    let item = item.strip_suffix(" and").or_else(|| item.strip_suffix(" y")).unwrap_or(item);
    item.trim_end_matches([',', ';', ' ']).to_owned()
}

/// The quoted strings of a comma-separated list; a quote ends where a comma or the end follows.
fn quoted(list: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut rest = list.trim_start();
    while let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let Some(body) = rest.strip_prefix(quote) else { break };
        let closing = body.match_indices(quote).map(|(at, _)| at).find(|&at| {
            let after = body.get(at + 1..).unwrap_or_default().trim_start();
            after.is_empty() || after.starts_with(',')
        });
        // What a list that was cut off ends with is kept as far as it goes.
        let end = closing.unwrap_or(body.len());
        let item = body.get(..end).unwrap_or_default().replace("\\n", " ").replace("\\'", "'");
        items.push(item.trim().to_owned());
        rest = body.get(end + 1..).unwrap_or_default().trim_start().trim_start_matches(',').trim_start();
    }
    items.retain(|item| !item.is_empty());
    items
}
