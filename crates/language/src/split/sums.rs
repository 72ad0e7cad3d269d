//! Quantities that are computed from quantities: "Half of the 40 hives swarmed. How many are left?"

use std::collections::BTreeSet;

use candor_text::{fold, is_stop_word, says, singular, words};

use super::{Step, lists, requests, sentences::sentences, tidy};

/// How a quantity is asked for.
const ASKING: &[&str] = &["how many", "how much", "how long", "cuántos", "cuántas", "cuánto", "cuánta"];
const ASKED_NAMES: &[&str] = &[
    "total",
    "average",
    "cost",
    "price",
    "sum",
    "percentage",
    "number",
    "promedio",
    "coste",
    "precio",
    "suma",
];

/// Words that make one quantity out of another.
const RELATING: &[&str] = &[
    "twice",
    "double",
    "triple",
    "half",
    "third",
    "quarter",
    "percent",
    "times",
    "more",
    "fewer",
    "less",
    "older",
    "younger",
    "doble",
    "triple",
    "mitad",
    "tercio",
    "cuarto",
    "por ciento",
    "veces",
    "más",
    "menos",
];

/// Words that are figures.
#[rustfmt::skip]
const FIGURES: &[&str] =
    &["twice", "half", "double", "doble", "mitad", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "quarter",
    "dozen", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "docena", "tercio"];

/// Words that say how much one of several has or costs.
#[rustfmt::skip]
const RATES: &[&str] = &[
    "each", "every", "per", "apiece", "daily", "weekly", "monthly", "hourly", "a day", "a week", "a month", "an hour",
    "cada", "diario", "diaria", "diarios", "diarias", "al día", "a la semana", "al mes", "por hora", "por noche",
];

/// Words that ask for several quantities together.
#[rustfmt::skip]
const TOTALS: &[&str] = &["total", "altogether", "in all", "together", "combined", "average", "promedio", "media", "juntos", "juntas"];

/// A sentence with more of them is no statement of quantities any more.
const MOST_STATEMENTS: usize = 8;

/// The steps of a question after a quantity, if what it is computed from is told before it.
///
/// Each statement that relates two quantities, or tells how much each of several has, is a calculation of its own; where the
/// last one defines what is asked, the question is that calculation. Related ones are read in their order, for a later one
/// mostly builds on an earlier one.
pub(super) fn split(text: &str) -> Option<Vec<Step>> {
    let sentences = sentences(text);
    let (question, told) = sentences.split_last()?;
    let asks = |sentence: &&str| requests::starts_with_verb(requests::read(sentence).what);
    if !asks_for_quantity(question) || lists::blocks(text).len() != 1 || told.iter().any(asks) {
        return None;
    }
    let quantities: Vec<&str> = told.iter().copied().filter(|sentence| has_figure(sentence)).collect();
    let mut asked = names(question);
    asked.retain(|name| !TOTALS.contains(&name.as_str()));
    // "How many can be sold?" is about what was told.
    if asked.len() > 1 && quantities.iter().all(|sentence| names(sentence).is_disjoint(&asked)) {
        return None;
    }
    let calculations = calculations(&quantities);
    let needed = match calculations.split_last() {
        Some((last, before)) if answers(last, question, &quantities) => before,
        _ => calculations.as_slice(),
    };
    if needed.is_empty() {
        return None;
    }
    Some(steps(needed, question))
}

/// A statement that has something to be calculated.
#[derive(Debug, Clone, Copy)]
struct Calculation<'a> {
    statement: &'a str,
    /// Whether it makes one quantity out of another, and not out of its own figures only.
    relates: bool,
}

/// The calculations that the statements hold, in their order.
fn calculations<'a>(quantities: &[&'a str]) -> Vec<Calculation<'a>> {
    let mut found = Vec::new();
    for (at, sentence) in quantities.iter().enumerate() {
        let before = quantities.get(..at).unwrap_or_default();
        for statement in statements(sentence) {
            let relates = relates(&statement);
            if relates || has_rate(statement, before) {
                found.push(Calculation { statement, relates });
            }
        }
    }
    found
}

/// What is related to another quantity needs the calculation before it; the question needs what nothing else does.
fn steps(calculations: &[Calculation<'_>], question: &str) -> Vec<Step> {
    let calculate = |what: &str| format!("Calculate: {}", tidy(what));
    let related = |at: usize| calculations.get(at).is_some_and(|it| it.relates);
    let mut steps: Vec<Step> = calculations
        .iter()
        .enumerate()
        .map(|(at, it)| {
            let needs = at.checked_sub(1).filter(|_| it.relates);
            Step::new(calculate(it.statement), needs.into_iter().collect(), true)
        })
        .collect();
    let last = (0..steps.len()).filter(|&at| !related(at + 1)).collect();
    steps.push(Step::new(calculate(question), last, true));
    steps
}

/// Whether a statement counts things of which it or one before it tells how much each is: "40 rows of 20 chairs each".
fn has_rate(statement: &str, before: &[&str]) -> bool {
    let lower = statement.to_lowercase();
    let own = names(statement);
    let counted = || before.iter().any(|told| !names(told).is_disjoint(&own));
    RATES.iter().any(|word| says(&lower, word))
        && (figures(&lower) > 1 || (figures(&lower) == 1 && counted()))
}

/// Whether a statement defines what is asked: the question has no figure of its own, asks for no total of several, and
/// shares a name with the statement that nothing before it has. "30 percent of the does are white. How many white does …?"
fn answers(last: &Calculation<'_>, question: &str, quantities: &[&str]) -> bool {
    let lower = question.to_lowercase();
    let asked = names(question);
    let own = quantities.iter().position(|it| it.contains(last.statement)).unwrap_or_default();
    let front =
        quantities.get(own).and_then(|it| it.split_once(last.statement)).map_or("", |(front, _)| front);
    let told = quantities.get(..own).unwrap_or_default().iter().copied().chain([front]);
    let before: BTreeSet<String> = told.flat_map(names).collect();
    let defined = names(last.statement).iter().any(|name| asked.contains(name) && !before.contains(name));
    figures(&lower) == 0 && !TOTALS.iter().any(|word| says(&lower, word)) && defined
}

fn asks_for_quantity(question: &str) -> bool {
    let question = question.to_lowercase();
    let says_any = |words: &[&str]| words.iter().any(|word| says(&question, word));
    question.ends_with('?') && (says_any(ASKING) || (says(&question, "what") && says_any(ASKED_NAMES)))
}

fn has_figure(text: &str) -> bool {
    figures(&text.to_lowercase()) > 0
}

/// How many figures a text in lower case has.
fn figures(text: &str) -> usize {
    let bare = |word: &str| FIGURES.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
    text.split_whitespace().filter(|word| word.contains(|c: char| c.is_ascii_digit()) || bare(word)).count()
}

/// Whether a statement makes one quantity out of another.
fn relates(statement: &&str) -> bool {
    let lower = statement.to_lowercase();
    has_figure(statement) && (lower.contains('%') || RELATING.iter().any(|word| says(&lower, word)))
}

/// The statements of a sentence: "half of them are red and 30 percent of those are small" has two.
fn statements(sentence: &str) -> Vec<&str> {
    const JOINTS: &[&str] = &[", while ", ", and ", " and ", "; ", " y ", ", mientras "];
    let (mut found, mut rest) = (Vec::new(), sentence);
    while found.len() < MOST_STATEMENTS {
        let cut = JOINTS.iter().find_map(|joint| {
            let (head, tail) = rest.split_once(joint)?;
            (relates(&head) && relates(&tail)).then_some((head, tail))
        });
        let Some((head, tail)) = cut else { break };
        found.push(head);
        rest = tail;
    }
    found.push(rest);
    found
}

/// What a sentence is about.
fn names(sentence: &str) -> BTreeSet<String> {
    let named = words(sentence).map(|word| fold(word).to_lowercase());
    named
        .filter(|word| !is_stop_word(word) && word.len() > 2)
        .map(|word| singular(&word).into_owned())
        .collect()
}
