//! Entries that name each other: each once, none that is not there, none that waits for itself.

use std::collections::BTreeSet;

use candor_model::ValidationError;

use super::wording;

/// An entry and those it needs.
pub(crate) struct Entry<'a> {
    /// Where it stands, such as `rules[2]`.
    pub(crate) place: String,
    /// What other entries need it by.
    pub(crate) id: &'a str,
    /// The names of those it needs.
    pub(crate) needs: &'a [String],
}

/// What the fields of an entry are called.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    /// What an entry is called, such as `rule`.
    pub(crate) entry: &'static str,
    /// The field with the name.
    pub(crate) id: &'static str,
    /// The field with the names of those it needs.
    pub(crate) needs: &'static str,
}

/// Refuses names that are there twice, needs that nobody meets, and circles.
pub(crate) fn check(entries: &[Entry<'_>], names: Names) -> Result<(), ValidationError> {
    let mut known = BTreeSet::new();
    for entry in entries {
        if !known.insert(entry.id) {
            let problem = format!("`{}` is there twice; give this {} another name", entry.id, names.entry);
            return Err(ValidationError::new(format!("{}.{}", entry.place, names.id), problem));
        }
    }
    for entry in entries {
        for (index, need) in entry.needs.iter().enumerate() {
            if !known.contains(need.as_str()) {
                let field = format!("{}.{}[{index}]", entry.place, names.needs);
                return Err(ValidationError::new(field, unknown(entry.id, need, names.entry, &known)));
            }
        }
    }
    match circle(entries) {
        None => Ok(()),
        Some((place, circle)) => {
            let problem = format!("goes in a circle: {}; take one of them out", circle.join(" → "));
            Err(ValidationError::new(format!("{place}.{}", names.needs), problem))
        }
    }
}

fn unknown(id: &str, need: &str, kind: &str, known: &BTreeSet<&str>) -> String {
    let meant = wording::nearest(need, known.iter().copied());
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("{kind} `{id}` depends on `{need}`, and there is no {kind} of that name{meant}")
}

/// A circle, and the place of the entry that it is told from.
fn circle<'a>(entries: &'a [Entry<'a>]) -> Option<(&'a str, Vec<&'a str>)> {
    let mut left: Vec<&Entry<'_>> = entries.iter().collect();
    loop {
        let waiting: BTreeSet<&str> = left.iter().map(|entry| entry.id).collect();
        let before = left.len();
        left.retain(|entry| entry.needs.iter().any(|need| waiting.contains(need.as_str())));
        if left.is_empty() {
            return None;
        }
        if left.len() == before {
            break;
        }
    }
    // Everyone who is left needs someone who is left: following them must come back.
    let first = left.first()?;
    let mut path = vec![first.id];
    let mut here = *first;
    loop {
        let next = left.iter().find(|entry| here.needs.iter().any(|need| need == entry.id))?;
        if let Some(start) = path.iter().position(|id| *id == next.id) {
            path.drain(..start);
            path.push(next.id);
            return Some((&next.place, path));
        }
        path.push(next.id);
        here = next;
    }
}
