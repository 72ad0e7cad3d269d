//! Markdown that stays valid whatever text is put into it.

use std::fmt::Write as _;

use super::block::{Block, Inline, Span};
use crate::view::text::clean;

/// A page in Markdown.
pub(super) fn page(title: &str, blocks: &[Block]) -> String {
    let parts = blocks.iter().map(|block| format!("\n{}", written(block)));
    std::iter::once(format!("# {}\n", inline(title))).chain(parts).collect()
}

fn written(block: &Block) -> String {
    match block {
        Block::Heading(level, title) => format!("{} {}\n", "#".repeat(usize::from(*level)), inline(title)),
        Block::Text(told) => format!("{}\n", span(told)),
        Block::List(entries) => bullets(entries.iter().map(span)),
        Block::Facts(facts) => {
            bullets(facts.iter().map(|(name, told)| format!("**{}:** {}", inline(name), span(told))))
        }
        Block::Table(head, rows) => table(head, rows),
        Block::Drawing(lines) => fenced("text", lines),
        Block::Mermaid(lines) => fenced("mermaid", lines),
    }
}

fn span(span: &Span) -> String {
    let piece = |piece: &Inline| match piece {
        Inline::Text(told) => inline(told),
        Inline::Strong(told) => format!("**{}**", inline(told)),
        Inline::Code(told) => code(told),
        Inline::Link(target) => link(target),
    };
    span.iter().map(piece).collect::<Vec<_>>().join(" ")
}

/// A file or an address that opens. What would end the link early is written by number.
fn link(target: &str) -> String {
    let safe: String = clean(target).trim().chars().map(percent_encoded).collect();
    format!("[{}](<{safe}>)", inline(target))
}

fn percent_encoded(letter: char) -> String {
    match letter {
        '<' | '>' | '\\' | '|' | ' ' | '"' => format!("%{:02X}", u32::from(letter)),
        letter => letter.to_string(),
    }
}

/// Any text as one line of plain Markdown: nothing in it is taken for markup.
fn inline(text: &str) -> String {
    let text = clean(text);
    let text = text.trim();
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut previous = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let in_word = previous.is_some_and(char::is_alphanumeric)
            && letters.peek().copied().is_some_and(char::is_alphanumeric);
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '#' | '$' => push_escaped(&mut escaped, letter),
            // Within a word an underscore is only an underscore, and ids are full of them.
            '_' if !in_word => push_escaped(&mut escaped, letter),
            '-' | '+' | '=' | ':' if previous.is_none() => push_escaped(&mut escaped, letter),
            '.' | ')' if is_number(&escaped) => push_escaped(&mut escaped, letter),
            // What looks like an address would become a link.
            ':' if letters.peek() == Some(&'/') => escaped.push_str("&#58;"),
            letter => escaped.push(letter),
        }
        previous = Some(letter);
    }
    escaped
}

fn push_escaped(text: &mut String, letter: char) {
    text.push('\\');
    text.push(letter);
}

/// Whether a full stop or a bracket after this would begin a numbered list.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.chars().all(|letter| letter.is_ascii_digit())
}

/// Any text as code within a line, or within a table's cell.
fn code(text: &str) -> String {
    let text = clean(text);
    // Tables and code disagree on how a bar is escaped, so a text with one is shown as plain text.
    if text.contains('|') {
        return inline(&text);
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let gap = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// Lines as a block of code, fenced so that none of them can end it.
fn fenced(language: &str, lines: &[String]) -> String {
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn table(head: &[String], rows: &[Vec<Span>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| inline(cell)).collect();
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(span).collect();
        // Writing to a string cannot fail.
        _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// A list; the entries are Markdown already.
fn bullets(entries: impl IntoIterator<Item = String>) -> String {
    entries.into_iter().map(|entry| format!("- {entry}\n")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_in_a_text_is_taken_for_markup() {
        assert_eq!(inline("a | b `c` <script>&\n# d"), "a \\| b \\`c\\` &lt;script&gt;&amp; \\# d");
        assert_eq!(inline("- x"), "\\- x");
        assert_eq!(inline("1. x 2.5"), "1\\. x 2.5");
        assert_eq!(inline("task_001 _x_ **y**"), "task_001 \\_x\\_ \\*\\*y\\*\\*");
        assert_eq!(inline("![i](http://x)"), "!\\[i\\](http&#58;//x)");
    }

    #[test]
    fn code_is_fenced_by_more_backticks_than_it_has() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert!(fenced("text", &["```".to_owned()]).starts_with("````text\n"));
    }

    proptest! {
        #[test]
        fn a_table_row_has_as_many_cells_as_its_head(cell in "[a-z|`\\\\\n<_*\u{0}-\u{1f}\u{2028}é東]{0,30}") {
            let row = vec![vec![Inline::Text(cell.clone())], vec![Inline::Code(cell)]];
            let text = table(&["a".to_owned(), "b".to_owned()], &[row]);
            prop_assert_eq!(text.lines().count(), 3);
            let row = text.lines().last().unwrap().replace("\\\\", "").replace("\\|", "");
            prop_assert_eq!(row.matches('|').count(), 3, "{}", row);
        }
    }
}
