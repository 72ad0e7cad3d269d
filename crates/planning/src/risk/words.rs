//! Which acts words ask for, in English and Spanish.
//!
//! A text is read clause by clause. A verb of the lexicon counts where it is an order: at the beginning of a clause, or where no
//! noun can stand; not after a negation, not in a question about it, and not in a clause whose own verb only reads or writes
//! about it ("explain how to delete a branch").

use std::borrow::Cow;

use candor_model::RiskClass;
use candor_text::{WordSet, fold};

use super::commands;
use super::lexicon::{FORMS, Form, Needs, Verb};
use super::objects::{ASSETS, FIGURES, KEPT, LETTERS, MACHINERY, PEOPLE, TEXT_PARTS, is_store};

/// How many words after a verb are looked at for its object.
const REACH: usize = 10;
/// With fewer words around it, what stands in quotes is the order itself.
const LEAST_AROUND_QUOTES: usize = 3;
/// How much of a clause is quoted.
const QUOTED_WORDS: usize = 12;

/// Verbs that only read or write about what follows them.
#[rustfmt::skip]
static HARMLESS: WordSet = WordSet::new(&[
    "read", "list", "write", "summarise", "summarize", "compare", "explain", "analyse", "analyze", "find", "count", "describe", "plan",
    "draft", "review", "check", "translate", "document", "research", "estimate", "show", "report", "suggest", "recommend", "define",
    "discuss", "design", "outline", "look", "search", "investigate", "study", "learn", "teach", "evaluate", "assess", "calculate",
    "compute", "extract", "classify", "identify", "detect", "collect", "gather", "fetch", "query", "simulate", "test", "verify",
    "validate", "measure", "inspect", "audit", "examine", "monitor", "track", "predict", "forecast", "visualise", "visualize", "plot",
    "chart", "draw", "prepare", "propose", "brainstorm", "answer", "rename", "sort", "group", "filter", "parse", "convert", "format",
    "rank", "score", "label", "annotate", "quote", "cite", "illustrate", "prove", "implement", "code", "develop", "build", "rewrite",
    "proofread", "paraphrase", "mock", "sketch", "name", "print", "display", "determine", "decide", "consider", "understand", "interpret",
    "lee", "leer", "lista", "listar", "escribe", "escribir", "resume", "resumir", "compara", "comparar", "explica", "explicar", "analiza",
    "analizar", "busca", "buscar", "cuenta", "contar", "describe", "describir", "planifica", "planificar", "redacta", "redactar", "revisa",
    "revisar", "comprueba", "comprobar", "traduce", "traducir", "documenta", "documentar", "investiga", "investigar", "estima", "estimar",
    "muestra", "mostrar", "informa", "sugiere", "sugerir", "recomienda", "define", "definir", "disena", "disenar", "evalua", "evaluar",
    "calcula", "calcular", "extrae", "extraer", "clasifica", "clasificar", "identifica", "identificar", "recoge", "prepara", "preparar",
    "propon", "proponer", "encuentra", "encontrar", "haz", "dibuja", "ordena", "filtra", "consulta", "estudia", "verifica", "valida",
    "tell", "what", "why", "how", "who", "which", "when", "where", "whether", "is", "are", "does", "did", "do", "has", "have", "should",
    "que", "cual", "cuales", "como", "quien", "cuando", "donde", "por", "es", "son", "deberia", "deberiamos", "dime", "create", "crea",
    "make", "generate", "genera", "produce", "save", "guarda", "reading", "writing", "listing", "comparing", "summarising", "summarizing",
    "analysing", "analyzing", "reviewing", "checking", "explaining", "researching", "summary", "analysis", "report", "comparison",
]);
/// Words that make what follows an execution, whatever its grammar: `run the wipe script`.
#[rustfmt::skip]
static RUNS: WordSet = WordSet::new(&[
    "run", "execute", "trigger", "start", "launch", "invoke", "perform", "kick", "schedule", "ejecuta", "ejecutar", "lanza", "inicia",
    "realiza", "use", "using", "usa", "call", "carry", "complete", "proceed",
]);
#[rustfmt::skip]
static NEGATIONS: WordSet = WordSet::new(&[
    "not", "don't", "dont", "never", "without", "no", "nor", "avoid", "instead", "cannot", "can't", "won't", "undo", "prevent", "refuse",
    "neither", "sin", "nunca", "jamas", "ni", "tampoco", "evita", "evitar", "stop",
    // Intentions are told, not ordered.
    "looking", "planning", "thinking", "considering", "hoping", "wanted", "wondering", "pensando", "planeando",
]);
/// A noun follows these.
#[rustfmt::skip]
static DETERMINERS: WordSet = WordSet::new(&[
    "the", "a", "an", "this", "that", "these", "those", "each", "every", "of", "my", "your", "our", "his", "their", "its", "some", "any",
    "no", "last", "next", "latest", "new", "for", "from", "with", "in", "on", "at", "by", "per", "about", "between", "el", "la", "los",
    "las", "un", "una", "unos", "unas", "del", "al", "su", "sus", "mi", "tu", "este", "esta", "cada", "con", "en", "sobre", "which", "his",
    "soft", "hard", "cascade", "via", "as", "vs", "versus",
]);
#[rustfmt::skip]
static PREPOSITIONS: WordSet = WordSet::new(&[
    "about", "from", "in", "of", "with", "that", "which", "on", "for", "at", "by", "into", "to", "via", "who", "using", "sobre", "de", "en",
    "con", "que", "para", "del", "por", "desde", "a", "al", "as", "like", "como",
]);
/// What may stand between the beginning of a clause and its verb.
#[rustfmt::skip]
static LEADS: WordSet = WordSet::new(&[
    "please", "now", "just", "also", "first", "next", "finally", "then", "so", "ok", "okay", "hey", "kindly", "i", "we", "you", "can",
    "could", "would", "will", "must", "need", "needs", "want", "wants", "to", "like", "lets", "let's", "us", "go", "ahead", "once", "done",
    "immediately", "automatically", "safely", "simply", "again", "por", "favor", "quiero", "necesito", "debes", "debe", "hay", "que",
    "puedes", "podrias", "vamos", "a", "tienes", "ahora", "luego", "despues", "primero", "finalmente", "me", "step", "task", "it's", "time",
    "shall", "may", "make", "sure", "help", "silently", "quietly", "permanently", "irreversibly", "all", "both", "either", "afterwards", "force",
]);
static PASSIVES: WordSet = WordSet::new(&["be", "get", "gets", "being", "ser", "sean", "sea", "have"]);
static BREAKS: WordSet = WordSet::new(&[
    "and", "then", "y", "e", "luego", "despues", "but", "pero", "or", "o", "before", "after", "antes",
    "once", "&", "->",
]);
/// What turns the verb before it into a name: `delete button`, `deploy key`.
#[rustfmt::skip]
static NAMED: WordSet = WordSet::new(&[
    "button", "buttons", "key", "command", "commands", "statement", "statements", "operation", "operations", "query", "queries", "endpoint",
    "endpoints", "permission", "option", "feature", "functionality", "flag", "method", "policy", "policies", "process", "processes",
    "strategy", "strategies", "rate", "rates", "event", "events", "marker", "scheduler", "report", "notes", "date", "cycle", "menu",
    "tool", "tools", "guide", "tutorial", "checklist", "rule", "rules", "request", "requests", "boton", "comando", "in", "is", "vs", "versus",
    "or", "on", "for", "with", "of", "function", "semantics", "syntax", "support", "log", "history", "marketing", "validation", "campaigns",
    "templates", "template", "address", "addresses", "attention", "cost", "costs", "price", "prices", "review", "reviews", "club", "summary",
]);

/// An act that words ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Act {
    pub(super) class: RiskClass,
    /// The words that ask for it.
    pub(super) quote: String,
}

#[derive(Debug, Clone)]
struct Token {
    word: String,
    capital: bool,
}

/// The acts that a text asks for, one per class.
pub(super) fn acts(text: &str) -> Vec<Act> {
    let mut found: Vec<Act> = Vec::new();
    let mut add = |class: RiskClass, quote: String| {
        if !found.iter().any(|act| act.class == class) {
            found.push(Act { class, quote });
        }
    };
    for sentence in sentences(text) {
        let mut harmless = false;
        for clause in clauses(&sentence) {
            let own = own_verb(clause);
            let about = match own {
                Own::Harmless => true,
                Own::Act => false,
                Own::Unknown => harmless,
            };
            let after_harmless = harmless;
            harmless = about;
            let runs = clause.iter().take(4).any(|token| RUNS.contains(&token.word));
            if !about || runs {
                let words: Vec<&str> = clause.iter().map(|token| token.word.as_str()).collect();
                if let Some((class, quote)) = commands::in_prose(&words.join(" ")) {
                    add(class, quote);
                }
            }
            for at in 0..clause.len() {
                if let Some(class) = act_at(clause, at, about, after_harmless, runs)
                    .filter(|class| !is_figure(*class, clause, at, &sentence))
                {
                    add(class, quote(clause, at));
                }
            }
        }
    }
    let coded = text.split('`').skip(1).step_by(2).find_map(commands::of_command);
    if let Some((class, quote)) = coded.filter(|_| !acts_only_mention(text)) {
        add(class, quote);
    }
    found
}

/// Whether the first clause of a text only reads or writes about what it mentions.
fn acts_only_mention(text: &str) -> bool {
    sentences(text)
        .first()
        .and_then(|first| clauses(first).first().map(|clause| own_verb(clause) == Own::Harmless))
        == Some(true)
}

fn quote(clause: &[Token], at: usize) -> String {
    let words = clause.iter().skip(at).take(QUOTED_WORDS).map(|token| token.word.as_str());
    words.collect::<Vec<_>>().join(" ")
}

/// Sentences as words; commas and the like are kept as breaks.
fn sentences(text: &str) -> Vec<Vec<Token>> {
    let mut all = vec![Vec::new()];
    let plain = without_quotes(text).replace("orce-push", "orce push").replace("-mail", "mail");
    let mut push = |word: &mut String| {
        let trimmed = word.trim_matches(['.', '-', '\'', '/']);
        if !trimmed.is_empty() || word.starts_with('-') {
            let kept =
                if word.starts_with(['-', '.', '/']) { word.trim_end_matches(['.', '\'']) } else { trimmed };
            let capital = kept.starts_with(char::is_uppercase);
            if let Some(last) = all.last_mut() {
                last.push(Token { word: fold(kept).into_owned(), capital });
            }
        }
        let ended = word.ends_with('.');
        word.clear();
        if ended {
            all.push(Vec::new());
        }
    };
    let mut word = String::new();
    let mut letters = plain.chars().chain(std::iter::once('\n')).peekable();
    while let Some(letter) = letters.next() {
        // `4,000` is one number.
        let in_number = letter == ','
            && word.ends_with(|before: char| before.is_ascii_digit())
            && letters.peek().is_some_and(char::is_ascii_digit);
        if in_number || letter.is_alphanumeric() || "_-./@$#'’~*+=&>€£".contains(letter) {
            word.push(letter);
            continue;
        }
        push(&mut word);
        if ",;:()\n!?".contains(letter) {
            push(&mut ",".to_owned());
        }
    }
    all
}

/// A text without what stands in quotes: that is talked about, not asked for. Where little else is said, it is the order.
fn without_quotes(text: &str) -> Cow<'_, str> {
    let outside = outside_quotes(text);
    if outside.split_whitespace().count() < LEAST_AROUND_QUOTES {
        return Cow::Borrowed(text);
    }
    Cow::Owned(outside)
}

fn outside_quotes(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once(['"', '“', '«']) {
        plain.push_str(before);
        match after.split_once(['"', '”', '»']) {
            Some((_, end)) => rest = end,
            None => {
                plain.push_str(after);
                rest = "";
            }
        }
    }
    plain + rest
}

fn clauses(sentence: &[Token]) -> Vec<&[Token]> {
    let is_break = |token: &Token| token.word == "," || BREAKS.contains(&token.word);
    sentence.split(is_break).filter(|clause| !clause.is_empty()).collect()
}

/// What a question begins with.
static QUESTIONS: WordSet = WordSet::new(&[
    "should", "is", "are", "does", "did", "how", "what", "why", "which", "who", "when", "deberia", "es",
    "como",
]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Harmless,
    Act,
    Unknown,
}

/// What the clause's own verb is: the first word after words that only lead up to it.
fn own_verb(clause: &[Token]) -> Own {
    let Some(head) = clause.iter().map(|token| token.word.as_str()).find(|word| !is_lead(word)) else {
        return Own::Unknown;
    };
    let questions = clause.first().is_some_and(|token| QUESTIONS.contains(&token.word));
    if questions || clause.windows(2).any(|pair| matches!(pair, [a, b] if a.word == "how" && b.word == "to"))
    {
        return Own::Harmless;
    }
    if HARMLESS.contains(head) {
        // "Make" and "create" may be acts of their own: what they need decides that.
        return Own::Harmless;
    }
    let acts = forms_of(head).iter().any(|(form, _)| *form != Form::Participle);
    if acts { Own::Act } else { Own::Unknown }
}

fn is_lead(word: &str) -> bool {
    LEADS.contains(word) || word.ends_with("ly") || word.chars().all(|c| c.is_ascii_digit())
}

/// The readings of a word; a Spanish verb may have its objects attached: `borralo`, `enviaselos`.
fn forms_of(word: &str) -> Cow<'static, [(Form, Verb)]> {
    if let Some(forms) = FORMS.get(word) {
        return Cow::Borrowed(forms);
    }
    let mut stem = word;
    for _ in 0..2 {
        let shorter = ["los", "las", "les", "nos", "lo", "la", "le", "me", "te", "se"];
        let Some(next) = shorter.iter().find_map(|end| stem.strip_suffix(end)).filter(|stem| stem.len() > 3)
        else {
            break;
        };
        stem = next;
        if let Some(forms) = FORMS.get(stem) {
            return forms.iter().filter(|(form, _)| *form == Form::Base).copied().collect();
        }
    }
    Cow::Borrowed(&[])
}

fn act_at(clause: &[Token], at: usize, about: bool, after_harmless: bool, runs: bool) -> Option<RiskClass> {
    let token = clause.get(at)?;
    let forms = forms_of(&token.word);
    if forms.is_empty() || is_negated(clause, at) {
        return None;
    }
    let attached = !FORMS.contains_key(&token.word);
    let before = at.checked_sub(1).and_then(|at| clause.get(at)).map_or("", |token| token.word.as_str());
    let leads = clause.get(..at).unwrap_or_default().iter().all(|token| is_lead(&token.word));
    let rest = clause.get(at.saturating_add(1)..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(REACH)).unwrap_or_default();
    let as_verb = |form: Form, verb: &Verb| match form {
        Form::Participle => {
            PASSIVES.contains(before) && !about && is_done_to(verb, clause.get(..at).unwrap_or_default())
        }
        Form::Head => leads && !about,
        Form::Base if verb.needs == Needs::Nominal => true,
        Form::Base if runs && !leads => true,
        Form::Base if about => leads && is_own_act(verb, rest),
        Form::Base => leads || !DETERMINERS.contains(before),
    };
    forms.iter().find_map(|(form, verb)| {
        let fits = as_verb(*form, verb)
            && (*form == Form::Participle
                || (runs && !leads && verb.needs == Needs::Object)
                || has_needs(clause, at, verb, rest, attached, leads))
            && (!after_harmless || *form != Form::Base || attached || is_specific(rest));
        fits.then_some(verb.class)
    })
}

/// Pronouns that stand for what was named before.
const PRONOUNS: &[&str] = &["it", "them", "these", "those", "lo", "los", "las"];

/// Whether an act is done to something that cooks, gardeners, writers and the like work on, and to nothing that is kept.
fn is_figure(class: RiskClass, clause: &[Token], at: usize, sentence: &[Token]) -> bool {
    let rest = clause.get(at.saturating_add(1)..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(REACH)).unwrap_or_default();
    let named_before = rest.first().is_some_and(|next| PRONOUNS.contains(&next.word.as_str()));
    let object = if named_before { sentence } else { rest };
    let has = |list: &[&str]| object.iter().any(|token| list.contains(&token.word.as_str()));
    let figures = FIGURES.iter().filter(|(classes, _)| classes.contains(&class));
    figures.into_iter().any(|(_, words)| has(words))
        && !has(KEPT)
        && !object.iter().any(|it| is_store(&it.word))
}

/// Whether what stands before a passive is what the verb is about: "the old records must be removed".
fn is_done_to(verb: &Verb, before: &[Token]) -> bool {
    match verb.needs {
        Needs::Object => true,
        Needs::Direct(lists) | Needs::Near(lists) => {
            lists.iter().any(|list| before.iter().any(|token| list.contains(&token.word.as_str())))
        }
        Needs::Determined | Needs::Recipient | Needs::Person | Needs::Nominal | Needs::With(..) => false,
    }
}

/// "Make the bucket public" is an act, though "make a list" is none.
fn is_own_act(verb: &Verb, rest: &[Token]) -> bool {
    matches!(verb.needs, Needs::Near(_) | Needs::With(..) | Needs::Recipient | Needs::Direct(_))
        && !rest.is_empty()
}

fn is_negated(clause: &[Token], at: usize) -> bool {
    let from = at.saturating_sub(3);
    clause.get(from..at).unwrap_or_default().iter().any(|token| NEGATIONS.contains(&token.word))
}

/// Whether an object is meant, and not only named: after a verb that only reads, "delete endpoints" is a name.
fn is_specific(rest: &[Token]) -> bool {
    rest.first().is_some_and(|next| {
        !NAMED.contains(&next.word)
            && (DETERMINERS.contains(&next.word)
                || rest.iter().take(3).any(|token| {
                    ASSETS.contains(&token.word.as_str()) || PEOPLE.contains(&token.word.as_str())
                })
                || rest.iter().any(|token| token.word.contains(['@', '/', '$', '€']))
                || next.capital
                || next.word.starts_with(|letter: char| letter.is_ascii_digit())
                || next.word == "to")
    })
}

fn has_needs(clause: &[Token], at: usize, verb: &Verb, rest: &[Token], attached: bool, leads: bool) -> bool {
    let words = || rest.iter().map(|token| token.word.as_str());
    let next = words().next().unwrap_or_default();
    let named = NAMED.contains(next);
    let direct: Vec<&str> =
        words().take_while(|word| !PREPOSITIONS.contains(word) || DETERMINERS.contains(word)).collect();
    let any_of = |lists: &[&[&str]], among: &[&str]| {
        lists.iter().any(|list| among.iter().any(|word| list.contains(word)))
    };
    match verb.needs {
        Needs::Object if attached => true,
        Needs::Object => (!next.is_empty() || clause.len() == 1) && !named && !only_text(&direct, rest),
        Needs::Direct(lists) => {
            let text_part = direct.iter().any(|word| TEXT_PARTS.contains(word));
            let stored =
                words().any(is_store) && words().any(|word| word == "from" || word == "de" || word == "del");
            !named && ((any_of(lists, &direct) && !text_part) || stored || (attached && leads))
        }
        Needs::Near(lists) => {
            let before = at.checked_sub(1).and_then(|at| clause.get(at)).map(|token| token.word.as_str());
            let near: Vec<&str> = words().chain(before).collect();
            let sums =
                near.iter().any(|word| verb.class == RiskClass::Money && word.starts_with(['$', '€', '£']));
            // Words such as "set" or "push" are verbs of an order only where an order begins.
            (!named || any_of(lists, &[next])) && leads && (any_of(lists, &near) || sums)
        }
        Needs::With(particles, lists) => {
            let all: Vec<&str> = words().collect();
            leads && any_of(&[particles], &all) && any_of(lists, &all)
        }
        Needs::Determined => leads && is_determined(rest),
        Needs::Nominal => {
            let object = ["of", "to", "into", "de", "del", "a", "al", "en"].contains(&next);
            let done = clause.first().is_some_and(|first| {
                ["do", "perform", "make", "haz", "realiza", "run"].contains(&first.word.as_str())
            });
            object && (leads || done)
        }
        Needs::Recipient => !named && has_recipient(rest, attached),
        Needs::Person => leads && !named && is_person(rest),
    }
}

/// A part of a text, of nothing that keeps things.
fn only_text(direct: &[&str], rest: &[Token]) -> bool {
    direct.iter().any(|word| TEXT_PARTS.contains(word)) && !rest.iter().any(|token| is_store(&token.word))
}

/// How many there are, in words.
#[rustfmt::skip]
static NUMBERS: WordSet = WordSet::new(&[
    "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "sixty",
    "hundred", "dozen", "several", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "quince", "veinte",
    "treinta", "cuarenta", "cincuenta", "cien", "varios", "varias",
]);

fn is_determined(rest: &[Token]) -> bool {
    let Some(next) = rest.first().map(|token| token.word.as_str()) else { return false };
    let sorts = rest.iter().any(|token| {
        matches!(
            token.word.as_str(),
            "by" | "alphabetically" | "por" | "list" | "lista" | "rows" | "items" | "them"
        )
    });
    let articles = [
        "a", "an", "the", "my", "our", "me", "us", "two", "three", "some", "more", "new", "un", "una", "el",
        "la", "los", "las", "dos", "mi", "all", "every", "nuevos", "nuevas",
    ];
    let counted = articles.contains(&next) || NUMBERS.contains(next);
    !sorts && (counted || next.starts_with(|c: char| c.is_ascii_digit()))
}

/// A word without the ending of an owner: the landlord in "the landlord's letter".
fn whose(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

fn is_person(rest: &[Token]) -> bool {
    let skip = |token: &&Token| {
        matches!(
            token.word.as_str(),
            "the"
                | "all"
                | "our"
                | "my"
                | "every"
                | "each"
                | "to"
                | "back"
                | "los"
                | "las"
                | "el"
                | "a"
                | "their"
                | "al"
        )
    };
    let named = |token: &Token| {
        PEOPLE.contains(&whose(&token.word))
            || token.word.contains('@')
            || (token.capital && !MACHINERY.contains(&token.word.as_str()))
    };
    rest.iter().skip_while(skip).take(2).any(named)
        || rest.first().is_some_and(|next| next.word == "everyone")
}

/// People, an address, or a letter; not a part of a program.
fn has_recipient(rest: &[Token], attached: bool) -> bool {
    let to = rest.iter().position(|token| matches!(token.word.as_str(), "to" | "a" | "al"));
    let after: Vec<&Token> =
        to.map(|at| rest.iter().skip(at.saturating_add(1)).take(4).collect()).unwrap_or_default();
    let is = |list: &[&str], token: &Token| list.contains(&token.word.as_str());
    if after.iter().any(|token| is(MACHINERY, token)) && !after.iter().any(|token| is(PEOPLE, token)) {
        return false;
    }
    let person = |token: &&Token| is(PEOPLE, token) || token.word.contains('@') || token.capital;
    let letter = rest.iter().take(5).any(|token| is(LETTERS, token));
    let named = rest.first().is_some_and(|next| next.capital && !is(MACHINERY, next));
    let direct = named || rest.iter().take(3).any(|token| is(PEOPLE, token));
    attached || letter || direct || after.iter().any(person)
}
