//! Spanish wishes that go on: "necesito que prepares la escritura, que la revise el notario y que se envíe copia".
//!
//! Each clause that says what is wished has its verb in the subjunctive, and is a task. "La casa, que es vieja" has none.

use candor_text::fold_letter;

use super::cues::strip_any;
use super::requests::is_verb;

/// Openings of a sentence that wishes something to be done.
#[rustfmt::skip]
pub(super) const WISHED_THAT: &[&str] = &[
    "necesito que", "necesitamos que", "quiero que", "queremos que", "te pido que", "os pido que", "le pido que",
    "les pido que", "pido que", "pedimos que", "te ruego que", "ruego que", "hace falta que", "es necesario que",
    "conviene que", "es preciso que",
];
/// Marks at which a wish may go on with a further one; the longer first.
const JOINTS: &[&str] = &["; y ", ", y ", ", e ", "; ", ", ", " y ", " e "];
/// Small words that stand before a verb and belong to it.
const BEFORE_VERB: &[&str] = &["se", "me", "te", "nos", "os", "lo", "la", "los", "las", "le", "les", "no"];
/// Among how many words of a clause with "que" its verb is looked for: "que el notario revise …".
const SUBJECT: usize = 5;
/// A sentence longer than this, in bytes, was not written by a person and is not cut.
const LONGEST: usize = 4_000;

/// The clauses of a sentence that wishes several things to be done, each without its "que"; none if it wishes one.
pub(super) fn wishes(sentence: &str) -> Vec<&str> {
    let Some(body) = strip_any(sentence, WISHED_THAT).filter(|body| body.len() <= LONGEST) else {
        return Vec::new();
    };
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some((cut, next)) = next_wish(body, at) {
        found.extend(body.get(start..cut));
        (start, at) = (next, next);
    }
    found.extend(body.get(start..).filter(|_| start > 0));
    found
}

/// Where the next wish ends the one before it, and where it begins, from the byte `from` on.
fn next_wish(body: &str, from: usize) -> Option<(usize, usize)> {
    let rest = body.get(from..)?;
    let joints = JOINTS.iter().flat_map(|joint| rest.match_indices(joint));
    let cuts = joints.filter_map(|(at, joint)| {
        let behind = rest.get(at + joint.len()..)?;
        let said = behind.strip_prefix("que ");
        // Behind a thing that is described itself, "y que" may go on describing it.
        let plain = joint.ends_with("y ") && !rest.get(..at).is_some_and(|before| before.contains(" que "));
        let begins = said.map_or_else(|| opens_wish(behind, 0), |said| plain || opens_wish(said, SUBJECT));
        let skipped = if said.is_some() { "que ".len() } else { 0 };
        begins.then_some((from + at, from + at + joint.len() + skipped))
    });
    // Of two marks at one place the longer counts, which leaves the later beginning.
    cuts.min_by_key(|&(at, next)| (at, std::cmp::Reverse(next)))
}

/// Whether a clause begins with a verb in the subjunctive, behind a subject of so many words at most.
fn opens_wish(clause: &str, subject: usize) -> bool {
    let end = JOINTS.iter().filter_map(|joint| clause.find(joint)).min().unwrap_or(clause.len());
    let words = clause.get(..end).unwrap_or(clause).split_whitespace();
    let words: Vec<&str> = words.map(|word| word.trim_end_matches(['.', '!'])).take(subject + 3).collect();
    let verb = words.iter().position(|word| !BEFORE_VERB.contains(word)).unwrap_or(words.len());
    words.iter().skip(verb).take(subject + 1).any(|word| infinitive(word).is_some())
        || match words.get(verb..) {
            // "Y las lleves": between a pronoun and nothing else stands only a verb.
            Some([word, ..])
                if verb > 0 && word.len() > 3 && ["es", "en", "e"].iter().any(|end| word.ends_with(end)) =>
            {
                true
            }
            Some([word, object, ..]) => is_told(word, object),
            _ => false,
        }
}

/// "Barnices la mesa": a word in "-es" or "-as" right before an article is no noun.
fn is_told(word: &str, object: &str) -> bool {
    const ARTICLES: &[&str] = &["el", "la", "los", "las", "un", "una", "cada", "todos", "todas", "su", "sus"];
    let verbal = word.len() > 4 && (word.ends_with("es") || word.ends_with("as"));
    verbal && word.starts_with(char::is_lowercase) && ARTICLES.contains(&object)
}

/// Whether a clause begins with a pronoun and its verb: "la revise el notario".
pub(super) fn has_pronoun(clause: &str) -> bool {
    let mut words = clause.split_whitespace();
    let first = words.next().unwrap_or_default();
    matches!(first, "Lo" | "La" | "Los" | "Las" | "Le" | "Les" | "lo" | "la" | "los" | "las" | "le" | "les")
        && words.next().is_some_and(|verb| infinitive(verb).is_some())
}

/// A clause without the pronouns before its verb: "revise el notario" of "la revise el notario".
pub(super) fn without_pronouns(clause: &str) -> &str {
    let mut rest = clause;
    while let Some((word, behind)) = rest.split_once(' ') {
        if word.len() > 3 || !BEFORE_VERB.contains(&word.to_lowercase().as_str()) {
            break;
        }
        rest = behind;
    }
    let verb = rest.split(' ').next().unwrap_or_default();
    if rest.len() < clause.len() && infinitive(verb).is_none() { clause } else { rest }
}

/// The infinitive of a verb in the subjunctive, if a table has it: "revisar" of "revises".
pub(super) fn infinitive(word: &str) -> Option<String> {
    let plain: String = word.to_lowercase().chars().map(without_accent).collect();
    let irregular = IRREGULAR
        .iter()
        .find(|(stem, _)| plain.strip_prefix(stem).is_some_and(|end| ["", "s", "n", "mos"].contains(&end)));
    if let Some((_, infinitive)) = irregular {
        return Some((*infinitive).to_owned());
    }
    ENDINGS.iter().find_map(|(endings, infinitives)| {
        let stem = endings.iter().find_map(|ending| plain.strip_suffix(ending))?;
        let verbs = stems(stem).into_iter();
        let mut verbs = verbs.flat_map(|stem| infinitives.iter().map(move |end| format!("{stem}{end}")));
        // Some verbs are in the tables as commands only: "usa" for "usar".
        verbs.find(|verb| is_verb(verb) || verb.strip_suffix('r').is_some_and(is_verb))
    })
}

/// The endings of the subjunctive, present and past, and the infinitives that have them.
const ENDINGS: &[(&[&str], &[&str])] = &[
    (&["emos", "es", "en", "e"], &["ar"]),
    (&["amos", "as", "an", "a"], &["er", "ir"]),
    (&["aras", "aran", "ara", "ases", "asen", "ase"], &["ar"]),
    (&["ieras", "ieran", "iera", "ieses", "iesen", "iese"], &["er", "ir"]),
];

/// The stems from which one of the subjunctive comes: "public" of "publiqu", "cerr" of "cierr", "pon" of "pong".
fn stems(stem: &str) -> Vec<String> {
    const SPELT: &[(&str, &str)] = &[
        ("qu", "c"),
        ("gu", "g"),
        ("zc", "c"),
        ("ig", ""),
        ("g", ""),
        ("c", "z"),
        ("j", "g"),
        ("z", "c"),
        ("y", ""),
    ];
    const CHANGED: &[(&str, &str)] = &[("ie", "e"), ("ue", "o"), ("i", "e"), ("u", "o")];
    let spelt = SPELT.iter().filter_map(|(end, plain)| Some(format!("{}{plain}", stem.strip_suffix(end)?)));
    let mut found: Vec<String> = [stem.to_owned()].into_iter().chain(spelt).collect();
    let changed = |stem: &String| {
        let stem = stem.clone();
        CHANGED.iter().filter_map(move |(vowel, plain)| {
            let at = stem.rfind(vowel).filter(|at| *at > 0 || vowel.len() > 1)?;
            Some(format!("{}{plain}{}", stem.get(..at)?, stem.get(at + vowel.len()..)?))
        })
    };
    let more: Vec<String> = found.iter().flat_map(changed).collect();
    found.extend(more);
    found
}

/// Verbs of which the stem says nothing.
const IRREGULAR: &[(&str, &str)] = &[
    ("haga", "hacer"),
    ("diga", "decir"),
    ("vaya", "ir"),
    ("sea", "ser"),
    ("este", "estar"),
    ("haya", "haber"),
    ("sepa", "saber"),
    ("quede", "quedar"),
    ("tenga", "tener"),
    ("deje", "dejar"),
    ("de", "dar"),
];

/// An ñ is a letter of its own, and stands so in the table of verbs.
fn without_accent(letter: char) -> char {
    if letter == 'ñ' { letter } else { fold_letter(letter) }
}
