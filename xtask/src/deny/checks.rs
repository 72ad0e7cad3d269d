//! The three checks that need no cargo-deny: licences, bans, sources.

use std::collections::BTreeMap;

use crate::metadata::Package;

use super::config::{Bans, Config, Level, Licenses, Sources};
use super::spdx::Expression;

/// What the checks have to say.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) warnings: Vec<String>,
    pub(super) errors: Vec<String>,
}

impl Findings {
    fn add(&mut self, level: Level, what: String) {
        match level {
            Level::Allow => {}
            Level::Warn => self.warnings.push(what),
            Level::Deny => self.errors.push(what),
        }
    }
}

/// Checks every one of these packages.
pub(super) fn check(config: &Config, packages: &[Package]) -> Findings {
    let mut findings = Findings::default();
    for package in packages {
        check_license(&config.licenses, package, &mut findings);
        check_ban(&config.bans, package, &mut findings);
        check_source(&config.sources, package, &mut findings);
    }
    check_versions(&config.bans, packages, &mut findings);
    findings
}

fn check_license(licenses: &Licenses, package: &Package, findings: &mut Findings) {
    let problem = match package.license.as_deref() {
        None => "names no licence in its manifest; ask its authors, or use another crate".to_owned(),
        Some(text) => match Expression::parse(text) {
            Err(error) => format!("has a licence that cannot be read, `{text}`: {error}"),
            Ok(expression) if expression.is_allowed_by(&licenses.allow) => return,
            Ok(_) => format!(
                "has the licence `{text}`, which [licenses] does not allow; use another crate, or allow it there"
            ),
        },
    };
    findings.add(Level::Deny, format!("{} {problem}", describe(package)));
}

fn check_ban(bans: &Bans, package: &Package, findings: &mut Findings) {
    if let Some(banned) = bans.deny.iter().find(|banned| banned.name.0 == package.name) {
        let what = format!(
            "{} is banned: {}; `cargo tree --invert {}` shows who brings it in",
            describe(package),
            banned.reason,
            package.name
        );
        findings.add(Level::Deny, what);
    }
}

fn check_source(sources: &Sources, package: &Package, findings: &mut Findings) {
    let Some(source) = package.source.as_deref() else {
        return;
    };
    let (level, allowed, address) = match source.split_once('+') {
        Some(("git", address)) => (sources.unknown_git, &sources.allow_git, address),
        // Both kinds of registry: "registry" has a git index, "sparse" an HTTP one.
        Some((_, address)) => (sources.unknown_registry, &sources.allow_registry, address),
        None => (Level::Deny, &sources.allow_registry, source),
    };
    // A git address ends in the branch or commit, which is not where it comes from.
    let origin = address.split(['?', '#']).next().unwrap_or(address);
    if !allowed.iter().any(|allowed| allowed == origin) {
        let what = format!("{} comes from {origin}, which [sources] does not allow", describe(package));
        findings.add(level, what);
    }
}

fn check_versions(bans: &Bans, packages: &[Package], findings: &mut Findings) {
    let mut versions = BTreeMap::<_, Vec<_>>::new();
    for package in packages {
        versions.entry(package.name.as_str()).or_default().push(package.version.as_str());
    }
    for (name, versions) in versions {
        if versions.len() > 1 {
            findings
                .add(bans.multiple_versions, format!("{name} is there in versions {}", versions.join(", ")));
        }
    }
}

fn describe(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::metadata::fixtures::{Sketch, metadata, ours, theirs};

    const LAW: &str = r#"
        [licenses]
        include-dev = true
        allow = ["MIT", "Apache-2.0"]
        [bans]
        multiple-versions = "warn"
        multiple-versions-include-dev = true
        deny = [{ crate = "openssl-sys", reason = "TLS is rustls here" }]
        [sources]
        unknown-registry = "deny"
        unknown-git = "deny"
        allow-registry = ["https://github.com/rust-lang/crates.io-index"]
        allow-git = ["https://example.com/known"]
    "#;

    fn findings(sketches: &[Sketch]) -> Findings {
        check(&Config::parse(LAW).unwrap(), &metadata(sketches).packages)
    }

    fn errors_of(sketch: Sketch) -> Vec<String> {
        findings(&[sketch]).errors
    }

    #[test]
    fn our_own_crates_and_ordinary_ones_pass() {
        let findings = findings(&[ours("candor-model"), theirs("serde", "1.0.0")]);
        assert!(findings.errors.is_empty() && findings.warnings.is_empty(), "{findings:?}");
    }

    #[test]
    fn a_licence_must_be_named_readable_and_allowed() {
        let with = |license: Value| errors_of(theirs("left", "1.0.0").with("license", license));
        assert_eq!(
            with(json!("GPL-3.0")),
            ["left 1.0.0 has the licence `GPL-3.0`, which [licenses] does not allow; \
              use another crate, or allow it there"]
        );
        assert!(with(Value::Null)[0].contains("names no licence"));
        assert!(with(json!("MIT OR"))[0].contains("cannot be read"));
    }

    #[test]
    fn a_banned_crate_is_an_error_with_the_reason() {
        assert_eq!(
            errors_of(theirs("openssl-sys", "0.9.0")),
            ["openssl-sys 0.9.0 is banned: TLS is rustls here; \
              `cargo tree --invert openssl-sys` shows who brings it in"]
        );
    }

    #[test]
    fn an_unknown_source_is_an_error_whatever_its_kind() {
        let from = |source: &str| errors_of(theirs("left", "1.0.0").with("source", json!(source)));
        assert_eq!(
            from("registry+https://example.com/index"),
            ["left 1.0.0 comes from https://example.com/index, which [sources] does not allow"]
        );
        assert_eq!(from("sparse+https://example.com/index/").len(), 1);
        assert_eq!(from("git+https://example.com/left?branch=main#0123abc").len(), 1);
        assert_eq!(from("git+https://example.com/known?branch=main#0123abc"), [""; 0]);
        assert_eq!(from("carrier-pigeon").len(), 1);
    }

    #[test]
    fn two_versions_of_a_crate_are_a_warning() {
        let findings = findings(&[theirs("syn", "1.0.0"), theirs("syn", "2.0.0")]);
        assert_eq!(findings.warnings, ["syn is there in versions 1.0.0, 2.0.0"]);
        assert!(findings.errors.is_empty());
    }
}
