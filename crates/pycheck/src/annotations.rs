//! Annotations that are written as texts, such as `"list[Order]"`.

use ruff_python_ast::{Expr, visitor};
use ruff_python_parser::parse_string_annotation;
use ruff_text_size::{Ranged, TextSize};

/// Levels of an annotation that are looked into.
const LEVELS: u32 = 20;

/// Collects the names in the texts of an annotation; a text that is no expression is ignored.
pub(crate) fn quoted(source: &str, annotation: &Expr, names: &mut Vec<(String, TextSize)>) {
    texts(source, annotation, names, LEVELS);
}

fn texts(source: &str, expr: &Expr, names: &mut Vec<(String, TextSize)>, levels: u32) {
    let Some(levels) = levels.checked_sub(1) else {
        return;
    };
    match expr {
        Expr::StringLiteral(text) => {
            // A text in several pieces or with escapes has no simple places: it is left alone.
            let Some(literal) = text.as_single_part_string() else {
                return;
            };
            let plain = literal.value.len() <= 200 && !literal.value.contains('\\');
            if plain && let Ok(parsed) = parse_string_annotation(source, literal) {
                simple_names(parsed.expr(), text.start(), names);
            }
        }
        Expr::Subscript(node) if is_special(&node.value) => {}
        Expr::Subscript(node) => {
            texts(source, &node.value, names, levels);
            texts(source, &node.slice, names, levels);
        }
        Expr::BinOp(node) => {
            texts(source, &node.left, names, levels);
            texts(source, &node.right, names, levels);
        }
        Expr::Tuple(node) => node.elts.iter().for_each(|one| texts(source, one, names, levels)),
        Expr::List(node) => node.elts.iter().for_each(|one| texts(source, one, names, levels)),
        _ => {}
    }
}

/// The arguments of these are values, not types.
fn is_special(expr: &Expr) -> bool {
    let last = match expr {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    };
    matches!(last, "Literal" | "Annotated")
}

/// Takes the names of an expression made of names, attributes, subscripts and `|` only.
fn simple_names(expr: &Expr, at: TextSize, names: &mut Vec<(String, TextSize)>) {
    let mut collector = Names { found: Vec::new(), simple: true };
    visitor::Visitor::visit_expr(&mut collector, expr);
    if collector.simple {
        names.extend(collector.found.into_iter().map(|name| (name, at)));
    }
}

struct Names {
    found: Vec<String>,
    simple: bool,
}

impl visitor::Visitor<'_> for Names {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(name) => self.found.push(name.id.to_string()),
            Expr::Subscript(node) if is_special(&node.value) => self.visit_expr(&node.value),
            Expr::Attribute(_)
            | Expr::Subscript(_)
            | Expr::BinOp(_)
            | Expr::Tuple(_)
            | Expr::List(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_) => visitor::walk_expr(self, expr),
            _ => self.simple = false,
        }
    }
}
