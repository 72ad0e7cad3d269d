//! `deny.toml`, as far as our own checks understand it.
//!
//! What they do not understand is refused. Passing over a setting that cargo-deny would obey would let the
//! two ways of checking drift apart unseen.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::spdx::License;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Config {
    pub(super) licenses: Licenses,
    pub(super) bans: Bans,
    pub(super) sources: Sources,
}

/// Which licences are welcome.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Licenses {
    pub(super) allow: Vec<License>,
    /// Whether cargo-deny should mind a licence that nobody uses; nothing for us to check.
    #[serde(default, rename = "unused-allowed-license")]
    _unused_allowed_license: Level,
    #[serde(rename = "include-dev")]
    _include_dev: Yes,
}

/// Which crates are not.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Bans {
    #[serde(default)]
    pub(super) multiple_versions: Level,
    #[serde(rename = "multiple-versions-include-dev")]
    _multiple_versions_include_dev: Yes,
    #[serde(default)]
    pub(super) deny: Vec<Banned>,
}

/// A crate that must not come in, in any version.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Banned {
    #[serde(rename = "crate")]
    pub(super) name: CrateName,
    pub(super) reason: String,
}

/// The name of a crate; cargo-deny would also take a version with it, our checks do not.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct CrateName(pub(super) String);

impl TryFrom<String> for CrateName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        if is_name { Ok(Self(name)) } else { Err(format!("`{name}` is not the plain name of a crate")) }
    }
}

/// A setting with one possible value, because our own checks know no other.
#[derive(Debug, Deserialize)]
#[serde(try_from = "bool")]
struct Yes;

impl TryFrom<bool> for Yes {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, &'static str> {
        if value { Ok(Self) } else { Err("this must be true: what tests depend on is checked, too") }
    }
}

/// Where crates may come from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Sources {
    #[serde(default)]
    pub(super) unknown_registry: Level,
    #[serde(default)]
    pub(super) unknown_git: Level,
    #[serde(default)]
    pub(super) allow_registry: Vec<String>,
    #[serde(default)]
    pub(super) allow_git: Vec<String>,
}

/// How bad something is; the default is cargo-deny's.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Allow,
    #[default]
    Warn,
    Deny,
}

impl Config {
    /// Reads the text of the file.
    pub(super) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).context("deny.toml has something that `cargo xtask deny` does not understand")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "[licenses]\ninclude-dev = true\nallow = [\"MIT\"]\n\
                         [bans]\nmultiple-versions-include-dev = true\n[sources]\n";

    fn complaint(text: &str) -> String {
        format!("{:#}", Config::parse(text).unwrap_err())
    }

    #[test]
    fn what_is_left_out_is_what_cargo_deny_would_assume() {
        let config = Config::parse(SMALL).unwrap();
        assert_eq!(config.bans.multiple_versions, Level::Warn);
        assert_eq!(config.sources.unknown_git, Level::Warn);
    }

    #[test]
    fn a_setting_that_only_cargo_deny_knows_is_refused_and_not_passed_over() {
        let complaint = complaint(&SMALL.replace("[bans]", "[bans]\nskip-tree = []"));
        assert!(complaint.contains("skip-tree") && complaint.contains("line 5"), "{complaint}");
    }

    #[test]
    fn leaving_out_what_tests_depend_on_is_refused() {
        let complaint = complaint(&SMALL.replace("true", "false"));
        assert!(complaint.contains("this must be true"), "{complaint}");
    }

    #[test]
    fn a_licence_that_does_not_parse_is_refused() {
        let complaint = complaint(&SMALL.replace("MIT", "MIT OR"));
        assert!(complaint.contains("`MIT OR` is not one licence"), "{complaint}");
    }

    #[test]
    fn a_ban_of_one_version_is_refused() {
        let ban = "[bans]\ndeny = [{ crate = \"openssl@0.10\", reason = \"old\" }]";
        let complaint = complaint(&SMALL.replace("[bans]", ban));
        assert!(complaint.contains("`openssl@0.10` is not the plain name of a crate"), "{complaint}");
    }
}
