//! Scopes and the names in them, by Python's rules.
//!
//! The tree is walked once, in the order in which it would run. A read that finds its name bound
//! in its own scope is settled at once. All others wait until the scope ends, because only then
//! it is known whether the name is local; what is left goes to the enclosing scope.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::Expr;
use ruff_text_size::{TextRange, TextSize};
use rustc_hash::FxHashMap;

/// What opens a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Module,
    Class,
    Function {
        is_async: bool,
    },
    Lambda,
    /// A list, set or dictionary comprehension runs at once, a generator when it is asked.
    Comprehension {
        is_async: bool,
        generator: bool,
    },
    TypeParams,
}

impl Kind {
    /// Whether the body runs later than the place it stands at.
    pub(crate) fn is_lazy(self) -> bool {
        match self {
            Self::Function { .. } | Self::Lambda => true,
            Self::Comprehension { generator, .. } => generator,
            Self::Module | Self::Class | Self::TypeParams => false,
        }
    }

    pub(crate) fn is_function(self) -> bool {
        matches!(self, Self::Function { .. } | Self::Lambda)
    }
}

/// A name in a scope.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Symbol<'a> {
    /// Something may be bound to it at this point of the walk.
    pub(crate) bound: bool,
    /// A binding may have run that does not itself need the name to be bound before.
    pub(crate) live: bool,
    /// Something is bound to it somewhere in the scope.
    pub(crate) ever: bool,
    /// The scope itself has it, and not only an inner function through it.
    pub(crate) local: bool,
    /// Another scope binds it through `global` or `nonlocal`, at an unknown time.
    pub(crate) foreign: bool,
    /// It is a parameter.
    pub(crate) parameter: bool,
    /// How often it is bound; more than once means that its value is not known.
    pub(crate) bindings: u32,
    /// How many of these are imports.
    pub(crate) imports: u32,
    /// The module that it is, if one import and nothing else binds it.
    pub(crate) module: Option<&'a str>,
    /// The judged import that binds it.
    pub(crate) import: Option<usize>,
    /// What is bound to it, when that can be seen.
    pub(crate) value: Value<'a>,
}

/// What is bound to a name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Value<'a> {
    #[default]
    Unknown,
    Expr(&'a Expr),
    Function,
    Class,
}

/// A read that is not settled yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read<'a> {
    pub(crate) name: &'a str,
    pub(crate) at: TextSize,
    /// The attribute taken from the name, when it is `name.attribute`.
    pub(crate) attribute: Option<&'a str>,
    /// An error here is caught, or asked for.
    pub(crate) guarded: bool,
    /// It runs later, so that any binding will do.
    pub(crate) lazy: bool,
    /// It comes from an inner scope, so that class scopes are passed over.
    pub(crate) nested: bool,
    /// `global` sends it straight to the module.
    pub(crate) to_module: bool,
    /// It found its name, and only bears witness for the bindings after it.
    pub(crate) settled: bool,
    /// The block it certainly runs in, or zero: nothing after it in that block runs without it.
    pub(crate) block: u32,
}

/// One scope that is being walked.
pub(crate) struct Scope<'a> {
    pub(crate) kind: Kind,
    /// Only ever looked up, so that their order does not matter.
    pub(crate) symbols: FxHashMap<&'a str, Symbol<'a>>,
    pub(crate) globals: BTreeMap<&'a str, TextRange>,
    pub(crate) nonlocals: BTreeSet<&'a str>,
    /// Where the waiting reads of this scope begin.
    pub(crate) first_read: usize,
    /// Where its waiting `nonlocal` names begin.
    pub(crate) first_nonlocal: usize,
    /// Where the results that wait for the value of a name begin.
    pub(crate) first_output: usize,
    /// Loops around the current statement.
    pub(crate) loops: u32,
    /// Loops around the handler of `except*` at hand, which nothing may jump out of.
    pub(crate) star_handler: Option<u32>,
    /// Statements around the current one that may not run.
    pub(crate) branches: u32,
}

impl<'a> Scope<'a> {
    /// The symbol of this name, if a reader from this side may see it.
    pub(crate) fn visible(&self, read: &Read<'_>) -> Option<&Symbol<'a>> {
        let passed = match self.kind {
            Kind::Module => false,
            Kind::Class => read.nested || read.to_module,
            _ => read.to_module,
        };
        if passed { None } else { self.symbols.get(read.name) }
    }

    pub(crate) fn declares_global(&self, name: &str) -> bool {
        self.globals.contains_key(name)
    }

    pub(crate) fn declares_nonlocal(&self, name: &str) -> bool {
        self.nonlocals.contains(name)
    }
}

impl Symbol<'_> {
    /// Whether a read that runs here and now, or later, finds something.
    pub(crate) fn answers(&self, read: &Read<'_>) -> bool {
        self.bound || self.answers_waiting(read)
    }

    /// Whether a read that had to wait finds something: it was too early, or any time will do.
    pub(crate) fn answers_waiting(&self, read: &Read<'_>) -> bool {
        self.foreign || (read.lazy && self.ever)
    }
}
