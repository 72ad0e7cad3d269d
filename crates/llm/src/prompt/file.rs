//! The files that prompts live in: a version, a stable part, and a question with slots.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Own, PromptError};

/// The largest file that is read as a prompt.
const MAX_FILE: u64 = 64 * 1024;

/// A prompt, taken apart.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    pub(super) version: u32,
    pub(super) system: String,
    pub(super) question: Vec<Piece>,
}

/// A part of a question.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Words(String),
    Slot(String),
}

impl Prompt {
    pub(super) fn parse(own: &Own, file: &str, text: &str) -> Result<Self, PromptError> {
        let version = version(file, text)?;
        let (system, question, line) = sections(file, text)?;
        if let Some((line, slot)) = first_slot(&system) {
            return Err(PromptError::SlotInSystem { file: file.to_owned(), line, slot });
        }
        let pieces = pieces(own, file, &question)?;
        let has = |slot: &&str| pieces.iter().any(|piece| matches!(piece, Piece::Slot(name) if name == slot));
        if let Some(slot) = own.required.iter().find(|slot| !has(slot)) {
            return Err(PromptError::MissingSlot { file: file.to_owned(), line, slot, known: own.slots() });
        }
        Ok(Self { version, system: joined(&system), question: pieces })
    }
}

type Lines<'a> = Vec<(usize, &'a str)>;

fn version(file: &str, text: &str) -> Result<u32, PromptError> {
    let first =
        text.lines().next().and_then(|line| line.trim_start_matches('\u{feff}').strip_prefix("version:"));
    let number = first.and_then(|number| number.trim().parse().ok());
    number.ok_or_else(|| PromptError::NoVersion { file: file.to_owned() })
}

/// The lines of both sections, with their numbers, and the line of the second heading.
fn sections<'a>(file: &str, text: &'a str) -> Result<(Lines<'a>, Lines<'a>, usize), PromptError> {
    let wrong = |line, what| PromptError::Sections { file: file.to_owned(), line, what };
    let (mut system, mut question) = (None, None);
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        match (line.trim_end(), &mut system, &mut question) {
            ("# System", None, None) => system = Some(Lines::new()),
            ("# System", ..) => return Err(wrong(number, "\"# System\" is not the first section")),
            ("# Question", Some(_), None) => question = Some((Lines::new(), number)),
            ("# Question", ..) => return Err(wrong(number, "\"# Question\" is not the second section")),
            (_, _, Some((lines, _))) => lines.push((number, line)),
            (_, Some(lines), None) => lines.push((number, line)),
            ("", None, None) => {}
            (_, None, None) => return Err(wrong(number, "there is text before the first section")),
        }
    }
    let last = text.lines().count();
    let system = system.ok_or_else(|| wrong(last, "\"# System\" is missing"))?;
    let (question, line) = question.ok_or_else(|| wrong(last, "\"# Question\" is missing"))?;
    if joined(&system).is_empty() || joined(&question).is_empty() {
        return Err(wrong(line, "a section is empty"));
    }
    Ok((system, question, line))
}

fn joined(lines: &Lines<'_>) -> String {
    let lines: Vec<&str> = lines.iter().map(|(_, line)| line.trim_end()).collect();
    lines.join("\n").trim().to_owned()
}

fn first_slot(lines: &Lines<'_>) -> Option<(usize, String)> {
    lines.iter().find_map(|(number, line)| {
        let (_, after) = line.split_once("{{")?;
        let name = after.split_once("}}").map_or(after, |(name, _)| name);
        Some((*number, name.trim().to_owned()))
    })
}

fn pieces(own: &Own, file: &str, lines: &Lines<'_>) -> Result<Vec<Piece>, PromptError> {
    let mut pieces = Vec::new();
    let mut words = String::new();
    let start = lines.iter().position(|(_, line)| !line.trim().is_empty()).unwrap_or(0);
    let end = lines.iter().rposition(|(_, line)| !line.trim().is_empty()).unwrap_or(0);
    for (index, (number, line)) in lines.iter().enumerate().take(end + 1).skip(start) {
        let mut rest = line.trim_end();
        while let Some((before, after)) = rest.split_once("{{") {
            let known = own.slots();
            let Some((name, behind)) = after.split_once("}}") else {
                return Err(PromptError::OpenSlot { file: file.to_owned(), line: *number, known });
            };
            let (slot, line) = (name.trim().to_owned(), *number);
            if !own.knows(&slot) {
                return Err(PromptError::UnknownSlot { file: file.to_owned(), line, slot, known });
            }
            words.push_str(before);
            pieces.push(Piece::Words(std::mem::take(&mut words)));
            pieces.push(Piece::Slot(slot));
            rest = behind;
        }
        words.push_str(rest);
        if index < end {
            words.push('\n');
        }
    }
    pieces.push(Piece::Words(words));
    Ok(pieces)
}

/// The prompt files of a folder, with the names of their prompts, in order.
pub(super) fn in_folder(folder: &Path) -> Result<Vec<(PathBuf, String)>, PromptError> {
    let failed = |source| PromptError::Io { file: folder.display().to_string(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_prompt = path.extension().is_some_and(|extension| extension == "md");
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        if let (true, Some(name)) = (is_prompt, name) {
            found.push((path, name));
        }
    }
    found.sort();
    Ok(found)
}

pub(super) fn read(path: &Path) -> Result<String, PromptError> {
    let file = path.display().to_string();
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|open| open.take(MAX_FILE + 1).read_to_string(&mut text));
    match read {
        Ok(bytes) if bytes as u64 > MAX_FILE => Err(PromptError::TooLarge { file, max: MAX_FILE }),
        Ok(_) => Ok(text),
        Err(source) => Err(PromptError::Io { file, source }),
    }
}
