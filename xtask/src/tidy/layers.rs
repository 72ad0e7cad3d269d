//! Which crate may use which: the table, and the checks against what cargo says.
//!
//! This table is the one place where the direction of dependencies is decided. A new crate gets its row
//! here in the commit that makes it.

use std::collections::BTreeMap;

use crate::metadata::{Kind, Metadata, Package};
use crate::tree::Way;

use super::problem::Problem;

/// Where to add a row, for the error that asks for one.
const THIS_FILE: &str = "xtask/src/tidy/layers.rs";

/// The crate of test helpers, which everyone may use in tests.
const TESTKIT: &str = "candor-testkit";

/// What plugs into the ports. The tests of crates that may touch the world use them: they test with real parts.
const ADAPTERS: &[&str] =
    &["candor-agents", "candor-embed", "candor-llm", "candor-sandbox", "candor-store", "candor-tools"];

/// The table: a crate, and which of our crates it may use.
const LAYERS: &[Layer] = &[
    Layer::pure("candor-model", MayUse::Only(&[])),
    Layer::pure("candor-text", MayUse::Only(&[])),
    Layer::pure("candor-language", MayUse::Only(&["candor-text", "candor-model"])),
    Layer::pure("candor-planning", MayUse::Only(&["candor-schema", "candor-text", "candor-model"])),
    Layer::pure("candor-engine", MayUse::Only(&["candor-planning", "candor-model"])),
    Layer::pure(
        "candor-projections",
        MayUse::Only(&["candor-engine", "candor-planning", "candor-text", "candor-model"]),
    ),
    Layer::worldly(
        "candor-telemetry",
        MayUse::Only(&["candor-projections", "candor-planning", "candor-model"]),
    ),
    Layer::worldly("candor-ports", MayUse::Only(&["candor-model"])),
    Layer::worldly("candor-store", MayUse::Only(&["candor-ports", "candor-model"])),
    Layer::pure(
        "candor-phases",
        MayUse::Only(&["candor-language", "candor-planning", "candor-text", "candor-model"]),
    ),
    Layer::pure(
        "candor-session",
        MayUse::Only(&["candor-engine", "candor-phases", "candor-planning", "candor-model"]),
    ),
    Layer::pure("candor-schema", MayUse::Only(&[])),
    Layer::pure(
        "candor-react",
        MayUse::Only(&["candor-planning", "candor-schema", "candor-text", "candor-model"]),
    ),
    Layer::pure("candor-pycheck", MayUse::Only(&[])),
    Layer::worldly("candor-process", MayUse::Only(&[])),
    Layer::worldly("candor-sandbox", MayUse::Only(&["candor-ports", "candor-process", "candor-model"])),
    Layer::worldly(
        "candor-tools",
        MayUse::Only(&[
            "candor-planning",
            "candor-ports",
            "candor-process",
            "candor-sandbox",
            "candor-schema",
            "candor-model",
        ]),
    ),
    Layer::worldly(
        "candor-agents",
        MayUse::Only(&[
            "candor-react",
            "candor-ports",
            "candor-pycheck",
            "candor-schema",
            "candor-text",
            "candor-process",
            "candor-model",
        ]),
    ),
    Layer::worldly("candor-embed", MayUse::Only(&["candor-ports", "candor-model"])),
    Layer::worldly("candor-llm", MayUse::Only(&["candor-ports", "candor-schema", "candor-model"])),
    Layer::worldly(
        "candor-server",
        MayUse::Only(&["candor-app", "candor-projections", "candor-ports", "candor-model"]),
    ),
    Layer::worldly(
        "candor-runtime",
        MayUse::Only(&[
            "candor-session",
            "candor-engine",
            "candor-phases",
            "candor-planning",
            "candor-ports",
            "candor-model",
        ]),
    ),
    Layer::worldly(
        "candor-app",
        MayUse::AllBut(&["candor", "candor-server", TESTKIT, "xtask", "candor-benches"]),
    ),
    // Which database, sandbox, models and kinds of agents there are is for the app to know.
    Layer::worldly(
        "candor",
        MayUse::AllBut(&[
            "candor-agents",
            "candor-embed",
            "candor-llm",
            "candor-sandbox",
            "candor-store",
            "candor-tools",
            TESTKIT,
            "xtask",
            "candor-benches",
        ]),
    ),
    Layer::worldly(TESTKIT, MayUse::AllBut(&["xtask"])),
    Layer::worldly("candor-benches", MayUse::AllBut(&[])),
    Layer::worldly("candor-fuzz", MayUse::AllBut(&["candor", "xtask", "candor-benches"])),
    Layer::worldly("xtask", MayUse::Only(&[])),
];

/// What the pure crates must not have anywhere below them; a trailing `*` stands for anything.
const IMPURE: &[&str] = &[
    "async-*",
    "chrono",
    "getrandom",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "time",
    "tokio",
];

/// A row of the table.
struct Layer {
    package: &'static str,
    may_use: MayUse,
    pure: bool,
}

impl Layer {
    /// A crate without clocks, randomness, I/O and async, down to its last dependency.
    const fn pure(package: &'static str, may_use: MayUse) -> Self {
        Self { package, may_use, pure: true }
    }

    /// A crate that may touch the world.
    const fn worldly(package: &'static str, may_use: MayUse) -> Self {
        Self { package, may_use, pure: false }
    }
}

enum MayUse {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

impl MayUse {
    fn allows(&self, package: &str) -> bool {
        match self {
            Self::Only(packages) => packages.contains(&package),
            Self::AllBut(packages) => !packages.contains(&package),
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Only([]) => "none of our crates".to_owned(),
            Self::Only(packages) => format!("only {}", packages.join(", ")),
            Self::AllBut([]) => "any of our crates".to_owned(),
            Self::AllBut(packages) => format!("any of our crates but {}", packages.join(", ")),
        }
    }
}

/// Tells whether a file belongs to the production sources of a pure crate.
pub(super) fn is_pure_source(path: &str) -> bool {
    // Folders carry no prefix, packages do: `crates/model` is `candor-model`.
    pure_packages().any(|package| {
        let folder = package.strip_prefix("candor-").unwrap_or(package);
        path.strip_prefix("crates/")
            .and_then(|rest| rest.strip_prefix(folder))
            .is_some_and(|rest| rest.starts_with("/src/"))
    })
}

/// The packages that must stay pure, for [`check_purity`].
pub(super) fn pure_packages() -> impl Iterator<Item = &'static str> {
    LAYERS.iter().filter(|layer| layer.pure).map(|layer| layer.package)
}

/// Checks every package of the workspace against the table.
pub(super) fn check(metadata: &Metadata) -> Vec<Problem> {
    let ours: Vec<_> = metadata.members().map(|package| package.name.as_str()).collect();
    let mut problems = Vec::new();
    for package in metadata.members() {
        match LAYERS.iter().find(|layer| layer.package == package.name) {
            Some(layer) => problems.extend(check_direction(layer, package, &ours)),
            None => {
                let what = format!("is not in the table of crates; add a row to LAYERS in {THIS_FILE}");
                problems.push(Problem::of(&package.name, what));
            }
        }
    }
    problems
}

/// Checks everything that a pure package is built from.
pub(super) fn check_purity(package: &str, ways: &[Way]) -> Vec<Problem> {
    // One problem for each impure package, however many ways lead to it; the shortest tells the most.
    let mut impure = BTreeMap::new();
    for way in ways {
        if let Some(last) = way.last().filter(|last| is_impure(&last.name)) {
            let shortest = impure.entry(&last.name).or_insert(way);
            if way.len() < shortest.len() {
                *shortest = way;
            }
        }
    }
    let problem = |(name, way): (&String, &Way)| {
        let way: Vec<_> = way.iter().map(|node| node.name.as_str()).collect();
        let way = way.join(" -> ");
        Problem::of(
            package,
            format!("must stay pure, but has {name} below it: {way}; ask for an effect instead"),
        )
    };
    impure.into_iter().map(problem).collect()
}

fn check_direction(layer: &Layer, package: &Package, ours: &[&str]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        // The phases are measured with real vectors: their tests may use the adapters although they are pure.
        let with_real_parts = !layer.pure || layer.package == "candor-phases";
        let real_part = with_real_parts && (ADAPTERS.contains(&name) || name == "candor-ports");
        let for_tests = dependency.kind == Kind::Dev && (name == TESTKIT || real_part);
        if ours.contains(&name) && !layer.may_use.allows(name) && !for_tests {
            let may = layer.may_use.describe();
            let what =
                format!("uses {name}, but may use {may}; move the code, or change LAYERS in {THIS_FILE}");
            problems.push(Problem::of(&package.name, what));
        }
    }
    problems
}

fn is_impure(package: &str) -> bool {
    IMPURE.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(prefix) => package.starts_with(prefix),
        None => package == *pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::fixtures::{Sketch, metadata, ours, theirs};
    use crate::tree::Node;

    fn complaints(sketches: &[Sketch]) -> Vec<String> {
        check(&metadata(sketches)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn dependencies_that_point_downwards_pass() {
        let house = [
            ours("candor-model").needs("serde"),
            ours("candor-planning").needs("candor-model"),
            ours("candor-engine").needs("candor-planning").needs("candor-model"),
            ours("candor-ports").needs("candor-model").needs("tokio"),
            ours("candor-testkit").needs("candor-engine").needs("candor-ports"),
            theirs("serde", "1.0.0"),
            theirs("tokio", "1.0.0"),
        ];
        assert_eq!(complaints(&house), [""; 0]);
    }

    #[test]
    fn a_dependency_that_points_upwards_is_a_problem() {
        let house = [ours("candor-engine"), ours("candor-planning").needs("candor-engine")];
        assert_eq!(
            complaints(&house),
            [
                "candor-planning: uses candor-engine, but may use only candor-schema, candor-text, candor-model; \
              move the code, or change LAYERS in xtask/src/tidy/layers.rs"
            ]
        );
    }

    #[test]
    fn nobody_but_the_benches_could_use_xtask() {
        let house = [ours("xtask"), ours("candor-testkit").needs("xtask")];
        assert_eq!(complaints(&house).len(), 1);
    }

    #[test]
    fn tests_of_worldly_crates_use_real_parts() {
        let house = [
            ours("candor-store"),
            ours("candor-runtime").tests_with("candor-store"),
            ours("candor-engine").tests_with("candor-store"),
            ours("candor-phases").needs("candor-store").tests_with("candor-embed"),
            ours("candor-embed"),
        ];
        let complaints = complaints(&house);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
    }

    #[test]
    fn tests_may_use_the_testkit_and_nothing_else_from_above() {
        let house = [
            ours("candor-testkit"),
            ours("candor-engine").tests_with("candor-testkit"),
            ours("candor-model").tests_with("candor-engine"),
            ours("candor-ports").needs("candor-testkit"),
        ];
        let complaints = complaints(&house);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(
            complaints[0].starts_with("candor-model: uses candor-engine, but may use none of our crates")
        );
        assert!(complaints[1].starts_with("candor-ports: uses candor-testkit"));
    }

    #[test]
    fn a_crate_without_a_row_is_told_where_to_get_one() {
        assert_eq!(
            complaints(&[ours("candor-garden")]),
            ["candor-garden: is not in the table of crates; add a row to LAYERS in xtask/src/tidy/layers.rs"]
        );
    }

    fn way(names: &[&str]) -> Way {
        let node = |name: &&str| Node { name: (*name).to_owned(), version: "1.0.0".to_owned() };
        names.iter().map(node).collect()
    }

    #[test]
    fn a_clock_far_below_a_pure_crate_is_found_once_with_the_shortest_way_to_it() {
        let ways = [
            way(&["candor-model"]),
            way(&["candor-model", "dates"]),
            way(&["candor-model", "texts", "dates", "chrono"]),
            way(&["candor-model", "dates", "chrono"]),
            way(&["candor-model", "dates", "chrono", "num"]),
        ];
        let found: Vec<_> = check_purity("candor-model", &ways).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["candor-model: must stay pure, but has chrono below it: candor-model -> dates -> chrono; \
              ask for an effect instead"]
        );
    }

    #[test]
    fn impure_names_match_whole_or_by_prefix() {
        assert!(["tokio", "async-trait", "time", "rand"].iter().all(|name| is_impure(name)));
        assert!(
            !["tokio-util-like", "timely", "rand_core", "asynchronous"].iter().any(|name| is_impure(name))
        );
    }

    #[test]
    fn only_the_sources_of_pure_crates_are_pure() {
        assert!(is_pure_source("crates/model/src/id/mod.rs"));
        assert!(!is_pure_source("crates/model/tests/golden.rs"));
        assert!(!is_pure_source("crates/model2/src/lib.rs"));
        assert!(!is_pure_source("crates/store/src/lib.rs"));
    }
}
