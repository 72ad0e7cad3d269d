//! The rule of context keys: what is read must be there, or must have been put there.
//!
//! Reads and writes are noted with their places while the tree is walked, and compared at the
//! end. Whatever makes the keys unknown (an alias, a dynamic write, a call that gets the whole
//! map) silences the reads after it; a read inside a function may run at any later time.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{self as ast, Expr, ExprContext};
use ruff_text_size::{Ranged, TextSize};

use crate::findings::Code;
use crate::guards::{self, Facts, Key, constant, is_name};
use crate::parse::Found;
use crate::scope::Kind;
use crate::walk::Walker;
use crate::words::{Message, quoted};

/// What is known about the context of one program.
pub(crate) struct ContextRule<'a, 'c> {
    keys: Option<&'c BTreeSet<String>>,
    reads: Vec<KeyRead<'a>>,
    /// The first write of each key.
    writes: BTreeMap<&'a str, TextSize>,
    /// From here on any key may be there.
    unknown: Option<TextSize>,
    /// From here on the module has a context of its own.
    replaced: Option<TextSize>,
    guards: Vec<Key<'a>>,
    /// Keys the program asks for in a way that is not followed.
    asked_keys: BTreeSet<Key<'a>>,
    /// Variables that are tested for being true or none somewhere.
    asked_names: BTreeSet<&'a str>,
    /// Keys that were certainly taken out, and not put back since.
    removed: BTreeSet<&'a str>,
    /// The read about to be noted certainly happens, once.
    certain: bool,
    loops: Vec<TextSize>,
    hidden: usize,
    /// Handlers around that would catch a missing key.
    pub(crate) catching: u32,
    /// Functions around.
    pub(crate) functions: u32,
    /// Tests around.
    pub(crate) tests: u32,
}

struct KeyRead<'a> {
    key: &'a str,
    at: TextSize,
    in_function: bool,
    asked: bool,
    assigned: Option<&'a str>,
    /// It was taken out before, whatever is written elsewhere.
    removed: bool,
}

impl<'a, 'c> ContextRule<'a, 'c> {
    pub(crate) fn new(keys: Option<&'c BTreeSet<String>>) -> Self {
        Self {
            keys,
            reads: Vec::new(),
            writes: BTreeMap::new(),
            unknown: None,
            replaced: None,
            guards: Vec::new(),
            asked_keys: BTreeSet::new(),
            asked_names: BTreeSet::new(),
            removed: BTreeSet::new(),
            certain: false,
            loops: Vec::new(),
            hidden: 0,
            catching: 0,
            functions: 0,
            tests: 0,
        }
    }

    pub(crate) fn guard_mark(&self) -> usize {
        self.guards.len()
    }

    pub(crate) fn guard_reset(&mut self, mark: usize) {
        self.guards.truncate(mark);
    }

    pub(crate) fn guard(&mut self, keys: &[Key<'a>]) {
        self.guards.extend_from_slice(keys);
    }

    /// The constant keys that are written anywhere.
    pub(crate) fn written(&self) -> impl Iterator<Item = &'a str> {
        self.writes.keys().copied()
    }

    /// The facts of a test; nobody needs them when keys are not judged.
    pub(crate) fn facts(&self, test: &'a Expr) -> Facts<'a> {
        if self.keys.is_some() { guards::facts(test) } else { Facts::default() }
    }

    pub(crate) fn enter_loop(&mut self, at: TextSize) {
        self.loops.push(at);
    }

    pub(crate) fn leave_loop(&mut self) {
        self.loops.pop();
    }

    /// The loops around a function are not loops inside it.
    pub(crate) fn hide_loops(&mut self) -> u32 {
        let before = self.hidden;
        self.hidden = self.loops.len();
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    pub(crate) fn show_loops(&mut self, before: u32) {
        self.hidden = before as usize;
    }

    /// A variable is only asked whether it is true or none.
    pub(crate) fn truth_asked(&mut self, name: &'a str) {
        if self.keys.is_some() {
            self.asked_names.insert(name);
        }
    }

    /// A test for a key that is not itself a condition: its answer may be used anywhere.
    pub(crate) fn membership(&mut self, left: &'a Expr, right: &'a Expr) {
        if self.keys.is_some() && self.tests == 0 && guards::is_context(right) {
            self.asked_keys.insert(constant(left).map_or(Key::Any, Key::Named));
        }
    }

    /// A comprehension picks keys that are there, or not there, for somebody to look at later.
    pub(crate) fn filtered(&mut self, facts: &Facts<'a>) {
        let mut keys = facts.when_true.iter().chain(&facts.when_false);
        if self.tests == 0 && keys.any(|key| *key == Key::Any) {
            self.asked_keys.insert(Key::Any);
        }
    }

    /// A write counts from the start of the loops around it, for the next round.
    fn since(&self, at: TextSize) -> TextSize {
        self.loops.get(self.hidden).copied().unwrap_or(at)
    }

    /// A key is taken out; `certain` if nothing decides whether that happens.
    fn remove(&mut self, key: &'a str, certain: bool) {
        if certain && self.functions == 0 {
            self.removed.insert(key);
        }
    }

    fn unknown_from(&mut self, at: TextSize) {
        self.removed.clear();
        let at = self.since(at);
        self.unknown = Some(self.unknown.map_or(at, |before| before.min(at)));
    }

    fn guarded(&self, key: &str) -> bool {
        let opens = |guard: &Key<'_>| matches!(guard, Key::Any) || *guard == Key::Named(key);
        self.catching > 0 || self.guards.iter().any(opens) || self.asked(key)
    }

    /// Whether the program asks for this key in a way that is not followed.
    fn asked(&self, key: &str) -> bool {
        let asked = |key: Key<'_>| self.asked_keys.contains(&key);
        !self.asked_keys.is_empty() && (asked(Key::Any) || asked(Key::Named(key)))
    }

    fn read(&mut self, key: &'a str, at: TextSize) {
        self.note(key, at, false, None);
    }

    fn note(&mut self, key: &'a str, at: TextSize, asked: bool, assigned: Option<&'a str>) {
        let Some(keys) = self.keys else { return };
        let removed = std::mem::take(&mut self.certain) && self.removed.contains(key);
        if (keys.contains(key) && !removed) || self.guarded(key) {
            return;
        }
        self.reads.push(KeyRead { key, at, in_function: self.functions > 0, asked, assigned, removed });
    }

    fn write(&mut self, key: &'a str, at: TextSize) {
        if self.keys.is_some() {
            self.removed.remove(key);
            let at = self.since(at);
            let first = self.writes.entry(key).or_insert(at);
            *first = at.min(*first);
        }
    }

    /// Compares reads with writes, now that all of them are known.
    pub(crate) fn close(&mut self, rebound: bool, found: &mut Vec<Found>) {
        let Some(keys) = self.keys else { return };
        for read in std::mem::take(&mut self.reads) {
            if self.excused(&read, rebound) {
                continue;
            }
            let key = read.key.to_owned();
            let (code, message) = if read.asked {
                (Code::MissingKeyAsked, Message::MissingKeyAsked(key))
            } else {
                let keys = quoted(keys.iter().map(String::as_str));
                (Code::MissingKey, Message::MissingKey { key, keys })
            };
            let at = read.at;
            found.push(Found { code, at, message });
        }
    }

    fn excused(&self, read: &KeyRead<'a>, rebound: bool) -> bool {
        let before = |at: TextSize| read.in_function || at <= read.at;
        let replaced = match self.replaced {
            Some(at) => before(at),
            None => rebound && read.in_function,
        };
        let tested = |name: &str| self.asked_names.contains(&name);
        if read.removed {
            return replaced || read.assigned.is_some_and(tested);
        }
        replaced
            || self.unknown.is_some_and(before)
            || self.writes.get(read.key).is_some_and(|at| before(*at))
            || (read.in_function && self.asked(read.key))
            || read.assigned.is_some_and(tested)
    }
}

impl<'a> Walker<'a, '_> {
    /// Whether `context` is the program's context here and not a variable of the same name.
    fn own_context(&mut self, at: TextSize) -> bool {
        if self.context.keys.is_none() {
            return false;
        }
        let inner = self.scopes.iter().skip(1);
        let shadowed = inner
            .filter(|scope| scope.kind != Kind::Class)
            .any(|scope| scope.symbols.get("context").is_some_and(|symbol| symbol.local));
        let module = self.scopes.first().and_then(|scope| scope.symbols.get("context"));
        if module.is_some_and(|symbol| symbol.ever) && self.context.replaced.is_none() {
            self.context.replaced = Some(at);
        }
        !shadowed
    }

    /// `context` goes somewhere else as a whole: from here on its keys are unknown.
    pub(crate) fn context_escapes(&mut self, at: TextSize) {
        if self.own_context(at) {
            self.context.unknown_from(at);
        }
    }

    /// `context[…]` that is read, assigned or deleted.
    pub(crate) fn context_subscript(&mut self, node: &'a ast::ExprSubscript) {
        if !self.own_context(node.start()) {
            return;
        }
        match (constant(&node.slice), node.ctx) {
            (Some(key), ExprContext::Load) => {
                self.context.certain = self.is_certain();
                self.context.read(key, node.start());
            }
            (Some(key), ExprContext::Del) => {
                self.context.read(key, node.start());
                self.context.remove(key, self.is_certain());
            }
            (Some(key), ExprContext::Store) => self.context.write(key, self.statement_end),
            (None, ExprContext::Store) => self.context.unknown_from(self.statement_end),
            _ => {}
        }
    }

    /// `context['key'] += …` reads before it writes.
    pub(crate) fn context_augmented(&mut self, node: &'a ast::ExprSubscript) {
        if is_name(&node.value, "context")
            && self.own_context(node.start())
            && let Some(key) = constant(&node.slice)
        {
            self.context.read(key, node.start());
        }
    }

    /// `context |= {…}` is an update.
    pub(crate) fn context_merged(&mut self, node: &'a ast::StmtAugAssign) {
        if self.own_context(node.start()) {
            self.context_updated(&node.value);
        }
        self.output_value(&node.value, true);
    }

    fn context_updated(&mut self, with: &'a Expr) {
        let end = self.statement_end;
        let Expr::Dict(dictionary) = with else {
            self.context.unknown_from(end);
            return;
        };
        for item in &dictionary.items {
            match item.key.as_ref().and_then(constant) {
                Some(key) => self.context.write(key, end),
                None => self.context.unknown_from(end),
            }
        }
    }

    /// Whether the place at hand is passed exactly once, whatever happens.
    fn is_certain(&self) -> bool {
        let module = self.scopes.last().is_some_and(|scope| scope.branches == 0 && scope.loops == 0);
        self.scopes.len() == 1 && module && self.conditional == 0 && self.context.catching == 0
    }

    /// A method of the context; `true` means that the whole call was visited.
    pub(crate) fn context_call(
        &mut self,
        node: &'a ast::ExprCall,
        truth: bool,
        assigned: Option<&'a str>,
    ) -> bool {
        let Expr::Attribute(method) = &*node.func else {
            return false;
        };
        let Expr::Name(name) = &*method.value else {
            return false;
        };
        if name.id != "context" {
            return false;
        }
        self.read_name(name, Some(&method.attr));
        self.context_outputs(&method.attr, &node.arguments);
        if self.own_context(node.start()) {
            self.context_method(&method.attr, node, truth, assigned);
        }
        node.arguments.args.iter().for_each(|argument| self.expression(argument));
        self.keywords(&node.arguments.keywords);
        true
    }

    fn context_method(
        &mut self,
        method: &str,
        node: &'a ast::ExprCall,
        truth: bool,
        assigned: Option<&'a str>,
    ) {
        let arguments = &node.arguments;
        let key = arguments.args.first().and_then(constant);
        let alone = arguments.args.len() == 1 && arguments.keywords.is_empty();
        let at = node.start();
        match (method, key) {
            ("get", Some(key)) if alone && !truth => self.context.note(key, at, true, assigned),
            ("pop", Some(key)) => {
                if alone {
                    self.context.read(key, at);
                }
                self.context.remove(key, self.is_certain());
            }
            ("setdefault", Some(key)) => self.context.write(key, at),
            ("update", _) => {
                arguments.args.iter().for_each(|with| self.context_updated(with));
                for keyword in &arguments.keywords {
                    match &keyword.arg {
                        Some(name) => self.context.write(name, self.statement_end),
                        None => self.context.unknown_from(self.statement_end),
                    }
                }
            }
            ("get" | "keys" | "items" | "values" | "copy" | "pop" | "popitem" | "clear", _) => {}
            _ => self.context.unknown_from(at),
        }
    }
}
