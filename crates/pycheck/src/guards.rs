//! What protects a piece of code: handlers, early exits, and questions asked beforehand.

use ruff_python_ast::{self as ast, BoolOp, CmpOp, ExceptHandler, Expr, Stmt, UnaryOp};

/// Which failures are caught around a piece of code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Caught {
    pub(crate) names: bool,
    /// `NameError` itself is caught: the program asks whether a name is there.
    pub(crate) asks_names: bool,
    pub(crate) keys: bool,
    pub(crate) imports: bool,
}

impl Caught {
    const ALL: Self = Self { names: true, asks_names: false, keys: true, imports: true };

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            names: self.names || other.names,
            asks_names: self.asks_names || other.asks_names,
            keys: self.keys || other.keys,
            imports: self.imports || other.imports,
        }
    }

    fn by(class: &str) -> Self {
        let none = Self::default();
        match class {
            // Whoever catches everything fears failures of what is there, and asks for no name.
            "Exception" | "BaseException" => Self { names: false, ..Self::ALL },
            "NameError" | "UnboundLocalError" => Self { names: true, asks_names: true, ..none },
            "KeyError" | "LookupError" => Self { keys: true, ..none },
            "ImportError" | "ModuleNotFoundError" => Self { imports: true, ..none },
            _ => none,
        }
    }

    fn by_expr(expr: &Expr) -> Self {
        match expr {
            Expr::Name(name) => Self::by(&name.id),
            Expr::Attribute(attribute) => Self::by(&attribute.attr),
            Expr::Tuple(tuple) => {
                tuple.elts.iter().fold(Self::default(), |caught, one| caught.or(Self::by_expr(one)))
            }
            _ => Self::default(),
        }
    }
}

/// What the handlers of a `try` statement catch.
pub(crate) fn caught(handlers: &[ExceptHandler]) -> Caught {
    let mut caught = Caught::default();
    for ExceptHandler::ExceptHandler(handler) in handlers {
        let one = match &handler.type_ {
            None => Caught::ALL,
            Some(class) => Caught::by_expr(class),
        };
        caught = caught.or(one);
    }
    caught
}

/// What a context manager such as `suppress(KeyError)` or `raises(NameError)` catches.
pub(crate) fn suppressed(manager: &Expr) -> Caught {
    let Expr::Call(call) = manager else {
        return Caught::default();
    };
    let classes = call.arguments.args.iter();
    classes.fold(Caught::default(), |caught, class| caught.or(Caught::by_expr(class)))
}

/// The name that a block tries out: `try: unicode` or `try: text = unicode`.
pub(crate) fn asked_name(body: &[Stmt]) -> Option<&str> {
    let mut expr = match body.first()? {
        Stmt::Expr(node) => &*node.value,
        Stmt::Assign(node) => &*node.value,
        _ => return None,
    };
    loop {
        expr = match expr {
            Expr::Name(name) => return Some(&name.id),
            Expr::Attribute(node) => &node.value,
            Expr::Call(node) => &node.func,
            _ => return None,
        };
    }
}

/// Whether a block ends by leaving the code around it.
pub(crate) fn leaves(body: &[Stmt]) -> bool {
    match body.last() {
        Some(Stmt::Return(_) | Stmt::Raise(_) | Stmt::Continue(_) | Stmt::Break(_)) => true,
        Some(Stmt::Expr(last)) => is_exit(&last.value),
        _ => false,
    }
}

/// Whether a block gives up: it ends with `raise` or with an exit.
pub(crate) fn raises(body: &[Stmt]) -> bool {
    match body.last() {
        Some(Stmt::Raise(_)) => true,
        Some(Stmt::Expr(last)) => is_exit(&last.value),
        _ => false,
    }
}

fn is_exit(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    match &*call.func {
        Expr::Name(name) => matches!(name.id.as_str(), "exit" | "quit"),
        Expr::Attribute(attribute) => matches!(attribute.attr.as_str(), "exit" | "_exit" | "abort"),
        _ => false,
    }
}

/// Whether a test asks which Python runs.
pub(crate) fn asks_version(test: &Expr) -> bool {
    match test {
        Expr::Name(name) => matches!(name.id.as_str(), "PY2" | "PY3" | "version_info"),
        Expr::Attribute(node) => {
            matches!(node.attr.as_str(), "PY2" | "PY3" | "version_info" | "hexversion")
        }
        Expr::Subscript(node) => asks_version(&node.value),
        Expr::Compare(node) => asks_version(&node.left),
        Expr::UnaryOp(node) => node.op == UnaryOp::Not && asks_version(&node.operand),
        Expr::BoolOp(node) => node.values.iter().any(asks_version),
        _ => false,
    }
}

/// Whether a test is true for type checkers only, so that what it guards never runs.
pub(crate) fn is_type_checking(test: &Expr) -> bool {
    match test {
        Expr::Name(name) => name.id == "TYPE_CHECKING",
        Expr::Attribute(node) => node.attr.as_str() == "TYPE_CHECKING",
        _ => false,
    }
}

/// A key that is known to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key<'a> {
    /// This one.
    Named(&'a str),
    /// Any: the program asked for a key whose name cannot be seen.
    Any,
}

/// What a test tells about the keys of the context.
#[derive(Debug, Default)]
pub(crate) struct Facts<'a> {
    pub(crate) when_true: Vec<Key<'a>>,
    pub(crate) when_false: Vec<Key<'a>>,
}

/// Levels of a test that are looked into; real tests have three.
const LEVELS: u32 = 40;

/// Reads the facts from a test; in doubt a key counts as asked for on both sides.
pub(crate) fn facts<'a>(test: &'a Expr) -> Facts<'a> {
    let mut facts = Facts::default();
    collect(test, &mut facts, LEVELS);
    facts
}

fn collect<'a>(test: &'a Expr, facts: &mut Facts<'a>, levels: u32) {
    let Some(levels) = levels.checked_sub(1) else {
        return;
    };
    match test {
        Expr::UnaryOp(node) if node.op == UnaryOp::Not => {
            let mut inner = Facts::default();
            collect(&node.operand, &mut inner, levels);
            facts.when_true.extend(inner.when_false);
            facts.when_false.extend(inner.when_true);
        }
        Expr::BoolOp(node) => {
            let mut inner = Facts::default();
            node.values.iter().for_each(|value| collect(value, &mut inner, levels));
            // The other side of `and` and `or` is uncertain, so it is not judged either.
            let both = inner.when_true.iter().chain(&inner.when_false).copied();
            let both: Vec<Key<'a>> = both.collect();
            match node.op {
                BoolOp::And => {
                    facts.when_true.extend(inner.when_true);
                    facts.when_false.extend(both);
                }
                BoolOp::Or => {
                    facts.when_true.extend(both);
                    facts.when_false.extend(inner.when_false);
                }
            }
        }
        Expr::Compare(node) => compare(node, facts, levels),
        Expr::Named(node) => collect(&node.value, facts, levels),
        Expr::Call(node) => call(node, facts, levels),
        Expr::Generator(node) => {
            node.generators.iter().for_each(|one| {
                one.ifs.iter().for_each(|test| collect(test, facts, levels));
            });
            collect(&node.elt, facts, levels);
        }
        Expr::ListComp(node) => collect(&node.elt, facts, levels),
        _ => {}
    }
}

fn compare<'a>(node: &'a ast::ExprCompare, facts: &mut Facts<'a>, levels: u32) {
    let ([op], [right]) = (&*node.ops, &*node.comparators) else {
        return;
    };
    let key = constant(&node.left).map_or(Key::Any, Key::Named);
    match op {
        CmpOp::In if is_context(right) => facts.when_true.push(key),
        CmpOp::NotIn if is_context(right) => facts.when_false.push(key),
        // `for key in context: if key == 'total'` asks as well.
        CmpOp::Eq => facts.when_true.extend(constant(right).map(Key::Named)),
        CmpOp::Is | CmpOp::IsNot | CmpOp::NotEq => {
            let mut inner = Facts::default();
            collect(&node.left, &mut inner, levels);
            let both: Vec<Key<'a>> = inner.when_true.into_iter().chain(inner.when_false).collect();
            if *op == CmpOp::Is {
                facts.when_false.extend(both);
            } else {
                facts.when_true.extend(both);
            }
        }
        // `{'a', 'b'} <= context.keys()` and the like.
        _ if is_context(right) || is_context(&node.left) => {
            facts.when_true.push(Key::Any);
            facts.when_false.push(Key::Any);
        }
        _ => {}
    }
}

fn call<'a>(node: &'a ast::ExprCall, facts: &mut Facts<'a>, levels: u32) {
    if let Expr::Attribute(function) = &*node.func {
        if is_name(&function.value, "context") && function.attr.as_str() == "get" {
            let key = node.arguments.args.first().and_then(constant);
            facts.when_true.extend(key.map(Key::Named));
            return;
        }
        if is_name(&function.value, "context") || function.attr.as_str() == "issubset" {
            facts.when_true.push(Key::Any);
            facts.when_false.push(Key::Any);
            return;
        }
    }
    for argument in &node.arguments.args {
        collect(argument, facts, levels);
    }
}

/// The context itself, its keys, or a plain copy of them.
pub(crate) fn is_context(expr: &Expr) -> bool {
    match expr {
        Expr::Name(name) => name.id == "context",
        Expr::Call(call) => match &*call.func {
            Expr::Attribute(method) => method.attr.as_str() == "keys" && is_name(&method.value, "context"),
            Expr::Name(_) => match &*call.arguments.args {
                [only] => is_context(only),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

pub(crate) fn is_name(expr: &Expr, wanted: &str) -> bool {
    matches!(expr, Expr::Name(name) if name.id == wanted)
}

/// The text of a constant string.
pub(crate) fn constant(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::StringLiteral(text) => Some(text.value.to_str()),
        _ => None,
    }
}
