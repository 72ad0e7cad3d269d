//! The cuisines a goal asks for, under their English names and in the order of the text.

use super::push_new;
use super::text::{Text, is_among};

/// The start of the word, in either language, and the label.
#[rustfmt::skip]
const CUISINES: &[(&str, &str)] = &[
    ("american", "American"), ("mexican", "Mexican"), ("chin", "Chinese"), ("italian", "Italian"),
    ("indian", "Indian"), ("india", "Indian"), ("indi", "Indian"), ("mediterrane", "Mediterranean"),
    ("french", "French"), ("frances", "French"), ("japon", "Japanese"), ("japanese", "Japanese"),
    ("thai", "Thai"), ("tailandes", "Thai"), ("spanish", "Spanish"), ("espanol", "Spanish"),
    ("greek", "Greek"), ("grieg", "Greek"), ("korean", "Korean"), ("corean", "Korean"),
    ("vietnam", "Vietnamese"), ("peruan", "Peruvian"), ("peruvian", "Peruvian"), ("turkish", "Turkish"),
    ("turc", "Turkish"), ("lebanese", "Lebanese"), ("libanes", "Lebanese"), ("moroccan", "Moroccan"),
    ("marroqui", "Moroccan"), ("ethiopian", "Ethiopian"), ("brazilian", "Brazilian"),
    ("brasilen", "Brazilian"), ("argentin", "Argentine"), ("german", "German"), ("aleman", "German"),
    ("portugu", "Portuguese"), ("cuban", "Cuban"), ("caribbean", "Caribbean"), ("cajun", "Cajun"),
];
/// The ends that make such a start an adjective and not a country.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "", "s", "a", "as", "o", "os", "ese", "esa", "esas", "eses", "n", "an", "ans", "us", "es", "amese",
    "amita", "ean", "a's",
];
#[rustfmt::skip]
const FOOD: &[&str] = &[
    "cuisine", "cuisines", "food", "foods", "dining", "dine", "meal", "meals", "eat", "eating", "restaurant",
    "restaurants", "dish", "dishes", "flavors", "flavours", "flavor", "culinary", "taste", "tastes",
    "tasting", "cooking", "gastronomic", "gastronomy", "palate", "comida", "comidas", "cocina", "cocinas",
    "restaurante", "restaurantes", "gastronomia", "platos", "comer", "cenar", "savor", "diet", "dietary",
    "dinner", "lunch", "gastronomica", "foodie", "fare", "delicacies", "sabores", "eateries", "feast",
    "sampling", "try", "probar",
];
const REFUSALS: &[&str] =
    &["no", "not", "avoid", "without", "except", "sin", "nada", "evitar", "excluding", "don't"];

/// Lists the cuisines asked for, and those refused.
pub(super) fn find(text: &Text<'_>) -> (Vec<String>, Vec<String>) {
    let fed = sentences_about_food(text);
    let (mut wanted, mut refused) = (Vec::new(), Vec::new());
    let mut last_refused = None;
    for (at, token) in text.tokens().iter().enumerate() {
        let Some(label) = label(&token.key).filter(|_| is_named(text, at)) else { continue };
        let sentence = token.sentence;
        let listed = text.is(at.saturating_add(1), &[",", "and", "or", "y"]) || is_listed(text, at);
        let about = fed.binary_search(&sentence).is_ok()
            || (listed
                && sentence.checked_sub(1).is_some_and(|previous| fed.binary_search(&previous).is_ok()));
        if !about {
            continue;
        }
        let from = text.window_start(at, 3);
        let said_no = (from..at).any(|near| text.is(near, REFUSALS))
            || last_refused.is_some_and(|last| at.saturating_sub(last) <= 2);
        if said_no {
            last_refused = Some(at);
        }
        push_new(if said_no { &mut refused } else { &mut wanted }, label.to_owned());
    }
    (wanted, refused)
}

/// Whether a list goes on here from the sentence before: "We love good food. Thai, Greek and Indian."
fn is_listed(text: &Text<'_>, at: usize) -> bool {
    matches!(text.before(at, 1), "," | "and" | "or" | "y") && label(text.before(at, 2)).is_some()
}

/// The sentences in which food is spoken of, in order.
fn sentences_about_food(text: &Text<'_>) -> Vec<u32> {
    let mut sentences: Vec<u32> =
        text.tokens().iter().filter(|token| is_among(&token.key, FOOD)).map(|token| token.sentence).collect();
    sentences.dedup();
    sentences
}

fn label(key: &str) -> Option<&'static str> {
    CUISINES.iter().find_map(|(start, label)| {
        let end = key.strip_prefix(start)?;
        let country = matches!(
            key,
            "india" | "china" | "chin" | "chins" | "indi" | "indio" | "indios" | "japon" | "vietnam"
        );
        let spanish_food = matches!(key, "india" | "china");
        (ENDS.contains(&end) && (!country || spanish_food)).then_some(*label)
    })
}

/// Rejects names that only look like a cuisine: an airline, and the countries China and India.
fn is_named(text: &Text<'_>, at: usize) -> bool {
    let country = text.is(at, &["india", "china"]) && text.is_capital(at);
    let food_before = FOOD.contains(&text.before(at, 1));
    let other = text.is(
        at.saturating_add(1),
        &["airlines", "express", "dollars", "airways", "border", "speaking", "citizens", "citizen"],
    );
    (!country || food_before) && !other && !is_lower_country(text, at)
}

/// In English "india" and "china" are never a cuisine, however they are written.
fn is_lower_country(text: &Text<'_>, at: usize) -> bool {
    text.is(at, &["india", "china"]) && text.language == super::Language::En
}
