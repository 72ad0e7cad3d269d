//! Binding and reading names, and what is known when a scope ends.

use std::collections::{BTreeMap, BTreeSet};

use ruff_text_size::{TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::Walker;
use crate::findings::Code;
use crate::library::is_builtin;
use crate::program::ResultName;
use crate::scope::{Kind, Read, Scope, Symbol, Value};
use crate::words::Message;

/// Names that are there because of the program around the program.
const PREDEFINED: [&str; 3] = ["base64", "context", "json"];

/// Waiting reads that are searched; a scope with more of them is judged more mildly.
const MAX_WAITING: usize = 1_024;

impl<'a> Walker<'a, '_> {
    pub(super) fn open(&mut self, kind: Kind) {
        self.scopes.push(Scope {
            kind,
            symbols: FxHashMap::default(),
            globals: BTreeMap::new(),
            nonlocals: BTreeSet::new(),
            first_read: self.reads.len(),
            first_nonlocal: self.nonlocals.len(),
            first_output: self.outputs.len(),
            loops: 0,
            star_handler: None,
            branches: 0,
        });
    }

    pub(crate) fn scope(&mut self) -> Option<&mut Scope<'a>> {
        self.scopes.last_mut()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.scopes.last().map_or(Kind::Module, |scope| scope.kind)
    }

    pub(crate) fn bind(&mut self, name: &'a str) {
        self.bind_value(name, Value::Unknown);
    }

    /// Binds a name in the current scope, or where `global` and `nonlocal` send it.
    pub(crate) fn bind_value(&mut self, name: &'a str, value: Value<'a>) {
        let top = self.scopes.len().saturating_sub(1);
        self.bind_in(top, name, value);
    }

    /// Binds a name that `:=` assigns: comprehensions are not its scope.
    pub(super) fn bind_walrus(&mut self, name: &'a str) {
        let is_own = |scope: &Scope<'_>| !matches!(scope.kind, Kind::Comprehension { .. });
        let index = self.scopes.iter().rposition(is_own).unwrap_or(0);
        self.bind_in(index, name, Value::Unknown);
    }

    fn bind_in(&mut self, index: usize, name: &'a str, value: Value<'a>) {
        let Some(scope) = self.scopes.get_mut(index) else {
            return;
        };
        if index > 0 && scope.declares_global(name) {
            self.bind_foreign(0, name);
            return;
        }
        if scope.declares_nonlocal(name) {
            for outer in 1..index {
                self.bind_foreign(outer, name);
            }
            return;
        }
        let live = scope.symbols.get(name).is_some_and(|symbol| symbol.live);
        let live = live || !self.needs_itself(index, name);
        let Some(scope) = self.scopes.get_mut(index) else {
            return;
        };
        let symbol = scope.symbols.entry(name).or_default();
        if !symbol.ever {
            self.bound_anywhere.push(name);
        }
        symbol.live = live;
        symbol.local = true;
        symbol.bound = true;
        symbol.ever = true;
        symbol.bindings += 1;
        symbol.value = value;
        symbol.import = None;
        symbol.module = None;
    }

    /// Another scope binds the name: nobody knows when, and nobody knows what.
    fn bind_foreign(&mut self, index: usize, name: &'a str) {
        let Some(scope) = self.scopes.get_mut(index) else {
            return;
        };
        // A function that has the name only through an inner function does not make it local.
        if index > 0 && !scope.kind.is_function() {
            return;
        }
        let symbol = scope.symbols.entry(name).or_default();
        symbol.foreign = true;
        symbol.bindings += 2;
        self.bound_anywhere.push(name);
    }

    pub(super) fn bind_parameter(&mut self, name: &'a str) {
        self.bind(name);
        if let Some(symbol) = self.symbol(name) {
            symbol.parameter = true;
        }
    }

    /// Makes a name local without binding anything to it: an annotation alone, or `del`.
    pub(super) fn declare(&mut self, name: &'a str) {
        if let Some(scope) = self.scopes.last_mut()
            && !scope.declares_global(name)
            && !scope.declares_nonlocal(name)
        {
            scope.symbols.entry(name).or_default().local = true;
        }
    }

    pub(crate) fn symbol(&mut self, name: &str) -> Option<&mut Symbol<'a>> {
        self.scopes.last_mut()?.symbols.get_mut(name)
    }

    /// `del name`: a read, and gone if that is certain.
    pub(super) fn unbind(&mut self, name: &'a str, at: TextSize) {
        self.read(name, at, None);
        self.declare(name);
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        let certain = scope.branches == 0 && scope.loops == 0;
        if let Some(symbol) = scope.symbols.get_mut(name) {
            symbol.bindings += 1;
            symbol.bound &= !certain;
        }
    }

    /// Reads a name here and now, or later when the walk is inside something lazy.
    pub(crate) fn read(&mut self, name: &'a str, at: TextSize, attribute: Option<&'a str>) {
        let to_module = match self.scopes.last() {
            Some(scope) => scope.declares_global(name),
            None => return,
        };
        let read = Read {
            name,
            at,
            attribute,
            guarded: self.name_guards > 0,
            lazy: self.lazy > 0 || to_module,
            nested: false,
            to_module,
            block: self.certain_block(),
            settled: false,
        };
        self.place(read);
    }

    /// The block at hand, if what is read now certainly runs whenever the block does.
    fn certain_block(&self) -> u32 {
        let certain = self.conditional == 0 && self.name_guards == 0 && self.lazy == 0;
        self.blocks.last().copied().filter(|_| certain).unwrap_or(0)
    }

    /// Whether a read that found nothing stands before every way to this place.
    fn needs_itself(&self, index: usize, name: &str) -> bool {
        let Some(scope) = self.scopes.get(index) else {
            return false;
        };
        let waiting = self.reads.get(scope.first_read..).unwrap_or(&[]);
        let before = |read: &Read<'_>| {
            read.name == name && !read.nested && self.blocks.binary_search(&read.block).is_ok()
        };
        waiting.len() <= MAX_WAITING && waiting.iter().any(before)
    }

    /// Settles a read in the innermost scope, or lets it wait there.
    fn place(&mut self, read: Read<'a>) {
        let settled = self
            .scopes
            .last()
            .and_then(|scope| scope.visible(&read))
            .filter(|symbol| symbol.answers(&read))
            .copied();
        match settled {
            Some(symbol) => {
                self.settle(&read, &symbol);
                if !symbol.live && !read.lazy && !symbol.foreign {
                    // It stays as a witness: what follows it needs the name as well.
                    self.reads.push(Read { settled: true, ..read });
                }
            }
            None => self.reads.push(read),
        }
    }

    /// A read found its symbol; a judged module is judged by what is read of it.
    fn settle(&mut self, read: &Read<'a>, symbol: &Symbol<'a>) {
        if let Some(import) = symbol.import {
            self.imports.used(import, read.attribute);
        }
        self.attribute_there(read, symbol);
    }

    /// At the end of a loop: what the loop binds may have been bound in its previous round.
    pub(super) fn excuse_reads_since(&mut self, start: usize) {
        let Some(scope) = self.scopes.last() else {
            return;
        };
        if self.reads.len() <= start {
            return;
        }
        let waiting = self.reads.split_off(start);
        for read in waiting {
            let symbol = scope.visible(&read).filter(|symbol| symbol.bound && symbol.live);
            match symbol.copied() {
                Some(symbol) if !read.lazy => {
                    if let Some(import) = symbol.import {
                        self.imports.used(import, read.attribute);
                    }
                }
                _ => self.reads.push(read),
            }
        }
    }

    /// Ends the innermost scope and hands what is not settled to the one around it.
    pub(super) fn close(&mut self) {
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        self.close_nonlocals(&scope);
        self.close_outputs(&scope);
        let mut waiting = self.reads.split_off(scope.first_read);
        waiting.retain(|read| !read.settled);
        let mut reported = BTreeSet::new();
        for mut read in waiting {
            // A class body falls back to the module for what it has not bound yet.
            let falls_back = scope.kind == Kind::Class;
            match scope.visible(&read).copied() {
                Some(symbol) if symbol.answers_waiting(&read) => self.settle(&read, &symbol),
                Some(symbol) if symbol.local && !falls_back => {
                    // The first read of a variable fails, and hides the others.
                    if reported.insert(read.name) {
                        self.unbound_local(&read);
                    }
                }
                _ => {
                    read.lazy |= scope.kind.is_lazy();
                    read.nested |= !matches!(scope.kind, Kind::TypeParams);
                    self.place(read);
                }
            }
        }
    }

    fn unbound_local(&mut self, read: &Read<'a>) {
        if !read.guarded && !self.asked_names.contains(read.name) {
            let message = Message::UnboundLocal(read.name.to_owned());
            self.report(Code::UnboundLocal, read.at, message);
        }
    }

    /// A `nonlocal` name must be bound by some function around.
    fn close_nonlocals(&mut self, scope: &Scope<'a>) {
        let waiting = self.nonlocals.split_off(scope.first_nonlocal);
        for (name, at) in waiting {
            let own = scope.declares_nonlocal(name);
            let bound = matches!(scope.kind, Kind::Function { .. } | Kind::Lambda | Kind::TypeParams)
                && scope.symbols.get(name).is_some_and(|symbol| symbol.local);
            if own || !bound {
                self.nonlocals.push((name, at));
            }
        }
    }

    /// Ends the module: what nobody has bound is built in, predefined, or missing.
    pub(super) fn close_module(&mut self) {
        for (name, at) in std::mem::take(&mut self.nonlocals) {
            let message = Message::NoNonlocal(name.to_owned());
            self.report(Code::RefusedByCompiler, at, message);
        }
        let Some(module) = self.scopes.pop() else {
            return;
        };
        self.close_outputs(&module);
        self.reads.retain(|read| !read.settled);
        for read in std::mem::take(&mut self.reads) {
            match module.symbols.get(read.name).copied() {
                Some(symbol) if symbol.answers_waiting(&read) => self.settle(&read, &symbol),
                symbol => self.missing(&read, symbol),
            }
        }
        self.close_exports(&module);
        self.close_quoted_names();
        self.close_result(&module);
        let rebound = module.symbols.get("context").is_some_and(|s| s.ever || s.foreign);
        self.context.close(rebound, &mut self.found);
        self.imports.close(&mut self.found);
    }

    fn missing(&mut self, read: &Read<'a>, symbol: Option<Symbol<'a>>) {
        if is_builtin(read.name) {
            self.builtin_read(read);
            return;
        }
        let excused = read.guarded
            || self.any_name
            || PREDEFINED.contains(&read.name)
            || self.asked_names.contains(read.name);
        if excused {
            return;
        }
        let name = read.name.to_owned();
        if symbol.is_some_and(|symbol| symbol.ever) {
            self.report(Code::UsedBeforeBinding, read.at, Message::BeforeBinding(name));
        } else {
            self.report(Code::UndefinedName, read.at, Message::Undefined(name));
        }
    }

    /// `__all__` may only name what the module has. That of a package may name its modules too, which are not to be
    /// seen here: so what may be a package is not judged.
    fn close_exports(&mut self, module: &Scope<'a>) {
        let exports = std::mem::take(&mut self.exports);
        let bare = module.symbols.keys().all(|name| name.starts_with("__"));
        if self.any_name || self.imports.relative || bare || module.symbols.contains_key("__getattr__") {
            return;
        }
        let absent = |name: &str| {
            let there = module.symbols.get(name).is_some_and(|s| s.ever || s.foreign);
            !there && !is_builtin(name) && !PREDEFINED.contains(&name)
        };
        let absent: Vec<_> = exports.into_iter().filter(|(name, _)| absent(name)).collect();
        if absent.iter().any(|(name, _)| self.imports.submodules.contains(name)) {
            return;
        }
        for (name, at) in absent {
            self.report(Code::UndefinedExport, at, Message::Export(name.to_owned()));
        }
    }

    /// Annotations written as texts are never run: only what no scope binds is reported.
    fn close_quoted_names(&mut self) {
        if self.any_name {
            return;
        }
        self.bound_anywhere.sort_unstable();
        for (name, at) in std::mem::take(&mut self.quoted_names) {
            let known = is_builtin(&name)
                || PREDEFINED.contains(&name.as_str())
                || self.bound_anywhere.binary_search(&name.as_str()).is_ok();
            if !known {
                self.report(Code::UndefinedName, at, Message::Undefined(name));
            }
        }
    }

    fn close_result(&mut self, module: &Scope<'a>) {
        let bound = || module.symbols.get("insights").is_some_and(|s| s.ever || s.foreign);
        if self.result == ResultName::Insights && !self.any_name && !bound() {
            self.report(Code::NoInsights, TextSize::new(0), Message::NoInsights);
        }
    }

    /// `global`: later reads and bindings of the names belong to the module.
    pub(super) fn declare_global(&mut self, name: &'a str, at: TextSize, range: TextRange) {
        self.declared_late(name, at, "global");
        self.declared_twice(name, at, Scope::declares_nonlocal);
        if let Some(scope) = self.scopes.last_mut() {
            scope.globals.insert(name, range);
        }
        let message = Message::Global(name.to_owned());
        let warning = crate::parse::Found { code: Code::GlobalStatement, at, message };
        self.warnings.push(warning);
    }

    pub(super) fn declare_nonlocal(&mut self, name: &'a str, at: TextSize) {
        self.declared_late(name, at, "nonlocal");
        self.declared_twice(name, at, Scope::declares_global);
        let in_class = name == "__class__" && self.scopes.iter().any(|s| s.kind == Kind::Class);
        if self.scopes.len() > 1 && !in_class {
            self.nonlocals.push((name, at));
            if let Some(scope) = self.scopes.last_mut() {
                scope.nonlocals.insert(name);
            }
        }
    }

    fn declared_twice(&mut self, name: &str, at: TextSize, other: fn(&Scope<'a>, &str) -> bool) {
        if self.scopes.last().is_some_and(|scope| other(scope, name)) {
            self.refuse(at, format!("name '{name}' is nonlocal and global"));
        }
    }

    /// Reports what Python's compiler refuses in words of our own.
    pub(crate) fn refuse(&mut self, at: TextSize, said: impl Into<String>) {
        self.report(Code::RefusedByCompiler, at, Message::Syntax(said.into()));
    }

    /// Python refuses `global x` after `x` was used in the same scope.
    fn declared_late(&mut self, name: &'a str, at: TextSize, statement: &'static str) {
        let Some(scope) = self.scopes.last() else {
            return;
        };
        let declared = scope.declares_global(name) || scope.declares_nonlocal(name);
        // An import before the declaration is the one binding that Python lets pass.
        let symbol = scope.symbols.get(name);
        let bound = symbol.is_some_and(|s| s.local && !s.parameter && s.imports != s.bindings);
        let mut waiting = self.reads.iter().skip(scope.first_read).take(MAX_WAITING);
        let read = waiting.any(|read| read.name == name && !read.nested);
        if !declared && (bound || read) {
            let name = name.to_owned();
            self.report(Code::RefusedByCompiler, at, Message::DeclaredLate { name, statement });
        }
    }
}
