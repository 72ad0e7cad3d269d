//! Functions, classes, lambdas, comprehensions and type parameters: everything with a scope.

use ruff_python_ast::{self as ast, Expr, PythonVersion, TypeParam};

use super::Walker;
use crate::scope::{Kind, Value};

impl<'a> Walker<'a, '_> {
    pub(super) fn function(&mut self, node: &'a ast::StmtFunctionDef) {
        for decorator in &node.decorator_list {
            self.expression(&decorator.expression);
        }
        self.defaults(&node.parameters);
        let generic = self.open_type_params(node.type_params.as_deref());
        self.signature(node);
        if generic {
            // The name belongs to the scope around the type parameters.
            self.function_body(node);
            self.close();
            self.bind_value(&node.name, Value::Function);
        } else {
            self.bind_value(&node.name, Value::Function);
            self.function_body(node);
        }
    }

    fn function_body(&mut self, node: &'a ast::StmtFunctionDef) {
        self.open(Kind::Function { is_async: node.is_async });
        let outside = self.enter_later();
        self.parameters(&node.parameters);
        self.statements(&node.body);
        self.leave_later(outside);
        self.close();
    }

    /// A body that runs later does not run under the conditions and loops around it.
    fn enter_later(&mut self) -> [u32; 3] {
        self.context.functions += 1;
        let lazy = std::mem::take(&mut self.lazy);
        let loops = self.context.hide_loops();
        let conditional = std::mem::take(&mut self.conditional);
        [lazy, loops, conditional]
    }

    fn leave_later(&mut self, [lazy, loops, conditional]: [u32; 3]) {
        self.context.functions -= 1;
        self.lazy = lazy;
        self.conditional = conditional;
        self.context.show_loops(loops);
    }

    fn signature(&mut self, node: &'a ast::StmtFunctionDef) {
        let lazy = u32::from(self.annotations_run_later());
        self.lazy += lazy;
        for parameter in &*node.parameters {
            if let Some(annotation) = parameter.annotation() {
                self.annotation(annotation);
            }
        }
        if let Some(returns) = &node.returns {
            self.annotation(returns);
        }
        self.lazy -= lazy;
    }

    /// From Python 3.14 on, and with the `__future__` import, annotations are not run at once.
    pub(super) fn annotations_run_later(&self) -> bool {
        self.future_annotations || self.version >= PythonVersion::PY314
    }

    fn defaults(&mut self, parameters: &'a ast::Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            self.optional(parameter.default());
        }
    }

    fn parameters(&mut self, parameters: &'a ast::Parameters) {
        for parameter in parameters {
            self.bind_parameter(parameter.name());
        }
    }

    pub(super) fn lambda(&mut self, node: &'a ast::ExprLambda) {
        if let Some(parameters) = &node.parameters {
            self.defaults(parameters);
        }
        self.open(Kind::Lambda);
        let outside = self.enter_later();
        if let Some(parameters) = &node.parameters {
            self.parameters(parameters);
        }
        self.expression(&node.body);
        self.leave_later(outside);
        self.close();
    }

    pub(super) fn class(&mut self, node: &'a ast::StmtClassDef) {
        for decorator in &node.decorator_list {
            self.expression(&decorator.expression);
        }
        let generic = self.open_type_params(node.type_params.as_deref());
        if let Some(arguments) = &node.arguments {
            arguments.args.iter().for_each(|base| self.expression(base));
            arguments.keywords.iter().for_each(|keyword| self.expression(&keyword.value));
        }
        self.open(Kind::Class);
        self.statements(&node.body);
        self.close();
        if generic {
            self.close();
        }
        self.bind_value(&node.name, Value::Class);
    }

    pub(super) fn type_alias(&mut self, node: &'a ast::StmtTypeAlias) {
        if let Expr::Name(name) = &*node.name {
            self.bind(&name.id);
        }
        let generic = self.open_type_params(node.type_params.as_deref());
        self.lazy += 1;
        self.annotation(&node.value);
        self.lazy -= 1;
        if generic {
            self.close();
        }
    }

    /// Opens the scope of type parameters, if there are any.
    fn open_type_params(&mut self, params: Option<&'a ast::TypeParams>) -> bool {
        let Some(params) = params else { return false };
        self.open(Kind::TypeParams);
        for param in params.iter() {
            self.bind(type_param_name(param));
        }
        self.lazy += 1;
        for param in params.iter() {
            self.type_param(param);
        }
        self.lazy -= 1;
        true
    }

    fn type_param(&mut self, param: &'a TypeParam) {
        let (bound, default) = match param {
            TypeParam::TypeVar(node) => (node.bound.as_deref(), node.default.as_deref()),
            TypeParam::TypeVarTuple(node) => (None, node.default.as_deref()),
            TypeParam::ParamSpec(node) => (None, node.default.as_deref()),
        };
        self.optional(bound);
        self.optional(default);
    }

    /// Walks a comprehension; its first iterable belongs to the scope around it.
    pub(super) fn comprehension(
        &mut self,
        results: [Option<&'a Expr>; 2],
        generators: &'a [ast::Comprehension],
        generator: bool,
    ) {
        let Some((first, rest)) = generators.split_first() else {
            return;
        };
        self.iterated(&first.iter);
        self.open(Kind::Comprehension { is_async: generators.iter().any(|one| one.is_async), generator });
        self.context.functions += u32::from(generator);
        self.conditional += 1;
        let start = self.reads.len();
        let mark = self.context.guard_mark();
        self.clause(first);
        for one in rest {
            self.iterated(&one.iter);
            self.clause(one);
        }
        results.into_iter().flatten().for_each(|result| self.expression(result));
        self.context.guard_reset(mark);
        // The clauses are loops in each other.
        self.excuse_reads_since(start);
        self.context.functions -= u32::from(generator);
        self.conditional -= 1;
        self.close();
    }

    fn clause(&mut self, one: &'a ast::Comprehension) {
        self.expression(&one.target);
        for test in &one.ifs {
            let facts = self.test(test);
            self.context.guard(&facts.when_true);
            self.context.filtered(&facts);
        }
    }

    /// An annotation: texts in it are annotations too.
    pub(super) fn annotation(&mut self, expr: &'a Expr) {
        crate::annotations::quoted(self.source, expr, &mut self.quoted_names);
        self.expression(expr);
    }
}

fn type_param_name(param: &TypeParam) -> &ast::Identifier {
    match param {
        TypeParam::TypeVar(node) => &node.name,
        TypeParam::TypeVarTuple(node) => &node.name,
        TypeParam::ParamSpec(node) => &node.name,
    }
}
