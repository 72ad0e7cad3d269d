//! How code is had from a model: a question, perhaps a look into documentation, and the question once more.

use std::sync::Arc;

use candor_model::{JsonMap, Tier};
use candor_ports::Ask;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::answers::{CodeAnswer, SEARCH, ToolRequest, ask_for_code};
use super::docs::Documentation;
use super::extract::code_of;
use super::thinker::Thinker;
use super::words::Words;

/// How many searches one answer may ask for.
const MAX_SEARCHES: usize = 5;

/// Whoever writes code: both the data analyser and the code generator do.
pub(super) struct Author {
    pub(super) thinker: Arc<dyn Thinker>,
    pub(super) docs: Option<Arc<dyn Documentation>>,
    pub(super) step: &'static str,
    pub(super) tier: Tier,
    pub(super) temperature: f64,
    pub(super) words: Words,
    pub(super) stop: CancellationToken,
}

/// Code that a model wrote, with what it took.
pub(super) struct Written {
    pub(super) code: String,
    /// Every call that was asked for, with its arguments, and what was wrong with it.
    pub(super) tool_calls: Vec<Value>,
    /// The name of the question that the code answers.
    pub(super) name: String,
}

impl Author {
    /// Has code written under this name, with these slots filled.
    pub(super) async fn write(
        &self,
        name: String,
        slots: &[(&'static str, String)],
    ) -> Result<Written, String> {
        let first = self.ask(name.clone(), slots, None).await?;
        if first.tool_calls.is_empty() {
            return self.written(&first.code, Vec::new(), name);
        }
        let (texts, record) = self.look_up(&first.tool_calls).await;
        // What nobody knows is rejected alone: the code that came with it is code.
        if texts.is_empty() && !code_of(&first.code).is_empty() {
            return self.written(&first.code, record, name);
        }
        let documented = format!("{name}_documented");
        let second = self.ask(documented.clone(), slots, Some(texts.join("\n\n"))).await?;
        self.written(&second.code, record, documented)
    }

    fn written(&self, code: &str, tool_calls: Vec<Value>, name: String) -> Result<Written, String> {
        let code = code_of(code);
        if code.is_empty() { Err(self.words.no_code()) } else { Ok(Written { code, tool_calls, name }) }
    }

    async fn ask(
        &self,
        name: String,
        slots: &[(&'static str, String)],
        documentation: Option<String>,
    ) -> Result<CodeAnswer, String> {
        let mut ask: Ask = ask_for_code(self.step, self.tier, self.temperature, documentation.is_none());
        ask.slots.extend(slots.iter().map(|(name, value)| (*name, value.clone())));
        if let Some(documentation) = documentation {
            ask.slots.insert("documentation", documentation);
        }
        let value = self.thinker.ask(name, ask).await?;
        candor_model::from_value(value).map_err(|error| self.words.bad_answer(&error.to_string()))
    }

    /// Runs every search. One that fails is told to the model, and fails nothing.
    async fn look_up(&self, calls: &[ToolRequest]) -> (Vec<String>, Vec<Value>) {
        let (mut texts, mut record) = (Vec::new(), Vec::new());
        for (index, call) in calls.iter().enumerate() {
            let mut entry = json!({ "function": call.function, "arguments": call.arguments });
            let problem = if call.function != SEARCH {
                Some(format!("there is no function {}", call.function))
            } else if index >= MAX_SEARCHES {
                Some(format!("at most {MAX_SEARCHES} searches are made"))
            } else {
                let (text, warning) = self.search(&call.arguments).await;
                texts.push(text);
                warning
            };
            if let (Some(problem), Some(entry)) = (problem, entry.as_object_mut()) {
                entry.insert("error".to_owned(), json!(problem));
            }
            record.push(entry);
        }
        (texts, record)
    }

    async fn search(&self, arguments: &JsonMap) -> (String, Option<String>) {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let (library, query) = (text("library"), text("query"));
        let heading = format!("# {library} - {query}");
        let missing = query.is_empty().then(|| "the query is missing; it is taken for empty".to_owned());
        let found = match &self.docs {
            _ if library.is_empty() => Err("the library is missing".to_owned()),
            None => Err("no documentation is connected".to_owned()),
            Some(docs) => docs.search(library, query, self.stop.clone()).await,
        };
        match found {
            Ok(text) => (format!("{heading}\n{text}"), missing),
            Err(error) => (format!("{heading}\n(nothing was found: {error})"), Some(error)),
        }
    }
}
