//! What a program holds itself, and whether it reads its context at all.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, InterpolatedStringElement, Number, Stmt};

use crate::guards::is_name;
use crate::parse;

/// A constant that is written in a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A text, or the constant part of one.
    Text(String),
    /// A number, without its sign.
    Number(f64),
}

/// What a program takes from its context, and what it brings along.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// Whether anything of the context is read; writing to it is no reading.
    pub reads_context: bool,
    /// All constants, in the order of the text.
    pub literals: Vec<Literal>,
}

/// Where the values of a program come from; nothing if the text does not parse.
#[must_use]
pub fn sources_of(code: &str) -> Option<Sources> {
    let parsed = parse::parse(code, parse::Syntax::Latest).ok()?;
    let mut sources = Sources::default();
    sources.visit_body(parsed.suite());
    Some(sources)
}

/// Methods of the context that only put something into it or take everything out of it.
const WRITES: [&str; 2] = ["update", "clear"];

impl Visitor<'_> for Sources {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        // `context['n'] += 1` writes to what it has read.
        if let Stmt::AugAssign(node) = stmt
            && matches!(&*node.target, Expr::Subscript(target) if is_name(&target.value, "context"))
        {
            self.reads_context = true;
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => self.reads_context |= name.id == "context" && name.ctx == ExprContext::Load,
            Expr::Subscript(node) if node.ctx != ExprContext::Load && is_name(&node.value, "context") => {
                self.visit_expr(&node.slice);
            }
            Expr::Attribute(node) if is_name(&node.value, "context") => {
                self.reads_context |= !WRITES.contains(&node.attr.as_str());
            }
            Expr::StringLiteral(node) => self.literals.push(Literal::Text(node.value.to_str().to_owned())),
            Expr::NumberLiteral(node) => self.literals.extend(number(&node.value).map(Literal::Number)),
            _ => walk_expr(self, expr),
        }
    }

    fn visit_interpolated_string_element(&mut self, element: &InterpolatedStringElement) {
        match element {
            InterpolatedStringElement::Literal(text) => {
                self.literals.push(Literal::Text(text.value.to_string()));
            }
            InterpolatedStringElement::Interpolation(part) => self.visit_expr(&part.expression),
        }
    }
}

fn number(value: &Number) -> Option<f64> {
    match value {
        Number::Int(whole) => whole.to_string().parse().ok(),
        Number::Float(number) => Some(*number),
        Number::Complex { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(code: &str) -> bool {
        sources_of(code).unwrap().reads_context
    }

    #[test]
    fn writing_to_the_context_is_no_reading() {
        for code in [
            "context['a'] = 1",
            "context.update(a=1)",
            "context['a'], b = 1, 2",
            "x = 3\ncontext['a'] = x",
            "del context['a']",
        ] {
            assert!(!reads(code), "{code}");
        }
        for code in [
            "context['b'] = context['a']",
            "context['n'] += 1",
            "f(context)",
            "x = context.get('a')",
            "for key in context: pass",
            "context.update(b=context['a'])",
            "context['r'] = f'{context[\"a\"]}'",
            "context['r'] = context.pop('a')",
        ] {
            assert!(reads(code), "{code}");
        }
    }

    #[test]
    fn constants_are_found_wherever_they_stand() {
        let text = |text: &str| Literal::Text(text.to_owned());
        let found = sources_of("x = f(-10, 'a' 'b', [1.5])\ny = f'total {x} of 7'\nz = {'k': 0x10}").unwrap();
        assert_eq!(
            found.literals,
            [
                Literal::Number(10.0),
                text("ab"),
                Literal::Number(1.5),
                text("total "),
                text(" of 7"),
                text("k"),
                Literal::Number(16.0)
            ]
        );
        assert_eq!(sources_of("x = ("), None);
    }
}
