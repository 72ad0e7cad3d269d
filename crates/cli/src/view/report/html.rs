//! A report as one HTML file that needs nothing else: readable in light and dark, and on paper.

use super::block::{Block, Inline, Span};
use crate::view::text::clean;

const STYLE: &str = include_str!("report.css");

/// A page that needs no other file.
pub(super) fn page(title: &str, blocks: &[Block]) -> String {
    let title = escaped(&clean(title));
    let body: String = blocks.iter().map(block).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(level, title) => {
            let level = (*level).clamp(2, 6);
            format!("<h{level}>{}</h{level}>\n", escaped(title))
        }
        Block::Text(told) => format!("<p>{}</p>\n", span(told)),
        Block::List(entries) => {
            let entries: String = entries.iter().map(|entry| format!("<li>{}</li>\n", span(entry))).collect();
            format!("<ul>\n{entries}</ul>\n")
        }
        Block::Facts(facts) => {
            let row = |(name, told): &(String, Span)| {
                format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), span(told))
            };
            format!("<dl>\n{}</dl>\n", facts.iter().map(row).collect::<String>())
        }
        Block::Table(head, rows) => table(head, rows),
        Block::Drawing(lines) => format!("<pre>{}</pre>\n", escaped(&lines.join("\n"))),
        Block::Mermaid(_) => String::new(),
    }
}

fn table(head: &[String], rows: &[Vec<Span>]) -> String {
    let numbers = |at: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(at)).filter(|cell| !cell.is_empty()).peekable();
        cells.peek().is_some() && cells.all(is_number)
    };
    let title = |(at, cell): (usize, &String)| {
        let class = if numbers(at) { " class=\"n\"" } else { "" };
        format!("<th{class}>{}</th>", escaped(cell))
    };
    let head: String = head.iter().enumerate().map(title).collect();
    let cell = |cell: &Span| {
        let number = if is_number(cell) { " class=\"n\"" } else { "" };
        format!("<td{number}>{}</td>", span(cell))
    };
    let row = |row: &Vec<Span>| format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<String>());
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"t\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Numbers stand under each other.
fn is_number(cell: &Span) -> bool {
    let [Inline::Text(told)] = cell.as_slice() else { return false };
    let told = told.trim_start_matches(['$', '+', '-']).trim_end_matches(['s', '%']);
    !told.is_empty()
        && told.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',' | ':'))
}

fn span(span: &Span) -> String {
    let piece = |piece: &Inline| match piece {
        Inline::Text(told) => escaped(&clean(told)),
        Inline::Strong(told) => format!("<strong>{}</strong>", escaped(&clean(told))),
        Inline::Code(told) => format!("<code>{}</code>", escaped(&clean(told))),
        Inline::Link(target) => {
            let told = escaped(&clean(target));
            format!("<a href=\"{told}\" rel=\"noopener noreferrer\">{told}</a>")
        }
    };
    span.iter().map(piece).collect::<Vec<_>>().join(" ")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
