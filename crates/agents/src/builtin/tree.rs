//! Expressions as trees: what they read, how deep their loops are, and whole numbers made decimals.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue};

/// The fields of the variable `name` that are read, such as `b` in `name.b.c`.
pub(super) fn reads<'a>(node: &'a IdedExpr, name: &str) -> Vec<&'a str> {
    let mut fields: Vec<&str> =
        children(&node.expr).into_iter().flat_map(|child| reads(child, name)).collect();
    if let Expr::Select(select) = &node.expr
        && matches!(&select.operand.expr, Expr::Ident(ident) if ident == name)
    {
        fields.push(&select.field);
    }
    fields
}

/// How deep the tree is. It is measured without recursion, since too deep a tree is what it looks for.
pub(super) fn depth(root: &IdedExpr) -> usize {
    let mut deepest = 0;
    let mut open = vec![(root, 1)];
    while let Some((node, level)) = open.pop() {
        deepest = deepest.max(level);
        open.extend(children(&node.expr).into_iter().map(|child| (child, level + 1)));
    }
    deepest
}

/// How deep `map`, `filter`, `exists` and the like are nested.
pub(super) fn loops(node: &IdedExpr) -> usize {
    let inner = children(&node.expr).into_iter().map(loops).max().unwrap_or(0);
    inner + usize::from(matches!(node.expr, Expr::Comprehension(_)))
}

/// Turns whole numbers into decimals, and the counts that `size` gives too.
pub(super) fn with_decimals(node: &mut IdedExpr) {
    children_mut(&mut node.expr).into_iter().for_each(with_decimals);
    match &mut node.expr {
        Expr::Literal(LiteralValue::Int(number)) => {
            node.expr = Expr::Literal(LiteralValue::Double((*number.inner() as f64).into()));
        }
        Expr::Call(call) if call.func_name == "size" => {
            let size = IdedExpr { id: node.id, expr: std::mem::take(&mut node.expr) };
            node.expr =
                Expr::Call(CallExpr { func_name: "double".to_owned(), target: None, args: vec![size] });
        }
        _ => {}
    }
}

fn children(expr: &Expr) -> Vec<&IdedExpr> {
    match expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(one) => {
            vec![&one.iter_range, &one.accu_init, &one.loop_cond, &one.loop_step, &one.result]
        }
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| parts(&entry.expr)).collect(),
        Expr::Struct(one) => one.entries.iter().flat_map(|entry| parts(&entry.expr)).collect(),
        Expr::Select(select) => vec![&select.operand],
    }
}

fn parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

fn children_mut(expr: &mut Expr) -> Vec<&mut IdedExpr> {
    match expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
        Expr::Call(call) => call.target.as_deref_mut().into_iter().chain(&mut call.args).collect(),
        Expr::Comprehension(one) => {
            let one = &mut **one;
            vec![
                &mut one.iter_range,
                &mut one.accu_init,
                &mut one.loop_cond,
                &mut one.loop_step,
                &mut one.result,
            ]
        }
        Expr::List(list) => list.elements.iter_mut().collect(),
        Expr::Map(map) => map.entries.iter_mut().flat_map(|entry| parts_mut(&mut entry.expr)).collect(),
        Expr::Struct(one) => one.entries.iter_mut().flat_map(|entry| parts_mut(&mut entry.expr)).collect(),
        Expr::Select(select) => vec![&mut select.operand],
    }
}

fn parts_mut(entry: &mut EntryExpr) -> Vec<&mut IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&mut field.value],
        EntryExpr::MapEntry(entry) => vec![&mut entry.key, &mut entry.value],
    }
}
