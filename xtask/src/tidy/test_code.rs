//! Telling tests from production code.
//!
//! Tests are what rustc compiles for tests only: items under `#[cfg(test)]` or `#[test]`, and the files of
//! modules that are declared so. Everything else is production code, wherever in a file it stands.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, Token, TraitItem};

use super::source::Source;

/// The lines of a file that only exist in tests; lines count from 1.
pub(super) struct TestLines(Vec<RangeInclusive<usize>>);

impl TestLines {
    pub(super) fn whole_file() -> Self {
        Self(vec![0..=usize::MAX])
    }

    pub(super) fn of(file: &syn::File) -> Self {
        if is_for_tests(&file.attrs) {
            return Self::whole_file();
        }
        let mut finder = Finder(Vec::new());
        finder.visit_file(file);
        Self(finder.0)
    }

    pub(super) fn contain(&self, line: usize) -> bool {
        self.0.iter().any(|lines| lines.contains(&line))
    }
}

struct Finder(Vec<RangeInclusive<usize>>);

impl Finder {
    /// Notes a test and tells whether it was one, in which case its insides are of no more interest.
    fn note(&mut self, attributes: &[Attribute], item: &impl Spanned) -> bool {
        let is_test = is_for_tests(attributes);
        if is_test {
            let span = item.span();
            self.0.push(span.start().line..=span.end().line);
        }
        is_test
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        if !self.note(attributes(item), item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => item.attrs.as_slice(),
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !self.note(attributes, item) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes = match item {
            TraitItem::Const(item) => item.attrs.as_slice(),
            TraitItem::Fn(item) => &item.attrs,
            TraitItem::Type(item) => &item.attrs,
            TraitItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !self.note(attributes, item) {
            visit::visit_trait_item(self, item);
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = |meta: &Meta| meta.path().segments.last().is_some_and(|name| name.ident == "test");
        match &attribute.meta {
            Meta::List(list) if list.path.is_ident("cfg") => {
                list.parse_args::<Meta>().is_ok_and(|condition| requires_test(&condition))
            }
            meta => is_test(meta),
        }
    })
}

/// `test` and `all(test, …)` hold in tests only; `any(test, …)` and `not(test)` do not.
fn requires_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|conditions| conditions.iter().any(requires_test)),
        _ => false,
    }
}

/// Returns the modules that are declared for tests only, as the paths of their files without `.rs`.
pub(super) fn test_only_files(sources: &[Source]) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for source in sources {
        // A file that does not parse is reported when its own turn comes.
        let Ok(file) = syn::parse_file(&source.text) else {
            continue;
        };
        for item in &file.items {
            if let Item::Mod(module) = item
                && is_for_tests(&module.attrs)
            {
                modules.insert(format!("{}/{}", folder_of_modules(&source.path), module.ident));
            }
        }
    }
    modules
}

/// Tells whether a file belongs to one of the modules that [`test_only_files`] found.
pub(super) fn is_test_only(path: &str, modules: &BTreeSet<String>) -> bool {
    let module = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs")).unwrap_or(path);
    modules.iter().any(|test_only| {
        module.strip_prefix(test_only.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Where rustc looks for the modules that a file declares.
fn folder_of_modules(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_crate_root = folder.ends_with("/bin") || folder.ends_with("benches");
    if matches!(name, "lib.rs" | "main.rs" | "mod.rs") || is_crate_root {
        folder
    } else {
        path.strip_suffix(".rs").unwrap_or(path)
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures::source;
    use super::*;

    fn test_lines(text: &str) -> Vec<usize> {
        let lines = TestLines::of(&syn::parse_file(text).unwrap());
        (1..=text.lines().count()).filter(|line| lines.contain(*line)).collect()
    }

    #[test]
    fn modules_of_tests_are_found_wherever_they_stand() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        assert_eq!(test_lines(text), [2, 3, 4, 5]);
    }

    #[test]
    fn single_items_and_methods_can_be_tests() {
        assert_eq!(test_lines("#[cfg(test)]\nuse std::fs;\nuse std::io;\n"), [1, 2]);
        assert_eq!(test_lines("impl A {\n    #[cfg(test)]\n    fn b() {}\n    fn c() {}\n}\n"), [2, 3]);
        assert_eq!(test_lines("trait A {\n    #[cfg(test)]\n    fn b();\n    fn c();\n}\n"), [2, 3]);
        assert_eq!(test_lines("#[tokio::test]\nasync fn a() {}\n"), [1, 2]);
        assert_eq!(
            test_lines("mod a {\n#![cfg(test)]\n}\n#[cfg(all(unix, test))]\nmod b {}\n"),
            [1, 2, 3, 4, 5]
        );
    }

    #[test]
    fn what_also_exists_outside_of_tests_is_no_test() {
        for condition in ["any(test, unix)", "not(test)", "feature = \"test\"", "all(unix, not(test))"] {
            assert_eq!(test_lines(&format!("#[cfg({condition})]\nmod a {{}}\n")), [0; 0], "{condition}");
        }
    }

    #[test]
    fn files_of_test_modules_are_tests_with_all_below_them() {
        let sources = [
            source("crates/a/src/lib.rs", "#[cfg(test)] mod helpers; mod run;"),
            source("crates/a/src/run.rs", "#[cfg(test)] mod tests { mod deep; }"),
        ];
        let modules = test_only_files(&sources);
        for path in ["helpers.rs", "helpers/mod.rs", "helpers/deep/er.rs", "run/tests.rs"] {
            assert!(is_test_only(&format!("crates/a/src/{path}"), &modules), "{path}");
        }
        for path in ["lib.rs", "run.rs", "helpers_of_run.rs", "tests.rs"] {
            assert!(!is_test_only(&format!("crates/a/src/{path}"), &modules), "{path}");
        }
    }
}
