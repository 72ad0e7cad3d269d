//! Statements, in the order in which Python runs them.

use ruff_python_ast::{self as ast, ExceptHandler, Expr, Pattern, Stmt};
use ruff_text_size::Ranged;

use super::Walker;
use crate::guards;
use crate::scope::{Kind, Value};

impl<'a> Walker<'a, '_> {
    /// Walks a block; what an early exit makes sure of holds until the end of the block.
    pub(super) fn statements(&mut self, body: &'a [Stmt]) {
        let keys = self.context.guard_mark();
        let doubts = self.imports.doubts;
        self.blocks.push(self.next_block);
        self.next_block = self.next_block.saturating_add(1);
        for stmt in body {
            self.statement(stmt);
        }
        self.blocks.pop();
        self.context.guard_reset(keys);
        self.imports.doubts = doubts;
    }

    pub(super) fn statement(&mut self, stmt: &'a Stmt) {
        if self.deeper(stmt.range()) {
            // Definitions are looked at again before their scopes open, like everything else.
            self.recheck_statement(stmt);
            self.statement_end = stmt.end();
            self.statement_kind(stmt);
        }
        self.depth -= 1;
    }

    fn statement_kind(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Expr(node) => self.expression(&node.value),
            Stmt::Assign(node) => self.assign(node),
            Stmt::AugAssign(node) => self.augmented(node),
            Stmt::AnnAssign(node) => self.annotated(node),
            Stmt::Return(node) => {
                self.leaves_star_handler(stmt, false);
                self.optional(node.value.as_deref());
            }
            Stmt::If(node) => self.if_statement(node),
            Stmt::For(node) => self.for_loop(node),
            Stmt::While(node) => self.while_loop(node),
            Stmt::FunctionDef(node) => self.function(node),
            Stmt::ClassDef(node) => self.class(node),
            Stmt::Import(node) => self.import(node),
            Stmt::ImportFrom(node) => self.import_from(node),
            Stmt::Try(node) => self.try_statement(node),
            Stmt::With(node) => self.with_statement(node),
            Stmt::Match(node) => self.match_statement(node),
            Stmt::Raise(node) => {
                self.optional(node.exc.as_deref());
                self.optional(node.cause.as_deref());
            }
            Stmt::Assert(node) => self.assertion(node),
            Stmt::Delete(node) => node.targets.iter().for_each(|target| self.expression(target)),
            Stmt::TypeAlias(node) => self.type_alias(node),
            Stmt::Global(node) => {
                for name in &node.names {
                    self.declare_global(name, name.start(), node.range);
                }
            }
            Stmt::Nonlocal(node) => {
                for name in &node.names {
                    self.declare_nonlocal(name, name.start());
                }
            }
            Stmt::Break(_) | Stmt::Continue(_) => self.leaves_star_handler(stmt, true),
            Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// `break`, `continue` and `return` may not leave a handler of `except*`.
    fn leaves_star_handler(&mut self, stmt: &Stmt, of_loop: bool) {
        let Some(scope) = self.scopes.last() else {
            return;
        };
        let inside = |around: u32| of_loop && scope.loops > around;
        if scope.star_handler.is_some_and(|around| !inside(around)) {
            self.refuse(stmt.start(), "'break', 'continue' and 'return' cannot leave an except* block");
        }
    }

    pub(super) fn optional(&mut self, expr: Option<&'a Expr>) {
        if let Some(expr) = expr {
            self.expression(expr);
        }
    }

    fn assign(&mut self, node: &'a ast::StmtAssign) {
        if let [Expr::Name(target)] = node.targets.as_slice() {
            self.assigned = Some(&target.id);
            self.export(&target.id, &node.value);
        }
        self.expression(&node.value);
        for target in &node.targets {
            self.assign_target(target, &node.value);
        }
    }

    /// Binds a target; a plain name keeps what can be seen of its value.
    fn assign_target(&mut self, target: &'a Expr, value: &'a Expr) {
        self.output_assigned(target, value);
        match target {
            Expr::Name(name) => {
                self.recheck_expression(target);
                self.bind_value(&name.id, Value::Expr(value));
            }
            _ => self.expression(target),
        }
    }

    fn augmented(&mut self, node: &'a ast::StmtAugAssign) {
        match &*node.target {
            Expr::Name(name) => {
                if name.id == "context" {
                    self.context_merged(node);
                } else {
                    self.export(&name.id, &node.value);
                }
                self.read(&name.id, name.start(), None);
                self.expression(&node.value);
                self.recheck_expression(&node.target);
                if name.id == "context" && self.kind() == Kind::Module {
                    // `context |= {…}` changes the very map: it is no new variable.
                    return;
                }
                self.bind(&name.id);
            }
            Expr::Subscript(target) => {
                self.context_augmented(target);
                self.expression(&node.value);
                self.expression(&node.target);
            }
            target => {
                self.expression(target);
                self.expression(&node.value);
            }
        }
    }

    fn annotated(&mut self, node: &'a ast::StmtAnnAssign) {
        // In a function the annotation of a plain name is never run.
        let lazy = u32::from(self.kind().is_function() || self.annotations_run_later());
        self.lazy += lazy;
        self.annotation(&node.annotation);
        self.lazy -= lazy;
        match (&node.value, &*node.target) {
            (Some(value), target) => {
                if value.is_starred_expr() {
                    self.refuse(value.start(), "can't use starred expression here");
                }
                if let Expr::Name(name) = target {
                    if self.scopes.last().is_some_and(|scope| scope.declares_nonlocal(&name.id)) {
                        self.refuse(name.start(), "an annotated name can't be nonlocal");
                    }
                    self.assigned = Some(&name.id);
                    self.export(&name.id, value);
                }
                self.expression(value);
                self.assign_target(target, value);
            }
            (None, Expr::Name(name)) if node.simple => self.declare(&name.id),
            // `(x): int` binds nothing and reads nothing.
            (None, Expr::Name(_)) => {}
            (None, Expr::Attribute(target)) => self.expression(&target.value),
            (None, Expr::Subscript(target)) => {
                self.expression(&target.value);
                self.expression(&target.slice);
            }
            (None, target) => self.expression(target),
        }
    }

    /// Runs a block that may not run at all.
    pub(super) fn branch(&mut self, body: &'a [Stmt]) {
        self.branches(1);
        self.statements(body);
        self.branches(-1);
    }

    pub(super) fn branches(&mut self, step: i32) {
        self.imports.doubts = self.imports.doubts.saturating_add_signed(step);
        if let Some(scope) = self.scope() {
            scope.branches = scope.branches.saturating_add_signed(step);
        }
    }

    fn if_statement(&mut self, node: &'a ast::StmtIf) {
        let mark = self.context.guard_mark();
        let facts = self.test(&node.test);
        let never = u32::from(guards::is_type_checking(&node.test));
        // A test for the version of Python makes room for names of other versions.
        let mut versions = u32::from(guards::asks_version(&node.test));
        self.lazy += never;
        self.name_guards += versions;
        self.guarded_branch(&node.body, &facts.when_true);
        self.name_guards -= versions;
        self.lazy -= never;
        self.context.guard(&facts.when_false);
        let mut exits = Vec::new();
        if guards::leaves(&node.body) {
            exits.extend(facts.when_false);
        }
        let mut raises = guards::raises(&node.body);
        let mut all_leave = true;
        for clause in &node.elif_else_clauses {
            raises |= guards::raises(&clause.body);
            all_leave &= guards::leaves(&clause.body);
            let Some(test) = &clause.test else {
                self.name_guards += versions;
                self.branch(&clause.body);
                self.name_guards -= versions;
                continue;
            };
            versions |= u32::from(guards::asks_version(test));
            self.conditional += 1;
            let facts = self.test(test);
            self.conditional -= 1;
            self.name_guards += versions;
            self.guarded_branch(&clause.body, &facts.when_true);
            self.name_guards -= versions;
            self.context.guard(&facts.when_false);
        }
        let has_else = node.elif_else_clauses.last().is_some_and(|clause| clause.test.is_none());
        if has_else && all_leave {
            exits.extend(facts.when_true);
        }
        self.context.guard_reset(mark);
        self.context.guard(&exits);
        if raises {
            // Code after a check that gives up may be meant for another platform.
            self.imports.doubts += 1;
        }
    }

    fn guarded_branch(&mut self, body: &'a [Stmt], keys: &[guards::Key<'a>]) {
        let mark = self.context.guard_mark();
        self.context.guard(keys);
        self.branch(body);
        self.context.guard_reset(mark);
    }

    fn for_loop(&mut self, node: &'a ast::StmtFor) {
        self.iterated(&node.iter);
        let start = self.reads.len();
        self.enter_loop(node.start());
        self.expression(&node.target);
        self.branch(&node.body);
        self.leave_loop(start);
        self.branch(&node.orelse);
    }

    fn while_loop(&mut self, node: &'a ast::StmtWhile) {
        let start = self.reads.len();
        self.enter_loop(node.start());
        let facts = self.test(&node.test);
        self.guarded_branch(&node.body, &facts.when_true);
        self.leave_loop(start);
        self.branch(&node.orelse);
    }

    fn enter_loop(&mut self, at: ruff_text_size::TextSize) {
        self.context.enter_loop(at);
        if let Some(scope) = self.scope() {
            scope.loops += 1;
        }
    }

    fn leave_loop(&mut self, start: usize) {
        self.context.leave_loop();
        if let Some(scope) = self.scope() {
            scope.loops = scope.loops.saturating_sub(1);
        }
        self.excuse_reads_since(start);
    }

    fn assertion(&mut self, node: &'a ast::StmtAssert) {
        let facts = self.test(&node.test);
        self.conditional += 1;
        self.optional(node.msg.as_deref());
        self.conditional -= 1;
        self.context.guard(&facts.when_true);
    }

    fn try_statement(&mut self, node: &'a ast::StmtTry) {
        let caught = guards::caught(&node.handlers);
        if caught.asks_names {
            self.asked_names.extend(guards::asked_name(&node.body));
        }
        self.enter_guards(caught);
        self.branches(1);
        // The import itself runs for certain; only its failing may be caught.
        self.imports.doubts = self.imports.doubts.saturating_sub(1);
        self.statements(&node.body);
        self.imports.doubts += 1;
        self.leave_guards(caught);
        self.handlers(node);
        self.statements(&node.orelse);
        self.branches(-1);
        self.statements(&node.finalbody);
    }

    fn handlers(&mut self, node: &'a ast::StmtTry) {
        let last = node.handlers.len().saturating_sub(1);
        let around = self.scope().map_or(0, |scope| scope.loops);
        let before = self.scope().and_then(|scope| scope.star_handler);
        if let (true, Some(scope)) = (node.is_star, self.scope()) {
            scope.star_handler = Some(around);
        }
        for (index, ExceptHandler::ExceptHandler(handler)) in node.handlers.iter().enumerate() {
            if handler.type_.is_none() && index < last {
                self.refuse(handler.start(), "default 'except:' must be last");
            }
            self.handler(handler);
        }
        if let Some(scope) = self.scope() {
            scope.star_handler = before;
        }
    }

    fn handler(&mut self, handler: &'a ast::ExceptHandlerExceptHandler) {
        self.conditional += 1;
        self.optional(handler.type_.as_deref());
        self.conditional -= 1;
        let Some(name) = &handler.name else {
            self.statements(&handler.body);
            return;
        };
        let before = self.symbol(name).is_some_and(|symbol| symbol.bound);
        self.bind(name);
        self.statements(&handler.body);
        // Python deletes the name at the end of the block, unless it was there on another path.
        if let Some(symbol) = self.symbol(name) {
            symbol.bound = before;
        }
    }

    pub(super) fn enter_guards(&mut self, caught: guards::Caught) {
        self.name_guards += u32::from(caught.names);
        self.context.catching += u32::from(caught.keys);
        self.imports.doubts += u32::from(caught.imports);
    }

    pub(super) fn leave_guards(&mut self, caught: guards::Caught) {
        self.name_guards -= u32::from(caught.names);
        self.context.catching -= u32::from(caught.keys);
        self.imports.doubts = self.imports.doubts.saturating_sub(u32::from(caught.imports));
    }

    fn with_statement(&mut self, node: &'a ast::StmtWith) {
        let mut caught = guards::Caught::default();
        for item in &node.items {
            self.expression(&item.context_expr);
            caught = caught.or(guards::suppressed(&item.context_expr));
            if let Some(target) = item.optional_vars.as_deref() {
                self.with_target(target, &item.context_expr);
            }
        }
        self.enter_guards(caught);
        self.statements(&node.body);
        self.leave_guards(caught);
    }

    fn with_target(&mut self, target: &'a Expr, value: &'a Expr) {
        match target {
            // An open file is its own context; of other managers nothing is known.
            Expr::Name(name) if crate::serialization::is_open(value) => {
                self.recheck_expression(target);
                self.bind_value(&name.id, Value::Expr(value));
            }
            _ => self.expression(target),
        }
    }

    fn match_statement(&mut self, node: &'a ast::StmtMatch) {
        self.expression(&node.subject);
        for case in &node.cases {
            self.conditional += 1;
            self.pattern(&case.pattern);
            self.conditional -= 1;
            if let Some(guard) = &case.guard {
                self.conditional += 1;
                self.test(guard);
                self.conditional -= 1;
            }
            self.branch(&case.body);
        }
    }

    fn pattern(&mut self, pattern: &'a Pattern) {
        if self.deeper(pattern.range()) {
            self.pattern_kind(pattern);
        }
        self.depth -= 1;
    }

    fn pattern_kind(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchValue(node) => {
                if matches!(&*node.value, Expr::FString(_) | Expr::TString(_)) {
                    self.refuse(node.start(), "patterns may only match literals and attribute lookups");
                }
                self.expression(&node.value);
            }
            Pattern::MatchSingleton(_) => {}
            Pattern::MatchSequence(node) => node.patterns.iter().for_each(|p| self.pattern(p)),
            Pattern::MatchOr(node) => node.patterns.iter().for_each(|p| self.pattern(p)),
            Pattern::MatchMapping(node) => {
                node.keys.iter().for_each(|key| self.expression(key));
                node.patterns.iter().for_each(|p| self.pattern(p));
                self.capture(node.rest.as_ref());
            }
            Pattern::MatchClass(node) => {
                self.expression(&node.cls);
                node.arguments.patterns.iter().for_each(|p| self.pattern(p));
                node.arguments.keywords.iter().for_each(|k| self.pattern(&k.pattern));
            }
            Pattern::MatchStar(node) => self.capture(node.name.as_ref()),
            Pattern::MatchAs(node) => {
                if let Some(inner) = &node.pattern {
                    self.pattern(inner);
                }
                self.capture(node.name.as_ref());
            }
        }
    }

    fn capture(&mut self, name: Option<&'a ast::Identifier>) {
        if let Some(name) = name {
            self.bind(name);
        }
    }

    /// Remembers the names a constant `__all__` lists.
    fn export(&mut self, target: &'a str, value: &'a Expr) {
        if target != "__all__" || self.kind() != Kind::Module {
            return;
        }
        let (Expr::List(ast::ExprList { elts, .. }) | Expr::Tuple(ast::ExprTuple { elts, .. })) = value
        else {
            return;
        };
        for element in elts {
            if let Expr::StringLiteral(text) = element {
                self.exports.push((text.value.to_str(), text.start()));
            }
        }
    }
}
