//! Amounts of money, and which of them is the budget. Converts nothing from one currency to another.

use super::numbers::{self, Number};
use super::text::Text;
use super::{Amount, Extracted, Notes, Quantity, push_new};

/// An amount as found in the text.
#[derive(Clone, Debug)]
struct Mention {
    value: f64,
    currency: Option<&'static str>,
    from: usize,
    next: usize,
}

/// A text with more amounts than this is a ledger, and its budget stands near the start.
const MOST_MENTIONS: usize = 1_000;

/// How clearly an amount is the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// A price of something, or money that is not to be spent.
    Price,
    /// An amount that nothing is said about.
    Bare,
    /// `on $500`, `with $500`.
    Likely,
    /// `budget of $500`.
    Said,
}

#[rustfmt::skip]
const SYMBOLS: &[(&str, &str)] = &[
    ("$", "USD"), ("€", "EUR"), ("£", "GBP"), ("¥", "JPY"), ("₹", "INR"), ("₩", "KRW"), ("₽", "RUB"),
    ("₺", "TRY"), ("₪", "ILS"), ("฿", "THB"), ("₱", "PHP"),
];
/// Letters written before a dollar sign, as in `CA$500`.
#[rustfmt::skip]
const DOLLARS: &[(&str, &str)] = &[
    ("us", "USD"), ("usd", "USD"), ("mx", "MXN"), ("mxn", "MXN"), ("ca", "CAD"), ("cad", "CAD"), ("c", "CAD"),
    ("au", "AUD"), ("aud", "AUD"), ("a", "AUD"), ("r", "BRL"), ("nz", "NZD"), ("hk", "HKD"), ("s", "SGD"),
    ("ars", "ARS"), ("cop", "COP"), ("clp", "CLP"),
];
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("dollar", "USD"), ("dollars", "USD"), ("bucks", "USD"), ("usd", "USD"), ("dolar", "USD"),
    ("dolares", "USD"), ("euro", "EUR"), ("euros", "EUR"), ("eur", "EUR"), ("pound", "GBP"),
    ("pounds", "GBP"), ("gbp", "GBP"), ("quid", "GBP"), ("libras", "GBP"), ("yen", "JPY"), ("yenes", "JPY"),
    ("jpy", "JPY"), ("rupees", "INR"), ("rupias", "INR"), ("inr", "INR"), ("mxn", "MXN"), ("ars", "ARS"),
    ("cop", "COP"), ("clp", "CLP"), ("cad", "CAD"), ("aud", "AUD"), ("chf", "CHF"), ("francs", "CHF"),
    ("francos", "CHF"), ("brl", "BRL"), ("reais", "BRL"), ("reales", "BRL"), ("soles", "PEN"), ("pen", "PEN"),
    ("yuan", "CNY"), ("cny", "CNY"), ("rmb", "CNY"), ("krw", "KRW"), ("sek", "SEK"), ("nok", "NOK"),
    ("dkk", "DKK"), ("pln", "PLN"), ("nzd", "NZD"), ("pesos", "MXN"),
];
/// What kind of dollars or pesos is said by the word beside them.
#[rustfmt::skip]
const KINDS: &[(&str, &str, &str)] = &[
    ("pesos", "mexican", "MXN"), ("pesos", "argentin", "ARS"), ("pesos", "colombian", "COP"),
    ("pesos", "chilen", "CLP"), ("pesos", "chilean", "CLP"), ("pesos", "uruguay", "UYU"),
    ("pesos", "dominican", "DOP"), ("pesos", "filipin", "PHP"), ("dolares", "canadi", "CAD"),
    ("dolares", "australian", "AUD"), ("dollars", "canadian", "CAD"), ("dollars", "australian", "AUD"),
];
/// Words that make an amount near them the budget.
#[rustfmt::skip]
const BUDGET: &[&str] = &[
    "budget", "budgeted", "budgeting", "budgetary", "spend", "spending", "afford", "expenditure",
    "expenditures", "expenses", "funds", "allocated", "allowance", "presupuesto", "presupuestos",
    "presupuestado", "gastar", "gastarnos", "gastarme", "fondos", "gasto", "gastos", "costs", "cost", "coste",
    "costo", "limit", "limite", "tope", "cap", "capped", "exceed", "exceeding", "superar", "exceder",
    "maximum", "max", "maximo", "financial", "pagar",
];
/// Phrases right before an amount that make it a limit.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    "than", "under", "below", "within", "to", "most", "mucho", "de", "hasta", "menos", "of", "maximum", "max",
    "maximo", "at", "around", "about", "approximately", "roughly", "unos", "on", "with", "con", "for", "por",
    "only", "just",
];
/// What makes an amount the price of one thing.
const PER: &[&str] = &["per", "a", "each", "por", "al", "cada", "every", "nightly"];
#[rustfmt::skip]
const PER_WHAT: &[&str] = &[
    "night", "day", "hour", "month", "week", "ticket", "noche", "dia", "hora", "mes", "semana", "room",
    "habitacion", "each", "item", "unit", "year", "ano", "boleto", "meal", "comida", "user", "usuario",
];
const PERSON: &[&str] = &["person", "head", "persona", "cabeza", "traveler", "guest", "viajero", "capita"];

/// Reads the budget and its currency; other amounts become quantities.
pub(super) fn fill(text: &Text<'_>, travel: bool, extracted: &mut Extracted, notes: &mut Notes) {
    let mentions = mentions(text);
    let claims: Vec<Claim> = mentions.iter().map(|mention| claim(text, mention, travel)).collect();
    let best =
        claims.iter().copied().max().filter(|&best| best > Claim::Bare || (best == Claim::Bare && travel));
    let mut budgets: Vec<&Mention> = Vec::new();
    for (mention, claim) in mentions.iter().zip(&claims) {
        notes.mark_used(mention.from, mention.next);
        if Some(*claim) == best {
            budgets.push(mention);
        } else if mention.currency.is_some() {
            push_new(&mut extracted.quantities, quantity(text, mention));
        }
    }
    if let Some(first) = budgets.first() {
        set_budget(text, first, &budgets, extracted, notes);
    }
}

fn quantity(text: &Text<'_>, mention: &Mention) -> Quantity {
    Quantity {
        value: Amount(mention.value),
        unit: mention.currency.unwrap_or("USD").to_owned(),
        text: text.slice(mention.from, mention.next).to_owned(),
    }
}

fn set_budget(
    text: &Text<'_>,
    first: &Mention,
    budgets: &[&Mention],
    extracted: &mut Extracted,
    notes: &mut Notes,
) {
    let mut chosen = first;
    for other in budgets.iter().skip(1).filter(|other| (other.value - first.value).abs() > f64::EPSILON) {
        if is_range(text, first, other) {
            chosen = other;
            notes.guess(format!("the budget: the upper end, {}", shown(other)));
        } else if is_total(text, other) && !is_total(text, chosen) {
            chosen = other;
        } else {
            notes.doubt(format!("Two budgets are named: {} and {}.", shown(chosen), shown(other)));
        }
    }
    extracted.budget = Some(Amount(chosen.value));
    extracted.currency = Some(chosen.currency.unwrap_or("USD").to_owned());
    if chosen.currency.is_none() {
        notes.guess("the currency of the budget: USD".to_owned());
    } else if text.slice(chosen.from, chosen.next).ends_with("pesos") && chosen.currency == Some("MXN") {
        notes.guess("which pesos the budget is in: MXN".to_owned());
    }
    if per(text, chosen, PERSON) {
        per_person(chosen, extracted, notes);
    }
}

/// A budget for each person is one for all of them, when their number is known.
fn per_person(chosen: &Mention, extracted: &mut Extracted, notes: &mut Notes) {
    match extracted.people {
        Some(people) if people > 1 => {
            let all = chosen.value * f64::from(people);
            extracted.budget = Some(Amount(all));
            notes.guess(format!("the whole budget: {} for each of {people} people, {all}", shown(chosen)));
        }
        Some(_) => {}
        None => {
            notes.doubt(format!("The budget of {} is per person; how many go is not said.", shown(chosen)));
        }
    }
}

fn shown(mention: &Mention) -> String {
    format!("{} {}", mention.value, mention.currency.unwrap_or("USD"))
}

fn is_range(text: &Text<'_>, one: &Mention, other: &Mention) -> bool {
    other.value > one.value
        && other.from.saturating_sub(one.next) == 1
        && text.is(one.next, &["-", "to", "and", "a", "y", "or", "o"])
}

fn is_total(text: &Text<'_>, mention: &Mention) -> bool {
    let from = text.window_start(mention.from, 5);
    (from..mention.from).any(|at| text.is(at, &["total", "overall", "whole", "entire"]))
}

fn mentions(text: &Text<'_>) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() && found.len() < MOST_MENTIONS {
        match mention(text, at) {
            Some(mention) => {
                at = mention.next.max(at.saturating_add(1));
                found.push(mention);
            }
            None => at = at.saturating_add(1),
        }
    }
    found
}

fn mention(text: &Text<'_>, at: usize) -> Option<Mention> {
    let after = at.saturating_add(1);
    if let Some(currency) = find(SYMBOLS, text.key(at)) {
        return with_sign(text, at, after, currency);
    }
    if text.is_word(at) {
        if text.key(after) == "$" && text.is_glued(after) {
            let currency = find(DOLLARS, text.key(at))?;
            return with_sign(text, at, after.saturating_add(1), currency);
        }
        if let Some(currency) = code(text, at) {
            return with_sign(text, at, after, currency);
        }
    }
    named_or_bare(text, at)
}

/// An upper-case code before the number: `USD 500`.
fn code(text: &Text<'_>, at: usize) -> Option<&'static str> {
    let written = text.get(at)?.text;
    let upper = written.len() == 3 && written.bytes().all(|byte| byte.is_ascii_uppercase());
    if upper { find(NAMES, text.key(at)) } else { None }
}

fn with_sign(text: &Text<'_>, from: usize, at: usize, currency: &'static str) -> Option<Mention> {
    let number = amount(text, at)?;
    // "$500 CAD" names its dollars twice; the code says more than the sign.
    let named = find(NAMES, text.key(number.next)).filter(|_| text.is_word(number.next));
    match named {
        Some(name) => Some(Mention {
            value: number.value,
            currency: Some(name),
            from,
            next: number.next.saturating_add(1),
        }),
        None => Some(Mention { value: number.value, currency: Some(currency), from, next: number.next }),
    }
}

/// Digits, spaces between groups of three as in `2 000`, and multipliers as in `2.5k` or `3M`.
fn amount(text: &Text<'_>, at: usize) -> Option<Number> {
    if !text.is_number(at) {
        return numbers::read(text, at);
    }
    let mut value = numbers::money_digits(text.get(at)?.text, text.language)?;
    let mut next = at.saturating_add(1);
    while let Some(group) = text.get(next).filter(|group| is_group(group.text) && value < 1e9) {
        let starts_date = text.is(next.saturating_add(1), &["/", "-"]);
        if starts_date || text.is_glued(next) || value < 1.0 {
            break;
        }
        value = value.mul_add(1000.0, group.text.parse().unwrap_or(0.0));
        next = next.saturating_add(1);
    }
    if text.is(next, &["m", "mm"]) && text.is_glued(next) {
        return Some(Number { value: value * 1e6, next: next.saturating_add(1) });
    }
    Some(numbers::multiplied(text, Number { value, next }))
}

fn is_group(written: &str) -> bool {
    written.len() == 3 && written.bytes().all(|byte| byte.is_ascii_digit())
}

/// `500 euros`, `500€`, or a bare number that `budget` stands right before.
fn named_or_bare(text: &Text<'_>, at: usize) -> Option<Mention> {
    let number = amount(text, at)?;
    let unit = text.key(number.next);
    // "1,2 millones de euros" and "two million of pounds".
    let joined = usize::from(matches!(unit, "de" | "of" | "us"));
    let at_unit = number.next.saturating_add(joined);
    let sign = find(SYMBOLS, text.key(at_unit))
        .filter(|_| !text.is_number(at_unit.saturating_add(1)) || text.is_glued(at_unit));
    let next = at_unit.saturating_add(1);
    if let Some(currency) = find(NAMES, text.key(at_unit)).or(sign) {
        let (currency, next) = kind_of(text, at_unit, next).unwrap_or((currency, next));
        return Some(Mention { value: number.value, currency: Some(currency), from: at, next });
    }
    let limit = is_limit(text, at, number.next) && !counts_a_thing(text, number.next);
    let bare = (follows_budget(text, at) || limit)
        && !is_counted(text, number.next)
        && (text.is_number(at) || number.value >= 100.0);
    bare.then_some(Mention { value: number.value, currency: None, from: at, next: number.next })
}

fn kind_of(text: &Text<'_>, unit: usize, next: usize) -> Option<(&'static str, usize)> {
    let after = text.key(next);
    let (_, _, code) =
        KINDS.iter().find(|(name, kind, _)| *name == text.key(unit) && after.starts_with(kind))?;
    Some((code, next.saturating_add(1)))
}

/// Whether `budget` governs the number: only small words stand between them.
fn follows_budget(text: &Text<'_>, at: usize) -> bool {
    #[rustfmt::skip]
    const BETWEEN: &[&str] = &[
        "of", "is", "set", "at", "to", "around", "about", "roughly", "approximately", "under", "below", ":",
        "=", "no", "more", "than", "up", "a", "de", "es", "unos", "hasta", "maximo", "menos", "total",
        "limited", "limit", "was", "being", "max", "maximum", "for", "the", "trip", "this", "our", "my",
        "only", "just", "(", "exceed", "not", "should", "el", "viaje", "para", "este", "sera", "del",
    ];
    const HEADS: &[&str] = &["budget", "presupuesto", "spend", "gastar", "cost", "costs"];
    let from = text.window_start(at, 7);
    for back in (from..at).rev() {
        if text.is(back, HEADS) {
            return true;
        }
        if !text.is(back, BETWEEN) {
            return false;
        }
    }
    false
}

/// `under 6 grand`, `3k max`: thousands with a limit beside them can only be money.
fn is_limit(text: &Text<'_>, at: usize, next: usize) -> bool {
    let thousands = text.is(next.saturating_sub(1), &["k", "grand"]);
    let before = matches!(
        text.before(at, 1),
        "under" | "below" | "than" | "to" | "most" | "max" | "maximum" | "within" | "for" | "on"
    );
    thousands && (before || text.is(next, &["max", "maximum", "tops", "total", "maximo"]))
}

/// Whether a word follows that thousands are counted in: "under 50k rows".
fn counts_a_thing(text: &Text<'_>, next: usize) -> bool {
    const NOT_COUNTED: &[&str] =
        &["max", "maximum", "tops", "total", "maximo", "altogether", "all", "please", "overall"];
    text.is_word(next) && super::quantities::is_unit(text, next) && !text.is(next, NOT_COUNTED)
}

/// Whether what follows a bare number says that it counts something else than money.
fn is_counted(text: &Text<'_>, next: usize) -> bool {
    #[rustfmt::skip]
    const COUNTED: &[&str] = &[
        "people", "persons", "days", "day", "nights", "weeks", "week", "personas", "dias", "dia", "semanas",
        "%", "adults", "adultos", "months", "meses", "hours", "horas", "person", "/", "st", "nd", "rd", "th",
        "cities", "ciudades", "de",
    ];
    text.is(next, COUNTED) || (text.is(next, &["-"]) && text.is_glued(next))
}

fn claim(text: &Text<'_>, mention: &Mention, travel: bool) -> Claim {
    if mention.currency.is_none() {
        return Claim::Said;
    }
    if per(text, mention, PER_WHAT) {
        return Claim::Price;
    }
    // "Reduce costs from $9000 to $8000" tells of what is, not of what may be spent.
    if text.before(mention.from, 1) == "from" && !travel {
        return Claim::Bare;
    }
    let from = text.window_start(mention.from, 12);
    let to = text.window_end(mention.next, 5);
    let cue = |at: usize| text.is(at, BUDGET);
    if (from..mention.from).any(cue) || (mention.next..to).any(cue) {
        return Claim::Said;
    }
    let limited = text.is(mention.from.saturating_sub(1), LIMITS) && mention.from > 0;
    if limited && (travel || !text.is(mention.from.saturating_sub(1), &["of", "de", "at", "to"])) {
        return Claim::Likely;
    }
    Claim::Bare
}

/// `$100 per night`, `$100 a day`, `100 € por persona`.
fn per(text: &Text<'_>, mention: &Mention, what: &[&str]) -> bool {
    let slash = usize::from(text.is(mention.next, PER) || text.is(mention.next, &["/"]));
    slash == 1 && text.is(mention.next.saturating_add(1), what)
        || text.is(mention.next, &["each", "nightly"]) && what.contains(&"each")
}

/// Whether a word names a currency.
pub(super) fn is_currency(key: &str) -> bool {
    find(NAMES, key).is_some()
}

fn find(table: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    table.iter().find(|(word, _)| *word == key).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(text: &str) -> Option<(f64, String)> {
        let mut extracted = Extracted::default();
        fill(&Text::new(text), true, &mut extracted, &mut Notes::default());
        Some((extracted.budget?.0, extracted.currency?))
    }

    #[test]
    fn amounts_are_read_however_they_are_written() {
        for (text, value, currency) in [
            ("a budget of $3,000", 3000.0, "USD"),
            ("no more than 2k euros", 2000.0, "EUR"),
            ("€1.500 at most", 1500.0, "EUR"),
            ("un presupuesto de 1,2 millones de pesos chilenos", 1_200_000.0, "CLP"),
            ("budget: 5k", 5000.0, "USD"),
            ("budget 2500", 2500.0, "USD"),
            ("con 2 000 € como máximo", 2000.0, "EUR"),
            ("spend USD 750", 750.0, "USD"),
            ("CA$900 in all", 900.0, "CAD"),
            ("a $2000 budget", 2000.0, "USD"),
            ("budget of two thousand dollars", 2000.0, "USD"),
            ("presupuesto de 1.500,50 €", 1500.5, "EUR"),
        ] {
            assert_eq!(budget(text), Some((value, currency.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_price_per_night_is_not_the_budget() {
        assert_eq!(budget("hotels at $100 per night, budget $900"), Some((900.0, "USD".to_owned())));
    }

    #[test]
    fn two_budgets_are_a_doubt() {
        let mut notes = Notes::default();
        let text = Text::new("Budget of $2000. My budget is $3000.");
        fill(&text, true, &mut Extracted::default(), &mut notes);
        assert_eq!(notes.doubts, ["Two budgets are named: 2000 USD and 3000 USD."]);
    }
}
