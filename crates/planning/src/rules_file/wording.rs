//! Errors in the words of the file instead of those of the program.

/// Names that are less alike than this are not meant.
const SIMILAR: f64 = 0.6;

/// What the program calls things, and what people call them.
const WORDS: [(&str, &str); 7] = [
    ("u8", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
    ("u64", "a whole number, 0 or more"),
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("a string", "text"),
    ("a boolean", "true or false"),
];

/// A problem in plain words, with the name that was probably meant if one is like it.
pub(super) fn plain(problem: &str) -> String {
    format!("{}{}", reworded(problem), suggestion(problem))
}

fn reworded(problem: &str) -> String {
    let Some((before, expected)) = problem.rsplit_once("expected ") else { return problem.to_owned() };
    let ours = match WORDS.iter().find(|(theirs, _)| *theirs == expected) {
        Some((_, ours)) => ours,
        None if expected.starts_with("struct ") => "a table",
        None => expected,
    };
    format!("{before}expected {ours}")
}

fn suggestion(problem: &str) -> String {
    let found = ["unknown field `", "unknown variant `"].iter().find_map(|start| {
        let (wrong, rest) = problem.strip_prefix(start)?.split_once('`')?;
        nearest(wrong, rest.split('`').skip(1).step_by(2))
    });
    let found = found.or_else(|| {
        let (before, known) = problem.split_once("` is not one of ")?;
        nearest(before.rsplit('`').next()?, known.split(", "))
    });
    found.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The name that is most like `wrong`, if any is.
pub(super) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(wrong, name), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= SIMILAR).then_some(best.1)
}
