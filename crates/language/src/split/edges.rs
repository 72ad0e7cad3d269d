//! Edges that no connective says: a step needs what an earlier one makes, finds or decides.

use std::collections::{BTreeMap, BTreeSet};

use candor_text::{fold, is_stop_word, singular};

use super::{
    Step,
    cues::{Cue, strip_any},
    limits::{behind_condition, found_out, holds_but},
    requests::{first_word, given, has_done},
    sentences::sentences,
    verbs::{Stage, has_clitic, stage},
    wishes::has_pronoun,
};

/// Where a step stands in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    /// The number of its sentence or list.
    pub(super) sentence: usize,
    /// How it hangs together with what came before.
    pub(super) cue: Cue,
    /// What it is written in.
    pub(super) form: Form,
}

/// What a step is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Sentences, or a list whose order says something.
    Prose,
    /// An item of a list whose order says nothing.
    Bullet,
    /// One of several things that can be done.
    Offer,
}

/// Verbs that bring something new into being.
#[rustfmt::skip]
const MAKING: &[&str] = &[
    "create", "draw", "plot", "dibuja", "dibujar", "make", "build", "write", "draft", "generate", "design", "compose",
    "develop", "produce", "record", "prepare", "compile", "establish", "set", "crea", "crear", "escribe", "escribir",
    "redacta", "redactar", "genera", "generar", "diseña", "diseñar", "prepara", "preparar", "construye", "construir", "haz",
    "hacer",
];
const NEW: &[&str] = &["a", "an", "new", "un", "una", "nuevo", "nueva"];
const KNOWN: &[&str] = &["the", "that", "this", "el", "la", "ese", "esa", "este", "esta"];
/// Words that stand for what an earlier step gave. Spanish has most of them at the end of the verb.
const POINTERS: &[&str] = &[
    "it", "them", "these", "those", "this", "both", "lo", "ambos", "ambas", "estos", "esos", "ello", "esto",
];
/// Words that only make sense beside what was found before: "recommend one", "fix whatever breaks".
#[rustfmt::skip]
const ELLIPTIC: &[&str] = &[
    "one", "ones", "others", "remainder", "total", "totals", "whatever", "uno", "cheapest", "best", "winner", "winners", "findings", "differences", "result", "results", "outcome",
    "rest", "cause", "mejor", "mejores", "ganador", "hallazgos", "diferencias", "resultado", "resultados", "causa",
    "missing", "falta", "resto", "which", "cual", "cuales", "slowest", "fastest", "largest", "smallest", "top", "worst", "highest", "lowest",
];
/// Among how many words of a step the word is looked for that points back; later ones point inside the step.
const POINTING: usize = 6;
/// A step with so few words says nothing of its own.
const BARE: usize = 1;

/// Adds what the steps need of each other; steps that are listed before what they need move behind it.
///
/// Steps of which nothing says that one needs the other stay independent. Measured on WorfBench, a sequence by default finds
/// few more order pairs (recall 15.3 against 14.6 %) and far more wrong ones (precision 33 against 50 %), also if only steps
/// about the same thing are put in a row. Nor is there an order among actions to choose from: of all pairs of such actions of
/// which one begins as first acts do ("gather", "choose") and the other as last ones ("serve", "let dry"), 6 % are pairs of
/// the labelled order, and of those that name the same two things 14 %. Which of the actions the goal needs, words do not tell:
/// those that do not belong to it repeat its words more often (17 % of their words against 10 %).
pub(super) fn link(steps: &mut Vec<Step>, origins: &[Origin]) -> Vec<usize> {
    link_made_things(steps);
    link_done_things(steps);
    link_given_things(steps);
    for place in 0..steps.len() {
        let Some(origin) = origins.get(place) else { continue };
        if steps.get(place).is_some_and(|step| !step.depends_on.is_empty()) {
            continue;
        }
        let found = if origin.form == Form::Prose { needed(steps, origins, place) } else { Vec::new() };
        if let Some(step) = steps.get_mut(place).filter(|_| !found.is_empty()) {
            step.depends_on = found;
            step.guessed = true;
        }
    }
    chain_back(steps, origins);
    link_alternatives(steps, origins);
    let listed: Vec<usize> =
        (0..steps.len()).filter(|&at| origins.get(at).is_some_and(|it| it.form == Form::Bullet)).collect();
    link_listed(steps, &listed);
    sorted(steps)
}

/// Lets the first of several steps in a row come first where those behind it are a sequence: "knead the dough, shape
/// the loaves, and bake them".
fn chain_back(steps: &mut [Step], origins: &[Origin]) {
    let beside = |at: usize| {
        let (origin, before) = (origins.get(at)?, origins.get(at.checked_sub(1)?)?);
        (origin.cue == Cue::Beside && origin.form == Form::Prose && origin.sentence == before.sentence)
            .then_some(())
    };
    for place in (1..steps.len()).rev() {
        let goes_on = beside(place + 1)
            .and_then(|()| steps.get(place + 1))
            .is_some_and(|next| next.depends_on == [place]);
        let free = |step: &&mut Step| step.depends_on.is_empty() && !indefinite_object(&step.description);
        let step = steps.get_mut(place).filter(|step| goes_on && beside(place).is_some() && free(step));
        if let Some(step) = step {
            step.depends_on.push(place - 1);
            step.guessed = true;
        }
    }
}

/// What is done otherwise needs what the steps need whose place it takes, and not these.
fn link_alternatives(steps: &mut [Step], origins: &[Origin]) {
    for place in 0..steps.len() {
        if origins.get(place).is_none_or(|origin| origin.cue != Cue::Otherwise) {
            continue;
        }
        let before = steps.get(..place).unwrap_or_default();
        let condition = before.iter().rev().find_map(|step| step.conditions.first());
        let first = condition.and_then(|it| before.iter().find(|step| step.conditions.first() == Some(it)));
        let finds_out = || before.iter().rposition(|step| found_out(&step.description).is_some());
        let needs = first.map(|step| step.depends_on.clone()).or_else(|| Some(vec![finds_out()?]));
        if let Some((step, needs)) = steps.get_mut(place).zip(needs) {
            step.depends_on = needs;
        }
        share_needs(steps, place);
    }
}

/// Lets the further steps of a branch wait for what its first one waits for, where nothing is said of them.
fn share_needs(steps: &mut [Step], first: usize) {
    let Some((head, rest)) = steps.get_mut(first..).and_then(<[_]>::split_first_mut) else { return };
    let same =
        |step: &&mut Step| step.conditions.first().is_some_and(|it| head.conditions.first() == Some(it));
    for step in rest.iter_mut().take_while(same).filter(|step| step.depends_on.is_empty()) {
        step.depends_on.clone_from(&head.depends_on);
    }
}

/// What a step of running text needs of the steps before it.
fn needed(steps: &[Step], origins: &[Origin], place: usize) -> Vec<usize> {
    let (Some(step), Some(origin), Some(previous)) =
        (steps.get(place), origins.get(place), place.checked_sub(1))
    else {
        return Vec::new();
    };
    // "Unless it rains" points to the weather.
    let but = holds_but(&step.description);
    let text = if but { behind_condition(&step.description) } else { step.description.as_str() };
    let near = |at: usize| origins.get(at).is_some_and(|it| it.sentence == origin.sentence);
    if (points_back(text) && origin.cue != Cue::Beside)
        || (near(previous) && (points_back(text) || is_elliptic(text)))
    {
        return vec![previous];
    }
    // "Which pumps leak? Order new seals": the answer tells for what.
    let asked = steps.get(previous).is_some_and(|step| asks_for_fact(&step.description));
    if asked && origin.cue == Cue::Silent && !near(previous) && !text.ends_with('?') {
        return vec![previous];
    }
    if !near(previous) || but || names_its_own(text, steps.get(..place).unwrap_or_default()) {
        return Vec::new();
    }
    let start = (0..place).rev().take_while(|&at| near(at)).last().unwrap_or(previous);
    let before = || (start..place).rev();
    let producer =
        before().find(|&at| steps.get(at).is_some_and(|other| names_what_it_does(text, &other.description)));
    let producer = producer.or_else(|| {
        before().find(|&at| steps.get(at).is_some_and(|other| consumes(text, &other.description)))
    });
    // Three clauses of which two are a sequence are one.
    let goes_on = steps.get(previous).is_some_and(|step| step.depends_on.iter().any(|&at| near(at)));
    let bare = text.split_whitespace().count() <= BARE && place > start;
    let same_stage = stage(text)
        .is_some_and(|own| steps.get(previous).is_some_and(|other| Some(own) == stage(&other.description)));
    let chained = (goes_on && !same_stage).then_some(previous);
    chained.or(producer).or_else(|| (goes_on || bare).then_some(previous)).into_iter().collect()
}

/// Whether a step ends in a question after a fact, and not in one whether somebody would do something.
fn asks_for_fact(step: &str) -> bool {
    let last = sentences(step).last().copied().unwrap_or_default();
    step.ends_with('?') && strip_any(last, &["can", "could", "would", "will", "puedes", "podrías"]).is_none()
}

/// "Tag every place" gives "the tags", "survey the beds" gives "the survey".
fn names_what_it_does(text: &str, other: &str) -> bool {
    let Some(verb) = first_word(other) else { return false };
    let words = words(text);
    verb.len() > 2 && things(&words, KNOWN).any(|thing| singular(thing) == singular(&fold(&verb)))
}

/// Whether a step works on what the other one gives, by the stages of their verbs. A verb without a stage makes something.
fn consumes(text: &str, other: &str) -> bool {
    use Stage::{Check, Decide, Deliver, Examine, Follow, Gather, Make};
    let Some(others) = stage(other).or((!is_numbered(text)).then_some(Make)) else { return false };
    let brings_its_own = indefinite_object(text);
    let Some(own) = stage(text).or((others < Make && !brings_its_own).then_some(Make)) else { return false };
    match own {
        Gather => false,
        Examine => matches!(others, Gather | Check) && !brings_its_own,
        Decide => others < Decide && is_elliptic(text),
        Make => others < Make || others == Check,
        Check => others == Make && !text.contains(" if ") && !text.contains(" whether "),
        Deliver => others < Deliver,
        Follow => others < Follow,
    }
}

/// Whether the thing that a step acts on has a number of its own: "close port 80".
fn is_numbered(text: &str) -> bool {
    text.split_whitespace().skip(1).take(2).any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Links the items of a list whose order says nothing: tests come after what they test, delivery after both.
fn link_listed(steps: &mut [Step], listed: &[usize]) {
    let names: BTreeMap<usize, BTreeSet<String>> =
        listed.iter().filter_map(|&at| Some((at, names(&steps.get(at)?.description)))).collect();
    let stages: BTreeMap<usize, Stage> =
        listed.iter().filter_map(|&at| Some((at, stage(&steps.get(at)?.description)?))).collect();
    for &at in listed {
        let Some(own) = stages.get(&at).filter(|own| **own >= Stage::Check) else { continue };
        let earlier =
            |other: &&usize| stages.get(*other).is_some_and(|stage| *stage >= Stage::Make && stage < own);
        let shares = |other: &&usize| {
            let (Some(own), Some(others)) = (names.get(&at), names.get(*other)) else { return false };
            !own.is_disjoint(others)
        };
        let general = names.get(&at).is_some_and(|names| names.len() <= 1);
        let candidates: Vec<usize> = listed.iter().filter(earlier).copied().collect();
        let shared: Vec<usize> = candidates.iter().filter(shares).copied().collect();
        let found = if shared.is_empty() && general { candidates } else { shared };
        if let Some(step) = steps.get_mut(at).filter(|step| step.depends_on.is_empty() && !found.is_empty()) {
            step.depends_on = found;
            step.guessed = true;
        }
    }
}

/// Puts every step behind those that it needs, otherwise as they are; says where each came from.
fn sorted(steps: &mut Vec<Step>) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(steps.len());
    let mut placed = vec![false; steps.len()];
    while order.len() < steps.len() {
        let ready = |at: &usize| {
            !placed.get(*at).copied().unwrap_or(true)
                && steps
                    .get(*at)
                    .is_some_and(|step| step.depends_on.iter().all(|need| placed.get(*need) == Some(&true)))
        };
        // A circle cannot be: each edge leads to an earlier step or to a later stage.
        let Some(next) = (0..steps.len()).find(ready) else { break };
        if let Some(done) = placed.get_mut(next) {
            *done = true;
        }
        order.push(next);
    }
    if order.len() < steps.len() || order.is_sorted() {
        return (0..steps.len()).collect();
    }
    let new_place = |old: &usize| order.iter().position(|place| place == old).unwrap_or(*old);
    let old = std::mem::take(steps);
    let mut moved: Vec<Option<Step>> = old.into_iter().map(Some).collect();
    for &place in &order {
        if let Some(mut step) = moved.get_mut(place).and_then(Option::take) {
            step.depends_on = step.depends_on.iter().map(new_place).collect();
            step.depends_on.sort_unstable();
            steps.push(step);
        }
    }
    order
}

/// Lets "add a song to the playlist" wait for "create a playlist".
fn link_made_things(steps: &mut [Step]) {
    let mut made = BTreeMap::<String, usize>::new();
    for (place, step) in steps.iter_mut().enumerate() {
        let words = words(&step.description);
        if step.depends_on.is_empty() {
            let maker = heads(&words, KNOWN).find_map(|thing| made.get(thing).copied());
            step.guessed |= maker.is_some();
            step.depends_on.extend(maker);
        }
        let makes = first_word(&step.description).is_some_and(|verb| MAKING.contains(&verb.as_str()));
        if let Some(thing) = heads(&words, NEW).next().filter(|_| makes) {
            made.insert(thing.to_owned(), place);
        }
    }
}

/// Lets "ship the repaired pumps" wait for "repair the pumps", and "pesa las muestras secadas" for "seca las muestras".
fn link_done_things(steps: &mut [Step]) {
    for place in 1..steps.len() {
        let Some((before, step)) = steps.split_at_mut_checked(place).and_then(|(before, rest)| {
            Some((before, rest.first_mut().filter(|step| step.depends_on.is_empty())?))
        }) else {
            continue;
        };
        let words = words(&step.description);
        let done = done_things(&words);
        let does = |other: &Step| {
            let verb = first_word(behind_condition(&other.description));
            let verb = verb.map(|verb| fold(&verb).into_owned());
            verb.is_some_and(|verb| done.iter().any(|stem| is_done_by(stem, &verb)))
        };
        if let Some(doer) = before.iter().rposition(does).filter(|_| !done.is_empty()) {
            step.depends_on.push(doer);
            step.guessed = true;
        }
    }
}

/// Lets "using the averages, forecast the crop" wait for the newest step that names averages.
fn link_given_things(steps: &mut [Step]) {
    /// "Averages" and "average", "medias" and "media".
    const STEM: usize = 5;
    for place in 1..steps.len() {
        let free = steps.get(place).filter(|step| step.depends_on.is_empty());
        let Some(given) = free.and_then(|step| given(&step.description)).map(words) else { continue };
        let named = |word: &String| {
            given.iter().any(|known| {
                known.len() > 2
                    && !is_stop_word(known)
                    && known.chars().take(STEM).eq(word.chars().take(STEM))
            })
        };
        let before = steps.get(..place).unwrap_or_default();
        let source = before.iter().rposition(|step| words(&step.description).iter().any(named));
        if let Some((step, source)) = steps.get_mut(place).zip(source) {
            step.depends_on.push(source);
            step.guessed = true;
        }
    }
}

/// The stems of what was done to the things that a step names as known: "repair" of "the repaired pumps".
fn done_things(words: &[String]) -> Vec<&str> {
    const KNOWN_ENGLISH: &[&str] = &["the", "those", "these", "all", "each", "every", "any"];
    const KNOWN_SPANISH: &[&str] = &["el", "la", "los", "las", "cada"];
    let english = words.windows(2).filter_map(|pair| match pair {
        [known, done] if KNOWN_ENGLISH.contains(&known.as_str()) => done.strip_suffix("ed"),
        _ => None,
    });
    let spanish = words.windows(3).filter_map(|three| match three {
        [known, _, done] if KNOWN_SPANISH.contains(&known.as_str()) => {
            let done = done.strip_suffix('s').unwrap_or(done);
            ["ado", "ada", "ido", "ida"].iter().find_map(|end| done.strip_suffix(end))
        }
        _ => None,
    });
    english.chain(spanish).filter(|stem| stem.len() > 2).collect()
}

/// Whether a verb has the stem of a participle: "plan" that of "planned", "etiqueta" that of "etiquetado".
fn is_done_by(stem: &str, verb: &str) -> bool {
    /// "Label" and "labelled", "dry" and "dried", "secar" and "secado".
    const ENDING: usize = 2;
    let undoubled =
        stem.get(..stem.len() - 1).filter(|short| short.chars().next_back() == stem.chars().next_back());
    let y = stem.strip_suffix('i').filter(|short| verb.strip_suffix('y') == Some(short));
    y.is_some()
        || undoubled == Some(verb)
        || verb
            .strip_prefix(stem)
            .is_some_and(|end| end.len() <= ENDING && (end.is_empty() || end.starts_with(['e', 'a', 'i'])))
}

/// The nouns of what is named behind one of the markers: "contract" of "the tenancy contract", "contrato" of "un contrato de
/// alquiler".
fn heads<'a>(words: &'a [String], markers: &'a [&str]) -> impl Iterator<Item = &'a str> {
    const LONGEST: usize = 3;
    (0..words.len()).filter_map(move |at| {
        let marker = words.get(at).filter(|marker| markers.contains(&marker.as_str()))?;
        let first = words.get(at + 1).filter(|first| !NEW.contains(&first.as_str()))?.as_str();
        let english = matches!(marker.as_str(), "a" | "an" | "the" | "that" | "this" | "new");
        let behind = words.get(at + 1..)?;
        let named = |word: &&String| !is_stop_word(word) && !word.ends_with("ed");
        let length = behind.iter().take_while(named).count();
        let last = length.checked_sub(1).filter(|_| english && length <= LONGEST);
        Some(last.and_then(|last| behind.get(last)).map_or(first, String::as_str))
            .filter(|thing| thing.chars().count() > 2)
    })
}

/// Whether the step acts on what only an earlier one names.
fn points_back(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let words = words(text);
    let pointed = words.iter().skip(1).take(POINTING).any(|word| POINTERS.contains(&word.as_str()));
    let last = words.last().is_some_and(|word| matches!(word.as_str(), "it" | "them"));
    // "Calibrate any that drift": of what was looked at before.
    let some_of = words.get(1).is_some_and(|word| matches!(word.as_str(), "any" | "all" | "every"))
        && words.get(2).is_some_and(|word| matches!(word.as_str(), "that" | "which" | "who"));
    // "Señala las que no coinciden", "discard those that leak".
    let those = words.get(1).is_some_and(|word| matches!(word.as_str(), "los" | "las" | "those" | "ones"))
        && words.get(2).is_some_and(|word| matches!(word.as_str(), "que" | "that" | "which"));
    has_clitic(first) || has_pronoun(text) || pointed || last || some_of || those
}

/// Whether the step leaves out what it is about: "recommend one", "shortlist three".
fn is_elliptic(text: &str) -> bool {
    const NUMBERS: &[&str] =
        &["two", "three", "four", "five", "ten", "dos", "tres", "cuatro", "cinco", "diez"];
    let words = words(text);
    // "Shortlist three", "elige a tres para el papel".
    let counted = words.iter().skip(1).position(|word| NUMBERS.contains(&word.as_str()));
    let number = counted.is_some_and(|at| {
        let behind = words.get(at + 2).map(String::as_str);
        behind.is_none_or(|word| at < 2 && matches!(word, "for" | "of" | "to" | "para" | "de"))
    });
    // "Digitise at 600 dpi", "bake at 200 °C": what is digitised or baked was named before.
    let at_figure = words.get(1).is_some_and(|word| matches!(word.as_str(), "at" | "a"))
        && words.get(2).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // "Elige el más barato", "a letter for each one": of what was named before.
    let pairs = || words.iter().zip(words.iter().skip(1)).map(|(one, next)| (one.as_str(), next.as_str()));
    let picked = pairs().any(|pair| {
        matches!(pair, ("el" | "la" | "los" | "las", "mas") | ("each", "one") | ("cada", "una" | "uno"))
    });
    number
        || at_figure
        || picked
        || has_done(text)
        || words.iter().skip(1).take(POINTING).any(|word| ELLIPTIC.contains(&word.as_str()))
}

/// Whether the thing that the verb acts on is introduced by the step itself.
fn indefinite_object(text: &str) -> bool {
    words(text).get(1).is_some_and(|word| NEW.contains(&word.as_str()))
}

/// Whether a step names something by a code or a name of its own, which none before it has.
fn names_its_own(text: &str, before: &[Step]) -> bool {
    // Far behind the verb capitals say where or how: "clean up files without touching the WAL folder".
    let proper = |(at, word): &(usize, &str)| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let coded = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
        coded || (*at < POINTING && word.chars().filter(|c| c.is_uppercase()).count() > 1)
    };
    let quoted = text.contains(['\'', '"', '“']) && !text.contains("'s ");
    let own = text.split_whitespace().skip(1).enumerate().find(proper);
    quoted || own.is_some_and(|(_, word)| !before.iter().any(|step| step.description.contains(word)))
}

/// What a step is about: its words but the first that say something.
fn names(text: &str) -> BTreeSet<String> {
    words(text)
        .iter()
        .skip(1)
        .filter(|word| !is_stop_word(word) && word.len() > 2)
        .map(|word| singular(word).into_owned())
        .collect()
}

fn words(text: &str) -> Vec<String> {
    candor_text::words(text).map(|word| fold(word).to_lowercase()).collect()
}

/// The words right behind one of the markers; "a new playlist" is about the playlist.
fn things<'a>(words: &'a [String], markers: &'a [&str]) -> impl Iterator<Item = &'a str> {
    words.iter().zip(words.iter().skip(1)).filter_map(move |(marker, thing)| {
        let marked = markers.contains(&marker.as_str()) && !NEW.contains(&thing.as_str());
        (marked && thing.chars().count() > 2).then_some(thing.as_str())
    })
}
