//! The rule of outputs: what is put into the result must be something JSON can hold.
//!
//! Only what can be seen is judged: literals, calls of well-known built-in functions, and names
//! that are bound exactly once to one of these. Dates and the like become text at run time.

use ruff_python_ast::{self as ast, Expr, Number};
use ruff_text_size::{Ranged, TextSize};

use crate::findings::Code;
use crate::guards::is_name;
use crate::program::ResultName;
use crate::scope::{Kind as ScopeKind, Scope, Value};
use crate::walk::Walker;
use crate::words::{Kind, Message};

/// A name that is put into the result, until its value is known.
#[derive(Clone, Copy)]
pub(crate) struct Output<'a> {
    name: &'a str,
    at: TextSize,
}

/// Levels of a literal that are looked into.
const LEVELS: u32 = 20;

impl<'a> Walker<'a, '_> {
    /// The name of the map or variable the result is in.
    fn result_name(&self) -> &'static str {
        match self.result {
            ResultName::Context => "context",
            ResultName::Insights => "insights",
        }
    }

    /// Whether the result's name means the result here.
    fn own_result(&self) -> bool {
        let name = self.result_name();
        let inner = self.scopes.iter().skip(1).filter(|scope| scope.kind != ScopeKind::Class);
        !inner.into_iter().any(|scope| scope.symbols.get(name).is_some_and(|symbol| symbol.local))
    }

    /// `context['key'] = value`, or the whole result at once.
    pub(crate) fn output_assigned(&mut self, target: &'a Expr, value: &'a Expr) {
        let whole = match target {
            Expr::Subscript(node) if is_name(&node.value, self.result_name()) => false,
            Expr::Name(name) => {
                if name.id != self.result_name() || self.kind() != ScopeKind::Module {
                    return;
                }
                true
            }
            _ => return,
        };
        self.output_value(value, whole);
    }

    /// Judges a value; as a whole result only its items are of interest.
    pub(crate) fn output_value(&mut self, value: &'a Expr, whole: bool) {
        if (whole && !matches!(value, Expr::Dict(_) | Expr::List(_))) || !self.own_result() {
            return;
        }
        self.judge(value, LEVELS);
    }

    /// `context.update({…})`, `context.update(key=…)`, `context.setdefault('key', …)`.
    pub(crate) fn context_outputs(&mut self, method: &str, arguments: &'a ast::Arguments) {
        if self.result != ResultName::Context {
            return;
        }
        match (method, &*arguments.args) {
            ("update", args) => {
                args.iter().for_each(|with| self.output_value(with, true));
                for keyword in arguments.keywords.iter().filter(|keyword| keyword.arg.is_some()) {
                    self.output_value(&keyword.value, false);
                }
            }
            ("setdefault", [_, value]) => self.output_value(value, false),
            _ => {}
        }
    }

    fn judge(&mut self, value: &'a Expr, levels: u32) {
        let Some(levels) = levels.checked_sub(1) else {
            return;
        };
        match value {
            Expr::Name(name) => self.outputs.push(Output { name: &name.id, at: name.start() }),
            Expr::List(node) => node.elts.iter().for_each(|one| self.judge(one, levels)),
            Expr::Tuple(node) => node.elts.iter().for_each(|one| self.judge(one, levels)),
            Expr::Dict(node) => {
                for item in &node.items {
                    if let Some(key) = &item.key {
                        if key.is_tuple_expr() {
                            self.not_json(Kind::TupleKey, key.start());
                        }
                        self.judge(&item.value, levels);
                    }
                }
            }
            _ => match kind_of(value) {
                Some((kind, None)) => self.not_json(kind, value.start()),
                Some((kind, Some(function))) if !self.bound_so_far(function) => {
                    self.not_json(kind, value.start());
                }
                _ => {}
            },
        }
    }

    /// Whether the program has a name of its own where a built-in function was expected.
    fn bound_so_far(&self, name: &str) -> bool {
        self.any_name || self.bound_anywhere.contains(&name)
    }

    fn not_json(&mut self, kind: Kind, at: TextSize) {
        self.report(Code::NotJson, at, Message::NotJson(kind));
    }

    /// Names that were put into the result, now that all bindings of their scope are known.
    pub(crate) fn close_outputs(&mut self, scope: &Scope<'a>) {
        let waiting = self.outputs.split_off(scope.first_output);
        for output in waiting {
            let passed = scope.kind == ScopeKind::Class;
            match scope.symbols.get(output.name) {
                Some(symbol) if !passed => {
                    if symbol.bindings == 1 && !symbol.foreign {
                        self.judge_name(output.at, symbol.value);
                    }
                }
                _ => self.outputs.push(output),
            }
        }
    }

    fn judge_name(&mut self, at: TextSize, value: Value<'a>) {
        let kind = match value {
            Value::Unknown => None,
            Value::Function => Some(Kind::Function),
            Value::Class => Some(Kind::Class),
            Value::Expr(expr) => kind_of(expr)
                .filter(|(_, function)| function.is_none_or(|name| !self.bound_so_far(name)))
                .map(|(kind, _)| kind),
        };
        if let Some(kind) = kind {
            self.not_json(kind, at);
        }
    }
}

/// Whether this is a call of `open`.
pub(crate) fn is_open(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(call) if is_name(&call.func, "open"))
}

/// What JSON cannot hold, and the built-in function this rests on.
fn kind_of(value: &Expr) -> Option<(Kind, Option<&str>)> {
    let kind = match value {
        Expr::Set(_) | Expr::SetComp(_) => Kind::Set,
        Expr::BytesLiteral(_) => Kind::Bytes,
        Expr::Lambda(_) => Kind::Function,
        Expr::Generator(_) => Kind::Generator,
        Expr::EllipsisLiteral(_) => Kind::Ellipsis,
        Expr::NumberLiteral(node) if matches!(node.value, Number::Complex { .. }) => Kind::Complex,
        Expr::Call(call) => {
            let Expr::Name(function) = &*call.func else {
                return None;
            };
            let kind = match function.id.as_str() {
                "set" | "frozenset" => Kind::Set,
                "bytes" | "bytearray" | "memoryview" => Kind::Bytes,
                "complex" => Kind::Complex,
                "open" => Kind::File,
                "map" | "filter" | "zip" | "enumerate" | "reversed" | "iter" | "range" => Kind::Iterator,
                _ => return None,
            };
            return Some((kind, Some(function.id.as_str())));
        }
        _ => return None,
    };
    Some((kind, None))
}
