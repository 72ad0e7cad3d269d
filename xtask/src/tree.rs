//! Which packages are really built for which, from `cargo tree`.
//!
//! With all features of our crates and for all platforms: what only some builds have counts, too.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cargo;

/// A package of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// How a package of the tree comes in: from the root, through those who need it, to itself.
pub(crate) type Way = Vec<Node>;

/// Returns a way to each package that `package` is built from; dependencies of its tests do not count.
pub(crate) fn of_package(root: &Path, package: &str) -> Result<Vec<Way>> {
    load(root, &["--edges", "normal", "--package", package])
}

/// Returns a way to each package that anything in the workspace is built or tested with.
pub(crate) fn of_workspace(root: &Path) -> Result<Vec<Way>> {
    load(root, &["--edges", "normal,build,dev", "--workspace"])
}

fn load(root: &Path, selection: &[&str]) -> Result<Vec<Way>> {
    let fixed =
        ["tree", "--locked", "--all-features", "--target", "all", "--prefix", "depth", "--format", "{p}"];
    let arguments = [&fixed[..], selection].concat();
    let answer = cargo::answer(root, &arguments)?;
    parse(&answer).with_context(|| format!("the answer of `{}` could not be read", cargo::line(&arguments)))
}

/// Reads lines such as `2serde v1.0.0 (proc-macro)`: the depth, and a package.
fn parse(text: &str) -> Result<Vec<Way>> {
    let mut ways = Vec::new();
    let mut way = Way::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let package = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let depth = line.strip_suffix(package).and_then(|depth| depth.parse::<usize>().ok());
        let mut words = package.split_whitespace();
        let (Some(depth), Some(name), Some(version)) = (depth, words.next(), words.next()) else {
            bail!("expected a depth, a name and a version in the line `{line}`");
        };
        way.truncate(depth);
        way.push(Node { name: name.to_owned(), version: version.trim_start_matches('v').to_owned() });
        ways.push(way.clone());
    }
    Ok(ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_each_package_is_kept() {
        let text =
            "0engine v0.1.0 (/a b/c)\n1model v0.1.0 (/d)\n2serde v1.0.0\n1jiff v0.2.0 (*)\n\n0other v1.0.0\n";
        let ways: Vec<_> = parse(text).unwrap().iter().map(names).collect();
        assert_eq!(
            ways,
            ["engine", "engine -> model", "engine -> model -> serde", "engine -> jiff", "other"]
        );
    }

    #[test]
    fn versions_come_without_their_letter() {
        let ways = parse("0serde v1.0.0-rc.1 (proc-macro)\n").unwrap();
        assert_eq!(ways, [[Node { name: "serde".to_owned(), version: "1.0.0-rc.1".to_owned() }]]);
    }

    #[test]
    fn a_line_of_another_shape_is_an_error() {
        for text in ["serde v1.0.0", "0serde", "0", "99999999999999999999999a v1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    fn names(way: &Way) -> String {
        way.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join(" -> ")
    }
}
