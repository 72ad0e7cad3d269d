//! `candor code check`: what is wrong with Python, without running it.

use std::collections::BTreeSet;
use std::io::{BufRead, Read};
use std::path::Path;
use std::sync::Arc;

use candor_app::{App, InstalledLibrary};
use candor_model::JsonMap;
use candor_pycheck::{
    AnyLibrary, Checker, Code, Findings, Language, Library, Policy, Problem, Program, ResultName, Syntax,
    imports_of,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::args::{CodeCheckArgs, GlobalOptions};
use crate::failure::{Failure, code};
use crate::lang::language;
use crate::output;

/// The longest line that is read: a program and the data that it is given.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

pub(super) async fn check(global: &GlobalOptions, args: &CodeCheckArgs) -> Result<u8, Failure> {
    let app = App::build(global)?;
    let checker = FileChecker::new(&app, args).await?;
    let ended = if args.stdin { checker.lines().await } else { checker.files(args).await };
    app.close().await;
    ended
}

/// Where code is looked at.
struct FileChecker {
    /// What the sandbox's Python has; absent if nobody is to ask it.
    library: Option<Arc<InstalledLibrary>>,
    policy: Policy,
    syntax: Syntax,
    language: Language,
    stop: CancellationToken,
}

/// A program on a line.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Value,
    code: String,
    #[serde(default)]
    context: Value,
}

/// What was found in a file, or on a line.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    about: JsonMap,
    #[serde(flatten)]
    findings: &'a Findings,
}

impl FileChecker {
    async fn new(app: &App, args: &CodeCheckArgs) -> Result<Self, Failure> {
        let wanted = args.spanish || language() == candor_text::Language::Es;
        let language = if wanted { Language::Spanish } else { app.code_language() };
        let library = if args.no_library { None } else { app.code_library() };
        let stop = CancellationToken::new();
        let mut syntax = Syntax::Latest;
        if args.for_sandbox {
            let library =
                library.as_ref().ok_or_else(|| Failure::usage(word!("--for-sandbox asks the sandbox's Python for its version; leave --no-library out, and see `candor doctor`", "--for-sandbox pregunta su versión al Python del entorno aislado; quitar --no-library, y ver `candor doctor`")))?;
            library.learn(&[("json".to_owned(), Vec::new())], &stop).await;
            let (major, minor) = library.version().ok_or_else(|| {
                Failure::failed(word!(
                    "the sandbox's Python does not say which version it is; see `candor doctor`",
                    "el Python del entorno aislado no dice qué versión es; ver `candor doctor`"
                ))
            })?;
            syntax = Syntax::Version(major, minor);
        }
        Ok(Self { library, policy: app.code_policy(), syntax, language, stop })
    }

    async fn files(&self, args: &CodeCheckArgs) -> Result<u8, Failure> {
        let keys = args.context.as_deref().map(read_context).transpose()?;
        let mut all_valid = true;
        for path in &args.files {
            let bytes = read_bytes(path)?;
            let findings = match decoded(&bytes) {
                Ok(text) => self.look(&text, keys.as_ref()).await,
                Err(before) => no_text(bytes.get(..before).unwrap_or_default()),
            };
            all_valid &= findings.valid;
            tell(path, &findings, args.json)?;
        }
        Ok(if all_valid { code::DONE } else { code::FAILED })
    }

    async fn lines(&self) -> Result<u8, Failure> {
        let mut input = std::io::stdin().lock();
        let (mut number, mut all_read) = (0_u64, true);
        loop {
            let mut line = Vec::new();
            number += 1;
            if (&mut input).take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice::<Line>(&line) {
                Ok(line) => self.answer(line).await?,
                Err(error) => {
                    all_read = false;
                    let problem = say!(
                        "line {number} is not read: {error}; it must be one JSON object with `id`, `code` and, if it \
                         matters, `context`",
                        "la línea {number} no se lee: {error}; debe ser un objeto JSON con `id`, `code` y, si importa, `context`"
                    );
                    output::print_json(&json!({ "id": null, "valid": false, "error": problem }))?;
                }
            }
        }
        Ok(if all_read { code::DONE } else { code::USAGE })
    }

    async fn answer(&self, line: Line) -> Result<(), Failure> {
        let keys = keys_of(&line.context);
        let findings = self.look(&line.code, keys.as_ref()).await;
        let about = JsonMap::from_iter([("id".to_owned(), line.id)]);
        output::print_json(&Answer { about, findings: &findings })
    }

    async fn look(&self, text: &str, keys: Option<&BTreeSet<String>>) -> Findings {
        let program = Program { code: text, context: keys, result: ResultName::Context };
        let imports = imports_of(text);
        let library: &dyn Library = match &self.library {
            Some(library) if !imports.is_empty() => {
                library.learn(&imports, &self.stop).await;
                library.as_ref()
            }
            _ => &AnyLibrary,
        };
        Checker::new(self.policy.clone(), library, self.syntax).with_language(self.language).check(&program)
    }
}

/// The keys of a context: of an object, or a list of them; nothing if none was given.
fn keys_of(context: &Value) -> Option<BTreeSet<String>> {
    match context {
        Value::Object(fields) => Some(fields.keys().cloned().collect()),
        Value::Array(keys) => Some(keys.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    }
}

fn read_context(path: &Path) -> Result<BTreeSet<String>, Failure> {
    Ok(super::run::context_from(path)?.keys().cloned().collect())
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let told = |error| {
        Failure::usage(say!("could not read {}: {error}", "no se pudo leer {}: {error}", path.display()))
    };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(told)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(told)
}

/// A program as text, or where it stops being one. Python reads UTF-8 unless the first lines name another encoding;
/// of those, only the one that any bytes are text in is known here.
fn decoded(bytes: &[u8]) -> Result<String, usize> {
    let position = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text.to_owned()),
        Err(error) => error.valid_up_to(),
    };
    let latin = bytes.split(|byte| *byte == b'\n').take(2).any(|line| {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        line.starts_with('#')
            && line.contains("coding")
            && ["latin-1", "latin1", "iso-8859-1"].iter().any(|name| line.contains(name))
    });
    if latin { Ok(bytes.iter().map(|byte| char::from(*byte)).collect()) } else { Err(position) }
}

/// Bytes behind these are no text: Python would not read the file either.
fn no_text(before: &[u8]) -> Findings {
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = String::from_utf8_lossy(before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default());
    let within = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let problem = Problem {
        code: Code::InvalidSyntax,
        line: within(line),
        column: within(column.chars().count() + 1),
        message: say!(
            "Syntax error: line {line}: the file is not UTF-8 from here on; save it as UTF-8",
            "Error de sintaxis: línea {line}: desde aquí el archivo no es UTF-8; guardarlo como UTF-8"
        ),
    };
    Findings { valid: false, errors: vec![problem], warnings: Vec::new(), checks_passed: Vec::new() }
}

fn tell(path: &Path, findings: &Findings, as_json: bool) -> Result<(), Failure> {
    let file = path.display();
    if as_json {
        let about = JsonMap::from_iter([("file".to_owned(), json!(file.to_string()))]);
        return output::print_json(&Answer { about, findings });
    }
    let mut text = String::new();
    for (word, problems) in
        [(word!("error", "error"), &findings.errors), (word!("warning", "aviso"), &findings.warnings)]
    {
        for problem in problems {
            let (line, column) = (problem.line, problem.column);
            text.push_str(&format!("{file}:{line}:{column}: {word} {}: {}\n", problem.code, problem.message));
        }
    }
    if findings.valid {
        text.push_str(&say!("{file}: nothing is wrong with it\n", "{file}: no tiene nada mal\n"));
    }
    output::print(&text)
}
