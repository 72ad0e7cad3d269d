//! What the manifests of the workspace and of everything it may depend on say, from `cargo metadata`.
//!
//! Only the fields that the checks need, and not the graph of who uses whom: cargo puts optional
//! dependencies into it that no feature turns on. For what is really built see [`crate::tree`].

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cargo;

/// The answer of `cargo metadata`.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
}

/// One package of the graph: ours or somebody else's.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// Where it came from; packages of the workspace come from nowhere.
    pub(crate) source: Option<String>,
    /// What its manifest asks for, optional or not.
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a manifest's dependency tables.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// The table a dependency stands in.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(from = "Option<String>")]
pub(crate) enum Kind {
    #[default]
    Normal,
    Build,
    Dev,
}

impl From<Option<String>> for Kind {
    fn from(name: Option<String>) -> Self {
        match name.as_deref() {
            Some("dev") => Self::Dev,
            Some("build") => Self::Build,
            _ => Self::Normal,
        }
    }
}

impl Metadata {
    /// Asks cargo.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let arguments = ["metadata", "--format-version", "1", "--locked", "--all-features"];
        let answer = cargo::answer(root, &arguments)?;
        serde_json::from_str(&answer)
            .with_context(|| format!("the answer of `{}` could not be read", cargo::line(&arguments)))
    }

    /// The packages of this workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }
}

#[cfg(test)]
pub(crate) mod fixtures {
    //! A way to write down small workspaces.

    use serde_json::{Value, json};

    use super::Metadata;

    /// A package in the making.
    pub(crate) struct Sketch {
        package: Value,
        ours: bool,
    }

    /// A package of the workspace.
    pub(crate) fn ours(name: &str) -> Sketch {
        sketch(name, "0.1.0", &Value::Null, true)
    }

    /// A package from crates.io.
    pub(crate) fn theirs(name: &str, version: &str) -> Sketch {
        sketch(name, version, &json!("registry+https://github.com/rust-lang/crates.io-index"), false)
    }

    fn sketch(name: &str, version: &str, source: &Value, ours: bool) -> Sketch {
        let package = json!({
            "id": format!("{name}@{version}"), "name": name, "version": version, "source": source,
            "license": "MIT OR Apache-2.0", "dependencies": [],
        });
        Sketch { package, ours }
    }

    impl Sketch {
        /// Adds a normal dependency.
        pub(crate) fn needs(self, name: &str) -> Self {
            self.depends(name, &Value::Null)
        }

        /// Adds a development dependency.
        pub(crate) fn tests_with(self, name: &str) -> Self {
            self.depends(name, &json!("dev"))
        }

        /// Sets any field of the package.
        pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
            self.package[field] = value;
            self
        }

        fn depends(mut self, name: &str, kind: &Value) -> Self {
            let declared = json!({ "name": name, "kind": kind });
            self.package["dependencies"].as_array_mut().unwrap().push(declared);
            self
        }
    }

    /// What cargo would say of these packages.
    pub(crate) fn metadata(sketches: &[Sketch]) -> Metadata {
        let packages: Vec<_> = sketches.iter().map(|sketch| sketch.package.clone()).collect();
        let members: Vec<_> = sketches.iter().filter(|s| s.ours).map(|s| s.package["id"].clone()).collect();
        serde_json::from_value(json!({ "packages": packages, "workspace_members": members })).unwrap()
    }
}
