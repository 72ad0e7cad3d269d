//! Python, looked at without running it.
//!
//! Owns the static check of generated programs: syntax, names, context keys, imports, dangerous
//! operations and what is put into the result. It reads a text and returns [`Findings`]; it opens
//! no file, starts no process and knows no clock. What the sandbox's Python offers is asked from a
//! [`Library`], which the caller fills beforehand with the help of [`imports_of`].
//!
//! ```
//! use candor_pycheck::{AnyLibrary, Checker, Policy, Program, Syntax};
//!
//! let checker = Checker::new(Policy::default(), &AnyLibrary, Syntax::Latest);
//! let findings = checker.check(&Program::new("total = amount * 2"));
//! assert!(!findings.valid);
//! assert_eq!(findings.errors[0].code.text(), "PY101");
//! ```

mod annotations;
mod checker;
mod context;
mod depth;
mod findings;
mod guards;
mod imports;
mod library;
mod literals;
mod operations;
mod parse;
mod policy;
mod position;
mod program;
mod result;
mod scope;
mod serialization;
mod walk;
mod words;

pub use checker::Checker;
pub use findings::{Check, Code, Findings, Problem};
pub use library::{AnyLibrary, Library, Presence, imports_of, written_keys};
pub use literals::{Literal, Sources, sources_of};
pub use parse::Syntax;
pub use policy::Policy;
pub use program::{Program, ResultName};
pub use words::Language;

/// Version of the rules: part of the key of a cache of findings, raised when a rule changes.
pub const VERSION: &str = "2";
