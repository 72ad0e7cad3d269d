//! 1b, the complexity scorer: how much there is to a request. It reads what the keyword detector found.

use candor_model::Complexity;

use super::keywords::Keywords;
use super::tables;
use super::words::Words;
use crate::goal::{Extracted, Reading};
use crate::split::split;

/// What every request takes.
const BASE: u32 = 10;
/// What each file adds, and what all of them add at most.
const PER_FILE: u32 = 6;
const FILES_AT_MOST: u32 = 60;
/// What each verb of building or rebuilding adds.
const PER_BUILDING: u32 = 8;
/// What security or architecture adds.
const GRAVE: u32 = 15;
/// What weighing things against each other adds.
const WEIGHING: u32 = 22;
/// What it adds that the whole of something is meant.
const WHOLE: u32 = 25;
/// What tests add, of 100.
const TESTS: u32 = 20;
/// What each technology adds, and what all of them add at most.
const PER_TECHNOLOGY: u32 = 3;
const TECHNOLOGIES_AT_MOST: u32 = 15;
/// What a journey adds: it takes several bookings that must fit together.
const JOURNEY: u32 = 20;
/// What each operation beyond the first adds, and what all of them add at most.
const PER_OPERATION: u32 = 10;
const OPERATIONS_AT_MOST: u32 = 50;
/// What it adds that something cannot be taken back, or that others depend on it.
const RISK: u32 = 8;
/// What each limit to keep adds, and what all of them add at most.
const PER_LIMIT: u32 = 5;
const LIMITS_AT_MOST: u32 = 20;

/// What each pair of instructions adds that exclude each other, and what all of them add at most: someone must find out
/// which of them holds, and what was built on the other is done again.
const PER_CONTRADICTION: u32 = 10;
const CONTRADICTIONS_AT_MOST: u32 = 20;

/// The sum, with its parts.
#[derive(Default)]
struct Sum {
    total: u32,
    parts: Vec<String>,
}

impl Sum {
    fn add(&mut self, points: u32, reason: &str) {
        if points > 0 {
            self.total = self.total.saturating_add(points);
            self.parts.push(format!("{points}: {reason}"));
        }
    }
}

/// What was found out about a request before it is scored.
pub(super) struct Basis<'a> {
    /// Whether it is about a journey.
    pub(super) journey: bool,
    /// The goal as it was read.
    pub(super) reading: &'a Reading,
    /// What the keyword detector found.
    pub(super) found: &'a Keywords,
    /// How many files it names.
    pub(super) files: u32,
    /// How many of its instructions exclude each other.
    pub(super) contradictions: usize,
}

/// Scores how demanding a request is, from 0 to 100.
pub(super) fn score(text: &str, words: &Words<'_>, basis: &Basis<'_>) -> Complexity {
    let Basis { journey, reading, found, files, contradictions } = *basis;
    let any = |table: &[&str]| words.all().iter().any(|word| tables::has(table, &word.key));
    let mut sum = Sum::default();
    sum.add(BASE, "what every request takes");
    sum.add(PER_FILE.saturating_mul(files).min(FILES_AT_MOST), "files");
    let operations = count(split(text).len().saturating_sub(1));
    sum.add(PER_OPERATION.saturating_mul(operations).min(OPERATIONS_AT_MOST), "further operations");
    sum.add(if any(tables::RISKY) { RISK } else { 0 }, "what is done cannot easily be undone");
    let building = (0..words.len()).filter(|at| is_building(words, *at)).count();
    sum.add(PER_BUILDING.saturating_mul(count(building)), "verbs of building and rebuilding");
    sum.add(if any(tables::GRAVE) { GRAVE } else { 0 }, "security or architecture");
    sum.add(if any(tables::WEIGHING) { WEIGHING } else { 0 }, "things to be weighed against each other");
    sum.add(if is_whole(words) { WHOLE } else { 0 }, "the whole of it is meant");
    sum.add(if any(tables::TESTS) { TESTS } else { 0 }, "tests");
    let technologies = PER_TECHNOLOGY.saturating_mul(count(found.technologies.len()));
    sum.add(technologies.min(TECHNOLOGIES_AT_MOST), "technologies");
    sum.add(if journey { JOURNEY } else { 0 }, "a journey, whose bookings must fit together");
    let unclear = PER_CONTRADICTION.saturating_mul(count(contradictions)).min(CONTRADICTIONS_AT_MOST);
    sum.add(unclear, "instructions that exclude each other");
    sum.add(PER_LIMIT.saturating_mul(limits(&reading.extracted)).min(LIMITS_AT_MOST), "limits to keep");
    Complexity { total: u8::try_from(sum.total.min(100)).unwrap_or(100), parts: sum.parts }
}

fn is_building(words: &Words<'_>, at: usize) -> bool {
    tables::BUILDING.contains(words.key(at)) && !stands_for_a_thing(words, at)
}

/// `the design` and `a build` are things.
fn stands_for_a_thing(words: &Words<'_>, at: usize) -> bool {
    tables::DETERMINERS.contains(words.before(at))
}

/// `a full login feature`: a word for the whole, and near it what it is the whole of.
fn is_whole(words: &Words<'_>) -> bool {
    (0..words.len()).any(|at| {
        tables::WHOLE.contains(words.key(at))
            && (at.saturating_sub(2)..at.saturating_add(5))
                .any(|near| tables::LARGE.contains(words.key(near)))
    })
}

/// How many limits a request sets.
fn limits(extracted: &Extracted) -> u32 {
    let set = [
        extracted.destination.is_some(),
        extracted.duration_days.is_some(),
        extracted.budget.is_some(),
        extracted.dates.is_some() || extracted.deadline.is_some(),
        extracted.people.is_some(),
    ];
    let lists = extracted.must.len().saturating_add(extracted.must_not.len());
    count(set.into_iter().filter(|set| *set).count().saturating_add(lists))
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}
