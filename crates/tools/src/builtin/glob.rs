//! Patterns for names: `*` and `?` within a name, `**` for any number of folders.

/// Whether a path within a folder fits. A pattern without `/` is about the name alone, wherever it is.
pub(super) fn fits(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if !pattern.contains('/') {
        return name_fits(pattern, path.rsplit('/').next().unwrap_or(path));
    }
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let path: Vec<&str> = path.split('/').collect();
    matches(&pattern, &path, |part| *part == "**", |part, name| name_fits(part, name))
}

fn name_fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    matches(&pattern, &name, |one| *one == '*', |one, letter| *one == '?' || one == letter)
}

/// Matches from left to right. Only the last star is ever tried again, which suffices and keeps the work within
/// the product of both lengths.
fn matches<T>(pattern: &[T], what: &[T], star: impl Fn(&T) -> bool, one: impl Fn(&T, &T) -> bool) -> bool {
    let (mut p, mut w) = (0, 0);
    let mut last: Option<(usize, usize)> = None;
    while let Some(next) = what.get(w) {
        match pattern.get(p) {
            Some(part) if star(part) => {
                last = Some((p, w));
                p += 1;
            }
            Some(part) if one(part, next) => (p, w) = (p + 1, w + 1),
            _ => {
                let Some((at, from)) = last else { return false };
                last = Some((at, from + 1));
                (p, w) = (at + 1, from + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_fit() {
        for (pattern, path) in [
            ("*.rs", "a/b/lib.rs"),
            ("l?b.*", "lib.rs"),
            ("**/*.rs", "lib.rs"),
            ("**/*.rs", "a/b/lib.rs"),
            ("a/**", "a/b/lib.rs"),
            ("a/**/c/*.md", "a/b/c/x.md"),
            ("./a/*", "a/x"),
            ("*", "ü"),
            ("?", "ü"),
        ] {
            assert!(fits(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in
            [("*.rs", "a.rs.md"), ("a/*", "a/b/c"), ("a/*.rs", "b/a/x.rs"), ("", "a"), ("?", "ab")]
        {
            assert!(!fits(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn a_nasty_pattern_ends_soon() {
        assert!(!fits(&"*a".repeat(200), &"a".repeat(199)));
        assert!(!fits(&format!("{}b", "*a".repeat(200)), &"a".repeat(5000)));
    }
}
