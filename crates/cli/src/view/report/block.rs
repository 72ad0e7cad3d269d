//! What a report is made of, before it is Markdown or HTML.

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inline {
    /// Plain text.
    Text(String),
    /// Text that matters more.
    Strong(String),
    /// An id, a command, a key.
    Code(String),
    /// A file or an address, which opens.
    Link(String),
}

/// A line of pieces.
pub(super) type Span = Vec<Inline>;

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// The title of a section; 2 is the highest.
    Heading(u8, String),
    /// A paragraph.
    Text(Span),
    /// Entries.
    List(Vec<Span>),
    /// Names with what they stand for.
    Facts(Vec<(String, Span)>),
    /// Rows of cells.
    Table(Vec<String>, Vec<Vec<Span>>),
    /// Lines whose columns matter.
    Drawing(Vec<String>),
    /// A drawing in Mermaid's language; only where it is understood.
    Mermaid(Vec<String>),
}

/// A line of plain text.
pub(super) fn text(text: impl Into<String>) -> Span {
    vec![Inline::Text(text.into())]
}

/// A line that is code.
pub(super) fn code(text: impl Into<String>) -> Span {
    vec![Inline::Code(text.into())]
}

/// A paragraph of plain text.
pub(super) fn paragraph(told: impl Into<String>) -> Block {
    Block::Text(text(told))
}

/// A section, unless there is nothing in it.
pub(super) fn section(level: u8, title: &str, body: Vec<Block>) -> Vec<Block> {
    if body.is_empty() {
        return Vec::new();
    }
    std::iter::once(Block::Heading(level, title.to_owned())).chain(body).collect()
}

/// A list, unless it is empty.
pub(super) fn list(entries: Vec<Span>) -> Vec<Block> {
    if entries.is_empty() { Vec::new() } else { vec![Block::List(entries)] }
}
