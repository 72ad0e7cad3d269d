//! Every text for people, in every language, in this one place.

use std::fmt::Write;

/// The language of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Spanish, with the texts of the specification.
    Spanish,
}

/// What a problem says, before it is put into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    /// The parser's own words.
    Syntax(String),
    /// Syntax nested deeper than can be compiled.
    TooDeep,
    /// A bracket without its partner.
    NeverClosed(char),
    /// `nonlocal` of a name that no enclosing function binds.
    NoNonlocal(String),
    /// `global` or `nonlocal` after the name was used.
    DeclaredLate { name: String, statement: &'static str },
    /// A name that nothing binds.
    Undefined(String),
    /// A name read before its binding or after its deletion.
    BeforeBinding(String),
    /// A local variable read before its binding.
    UnboundLocal(String),
    /// A name in `__all__`.
    Export(String),
    /// Analysis code without its result.
    NoInsights,
    /// A `global` statement.
    Global(String),
    /// A key of the context, and those there are.
    MissingKey { key: String, keys: String },
    /// A key asked for without a default.
    MissingKeyAsked(String),
    /// Denied modules, sorted.
    DangerousImports(String),
    /// A module that is not there.
    MissingModule(String),
    /// A name that is not in its module.
    MissingMember { module: String, name: String },
    /// A dangerous built-in function.
    DangerousName(String),
    /// A dangerous attribute.
    DangerousAttribute(String),
    /// A value that JSON cannot hold.
    NotJson(Kind),
    /// A program that puts nothing into the context.
    NoResult,
    /// The context becomes something that is no map.
    NotAMap,
    /// A function that ends the program or waits for a person.
    EndsOrWaits(String),
    /// A path that is out of reach.
    FileOutside(String),
    /// An attribute that its module does not have.
    MissingAttribute { module: String, name: String },
}

/// A kind of value that JSON cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Set,
    Bytes,
    Function,
    Class,
    Generator,
    Iterator,
    File,
    Complex,
    Ellipsis,
    TupleKey,
}

impl Language {
    /// The message in this language.
    pub(crate) fn say(self, line: u32, message: &Message) -> String {
        match self {
            Self::English => english(line, message),
            Self::Spanish => spanish(line, message),
        }
    }
}

fn english(line: u32, message: &Message) -> String {
    match message {
        Message::Syntax(said) => format!("Syntax error: line {line}: {said}"),
        Message::TooDeep => {
            format!("Syntax error: line {line}: nested too deeply; split the expression or the function")
        }
        Message::NeverClosed(bracket) => format!("Syntax error: line {line}: '{bracket}' was never closed"),
        Message::NoNonlocal(name) => {
            format!("Syntax error: line {line}: no enclosing function binds the nonlocal name '{name}'")
        }
        Message::DeclaredLate { name, statement } => {
            format!("Syntax error: line {line}: '{name}' is used before its {statement} declaration")
        }
        Message::Undefined(name) => format!("line {line}: variable '{name}' is used but never defined"),
        Message::BeforeBinding(name) => format!(
            "line {line}: variable '{name}' is used where it is not defined: its definition comes later or has ended"
        ),
        Message::UnboundLocal(name) => {
            format!("line {line}: local variable '{name}' is used before anything is assigned to it")
        }
        Message::Export(name) => format!("line {line}: __all__ names '{name}', which is not defined"),
        Message::NoInsights => {
            "the analysis never assigns the variable 'insights' at module level; assign its result to it"
                .to_owned()
        }
        Message::Global(name) => format!(
            "line {line}: 'global {name}' ties the function to a module variable; pass and return the value instead"
        ),
        Message::MissingKey { key, keys } => {
            format!("line {line}: context['{key}'] is read but there is no such key; available: [{keys}]")
        }
        Message::MissingKeyAsked(key) => format!(
            "line {line}: context.get('{key}') asks for a key that is not there; give a default or test for it"
        ),
        Message::DangerousImports(names) => format!("Dangerous imports: {names}"),
        Message::MissingModule(module) => format!("line {line}: there is no module '{module}'"),
        Message::MissingMember { module, name } => {
            format!("line {line}: module '{module}' has no '{name}' to import")
        }
        Message::DangerousName(name) => {
            format!("line {line}: the dangerous function '{name}()' may not be used")
        }
        Message::DangerousAttribute(name) => {
            format!("line {line}: the attribute '{name}' leads round the rules and may not be used")
        }
        Message::NotJson(kind) => {
            format!("line {line}: {} cannot be written as JSON; {}", kind.english(), kind.remedy())
        }
        Message::NoResult => {
            "nothing is ever put into 'context'; put the result there, as in context['result'] = …".to_owned()
        }
        Message::NotAMap => {
            format!("line {line}: 'context' must stay a dictionary; put the result under a key of it")
        }
        Message::EndsOrWaits(name) if name == "input" => {
            format!("line {line}: nobody answers 'input()'; read the value from context")
        }
        Message::EndsOrWaits(name) => {
            format!("line {line}: '{name}()' ends the program before its result; let it come to its end")
        }
        Message::FileOutside(path) => {
            format!("line {line}: '{path}' is out of reach; there are the program's own folder and context")
        }
        Message::MissingAttribute { module, name } => {
            format!("line {line}: module '{module}' has no '{name}'")
        }
    }
}

fn spanish(line: u32, message: &Message) -> String {
    match message {
        Message::Syntax(said) => format!("Syntax error: Línea {line}: {said}"),
        Message::TooDeep => format!("Syntax error: Línea {line}: anidado demasiado profundo"),
        Message::NeverClosed(bracket) => format!("Syntax error: Línea {line}: '{bracket}' nunca se cierra"),
        Message::NoNonlocal(name) => {
            format!("Syntax error: Línea {line}: ninguna función exterior define '{name}' (nonlocal)")
        }
        Message::DeclaredLate { name, statement } => {
            format!("Syntax error: Línea {line}: '{name}' se usa antes de su declaración {statement}")
        }
        Message::Undefined(name) => format!("Variable '{name}' usada en línea {line} pero no definida"),
        Message::BeforeBinding(name) => {
            format!("Variable '{name}' usada en línea {line} pero no definida en ese punto")
        }
        Message::UnboundLocal(name) => {
            format!("Variable '{name}' usada en línea {line} pero no definida antes en su función")
        }
        Message::Export(name) => {
            format!("Variable '{name}' usada en línea {line} pero no definida (__all__)")
        }
        Message::NoInsights => "El análisis nunca asigna la variable 'insights' a nivel de módulo".to_owned(),
        Message::Global(name) => format!("Línea {line}: 'global {name}' usa una variable global"),
        Message::MissingKey { key, keys } => format!(
            "Línea {line}: Acceso a context['{key}'] pero esa key no existe. Keys disponibles: [{keys}]"
        ),
        Message::MissingKeyAsked(key) => format!("Línea {line}: context.get('{key}') pero esa key no existe"),
        Message::DangerousImports(names) => format!("Imports peligrosos detectados: {names}"),
        Message::MissingModule(module) => format!("Línea {line}: El módulo '{module}' no existe"),
        Message::MissingMember { module, name } => {
            format!("Línea {line}: El módulo '{module}' no tiene '{name}'")
        }
        Message::DangerousName(name) => {
            format!("Línea {line}: Uso de función peligrosa '{name}()' no permitido")
        }
        Message::DangerousAttribute(name) => {
            format!("Línea {line}: Uso de atributo peligroso '{name}' no permitido")
        }
        Message::NotJson(kind) => format!("Línea {line}: {} no es serializable a JSON", kind.spanish()),
        Message::NoResult => "El programa nunca escribe nada en 'context'".to_owned(),
        Message::NotAMap => format!("Línea {line}: 'context' debe seguir siendo un diccionario"),
        Message::EndsOrWaits(name) => {
            format!("Línea {line}: '{name}()' termina el programa o espera a una persona; no permitido")
        }
        Message::FileOutside(path) => format!("Línea {line}: El archivo '{path}' está fuera del alcance"),
        Message::MissingAttribute { module, name } => {
            format!("Línea {line}: El módulo '{module}' no tiene '{name}'")
        }
    }
}

impl Kind {
    const fn english(self) -> &'static str {
        match self {
            Self::Set => "a set",
            Self::Bytes => "bytes",
            Self::Function => "a function",
            Self::Class => "a class",
            Self::Generator => "a generator",
            Self::Iterator => "an iterator",
            Self::File => "an open file",
            Self::Complex => "a complex number",
            Self::Ellipsis => "the ellipsis",
            Self::TupleKey => "a dictionary with tuples as keys",
        }
    }

    const fn spanish(self) -> &'static str {
        match self {
            Self::Set => "un conjunto (set)",
            Self::Bytes => "bytes",
            Self::Function => "una función",
            Self::Class => "una clase",
            Self::Generator => "un generador",
            Self::Iterator => "un iterador",
            Self::File => "un archivo abierto",
            Self::Complex => "un número complejo",
            Self::Ellipsis => "la elipsis",
            Self::TupleKey => "un diccionario con tuplas como claves",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::Set | Self::Generator | Self::Iterator => "put a list into the result instead",
            Self::Bytes => "encode them as base64 text",
            Self::Function | Self::Class => "put its result into the result, not itself",
            Self::File => "put what was read from it into the result",
            Self::Complex => "put its two parts into the result",
            Self::Ellipsis => "put null or a text into the result",
            Self::TupleKey => "use text keys",
        }
    }
}

/// Names as Python writes a list of texts, without its brackets.
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for name in names {
        let comma = if out.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(out, "{comma}'{name}'");
    }
    out
}
