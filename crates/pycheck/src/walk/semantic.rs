//! What the parser's second look at the tree has to know about where it is.

use ruff_python_ast::{Expr, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{LazyImportContext, SemanticSyntaxContext, SemanticSyntaxError};
use ruff_text_size::TextRange;

use super::Walker;
use crate::scope::Kind;

impl Walker<'_, '_> {
    pub(super) fn recheck_statement(&mut self, stmt: &Stmt) {
        let mut checker = std::mem::take(&mut self.checker);
        checker.visit_stmt(stmt, self);
        self.checker = checker;
    }

    pub(super) fn recheck_expression(&mut self, expr: &Expr) {
        let mut checker = std::mem::take(&mut self.checker);
        checker.visit_expr(expr, self);
        self.checker = checker;
    }

    /// The kinds of the scopes around, from the inside.
    fn around(&self) -> impl Iterator<Item = Kind> {
        self.scopes.iter().rev().map(|scope| scope.kind)
    }
}

impl SemanticSyntaxContext for Walker<'_, '_> {
    fn future_annotations_or_stub(&self) -> bool {
        self.future_annotations
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        self.version
    }

    fn source(&self) -> &str {
        self.source
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        let scope = self.scopes.last()?;
        scope.globals.get(name).copied()
    }

    /// The bindings of the functions around are not all known yet: our own rule looks later.
    fn has_nonlocal_binding(&self, _name: &str) -> bool {
        true
    }

    fn in_async_context(&self) -> bool {
        for kind in self.around() {
            match kind {
                Kind::Class | Kind::Lambda => return false,
                Kind::Function { is_async } => return is_async,
                _ => {}
            }
        }
        false
    }

    fn in_await_allowed_context(&self) -> bool {
        for kind in self.around() {
            match kind {
                Kind::Class => return false,
                Kind::Function { .. } | Kind::Lambda => return true,
                _ => {}
            }
        }
        false
    }

    fn in_yield_allowed_context(&self) -> bool {
        for kind in self.around() {
            match kind {
                Kind::Class | Kind::Comprehension { .. } => return false,
                Kind::Function { .. } | Kind::Lambda => return true,
                _ => {}
            }
        }
        false
    }

    fn in_sync_comprehension(&self) -> bool {
        self.around().any(|kind| matches!(kind, Kind::Comprehension { is_async: false, generator: false }))
    }

    fn in_class_body_comprehension(&self) -> bool {
        for kind in self.around() {
            match kind {
                Kind::Class => return true,
                Kind::Function { .. } | Kind::Lambda | Kind::Module => return false,
                _ => {}
            }
        }
        false
    }

    fn in_module_scope(&self) -> bool {
        self.kind() == Kind::Module
    }

    fn in_function_scope(&self) -> bool {
        self.kind().is_function()
    }

    fn in_generator_context(&self) -> bool {
        self.around().any(|kind| matches!(kind, Kind::Comprehension { generator: true, .. }))
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.semantic.borrow_mut().push(error);
    }

    fn in_loop_context(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.loops > 0)
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        let symbol = self.scopes.last().and_then(|scope| scope.symbols.get(name));
        symbol.is_some_and(|symbol| symbol.parameter)
    }
}
