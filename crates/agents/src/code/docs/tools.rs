//! Documentation from a server: any tool server that can search it, such as Context7.

use std::sync::Arc;
use std::time::Duration;

use candor_model::{JsonMap, ToolCall, ToolSpec};
use candor_ports::{BoxFuture, Toolbox};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::{Documentation, MOST_CHARS, within};

/// How long a server may take for one call.
const TIME: Duration = Duration::from_secs(20);
/// How servers call the first thing that a tool wants to know, and the second.
const LIBRARY: &[&str] =
    &["context7compatiblelibraryid", "libraryid", "library", "libraryname", "package", "name", "id"];
const QUERY: &[&str] = &["query", "topic", "question", "search", "q", "text"];

/// The documentation that a toolbox can get at.
pub struct ToolDocs {
    toolbox: Arc<dyn Toolbox>,
}

impl ToolDocs {
    /// Searches with these tools.
    #[must_use]
    pub fn new(toolbox: Arc<dyn Toolbox>) -> Self {
        Self { toolbox }
    }

    async fn look(&self, library: &str, query: &str, stop: CancellationToken) -> Result<String, String> {
        let tools = self.toolbox.tools().await;
        if let Some(search) = named(&tools, &["search_documentation"]) {
            return self.call(search, library, query, stop).await;
        }
        let (Some(resolve), Some(docs)) = (
            named(&tools, &["resolve-library-id", "resolve_library_id"]),
            named(&tools, &["query-docs", "get-library-docs", "query_docs", "get_library_docs"]),
        ) else {
            let troubles = self.toolbox.troubles().await.join("; ");
            return Err(format!("no tool searches documentation; {troubles}"));
        };
        let answer = self.call(resolve, library, query, stop.clone()).await?;
        let id =
            library_id(&answer).ok_or_else(|| format!("{} names no library for {library}", resolve.name))?;
        self.call(docs, &id, query, stop).await
    }

    async fn call(
        &self,
        tool: &ToolSpec,
        library: &str,
        query: &str,
        stop: CancellationToken,
    ) -> Result<String, String> {
        let arguments = fitted(&tool.input_schema, library, query);
        // The same search has the same key: it changes nothing, and may be made again.
        let digest = Sha256::digest(format!("{}\n{library}\n{query}", tool.name));
        let key: String = candor_model::hex(digest.iter().take(8));
        let call = ToolCall { key: format!("docs/{key}"), tool: tool.name.clone(), arguments };
        let result = self.toolbox.call(&call, TIME, stop).await;
        if !result.success {
            return Err(format!("{}: {}", tool.name, result.error_text()));
        }
        let text = match (result.content.trim(), &result.data) {
            ("", Some(data)) => data.to_string(),
            (text, _) => text.to_owned(),
        };
        Ok(within(&text, MOST_CHARS))
    }
}

impl Documentation for ToolDocs {
    fn search<'a>(
        &'a self,
        library: &'a str,
        query: &'a str,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(self.look(library, query, stop))
    }
}

/// The first tool with one of these names, whichever server it belongs to; earlier names are preferred.
fn named<'a>(tools: &'a [Arc<ToolSpec>], names: &[&str]) -> Option<&'a ToolSpec> {
    let is = |tool: &ToolSpec, name: &str| tool.name.rsplit('.').next() == Some(name);
    names.iter().find_map(|name| tools.iter().find(|tool| is(tool, name)).map(|tool| &**tool))
}

/// The arguments under the names that the tool has for them.
fn fitted(schema: &Value, library: &str, query: &str) -> JsonMap {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        let plain = json!({ "library": library, "query": query });
        return plain.as_object().cloned().unwrap_or_default();
    };
    let find = |names: &[&str]| {
        let is = |property: &&String, name: &str| property.to_lowercase().replace(['_', '-'], "") == name;
        names.iter().find_map(|name| properties.keys().find(|property| is(property, name)))
    };
    let mut arguments = JsonMap::new();
    if let Some(property) = find(LIBRARY) {
        arguments.insert(property.clone(), json!(library));
    }
    if let Some(property) = find(QUERY) {
        arguments.insert(property.clone(), json!(query));
    }
    arguments
}

/// The first library that an answer names, as Context7 writes them: `/owner/project`.
fn library_id(answer: &str) -> Option<String> {
    let trim = |word: &str| {
        word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'))).to_owned()
    };
    let is_id = |word: &String| {
        word.starts_with('/') && !word.starts_with("//") && word.matches('/').count() >= 2 && word.len() > 4
    };
    answer.split_whitespace().map(trim).find(is_id)
}
