//! What the sandbox's Python has, as far as the caller knows, and what a program asks of it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use rustc_hash::FxHashSet;

use crate::{parse, walk};

/// Whether something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is there.
    Yes,
    /// It is certainly not there.
    No,
    /// Nobody knows; then nothing is reported.
    Unknown,
}

/// What the Python that will run the program can import.
pub trait Library: Send + Sync {
    /// Whether the module with this dotted name can be imported.
    fn module(&self, dotted: &str) -> Presence;
    /// Whether `from module import name` works, for attributes and for submodules.
    fn member(&self, module: &str, name: &str) -> Presence;
}

/// A library that knows nothing, so that no import is reported as missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnyLibrary;

impl Library for AnyLibrary {
    fn module(&self, _dotted: &str) -> Presence {
        Presence::Unknown
    }

    fn member(&self, _module: &str, _name: &str) -> Presence {
        Presence::Unknown
    }
}

/// The modules a program imports, each with the names it takes from it, by `from` or as attributes.
///
/// Sorted, without repetition and without relative imports; empty when the text does not parse.
#[must_use]
pub fn imports_of(code: &str) -> Vec<(String, Vec<String>)> {
    let mut collector = Imports::default();
    if let Ok(parsed) = parse::parse(code, parse::Syntax::Latest) {
        collector.visit_body(parsed.suite());
    }
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut all = collector.found;
    all.extend(collector.used.into_iter().filter_map(|(name, attribute)| {
        let module = collector.modules.get(&name)?;
        Some((module.clone(), Some(attribute)))
    }));
    all.sort();
    for (module, name) in all {
        if found.last().is_none_or(|(last, _)| *last != module) {
            found.push((module, Vec::new()));
        }
        if let (Some((_, names)), Some(name)) = (found.last_mut(), name)
            && names.last() != Some(&name)
        {
            names.push(name);
        }
    }
    found
}

/// The constant keys a program writes to its context, sorted; empty when the text does not parse.
#[must_use]
pub fn written_keys(code: &str) -> Vec<String> {
    match parse::parse(code, parse::Syntax::Latest) {
        Ok(parsed) => walk::written_keys(&parsed, code),
        Err(_) => Vec::new(),
    }
}

#[derive(Default)]
struct Imports {
    found: Vec<(String, Option<String>)>,
    /// Names that are modules.
    modules: BTreeMap<String, String>,
    /// Names with their attributes, whatever they are.
    used: Vec<(String, String)>,
}

impl Visitor<'_> for Imports {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.found.push((alias.name.to_string(), None));
                    if let Some(name) =
                        alias.asname.as_ref().or_else(|| Some(&alias.name).filter(|name| !name.contains('.')))
                    {
                        self.modules.insert(name.to_string(), alias.name.to_string());
                    }
                }
            }
            Stmt::ImportFrom(import) if import.level == 0 => {
                let Some(module) = &import.module else { return };
                for alias in &import.names {
                    let name = (alias.name.as_str() != "*").then(|| alias.name.to_string());
                    self.found.push((module.to_string(), name));
                }
            }
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if let Expr::Attribute(node) = expr
            && let Expr::Name(name) = &*node.value
        {
            self.used.push((name.id.to_string(), node.attr.to_string()));
        }
        walk_expr(self, expr);
    }
}

/// Names Python finds without any import, in any version from 3.8 to 3.14.
const BUILTINS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "False",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "None",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "True",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "WindowsError",
    "ZeroDivisionError",
    "__annotations__",
    "__build_class__",
    "__builtins__",
    "__cached__",
    "__debug__",
    "__doc__",
    "__file__",
    "__import__",
    "__loader__",
    "__name__",
    "__package__",
    "__path__",
    "__spec__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

/// Whether Python knows this name without any import.
pub(crate) fn is_builtin(name: &str) -> bool {
    static ALL: LazyLock<FxHashSet<&str>> = LazyLock::new(|| BUILTINS.iter().copied().collect());
    ALL.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_builtins_is_sorted() {
        assert!(BUILTINS.is_sorted());
    }

    // spec: code-agent NX-09
    #[test]
    fn imports_are_listed_once_with_their_names() {
        let code = "import re, os.path\nre.sub('a', 'b', 'c').x; y.sub\ndef f():\n    from math import pi, tau\n    from math import pi\nfrom . import x\nfrom json import *\n";
        let listed = imports_of(code);
        let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            listed,
            [
                ("json".to_owned(), names(&[])),
                ("math".to_owned(), names(&["pi", "tau"])),
                ("os.path".to_owned(), names(&[])),
                ("re".to_owned(), names(&["sub"])),
            ]
        );
        assert!(imports_of("import (").is_empty());
    }
}
