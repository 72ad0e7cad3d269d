//! The stemmer for English. `quality_routing` measures it.

/// Words that would turn into others without their last letter: a plane is no plan.
const KEEP_THEIR_END: [&str; 4] = ["plane", "scare", "spare", "stare"];

pub(super) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let mut root = singular(word);
    root = without_ending(&root);
    if root.len() > 4 && !KEEP_THEIR_END.contains(&root.as_str()) {
        root = root.strip_suffix(['e', 'a', 'o']).map(str::to_owned).unwrap_or(root);
    }
    root
}

/// A folded English word without the ending of its plural.
#[must_use]
pub fn singular(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies").filter(|root| root.len() > 2) {
        return format!("{root}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zzes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    let keeps = ["ss", "us", "is", "news"].iter().any(|ending| word.ends_with(ending));
    if keeps { word.to_owned() } else { word.strip_suffix('s').unwrap_or(word).to_owned() }
}

/// Endings that turn one kind of word into another, with the letters that must be left; longest first.
const ENDINGS: [(&str, usize); 21] = [
    ("ization", 4),
    ("ations", 4),
    ("ation", 4),
    ("ative", 4),
    ("ition", 5),
    ("ator", 4),
    ("ison", 5),
    ("izer", 4),
    ("ize", 4),
    ("ment", 4),
    ("ness", 4),
    ("ing", 3),
    ("ate", 4),
    ("ion", 4),
    ("ist", 4),
    ("ed", 3),
    ("er", 4),
    ("or", 5),
    ("ly", 4),
    ("ar", 5),
    ("ir", 5),
];

fn without_ending(word: &str) -> String {
    let found = ENDINGS.iter().find_map(|&(ending, least)| {
        word.strip_suffix(ending).filter(|root| root.len() >= least && has_vowel(root))
    });
    match found {
        Some(root) => single_final(root).to_owned(),
        None => word.to_owned(),
    }
}

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// "plann" is "plan": verbs double their last letter before an ending.
fn single_final(root: &str) -> &str {
    let mut last = root.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && !matches!(a, 'l' | 's' | 'z' | 'e' | 'o') => {
            root.strip_suffix(a).unwrap_or(root)
        }
        _ => root,
    }
}
