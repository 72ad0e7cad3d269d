//! Puts sentences together to steps: which of them are steps, which only frame or refine one.

use std::collections::BTreeSet;

use candor_text::{fold, says, singular, words};

use super::{
    COURTESY, Part, Place, Step,
    clauses::{Clause, clauses},
    cues::{self, Cue, strip_any},
    edges::{Form, Origin},
    limits,
    requests::{self, Asked, Strength},
    sentences::sentences,
    tidy, wishes,
};

/// Words shorter than this hardly name a thing.
const SHORTEST_NAME: usize = 4;

/// What a step is about stands in this many words.
const LONGEST_HEAD: usize = 60;

/// Collects the steps of a request, sentence by sentence.
#[derive(Debug, Default)]
pub(super) struct Builder {
    steps: Vec<Step>,
    /// Where each step stands.
    origins: Vec<Origin>,
    /// What became of each part.
    parts: Vec<Part>,
    /// How many sentences and lists have been begun.
    sentences: usize,
    /// Whether every sentence is taken for a request: nothing in the text looks like one.
    taken: bool,
    /// When the work stops, said before there is any.
    stops: Vec<String>,
    /// Whether a "first" has been read.
    opened: bool,
    /// Where the steps begin that the newest sentence or item put side by side.
    abreast: usize,
    /// What the newest step began with, and how plainly it asked.
    newest: Option<(Strength, String)>,
}

/// What the connectives of a whole text have in common.
#[derive(Debug, Clone, Copy, Default)]
struct Tone {
    connected: bool,
    /// Whether "finally" closes a sequence and not a pile of things beside each other.
    ends_sequence: bool,
}

impl Tone {
    fn of(sentences: &[&str]) -> Self {
        let cues: Vec<_> = sentences.iter().map(|sentence| cues::leading(sentence).0).collect();
        let has = |cue| cues.contains(&cue);
        Self {
            connected: has(Cue::After) || has(Cue::Beside) || has(Cue::Last),
            ends_sequence: has(Cue::After) && !has(Cue::Beside),
        }
    }
}

impl Builder {
    /// A builder that takes every sentence for a request.
    pub(super) fn taking_all() -> Self {
        Self { taken: true, ..Self::default() }
    }

    /// Reads running text; if it opens a list, the sentence that announces the list is no step.
    pub(super) fn prose(&mut self, text: &str, opens_list: bool) {
        let sentences = sentences(text);
        let tone = Tone::of(&sentences);
        for sentence in sentences {
            if opens_list && sentence.trim_end().ends_with(':') {
                self.part(sentence, Place::Context);
            } else {
                self.sentence(sentence, tone);
            }
        }
    }

    /// Reads the items of a list; numbers suggest an order, bullets none.
    pub(super) fn list(&mut self, items: &[String], numbered: bool) {
        self.sentences += 1;
        let tone = Tone { connected: true, ends_sequence: true };
        for (place, item) in items.iter().enumerate() {
            let (cue, text) = cues::leading(item);
            if self.limits(text) {
                continue;
            }
            let cue = if numbered && place > 0 && cue == Cue::Silent { Cue::Last } else { cue };
            let asked = requests::read(text);
            let step = self.push(asked.what, cue, asked.strength, tone, false);
            self.in_step(item, step);
            if let Some(origin) = self.origins.last_mut() {
                origin.form = if numbered || cue != Cue::Silent { Form::Prose } else { Form::Bullet };
            }
        }
    }

    /// Reads names of things that can be done. A name may begin with "don't" and still be one.
    pub(super) fn menu(&mut self, items: &[String]) {
        self.sentences += 1;
        for item in items {
            let step = self.push(item, Cue::Silent, Strength::Request, Tone::default(), false);
            self.in_step(item, step);
            if let Some(origin) = self.origins.last_mut() {
                origin.form = Form::Offer;
            }
        }
    }

    /// Takes note of data for a machine, which is no step.
    pub(super) fn data(&mut self, line: &str) {
        self.part(line, Place::Dropped { reason: "data for a machine".to_owned() });
    }

    /// The steps found, where they stand, and what became of each part.
    pub(super) fn finish(mut self) -> (Vec<Step>, Vec<Origin>, Vec<Part>) {
        for step in &mut self.steps {
            step.conditions.extend(self.stops.iter().cloned());
        }
        (self.steps, self.origins, self.parts)
    }

    fn sentence(&mut self, sentence: &str, tone: Tone) {
        self.sentences += 1;
        if strip_any(sentence, cues::CLOSINGS).is_some() {
            self.part(sentence, Place::Dropped { reason: COURTESY.to_owned() });
            return;
        }
        let (cue, rest) = cues::leading(sentence);
        let plain = strip_any(rest, &["please", "por favor", "but", "pero"]).unwrap_or(rest);
        if let Some(stop) = limits::stops_if(plain) {
            self.stop(&stop);
            return;
        }
        if limits::is_condition(plain) {
            self.stop(plain.trim_end_matches(['.', '!', ' ']));
            return;
        }
        if limits::is_limit(plain) {
            self.clauses(plain, clauses(plain, self.taken), cue, Strength::Request, tone, &[]);
            return;
        }
        let mut asked = requests::read(rest);
        if self.taken {
            asked.strength = Strength::Request;
        }
        if asked.strength == Strength::Statement
            && let Some((told, order)) = requests::behind_statement(rest)
        {
            if limits::leaves_it_out(order) {
                self.part(rest, Place::Constraint);
                return;
            }
            self.part(told, Place::Context);
            self.sentence(order, tone);
            return;
        }
        let mut inherited = Vec::new();
        if cue == Cue::Opens && self.steps.len() == 1 && !self.opened {
            // Whatever stands before "first" only leads up to it.
            self.withdraw();
        } else if cue == Cue::Detail || (cue == Cue::Silent && self.refines(&asked, tone)) {
            if !self.words_the_wish(&asked) {
                self.refine(sentence);
                return;
            }
            inherited = self.withdraw().map(|wish| wish.depends_on).unwrap_or_default();
        }
        if asked.strength == Strength::Statement && (cue == Cue::Silent || self.steps.is_empty()) {
            // A statement before the first step is its background.
            self.part(sentence, Place::Context);
            return;
        }
        self.opened |= cue == Cue::Opens;
        // "Can you find one?" without its politeness is a command.
        let polite = asked.what.len() < rest.trim().len();
        let ending: &[char] = if polite { &['?', '!', '.', ' '] } else { &[] };
        let first = self.steps.len();
        self.frame(requests::frame_of(rest));
        let (head, body) = requests::at_colon(asked.what);
        self.frame(head);
        let said = wished(rest).unwrap_or_else(|| clauses(body, self.taken));
        self.clauses(body, said, cue, asked.strength, tone, ending);
        if let Some(step) = self.steps.get_mut(first).filter(|step| step.depends_on.is_empty()) {
            step.depends_on = inherited;
        }
    }

    /// Adds the clauses that a sentence says: each is a step, a limit, or says when to stop.
    fn clauses(
        &mut self,
        body: &str,
        said: Vec<Clause<'_>>,
        cue: Cue,
        strength: Strength,
        tone: Tone,
        ending: &[char],
    ) {
        let mut strength = strength;
        let mut guarded: Vec<String> = Vec::new();
        let mut instead: Option<String> = None;
        let last = said.len().saturating_sub(1);
        for (at, Clause { cue: inner, text, guessed }) in said.into_iter().enumerate() {
            let excludes = at == last && self.excludes(&text, if inner == Cue::Silent { cue } else { inner });
            if excludes || self.limits(&text) {
                // "If it rains, do not sand the deck and cover the boards": the rain guards both.
                let opening = limits::behind_condition(&text).len() < text.len() && inner == Cue::Silent;
                guarded = if opening { limits::conditions(&text) } else { guarded };
                continue;
            }
            let mut cue = if inner == Cue::Silent { cue } else { inner };
            let mut what = requests::read(&text).what.trim_end_matches(ending).to_owned();
            if let Some(order) = requests::without_otherwise(&what) {
                (cue, what) = (Cue::Otherwise, order.to_owned());
            }
            if cue == Cue::Otherwise {
                instead = self.otherwise();
            } else if instead.is_some() && limits::behind_condition(&text).len() < text.len() {
                // "Otherwise ask for it; if it does, admit it": the other case again.
                (cue, instead) = (Cue::Otherwise, None);
            }
            let step = self.push(&what, cue, strength, tone, inner == Cue::Beside);
            self.in_step(&text, step);
            if let Some((step, instead)) = step.and_then(|at| self.steps.get_mut(at)).zip(instead.as_ref()) {
                step.guessed |= guessed;
                step.conditions.push(instead.clone());
                continue;
            }
            if let Some(step) = step.and_then(|place| self.steps.get_mut(place)) {
                step.guessed |= guessed;
                // What opens the sentence guards all that it asks for.
                if inner == Cue::Silent {
                    guarded = limits::conditions(&what);
                    step.conditions.extend(guarded.iter().cloned());
                } else {
                    step.conditions.extend(limits::conditions(&what));
                    step.conditions.extend(guarded.iter().filter(|said| what_opens(body, said)).cloned());
                }
            }
            strength = Strength::Request;
        }
    }

    /// When the steps are done that take the place of the newest ones.
    fn otherwise(&self) -> Option<String> {
        let case = |step: &Step| {
            let found_out = || Some(limits::found_out(&step.description)?.replacen("whether ", "if ", 1));
            step.conditions.first().cloned().or_else(found_out)
        };
        let condition = self.steps.iter().rev().find_map(case)?;
        let spanish = strip_any(&condition, &["si", "solo si", "cuando", "en caso de que"]).is_some();
        let opening = if spanish { "de lo contrario, no" } else { "otherwise, not" };
        Some(format!("{opening} {}", condition.to_lowercase()))
    }

    /// Whether a clause limits the work or says when it stops; then it is no step.
    fn limits(&mut self, clause: &str) -> bool {
        if let Some(stop) = limits::stops_if(clause) {
            self.stop(&stop);
            return true;
        }
        let limits = limits::is_limit(clause);
        if limits {
            self.part(clause, Place::Constraint);
        }
        limits
    }

    /// Whether what a sentence ends with only says what to leave out of the work before it: "…, exclude the military zone".
    ///
    /// In the middle, behind "then" or of something named before it is a task: "find the outliers, exclude them and …".
    fn excludes(&mut self, clause: &str, cue: Cue) -> bool {
        let beside = matches!(cue, Cue::Silent | Cue::Beside | Cue::Detail);
        let excludes = beside && !self.steps.is_empty() && limits::excluded(clause).is_some();
        if excludes {
            self.part(clause, Place::Constraint);
        }
        excludes
    }

    /// Keeps when the work stops with the steps of the newest sentence.
    fn stop(&mut self, stop: &str) {
        let newest = self.origins.last().map(|origin| origin.sentence);
        let of_newest = |(_, origin): &(usize, &Origin)| Some(origin.sentence) == newest;
        let steps: Vec<usize> =
            self.origins.iter().enumerate().filter(of_newest).map(|(place, _)| place).collect();
        for &place in &steps {
            if let Some(step) = self.steps.get_mut(place) {
                step.conditions.push(stop.to_owned());
            }
        }
        if steps.is_empty() {
            self.stops.push(stop.to_owned());
        }
        self.part(stop, Place::Condition { steps });
    }

    /// Takes the newest step back: it only led up to what follows, and is its background.
    fn withdraw(&mut self) -> Option<Step> {
        let step = self.steps.pop()?;
        self.origins.pop();
        let place = self.steps.len();
        for part in &mut self.parts {
            if part.place == (Place::Task { steps: vec![place] }) {
                part.place = Place::Context;
            }
        }
        Some(step)
    }

    /// Words around a request that are background to it.
    fn frame(&mut self, words: &str) {
        if words.split_whitespace().count() > 1 {
            self.part(words, Place::Context);
        }
    }

    fn part(&mut self, text: &str, place: Place) {
        self.parts.push(Part { text: text.trim().to_owned(), place });
    }

    fn in_step(&mut self, text: &str, step: Option<usize>) {
        let place = match step {
            Some(step) => Place::Task { steps: vec![step] },
            None => Place::Dropped { reason: "no words".to_owned() },
        };
        if text.chars().any(char::is_alphanumeric) {
            self.part(text, place);
        }
    }

    /// Whether a sentence without a connective says more about the newest step.
    fn refines(&self, asked: &Asked<'_>, tone: Tone) -> bool {
        let Some((newest, head)) = &self.newest else { return false };
        // "I need a survey. Translate it": what is wished for is a thing, and more is done with it.
        let thing = strip_any(head, &["a", "an", "some", "un", "una", "unos", "unas"]).is_some();
        if thing && *newest == Strength::Wish && cues::acts_on_previous(asked.what) {
            return false;
        }
        if requests::given(asked.what).is_some() {
            return false;
        }
        match asked.strength {
            Strength::Statement => true,
            Strength::Wish => *newest == Strength::Wish && tone.connected,
            Strength::Request => {
                *newest == Strength::Wish
                    || !requests::starts_with_strong_verb(asked.what)
                        && requests::starts_with_weak_verb(asked.what)
                    || (tone.connected && share_a_name(head, asked.what))
            }
        }
    }

    /// Whether the sentence is the plain request of which the newest step is only the wish.
    fn words_the_wish(&self, asked: &Asked<'_>) -> bool {
        let wished = self.newest.as_ref().is_some_and(|(strength, _)| *strength == Strength::Wish);
        let plain = asked.strength == Strength::Request && requests::starts_with_strong_verb(asked.what);
        wished && plain && !points_back(asked.what)
    }

    /// Adds a sentence's words to the newest step.
    fn refine(&mut self, sentence: &str) {
        if let Some(step) = self.steps.last_mut() {
            step.description.push_str(if step.description.ends_with(['?', '!']) { " " } else { ". " });
            step.description.push_str(&tidy(sentence));
            step.conditions.extend(limits::conditions(sentence));
        }
        self.in_step(sentence, self.steps.len().checked_sub(1));
    }

    fn push(&mut self, text: &str, cue: Cue, strength: Strength, tone: Tone, joined: bool) -> Option<usize> {
        let description = tidy(text);
        if description.is_empty() {
            return None;
        }
        let (depends, guessed) = match cue {
            Cue::After => (true, false),
            Cue::Last => (tone.ends_sequence, tone.ends_sequence),
            _ => (cues::refers_back(text), true),
        };
        // "Clean the tank, check the level and, if it is low, fill up": only the last one is meant.
        let of_last = strip_any(text, &["if it", "if that", "if this", "si este", "si esta"]).is_some();
        let last = self.steps.len().saturating_sub(1);
        let from = match depends {
            true if of_last => last,
            true => self.abreast,
            false => self.steps.len(),
        };
        let mut depends_on: Vec<_> = (from..self.steps.len()).collect();
        let acting = if limits::holds_but(text) { limits::behind_condition(text) } else { text };
        if depends_on.is_empty() && cues::acts_on_previous(acting) {
            depends_on.extend(self.steps.len().checked_sub(1));
        }
        if !joined {
            self.abreast = self.steps.len();
        }
        let guessed = guessed && !depends_on.is_empty();
        self.newest = Some((strength, text.to_owned()));
        self.origins.push(Origin { sentence: self.sentences, cue, form: Form::Prose });
        self.steps.push(Step::new(description, depends_on, guessed));
        self.steps.len().checked_sub(1)
    }
}

/// The clauses of a sentence that wishes several things to be done, "necesito que …, que … y que …".
fn wished(sentence: &str) -> Option<Vec<Clause<'_>>> {
    let wishes = wishes::wishes(sentence);
    let said = wishes.into_iter().enumerate().flat_map(|(at, wish)| {
        let mut said = clauses(wish, true);
        // They stand side by side.
        if let Some(first) = said.first_mut().filter(|_| at > 0) {
            first.cue = Cue::Beside;
        }
        said
    });
    Some(said.collect::<Vec<_>>()).filter(|said| !said.is_empty())
}

/// Whether a sentence begins with a condition.
fn what_opens(sentence: &str, condition: &str) -> bool {
    sentence.trim_start().starts_with(condition)
}

/// Whether the text needs the one before it to be understood: "Please retrieve this information".
fn points_back(text: &str) -> bool {
    // A longer request says enough by itself, whatever its pronouns point to.
    const SELF_CONTAINED: usize = 8;
    if text.split_whitespace().count() > SELF_CONTAINED {
        return false;
    }
    let lower = text.to_lowercase();
    ["this", "that", "it", "them", "these", "those", "one", "esto", "eso", "ello"]
        .iter()
        .any(|word| says(&lower, word))
}

/// Whether both texts speak of the same thing, beside the verb that they begin with.
fn share_a_name(a: &str, b: &str) -> bool {
    let names = |text: &str| -> BTreeSet<String> {
        let words = words(text).skip(1).take(LONGEST_HEAD);
        let long = words.filter(|word| word.chars().count() >= SHORTEST_NAME);
        long.map(|word| singular(&fold(word)).into_owned()).collect()
    };
    !names(a).is_disjoint(&names(b))
}
