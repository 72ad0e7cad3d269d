//! The rule of operations: no dangerous function, and none of the ways round to one.

use ruff_python_ast::{self as ast, Expr, Operator};
use ruff_text_size::{Ranged, TextSize};

use crate::findings::Code;
use crate::guards::{constant, is_name};
use crate::scope::{Kind, Read};
use crate::walk::Walker;
use crate::words::Message;

/// Attributes that lead from any object to the interpreter; sorted.
const ATTRIBUTES: &[&str] = &[
    "__builtins__",
    "__closure__",
    "__code__",
    "__globals__",
    "__import__",
    "__loader__",
    "__self__",
    "__subclasses__",
    "ag_frame",
    "cr_frame",
    "exec_module",
    "f_back",
    "f_builtins",
    "f_globals",
    "f_locals",
    "gi_frame",
    "load_module",
    "tb_frame",
];

/// Functions of modules that run text as code: `pandas.eval`.
const RUNS: &[&str] = &["eval", "exec"];

/// Built-in functions that end the program before its result, or wait for a person.
const ENDS_OR_WAITS: &[&str] = &["exit", "input", "quit"];

/// Folders of which a program certainly may not read anything, and what of them it may.
const OUT_OF_REACH: &[&str] =
    &["/boot/", "/etc/", "/home/", "/media/", "/mnt/", "/root/", "/run/", "/srv/", "/var/"];
const IN_REACH: &[&str] =
    &["/etc/fonts/", "/etc/localtime", "/etc/magic", "/etc/mime.types", "/etc/ssl/", "/etc/timezone"];

fn is_out_of_reach(path: &str) -> bool {
    let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    below(OUT_OF_REACH) && !below(IN_REACH)
}

fn is_dangerous(attribute: &str) -> bool {
    ATTRIBUTES.binary_search(&attribute).is_ok()
}

impl<'a> Walker<'a, '_> {
    /// A read that found nothing but the built-in name.
    pub(crate) fn builtin_read(&mut self, read: &Read<'a>) {
        if ENDS_OR_WAITS.contains(&read.name) {
            self.report(Code::EndsOrWaits, read.at, Message::EndsOrWaits(read.name.to_owned()));
        }
        if self.policy.denies_name(read.name) {
            let message = Message::DangerousName(read.name.to_owned());
            self.report(Code::DangerousName, read.at, message);
        }
    }

    /// `x.__subclasses__` and its kin.
    pub(crate) fn attribute_rule(&mut self, node: &'a ast::ExprAttribute) {
        let attribute = node.attr.as_str();
        let by_spec = attribute == "loader" && is_name(&node.value, "__spec__");
        // An enumeration that is made global writes its members into the module.
        self.any_name |=
            (attribute == "modules" && is_name(&node.value, "sys")) || attribute == "global_enum";
        let by_module =
            || self.of_module(&node.value) && (self.leads_round(attribute) || RUNS.contains(&attribute));
        if is_dangerous(attribute) || by_spec || by_module() {
            self.dangerous_attribute(attribute, node.attr.start());
        }
    }

    /// Whether a name within a module is a denied module that it has imported for itself, as in `email.utils.os`.
    pub(crate) fn leads_round(&self, name: &str) -> bool {
        let plain = name.trim_start_matches('_');
        plain == "sys" || (!plain.is_empty() && self.policy.denies_module(plain))
    }

    /// Whether an expression is an imported module, or an attribute of one.
    fn of_module(&self, expr: &Expr) -> bool {
        let mut root = expr;
        while let Expr::Attribute(node) = root {
            root = &node.value;
        }
        let Expr::Name(name) = root else { return false };
        let symbol = self.scopes.iter().rev().find_map(|scope| scope.symbols.get(name.id.as_str()));
        symbol.is_some_and(|symbol| {
            symbol.imports > 0 && symbol.imports == symbol.bindings && symbol.import.is_none()
        })
    }

    /// `getattr(x, '__sub' + 'classes__')`, and names written through `globals()`.
    pub(crate) fn call_rule(&mut self, node: &'a ast::ExprCall) {
        let name = match &*node.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(method) => method.attr.as_str(),
            _ => return,
        };
        match name {
            "open" => self.opened(node),
            // The program may bind any name with these.
            "globals" | "vars" | "exec" if node.func.is_name_expr() => self.namespace_escapes(name),
            // Enumerations write their members into a module this way.
            "_convert_" => self.any_name = true,
            "getattr" | "setattr" | "delattr" | "attrgetter" | "methodcaller" | "__getattribute__"
            | "__getattr__" => {
                for argument in &node.arguments.args {
                    self.dangerous_text(argument);
                }
                if let [of, name, ..] = &*node.arguments.args
                    && self.of_module(of)
                    && let Some(text) = folded(name)
                    && (self.leads_round(&text) || RUNS.contains(&text.as_str()))
                {
                    self.dangerous_attribute(&text, name.start());
                }
            }
            "get" | "keys" | "items" | "values" | "copy" if is_namespace(&node.func) => {
                self.namespace_read = true;
            }
            _ => {}
        }
    }

    /// `open('/etc/passwd')`.
    fn opened(&mut self, node: &'a ast::ExprCall) {
        let Some(path) = node.arguments.args.first().and_then(constant) else { return };
        if is_out_of_reach(path) && !self.bound_anywhere.contains(&"open") {
            self.report(Code::FileOutside, node.start(), Message::FileOutside(path.to_owned()));
        }
    }

    /// `globals()` may go anywhere and be written to, unless it is only read on the spot.
    fn namespace_escapes(&mut self, name: &str) {
        let read = std::mem::take(&mut self.namespace_read);
        let own = name == "vars" && self.kind() != Kind::Module;
        if !read && !own {
            self.any_name = true;
        }
    }

    /// `globals()['__builtins__']`, and a name bound by `globals()['x'] = …`.
    pub(crate) fn subscript_rule(&mut self, node: &'a ast::ExprSubscript) {
        self.dangerous_text(&node.slice);
        if is_namespace_call(&node.value) {
            let constant = constant(&node.slice);
            self.asked_names.extend(constant);
            self.namespace_read = constant.is_some() || node.ctx == ast::ExprContext::Load;
        }
    }

    fn dangerous_text(&mut self, expr: &Expr) {
        if let Some(text) = folded(expr)
            && is_dangerous(&text)
        {
            self.dangerous_attribute(&text, expr.start());
        }
    }

    fn dangerous_attribute(&mut self, name: &str, at: TextSize) {
        let message = Message::DangerousAttribute(name.to_owned());
        self.report(Code::DangerousAttribute, at, message);
    }
}

/// A method of what `globals()` returns.
fn is_namespace(function: &Expr) -> bool {
    matches!(function, Expr::Attribute(method) if is_namespace_call(&method.value))
}

fn is_namespace_call(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "globals" | "locals" | "vars"))
}

/// The longest text that is put together here; no dangerous name is longer.
const LONGEST: usize = 64;

/// The text of an expression made of constant texts only.
fn folded(expr: &Expr) -> Option<String> {
    match expr {
        Expr::StringLiteral(text) => {
            let text = text.value.to_str();
            (text.len() <= LONGEST).then(|| text.to_owned())
        }
        Expr::BinOp(node) if node.op == Operator::Add => {
            let mut right = vec![&*node.right];
            let mut left = &*node.left;
            while let Expr::BinOp(inner) = left {
                if inner.op != Operator::Add || right.len() > LONGEST {
                    return None;
                }
                right.push(&inner.right);
                left = &inner.left;
            }
            let mut text = constant(left)?.to_owned();
            for one in right.into_iter().rev() {
                text.push_str(constant(one)?);
            }
            Some(text)
        }
        Expr::FString(node) => {
            let mut text = String::new();
            for part in &node.value {
                match part {
                    ast::FStringPart::Literal(literal) => text.push_str(&literal.value),
                    ast::FStringPart::FString(part) => {
                        for element in &part.elements {
                            text.push_str(&element.as_literal()?.value);
                        }
                    }
                }
            }
            Some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_attributes_is_sorted() {
        assert!(ATTRIBUTES.is_sorted());
    }
}
