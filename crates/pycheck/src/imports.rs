//! The rule of imports: no denied module, no dangerous use of a doubtful one, none that is missing.

use ruff_python_ast::{self as ast};
use ruff_text_size::{Ranged, TextSize};

use crate::findings::Code;
use crate::library::Presence;
use crate::parse::Found;
use crate::scope::{Read, Symbol};
use crate::walk::Walker;
use crate::words::Message;

/// What is known about the imports of one program.
#[derive(Default)]
pub(crate) struct ImportRule<'a> {
    imports: Vec<Import<'a>>,
    /// Reasons why the import at hand may not run, or may fail without harm.
    pub(crate) doubts: u32,
    /// Whether something is imported from beside this file: then it is part of a package.
    pub(crate) relative: bool,
    /// The last parts of the dotted modules that are imported.
    pub(crate) submodules: Vec<&'a str>,
}

/// A module that is denied, or that depends on how it is used.
struct Import<'a> {
    statement: TextSize,
    module: &'a str,
    dangerous: bool,
}

impl<'a> ImportRule<'a> {
    fn note(&mut self, statement: TextSize, module: &'a str, dangerous: bool) -> usize {
        self.imports.push(Import { statement, module, dangerous });
        self.imports.len() - 1
    }

    fn submodule(&mut self, dotted: &'a str) {
        self.submodules.extend(dotted.rsplit_once('.').map(|(_, last)| last));
    }

    /// A judged module is read, as a whole or for one of its attributes.
    pub(crate) fn used(&mut self, import: usize, attribute: Option<&str>) {
        if let Some(import) = self.imports.get_mut(import) {
            import.dangerous |= match attribute {
                Some(attribute) => is_dangerous(first(import.module), attribute),
                None => is_dangerous_as_a_whole(first(import.module)),
            };
        }
    }

    /// One problem for each statement, its modules sorted.
    pub(crate) fn close(&mut self, found: &mut Vec<Found>) {
        self.imports.retain(|import| import.dangerous);
        self.imports.sort_by_key(|import| (import.statement, import.module));
        for statement in self.imports.chunk_by(|a, b| a.statement == b.statement) {
            let mut names: Vec<&str> = statement.iter().map(|import| import.module).collect();
            names.dedup();
            let at = statement.first().map_or(TextSize::new(0), |import| import.statement);
            found.push(Found {
                code: Code::DangerousImport,
                at,
                message: Message::DangerousImports(names.join(", ")),
            });
        }
    }
}

impl<'a> Walker<'a, '_> {
    pub(crate) fn import(&mut self, node: &'a ast::StmtImport) {
        for alias in &node.names {
            let module = alias.name.as_str();
            self.imports.submodule(module);
            let noted = self.judged(node.start(), module);
            if noted.is_none() {
                self.module_there(module, alias.start());
            }
            let name = match &alias.asname {
                Some(name) => name.as_str(),
                None => first(module),
            };
            self.bind_import(name, noted);
            // `import a.b` binds `a`, with whatever else is imported below it.
            let whole = alias.asname.is_some() || !module.contains('.');
            let known = whole && noted.is_none() && self.imports.doubts == 0;
            if let Some(symbol) = self.symbol(name) {
                symbol.module = Some(module).filter(|_| known && symbol.bindings == 1);
            }
        }
    }

    /// `math.squareroot`: an attribute that its module certainly does not have.
    pub(crate) fn attribute_there(&mut self, read: &Read<'a>, symbol: &Symbol<'a>) {
        let (Some(module), Some(name)) = (symbol.module, read.attribute) else { return };
        let certain = !read.guarded && symbol.bindings == 1 && !symbol.foreign;
        if certain && !name.starts_with("__") && self.library.member(module, name) == Presence::No {
            let message = Message::MissingAttribute { module: module.to_owned(), name: name.to_owned() };
            self.report(Code::MissingMember, read.at, message);
        }
    }

    pub(crate) fn import_from(&mut self, node: &'a ast::StmtImportFrom) {
        let module = node.module.as_deref().unwrap_or("");
        let absolute = node.level == 0 && !module.is_empty();
        self.imports.relative |= node.level > 0;
        self.imports.submodule(module);
        let noted = if absolute { self.judged(node.start(), module) } else { None };
        if let Some(noted) = noted {
            for alias in &node.names {
                self.imports.used(noted, Some(&alias.name));
            }
        }
        let there = noted.is_none() && absolute && self.module_there(module, node.start());
        for alias in &node.names {
            let name = alias.name.as_str();
            if name == "*" {
                self.any_name = true;
                continue;
            }
            if absolute && self.leads_round(name) {
                self.report(Code::DangerousImport, node.start(), Message::DangerousImports(name.to_owned()));
            } else if there {
                self.member_there(module, alias);
            }
            self.future_annotations |= module == "__future__" && name == "annotations";
            self.bind_import(alias.asname.as_deref().unwrap_or(name), None);
        }
    }

    fn bind_import(&mut self, name: &'a str, noted: Option<usize>) {
        self.bind(name);
        if let Some(symbol) = self.symbol(name) {
            symbol.import = noted;
            symbol.imports += 1;
        }
    }

    /// Notes a module that is denied or judged by its use.
    fn judged(&mut self, statement: TextSize, module: &'a str) -> Option<usize> {
        let denied = self.policy.denies_module(module);
        if denied || self.policy.judges_module(module) {
            Some(self.imports.note(statement, module, denied))
        } else {
            None
        }
    }

    fn module_there(&mut self, module: &str, at: TextSize) -> bool {
        if module == "__future__" || self.imports.doubts > 0 || is_for_elsewhere(module) {
            return false;
        }
        let missing = self.library.module(module) == Presence::No;
        if missing {
            self.report(Code::MissingModule, at, Message::MissingModule(module.to_owned()));
        }
        !missing
    }

    fn member_there(&mut self, module: &str, alias: &ast::Alias) {
        let name = alias.name.as_str();
        let elsewhere = module == "codecs" && WINDOWS_CODECS.contains(&name);
        if !elsewhere && self.library.member(module, name) == Presence::No {
            let message = Message::MissingMember { module: module.to_owned(), name: name.to_owned() };
            self.report(Code::MissingMember, alias.start(), message);
        }
    }
}

/// What `codecs` has on Windows only; whoever imports it does so there.
const WINDOWS_CODECS: &[&str] =
    &["code_page_decode", "code_page_encode", "mbcs_decode", "mbcs_encode", "oem_decode", "oem_encode"];

/// Whether a module belongs to another make of Python, or to the insides of this one, which differ from system to
/// system: whoever imports it knows what they do.
fn is_for_elsewhere(module: &str) -> bool {
    module.starts_with('_') || matches!(first(module), "java" | "org")
}

fn first(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

/// Whether a judged module may not even be handed around.
fn is_dangerous_as_a_whole(module: &str) -> bool {
    matches!(module, "sys" | "pickle" | "marshal" | "shelve" | "dill")
}

/// Whether this attribute of a judged module is dangerous.
fn is_dangerous(module: &str, attribute: &str) -> bool {
    match module {
        "sys" => !matches!(
            attribute,
            "maxsize"
                | "float_info"
                | "int_info"
                | "maxunicode"
                | "version"
                | "version_info"
                | "byteorder"
                | "hash_info"
                | "platform"
                | "getsizeof"
                | "getrecursionlimit"
                | "setrecursionlimit"
                | "intern"
                | "implementation"
                | "stdin"
                | "stdout"
                | "stderr"
                | "argv"
        ),
        "pickle" | "marshal" | "dill" => {
            matches!(attribute, "load" | "loads" | "Unpickler" | "_Unpickler" | "_load" | "_loads" | "*")
        }
        "shelve" => true,
        "asyncio" => {
            attribute.starts_with("create_subprocess")
                || matches!(
                    attribute,
                    "open_connection"
                        | "open_unix_connection"
                        | "start_server"
                        | "start_unix_server"
                        | "subprocess"
                        | "create_connection"
                        | "create_server"
                        | "streams"
                )
        }
        "gc" => matches!(attribute, "get_objects" | "get_referrers" | "get_referents" | "*"),
        "inspect" => matches!(
            attribute,
            "currentframe"
                | "stack"
                | "trace"
                | "getframeinfo"
                | "getouterframes"
                | "getinnerframes"
                | "getclosurevars"
                | "sys"
                | "os"
                | "importlib"
                | "*"
        ),
        _ => false,
    }
}
