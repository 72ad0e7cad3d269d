//! Expressions, in the order in which Python runs them.

use ruff_python_ast::{
    self as ast, BoolOp, CmpOp, Expr, ExprContext, FStringPart, InterpolatedStringElement, UnaryOp,
};
use ruff_text_size::Ranged;

use super::Walker;
use crate::guards::{self, Facts, is_name};
use crate::scope::Kind;

impl<'a> Walker<'a, '_> {
    pub(crate) fn expression(&mut self, expr: &'a Expr) {
        let truth = std::mem::take(&mut self.truth);
        let assigned = self.assigned.take();
        if self.deeper(expr.range()) {
            self.expression_kind(expr, truth, assigned);
        }
        self.depth -= 1;
    }

    fn expression_kind(&mut self, expr: &'a Expr, truth: bool, assigned: Option<&'a str>) {
        match expr {
            Expr::Name(node) => self.name(expr, node, truth),
            Expr::Attribute(node) => self.attribute(node),
            Expr::Call(node) => self.call(expr, node, truth, assigned),
            Expr::Subscript(node) => self.subscript(node),
            Expr::BinOp(node) => self.binary(node),
            Expr::BoolOp(node) => self.boolean(node, truth),
            Expr::Compare(node) => self.compare(node),
            Expr::UnaryOp(node) => {
                self.truth = node.op == UnaryOp::Not;
                self.expression(&node.operand);
            }
            Expr::If(node) => self.conditional(node),
            Expr::Named(node) => self.walrus(node, truth),
            Expr::Tuple(node) => self.elements(expr, &node.elts),
            Expr::List(node) => self.elements(expr, &node.elts),
            Expr::Set(node) => node.elts.iter().for_each(|one| self.expression(one)),
            Expr::Dict(node) => self.dictionary(node),
            Expr::Starred(node) => self.expression(&node.value),
            Expr::Slice(node) => {
                self.optional(node.lower.as_deref());
                self.optional(node.upper.as_deref());
                self.optional(node.step.as_deref());
            }
            Expr::FString(node) => self.formatted(node),
            Expr::TString(node) => {
                for part in &node.value {
                    self.interpolations(part.elements.iter());
                }
            }
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::IpyEscapeCommand(_) => {}
            _ => self.suspended(expr),
        }
    }

    /// Everything that has a scope of its own or may suspend a function.
    fn suspended(&mut self, expr: &'a Expr) {
        self.recheck_expression(expr);
        match expr {
            Expr::Lambda(node) => self.lambda(node),
            Expr::ListComp(node) => {
                self.comprehension([Some(&node.elt), None], &node.generators, false);
            }
            Expr::SetComp(node) => {
                self.comprehension([Some(&node.elt), None], &node.generators, false);
            }
            Expr::DictComp(node) => {
                self.comprehension([node.key.as_deref(), Some(&node.value)], &node.generators, false);
            }
            Expr::Generator(node) => {
                self.comprehension([Some(&node.elt), None], &node.generators, true);
            }
            Expr::Await(node) => self.expression(&node.value),
            Expr::Yield(node) => self.optional(node.value.as_deref()),
            Expr::YieldFrom(node) => self.expression(&node.value),
            _ => {}
        }
    }

    fn name(&mut self, expr: &'a Expr, node: &'a ast::ExprName, truth: bool) {
        match node.ctx {
            ExprContext::Load => {
                self.read_name(node, None);
                if truth {
                    self.context.truth_asked(&node.id);
                } else if node.id == "context" {
                    self.context_escapes(node.start());
                }
            }
            ExprContext::Store => {
                self.recheck_expression(expr);
                self.bind(&node.id);
            }
            ExprContext::Del => {
                self.recheck_expression(expr);
                self.unbind(&node.id, node.start());
            }
            ExprContext::Invalid => {}
        }
    }

    /// Reads a name, unless Python puts it into every class.
    pub(crate) fn read_name(&mut self, node: &'a ast::ExprName, attribute: Option<&'a str>) {
        let in_class = || self.scopes.iter().any(|scope| scope.kind == Kind::Class);
        match node.id.as_str() {
            "__module__" | "__qualname__" if self.kind() == Kind::Class => {}
            "__class__" | "__classdict__" if in_class() => {}
            id => self.read(id, node.start(), attribute),
        }
    }

    /// Visits an expression that is only looked at, so that the context does not get away.
    pub(super) fn looked_at(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(node) if node.id == "context" && node.ctx == ExprContext::Load => {
                self.read_name(node, None);
            }
            _ => self.expression(expr),
        }
    }

    /// Visits what a loop goes through.
    pub(super) fn iterated(&mut self, expr: &'a Expr) {
        self.looked_at(expr);
    }

    /// Visits a test and returns what it tells about keys.
    pub(super) fn test(&mut self, test: &'a Expr) -> Facts<'a> {
        let facts = self.context.facts(test);
        self.context.tests += 1;
        self.truth = true;
        self.expression(test);
        self.context.tests -= 1;
        facts
    }

    fn attribute(&mut self, node: &'a ast::ExprAttribute) {
        self.attribute_rule(node);
        match &*node.value {
            Expr::Name(name) => {
                self.read_name(name, Some(&node.attr));
                if name.id == "context" {
                    self.context_escapes(name.start());
                }
            }
            value => self.expression(value),
        }
    }

    fn call(&mut self, expr: &'a Expr, node: &'a ast::ExprCall, truth: bool, assigned: Option<&'a str>) {
        if node.arguments.keywords.len() > 1 {
            self.recheck_expression(expr);
        }
        self.call_rule(node);
        if self.context_call(node, truth, assigned) {
            return;
        }
        self.expression(&node.func);
        let looks = looks_only(&node.func);
        for argument in &node.arguments.args {
            match looks {
                Looks::Asks => {
                    self.truth = true;
                    self.looked_at(argument);
                    self.truth = false;
                }
                Looks::Only => self.looked_at(argument),
                Looks::No => self.expression(argument),
            }
        }
        self.keywords(&node.arguments.keywords);
    }

    pub(crate) fn keywords(&mut self, keywords: &'a [ast::Keyword]) {
        for keyword in keywords {
            if keyword.arg.is_none() {
                self.looked_at(&keyword.value);
            } else {
                self.expression(&keyword.value);
            }
        }
    }

    fn subscript(&mut self, node: &'a ast::ExprSubscript) {
        self.subscript_rule(node);
        if is_name(&node.value, "context") {
            self.context_subscript(node);
            self.looked_at(&node.value);
        } else {
            self.expression(&node.value);
        }
        self.expression(&node.slice);
    }

    /// Long sums lean to the left, so that side is followed without recursion.
    fn binary(&mut self, node: &'a ast::ExprBinOp) {
        let Expr::BinOp(_) = &*node.left else {
            self.expression(&node.left);
            self.expression(&node.right);
            return;
        };
        let mut rights = vec![&*node.right];
        let mut left = &*node.left;
        while let Expr::BinOp(inner) = left {
            rights.push(&inner.right);
            left = &inner.left;
        }
        self.expression(left);
        while let Some(right) = rights.pop() {
            self.expression(right);
        }
    }

    fn boolean(&mut self, node: &'a ast::ExprBoolOp, truth: bool) {
        let mark = self.context.guard_mark();
        let last = node.values.len().saturating_sub(1);
        for (index, value) in node.values.iter().enumerate() {
            // The last value is the result, unless somebody only asks whether it is true.
            if index < last || truth {
                let facts = self.test(value);
                match node.op {
                    BoolOp::And => self.context.guard(&facts.when_true),
                    BoolOp::Or => self.context.guard(&facts.when_false),
                }
            } else {
                self.expression(value);
            }
            // Only the first value is certain to be looked at.
            self.conditional += u32::from(index == 0);
        }
        self.conditional -= 1;
        self.context.guard_reset(mark);
    }

    fn compare(&mut self, node: &'a ast::ExprCompare) {
        let with_none = node.comparators.iter().any(Expr::is_none_literal_expr)
            && node.ops.iter().all(|op| matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::Eq | CmpOp::NotEq));
        self.truth = with_none;
        self.looked_at(&node.left);
        self.truth = false;
        for (op, comparator) in node.ops.iter().zip(&node.comparators) {
            if matches!(op, CmpOp::In | CmpOp::NotIn) {
                self.membership(&node.left, comparator);
            }
            self.looked_at(comparator);
            self.conditional += 1;
        }
        self.conditional -= u32::try_from(node.comparators.len()).unwrap_or(0);
    }

    /// `'x' in globals()` asks for a name, `'x' in context` for a key.
    fn membership(&mut self, left: &'a Expr, right: &'a Expr) {
        self.context.membership(left, right);
        let Some(name) = guards::constant(left) else {
            return;
        };
        if let Expr::Call(call) = right
            && let Expr::Name(function) = &*call.func
            && matches!(function.id.as_str(), "globals" | "locals" | "vars" | "dir")
        {
            self.asked_names.insert(name);
            self.namespace_read = true;
        }
    }

    fn conditional(&mut self, node: &'a ast::ExprIf) {
        let mut node = node;
        let outer = (self.context.guard_mark(), self.conditional);
        loop {
            let facts = self.test(&node.test);
            self.conditional += 1;
            let mark = self.context.guard_mark();
            self.context.guard(&facts.when_true);
            self.expression(&node.body);
            self.context.guard_reset(mark);
            self.context.guard(&facts.when_false);
            // Chains of conditions lean to the right.
            match &*node.orelse {
                Expr::If(next) => node = next,
                other => {
                    self.expression(other);
                    break;
                }
            }
        }
        self.context.guard_reset(outer.0);
        self.conditional = outer.1;
    }

    fn walrus(&mut self, node: &'a ast::ExprNamed, truth: bool) {
        if let Expr::Name(target) = &*node.target {
            self.truth = truth;
            self.assigned = Some(&target.id);
            self.expression(&node.value);
            self.recheck_expression(&node.target);
            self.bind_walrus(&target.id);
        }
    }

    fn elements(&mut self, expr: &'a Expr, elements: &'a [Expr]) {
        if elements.iter().any(Expr::is_starred_expr) {
            self.recheck_expression(expr);
        }
        elements.iter().for_each(|one| self.expression(one));
    }

    fn dictionary(&mut self, node: &'a ast::ExprDict) {
        for item in &node.items {
            match &item.key {
                Some(key) => {
                    self.expression(key);
                    self.expression(&item.value);
                }
                None => self.looked_at(&item.value),
            }
        }
    }

    fn formatted(&mut self, node: &'a ast::ExprFString) {
        for part in &node.value {
            if let FStringPart::FString(part) = part {
                self.interpolations(part.elements.iter());
            }
        }
    }

    fn interpolations(&mut self, elements: impl Iterator<Item = &'a InterpolatedStringElement>) {
        for element in elements {
            if let InterpolatedStringElement::Interpolation(node) = element {
                self.looked_at(&node.expression);
                if let Some(format) = &node.format_spec {
                    self.format_spec(format);
                }
            }
        }
    }

    fn format_spec(&mut self, format: &'a ast::InterpolatedStringFormatSpec) {
        if self.deeper(format.range) {
            self.interpolations(format.elements.iter());
        }
        self.depth -= 1;
    }
}

/// Whether a function only looks at what it is given.
#[derive(Clone, Copy)]
enum Looks {
    No,
    Only,
    /// It asks what its argument is, so that `None` is an answer too.
    Asks,
}

fn looks_only(function: &Expr) -> Looks {
    match function {
        Expr::Name(name) => match name.id.as_str() {
            "bool" | "isinstance" | "type" => Looks::Asks,
            "all" | "any" | "dict" | "enumerate" | "format" | "hash" | "id" | "iter" | "len" | "list"
            | "max" | "min" | "print" | "repr" | "set" | "sorted" | "str" | "sum" | "tuple" => Looks::Only,
            _ => Looks::No,
        },
        Expr::Attribute(method) => match method.attr.as_str() {
            "copy" | "deepcopy" | "dumps" | "pprint" | "pformat" => Looks::Only,
            _ => Looks::No,
        },
        _ => Looks::No,
    }
}
