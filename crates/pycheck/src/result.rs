//! The rule of the result: a program that has a context leaves its result there.
//!
//! Only what is certain is reported. Whoever hands a value of the context around, or gives it a name, may change it
//! through that name, so that only uses which cannot do so are taken for mere reading.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, InterpolatedStringElement, Stmt};
use ruff_text_size::{Ranged, TextSize};

use crate::findings::Code;
use crate::guards::is_name;
use crate::parse::Found;
use crate::words::Message;

/// Built-in functions that change nothing of what they are given.
const LOOKING: &[&str] = &[
    "abs",
    "bool",
    "float",
    "format",
    "int",
    "isinstance",
    "len",
    "max",
    "min",
    "print",
    "repr",
    "round",
    "sorted",
    "str",
    "sum",
    "type",
];

/// What is certainly wrong with how a program leaves its result.
pub(crate) fn judge(program: &[Stmt]) -> Option<Found> {
    let mut uses = Uses::default();
    uses.visit_body(program);
    if uses.bindings == 1
        && let Some(at) = program.iter().find_map(no_map)
    {
        return Some(Found { code: Code::NotAMap, at, message: Message::NotAMap });
    }
    let nothing = uses.bindings == 0 && uses.mentions == uses.looks && !uses.ends_otherwise;
    let at = program.first().map_or(TextSize::new(0), Ranged::start);
    nothing.then_some(Found { code: Code::NoResult, at, message: Message::NoResult })
}

/// `context = [1]`, not under any condition.
fn no_map(stmt: &Stmt) -> Option<TextSize> {
    let Stmt::Assign(node) = stmt else { return None };
    let [target] = &*node.targets else { return None };
    let other = matches!(
        &*node.value,
        Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Set(_)
            | Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::Generator(_)
            | Expr::Lambda(_)
            | Expr::FString(_)
            | Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
    );
    (other && is_name(target, "context")).then(|| node.start())
}

/// How often `context` is bound, how often it is mentioned otherwise, and how often it is only looked at.
#[derive(Default)]
struct Uses {
    bindings: u32,
    mentions: u32,
    looks: u32,
    /// It may raise on purpose, and then tells why, or never come to its end.
    ends_otherwise: bool,
}

impl Uses {
    fn look(&mut self, expr: &Expr) {
        self.looks += u32::from(is_value(expr));
    }
}

impl Visitor<'_> for Uses {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.ends_otherwise |= matches!(stmt, Stmt::Raise(_) | Stmt::While(_));
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) if name.id == "context" => match name.ctx {
                ExprContext::Load => self.mentions += 1,
                _ => self.bindings += 1,
            },
            Expr::BinOp(node) => [&node.left, &node.right].into_iter().for_each(|side| self.look(side)),
            Expr::UnaryOp(node) => self.look(&node.operand),
            Expr::Compare(node) => {
                self.look(&node.left);
                node.comparators.iter().for_each(|side| self.look(side));
            }
            Expr::Call(node) if matches!(&*node.func, Expr::Name(name) if LOOKING.contains(&name.id.as_str())) =>
            {
                node.arguments.args.iter().for_each(|argument| self.look(argument));
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_interpolated_string_element(&mut self, element: &InterpolatedStringElement) {
        if let InterpolatedStringElement::Interpolation(part) = element {
            self.look(&part.expression);
            self.visit_expr(&part.expression);
        }
    }
}

/// `context['key']` or `context.get('key')`, which give one value.
fn is_value(expr: &Expr) -> bool {
    match expr {
        Expr::Subscript(node) => node.ctx == ExprContext::Load && is_name(&node.value, "context"),
        Expr::Call(node) => {
            matches!(&*node.func, Expr::Attribute(method) if method.attr.as_str() == "get" && is_name(&method.value, "context"))
        }
        _ => false,
    }
}
