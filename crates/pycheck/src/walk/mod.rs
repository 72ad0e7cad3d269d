//! The one walk over the syntax tree, which feeds every rule.
//!
//! Statements and expressions are visited in the order in which Python would run them. The rules
//! themselves live in their own modules; here is the state they share.

mod definitions;
mod expressions;
mod names;
mod semantic;
mod statements;

use std::cell::RefCell;
use std::collections::BTreeSet;

use ruff_python_ast::{ModModule, PythonVersion};
use ruff_python_parser::Parsed;
use ruff_python_parser::semantic_errors::{SemanticSyntaxChecker, SemanticSyntaxError};
use ruff_text_size::{TextRange, TextSize};

use crate::context::ContextRule;
use crate::findings::Code;
use crate::imports::ImportRule;
use crate::library::{AnyLibrary, Library};
use crate::parse::Found;
use crate::policy::Policy;
use crate::program::{Program, ResultName};
use crate::scope::{Kind, Read, Scope};
use crate::serialization::Output;
use crate::words::Message;

/// How deep statements and expressions may stand in each other; Python's own limits are near.
const MAX_DEPTH: u32 = 400;

/// The state of the walk.
pub(crate) struct Walker<'a, 'c> {
    pub(crate) policy: &'c Policy,
    pub(crate) library: &'c dyn Library,
    pub(crate) source: &'a str,
    pub(crate) version: PythonVersion,
    pub(crate) result: ResultName,
    pub(crate) found: Vec<Found>,
    pub(crate) warnings: Vec<Found>,
    pub(crate) scopes: Vec<Scope<'a>>,
    pub(crate) reads: Vec<Read<'a>>,
    pub(crate) nonlocals: Vec<(&'a str, TextSize)>,
    pub(crate) outputs: Vec<Output<'a>>,
    /// Every name that any scope binds.
    pub(crate) bound_anywhere: Vec<&'a str>,
    /// Names in annotations that are written as texts.
    pub(crate) quoted_names: Vec<(String, TextSize)>,
    /// Names the program looks for itself, as in `'x' in globals()`.
    pub(crate) asked_names: BTreeSet<&'a str>,
    pub(crate) exports: Vec<(&'a str, TextSize)>,
    pub(crate) context: ContextRule<'a, 'c>,
    pub(crate) imports: ImportRule<'a>,
    checker: SemanticSyntaxChecker,
    semantic: RefCell<Vec<SemanticSyntaxError>>,
    /// A star import, or a write through `globals()`: any name may be there.
    pub(crate) any_name: bool,
    /// The `globals()` that comes next is only read on the spot.
    pub(crate) namespace_read: bool,
    pub(crate) future_annotations: bool,
    /// Handlers around that would catch a missing name.
    pub(crate) name_guards: u32,
    /// Reads that run later than the place they stand at.
    pub(crate) lazy: u32,
    /// The expression about to be visited is only asked whether it is true, or is none.
    pub(crate) truth: bool,
    /// The name the expression about to be visited is assigned to.
    pub(crate) assigned: Option<&'a str>,
    /// Where the current statement ends.
    pub(crate) statement_end: TextSize,
    /// The blocks around, by number; they grow towards the inside.
    blocks: Vec<u32>,
    next_block: u32,
    /// Conditions inside the expression at hand, under which it may not run.
    pub(crate) conditional: u32,
    depth: u32,
}

/// Walks a parsed program and reports what the rules find, errors first, then warnings.
pub(crate) fn walk(
    parsed: &Parsed<ModModule>,
    program: &Program<'_>,
    policy: &Policy,
    library: &dyn Library,
    version: PythonVersion,
) -> (Vec<Found>, Vec<Found>) {
    let mut walker = Walker::new(program, policy, library, version);
    walker.whole(parsed);
    if program.context.is_some() && program.result == ResultName::Context && !walker.any_name {
        // Whoever has something else to mend writes the result then.
        let alone = walker.found.is_empty();
        let found = crate::result::judge(parsed.suite());
        walker.found.extend(found.filter(|found| alone || found.code != Code::NoResult));
    }
    walker.finish()
}

/// The constant keys that a parsed program writes to its context, sorted.
pub(crate) fn written_keys(parsed: &Parsed<ModModule>, code: &str) -> Vec<String> {
    let (policy, keys) = (Policy::default(), BTreeSet::new());
    let program = Program::new(code).with_context(&keys);
    let mut walker = Walker::new(&program, &policy, &AnyLibrary, PythonVersion::PY314);
    walker.whole(parsed);
    walker.context.written().map(str::to_owned).collect()
}

impl<'a, 'c> Walker<'a, 'c> {
    fn new(
        program: &Program<'c>,
        policy: &'c Policy,
        library: &'c dyn Library,
        version: PythonVersion,
    ) -> Self
    where
        'c: 'a,
    {
        Self {
            policy,
            library,
            source: program.code,
            version,
            result: program.result,
            found: Vec::new(),
            warnings: Vec::new(),
            scopes: Vec::with_capacity(8),
            reads: Vec::with_capacity(64),
            nonlocals: Vec::new(),
            outputs: Vec::new(),
            bound_anywhere: Vec::with_capacity(32),
            quoted_names: Vec::new(),
            asked_names: BTreeSet::new(),
            exports: Vec::new(),
            context: ContextRule::new(program.context),
            imports: ImportRule::default(),
            checker: SemanticSyntaxChecker::new(),
            semantic: RefCell::default(),
            any_name: false,
            namespace_read: false,
            future_annotations: false,
            name_guards: 0,
            lazy: 0,
            truth: false,
            assigned: None,
            statement_end: TextSize::new(0),
            blocks: Vec::with_capacity(16),
            next_block: 1,
            conditional: 0,
            depth: 0,
        }
    }

    fn whole(&mut self, parsed: &'a Parsed<ModModule>) {
        self.open(Kind::Module);
        self.statements(parsed.suite());
        self.close_module();
    }
}

impl Walker<'_, '_> {
    pub(crate) fn report(&mut self, code: Code, at: TextSize, message: Message) {
        self.found.push(Found { code, at, message });
    }

    /// Goes one level deeper; `false` means that it is deep enough and was reported.
    fn deeper(&mut self, range: TextRange) -> bool {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return true;
        }
        if self.depth == MAX_DEPTH + 1 {
            self.report(Code::TooDeep, range.start(), Message::TooDeep);
        }
        false
    }

    /// Python's compiler refuses before anything else is looked at, so its refusals come alone.
    fn finish(mut self) -> (Vec<Found>, Vec<Found>) {
        let refused = self.semantic.take();
        for error in refused {
            self.report(Code::RefusedByCompiler, error.range.start(), Message::Syntax(error.to_string()));
        }
        let is_syntax = |found: &Found| found.code.check() == crate::findings::Check::Syntax;
        if self.found.iter().any(is_syntax) {
            self.found.retain(is_syntax);
            self.warnings.clear();
        }
        (self.found, self.warnings)
    }
}
