//! Patterns for names: `*` and `?` within a name, `**` for any number of folders, `{a,b}` for either.

/// How many patterns the alternatives of one may stand for.
const MAX_ALTERNATIVES: usize = 64;

/// Whether a path within a folder fits. A pattern without `/` is about the name alone, wherever it is.
pub(super) fn fits(pattern: &str, path: &str) -> bool {
    if pattern.contains('{') {
        return alternatives(pattern).iter().any(|pattern| one_fits(pattern, path));
    }
    one_fits(pattern, path)
}

/// The patterns that one with `{a,b}` stands for. Braces that do not match, and more alternatives than there may be,
/// are taken as they are written.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut all = vec![pattern.to_owned()];
    while let Some(at) = all.iter().position(|one| inner(one).is_some()) {
        let one = all.swap_remove(at);
        let Some((before, choices, after)) = inner(&one) else { break };
        all.extend(choices.split(',').map(|choice| format!("{before}{choice}{after}")));
        if all.len() > MAX_ALTERNATIVES {
            return vec![pattern.to_owned()];
        }
    }
    all
}

/// The first braces that hold no others, with what is around them.
fn inner(pattern: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = pattern.split_once('}')?;
    let (before, choices) = before.rsplit_once('{')?;
    Some((before, choices, after))
}

fn one_fits(pattern: &str, path: &str) -> bool {
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
            ("*.{ts,tsx}", "src/a.tsx"),
            ("{src,tests}/**/*.{rs,md}", "tests/it/a.md"),
            ("a{,b{c,d}}.txt", "abd.txt"),
            ("a{,b{c,d}}.txt", "a.txt"),
            ("a}b{", "a}b{"),
        ] {
            assert!(fits(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.{ts,tsx}", "a.js"),
            ("*.rs", "a.rs.md"),
            ("a/*", "a/b/c"),
            ("a/*.rs", "b/a/x.rs"),
            ("", "a"),
            ("?", "ab"),
        ] {
            assert!(!fits(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn a_nasty_pattern_ends_soon() {
        assert!(!fits(&"*a".repeat(200), &"a".repeat(199)));
        assert!(!fits(&format!("{}b", "*a".repeat(200)), &"a".repeat(5000)));
        assert!(!fits(&"{a,b}".repeat(200), &"a".repeat(5000)));
        assert!(!fits(&"{".repeat(5000), "a") && !fits(&"{a,".repeat(2000), "a"));
    }
}
