//! The rule that the core has no clock, no randomness, no I/O and no async.
//!
//! The dependency table keeps libraries out; this keeps the standard library's own doors shut.

use super::layers;
use super::paths::{Mention, mentions};
use super::problem::Problem;
use super::source::{Code, Source};

/// The one file that may wrap the standard hash map: it gives it a hasher without a random seed.
const ID_MAP: &str = "crates/model/src/id_map.rs";

const NO_CLOCK: &str = "time comes in with the input";
const NO_IO: &str = "ask for an effect, and take its outcome as an input";
const NO_RANDOM_ORDER: &str = "its order differs from run to run; use IdMap or a BTreeMap";

/// What must not be mentioned, what to do instead, and the file that may.
const FORBIDDEN: &[(&str, &str, Option<&str>)] = &[
    ("SystemTime", NO_CLOCK, None),
    ("Instant::now", NO_CLOCK, None),
    ("std::fs", NO_IO, None),
    ("std::net", NO_IO, None),
    ("std::thread", NO_IO, None),
    ("async", NO_IO, None),
    ("RandomState", NO_RANDOM_ORDER, None),
    ("HashMap::new", NO_RANDOM_ORDER, None),
    ("HashSet::new", NO_RANDOM_ORDER, None),
    ("collections::HashMap", NO_RANDOM_ORDER, Some(ID_MAP)),
    ("collections::HashSet", NO_RANDOM_ORDER, Some(ID_MAP)),
    ("collections::hash_map", NO_RANDOM_ORDER, Some(ID_MAP)),
    ("collections::hash_set", NO_RANDOM_ORDER, Some(ID_MAP)),
    ("collections::*", NO_RANDOM_ORDER, None),
];

/// Checks the production code of the pure crates.
pub(super) fn check(source: &Source, code: &Code) -> Vec<Problem> {
    if !layers::is_pure_source(&source.path) {
        return Vec::new();
    }
    let found = mentions(&code.tokens);
    let production = found.iter().filter(|mention| !code.tests.contain(mention.line));
    production.filter_map(|mention| check_mention(&source.path, mention)).collect()
}

fn check_mention(path: &str, mention: &Mention) -> Option<Problem> {
    let (what, instead, _) =
        FORBIDDEN.iter().find(|(what, _, exempt)| mention.contains(what) && *exempt != Some(path))?;
    Some(Problem::at(path, mention.line, format!("`{what}` has no place in a pure crate: {instead}")))
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures;
    use super::*;

    fn complaints(path: &str, text: &str) -> Vec<String> {
        fixtures::complaints(check, path, text)
    }

    fn in_engine(text: &str) -> Vec<String> {
        complaints("crates/engine/src/run.rs", text)
    }

    #[test]
    fn every_door_to_the_world_is_shut() {
        for text in [
            "use std::time::SystemTime;",
            "fn f() { let t = Instant::now(); }",
            "use std::{fmt, fs};",
            "fn f() { std::net::TcpStream::connect(a); }",
            "use std::thread::{self};",
            "async fn f() {}",
            "fn f() { g(async move {}) }",
            "use std::hash::RandomState;",
            "fn f() { let m = HashMap::new(); }",
            "fn f() { let s = HashSet::new(); }",
            "use std::collections::{BTreeMap, HashMap};",
            "use std::collections::HashSet as Set;",
            "use std::collections::hash_map::Entry;",
            "use std::collections::*;",
            "m! { std::fs::read(x) }",
        ] {
            assert_eq!(in_engine(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_problem_says_where_what_and_what_instead() {
        assert_eq!(
            in_engine("//! Doc.\nuse std::time::SystemTime;\n"),
            [
                "crates/engine/src/run.rs:2: `SystemTime` has no place in a pure crate: time comes in with the input"
            ]
        );
    }

    #[test]
    fn words_are_free_and_so_are_tests_and_other_crates() {
        assert_eq!(in_engine("/// Not `std::fs`.\nfn f() { g(\"SystemTime\") } // async"), [""; 0]);
        assert_eq!(in_engine("fn f() { offs::std(); }\nuse std::collections::BTreeMap;"), [""; 0]);
        assert_eq!(in_engine("#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"), [""; 0]);
        assert_eq!(complaints("crates/store/src/lib.rs", "use std::fs;"), [""; 0]);
        assert_eq!(complaints("crates/engine/tests/laws.rs", "use std::fs;"), [""; 0]);
    }

    #[test]
    fn the_id_map_may_wrap_a_hash_map_and_not_seed_it_randomly() {
        assert_eq!(complaints(ID_MAP, "use std::collections::HashMap;"), [""; 0]);
        assert_eq!(complaints(ID_MAP, "fn f() { HashMap::new() }").len(), 1);
    }
}
