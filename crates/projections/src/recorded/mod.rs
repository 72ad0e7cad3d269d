//! What runs record in English, as far as its sentences are Candor's own and known, in a reader's language.
//!
//! What a person, an agent or a model wrote stays as it was written, also within a sentence of Candor's. A test of the command
//! reads the sources that record sentences and sees that each of them is known here.

mod failures;
mod phases;
mod plans;
mod questions;

use candor_model::{ChoiceOption, ChoiceRequest, HumanApprovalRequest, NonEmpty};
use candor_text::Language;

/// A sentence as it is recorded, and the same in Spanish, with as many places in the same order: `{}` stands for anything and
/// stays as it is, `{w}` for a single word or figure, `{t}` for a sentence that is told as well, `{k}` for one that must be known. What stands in the last place
/// may always be a sentence.
type Entry = (&'static str, &'static str);

/// The tables, in the order in which they are searched.
const TABLES: [&[Entry]; 4] =
    [failures::SENTENCES, plans::SENTENCES, questions::SENTENCES, phases::SENTENCES];
/// Has the form of others: what stands behind the colon may be known.
const LOOSE: Entry = ("{} ({}): {}", "{} ({}): {}");
/// Between the parts of a list, and between sentences.
const SEPARATORS: [Entry; 4] = [("\n", "\n"), ("; ", "; "), (". ", ". "), (", or ", ", o ")];

/// A sentence as it is recorded, in a language.
#[must_use]
pub fn told(language: Language, recorded: &str) -> String {
    match language {
        Language::En => recorded.to_owned(),
        Language::Es => in_spanish(recorded),
    }
}

/// A choice in a language. What is typed stays the same.
#[must_use]
pub fn choice(language: Language, recorded: &ChoiceRequest) -> ChoiceRequest {
    let option = |option: &ChoiceOption| ChoiceOption {
        label: told(language, &option.label),
        details: told(language, &option.details),
        ..option.clone()
    };
    let options = NonEmpty::new("options", recorded.options.iter().map(option).collect());
    ChoiceRequest {
        reason: told(language, &recorded.reason),
        text: told(language, &recorded.text),
        options: options.unwrap_or_else(|_| recorded.options.clone()),
        ..recorded.clone()
    }
}

/// A plan that waits for a person, in a language. What is typed, and the digest, stay the same.
#[must_use]
pub fn approval(language: Language, recorded: &HumanApprovalRequest) -> HumanApprovalRequest {
    let mut request = recorded.clone();
    let reasons = NonEmpty::new("reasons", recorded.reasons.iter().map(|it| told(language, it)).collect());
    request.reasons = reasons.unwrap_or(request.reasons);
    let brief = request.brief.as_deref_mut().into_iter();
    let of_brief = brief.flat_map(|brief| {
        let risks = brief.risks.iter_mut().flat_map(|risk| [&mut risk.description, &mut risk.mitigation]);
        let ways = brief.alternatives.iter_mut().flat_map(|way| [&mut way.name, &mut way.tradeoff]);
        risks.chain(ways)
    });
    let texts = request.reply.iter_mut().chain([&mut request.plan_summary]);
    texts.chain(of_brief).for_each(|text| *text = told(language, text));
    request
}

fn in_spanish(recorded: &str) -> String {
    known(recorded).unwrap_or_else(|| recorded.to_owned())
}

/// The Spanish of a sentence or of a list of them; nothing if no part of it is known.
fn known(recorded: &str) -> Option<String> {
    let without_stop = || {
        let bare = recorded.strip_suffix('.')?;
        by_tables(bare).map(|told| told + ".")
    };
    by_tables(recorded)
        .or_else(without_stop)
        .or_else(|| changes(recorded))
        .or_else(|| names(recorded))
        .or_else(|| SEPARATORS.iter().find_map(|separator| part_by_part(recorded, *separator)))
        .or_else(|| by_template(recorded, LOOSE))
        .or_else(|| with_what_was_found(recorded))
}

/// A criterion is a form that is typed, and stays; what was found of it follows in parentheses.
fn with_what_was_found(recorded: &str) -> Option<String> {
    let (criterion, found) = recorded.strip_suffix(')')?.split_once(" (")?;
    Some(format!("{criterion} ({})", known(found)?))
}

fn by_tables(recorded: &str) -> Option<String> {
    TABLES.into_iter().flatten().find_map(|entry| by_template(recorded, *entry))
}

/// A recovery names its changes behind a colon; they are names, and stay.
fn changes(recorded: &str) -> Option<String> {
    let (what, changes) = recorded.split_once(": ")?;
    Some(format!("{}: {}", by_tables(what)?, in_spanish(changes)))
}

/// A list of names, each of which is known.
fn names(recorded: &str) -> Option<String> {
    let names: Option<Vec<String>> = recorded.split(", ").map(by_tables).collect();
    names.map(|names| names.join(", "))
}

fn part_by_part(recorded: &str, (separator, in_spanish): Entry) -> Option<String> {
    let parts: Vec<&str> = recorded.split(separator).collect();
    let told: Vec<Option<String>> =
        if parts.len() > 1 { parts.iter().map(|part| known(part)).collect() } else { Vec::new() };
    if told.iter().all(Option::is_none) {
        return None;
    }
    let told = told.into_iter().zip(parts).map(|(told, part)| told.unwrap_or_else(|| part.to_owned()));
    Some(told.collect::<Vec<_>>().join(in_spanish))
}

/// A place in a template.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Anything,
    Word,
    Sentence,
    Known,
}

/// The fixed text before the first place of a template, the place, and the rest; nothing if it has no place.
fn next_place(template: &str) -> Option<(&str, Place, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (kind, rest) = rest.split_once('}')?;
    let place = match kind {
        "w" => Place::Word,
        "t" => Place::Sentence,
        "k" => Place::Known,
        _ => Place::Anything,
    };
    Some((before, place, rest))
}

/// The sentence in Spanish, if it has the form of this entry.
fn by_template(recorded: &str, (english, spanish): Entry) -> Option<String> {
    let mut values = values(recorded, english)?.into_iter();
    let (mut told, mut template) = (String::new(), spanish);
    while let Some((before, _, rest)) = next_place(template) {
        told.push_str(before);
        told.push_str(&values.next()?);
        template = rest;
    }
    told.push_str(template);
    Some(told)
}

/// What stands in the places of a sentence, those that are sentences in Spanish; nothing if it has another form.
fn values(recorded: &str, english: &str) -> Option<Vec<String>> {
    let Some((before, mut place, mut template)) = next_place(english) else {
        return (recorded == english).then(Vec::new);
    };
    let mut rest = recorded.strip_prefix(before)?;
    let mut found = Vec::new();
    loop {
        let next = next_place(template);
        let (value, after) = match next {
            Some((between, ..)) => rest.split_once(between)?,
            None => (rest.strip_suffix(template)?, ""),
        };
        if value.is_empty() || (place == Place::Word && value.contains(char::is_whitespace)) {
            return None;
        }
        found.push(match place {
            Place::Known => known(value)?,
            Place::Anything | Place::Word if next.is_some() => value.to_owned(),
            _ => in_spanish(value),
        });
        let Some((_, next, left)) = next else { return Some(found) };
        (rest, place, template) = (after, next, left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_with_places_keep_what_stands_in_them() {
        let pairs = [
            (
                "Retrying with the same agent in about 1 second",
                "Reintento con el mismo agente dentro de un segundo",
            ),
            (
                "Retrying with the same agent in about 10 seconds",
                "Reintento con el mismo agente dentro de unos 10 segundos",
            ),
            ("plan version 2 approved", "versión 2 del plan aprobada"),
            (
                "Before the next run, see to Pack the boxes (pack): Dependency bind failed",
                "Antes de la próxima ejecución, revisa Pack the boxes (pack): Falló bind, de la que depende",
            ),
            ("Bind (bind): the glue is cold (2 times)", "Bind (bind): the glue is cold (2 veces)"),
            ("2 of 5 attempts succeeded", "2 de 5 intentos con éxito"),
            ("what an agent said", "what an agent said"),
        ];
        pairs.into_iter().for_each(|(english, spanish)| assert_eq!(in_spanish(english), spanish));
    }

    #[test]
    fn every_template_has_as_many_places_in_both_languages() {
        let places = |text: &str| text.matches('{').count();
        TABLES
            .into_iter()
            .flatten()
            .for_each(|(english, spanish)| assert_eq!(places(english), places(spanish), "{english}"));
    }
}
