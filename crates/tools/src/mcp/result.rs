//! What a server answers, as the result of a call. Pure.

use candor_model::{ToolErrorKind, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData, ResourceContents};
use serde_json::Value;

/// Words by which a failure says that something is not installed.
const MISSING: [&str; 6] = [
    "ModuleNotFoundError",
    "No module named",
    "ImportError",
    "Cannot find module",
    "ERR_MODULE_NOT_FOUND",
    "cannot open shared object file",
];
/// Words by which a failure says that the arguments were wrong.
const INVALID: [&str; 5] =
    ["-32602", "Input validation error", "validation error for", "Invalid arguments", "Invalid params"];
/// Words by which a failure says that there is no such tool.
const UNKNOWN: [&str; 3] = ["-32601", "Unknown tool", "unknown tool"];

/// How much of a failure is looked at for such words, and told: the rest is output, not a reason.
const REASON_BYTES: usize = 4 * 1024;

/// The result that a server's answer stands for, as large as it came.
pub(crate) fn read(tool: &str, answer: CallToolResult) -> ToolResult {
    let text = answer.content.iter().map(block_text).collect::<Vec<_>>().join("\n");
    let data = answer.structured_content.or_else(|| as_data(&answer.content));
    if answer.is_error != Some(true) {
        return ToolResult::done(text, data);
    }
    let said = if text.trim().is_empty() { "it did not say why" } else { text.as_str() };
    let (said, cut) = shortened(said, REASON_BYTES);
    let message = format!("{tool} failed: {said}");
    ToolResult { data, cut, ..ToolResult::failed(kind_of(&said), message) }
}

/// The result that a server's refusal of a request stands for.
pub(crate) fn refused(tool: &str, error: &ErrorData) -> ToolResult {
    let (said, cut) = shortened(&error.message, REASON_BYTES);
    let kind = match error.code {
        _ if names_no_tool(&said) => ToolErrorKind::Unavailable,
        ErrorCode::INVALID_PARAMS => ToolErrorKind::InvalidArguments,
        ErrorCode::METHOD_NOT_FOUND => ToolErrorKind::Unavailable,
        _ => kind_of(&said),
    };
    let message = format!("{tool}: the server refused the call (error {}): {said}", error.code.0);
    ToolResult { cut, ..ToolResult::failed(kind, message) }
}

/// Whether the failure leaves open what it was about, so that it is worth asking further.
///
/// Some SDKs keep the reason of a crash from the client and write it to stderr instead.
pub(super) fn is_vague(result: &ToolResult) -> bool {
    const FEW_WORDS: usize = 200;
    let problem = result.error.as_ref();
    problem.is_some_and(|one| one.kind == ToolErrorKind::Failed && one.message.len() < FEW_WORDS)
}

/// Whether a line says that something is not installed.
pub(crate) fn says_missing(line: &str) -> bool {
    MISSING.iter().any(|word| line.contains(word))
}

/// The failure with the reason that was found on stderr: something is not installed.
pub(super) fn missing(mut result: ToolResult, line: &str) -> ToolResult {
    if let Some(problem) = &mut result.error {
        problem.kind = ToolErrorKind::MissingDependency;
        let (line, _) = shortened(line, REASON_BYTES);
        problem.message.push_str(&format!("; the server's stderr says: {line}"));
    }
    result
}

/// The result with at most `limit` bytes of text and as much data.
pub(super) fn limited(mut result: ToolResult, limit: usize) -> ToolResult {
    let json = result.data.as_ref().map(Value::to_string).filter(|json| json.len() > limit);
    if let Some(json) = json {
        // Half a document is none; its beginning is still worth something to a reader.
        result.data = None;
        result.cut = true;
        if result.content.is_empty() {
            result.content = json;
        }
    }
    let (content, cut) = shortened(&result.content, limit);
    if cut {
        result.content = content;
        result.cut = true;
    }
    result
}

fn kind_of(text: &str) -> ToolErrorKind {
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if names_no_tool(text) {
        ToolErrorKind::Unavailable
    } else if says_missing(text) {
        ToolErrorKind::MissingDependency
    } else if says(&INVALID) {
        ToolErrorKind::InvalidArguments
    } else {
        ToolErrorKind::Failed
    }
}

/// Whether a failure says that there is no such tool. Servers answer so with the code for wrong arguments.
fn names_no_tool(text: &str) -> bool {
    let told = UNKNOWN.iter().any(|word| text.contains(word));
    let gone = |line: &str| {
        let line = line.split_once("Tool ").map_or("", |(_, rest)| rest);
        line.ends_with(" not found") || line.ends_with(" disabled")
    };
    told || text.lines().next().is_some_and(gone)
}

fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => binary("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => binary("audio", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[resource {uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                binary(&format!("resource {uri}"), mime_type.as_deref().unwrap_or("of unknown type"), blob)
            }
            _ => "[resource of an unknown kind]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[link to the resource {} at {}]", link.name, link.uri),
        _ => "[content of an unknown kind]".to_owned(),
    }
}

fn binary(what: &str, kind: &str, base64: &str) -> String {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
    format!("[{what} {kind}, {bytes} bytes]")
}

/// The data in a text that is one document and nothing else.
fn as_data(content: &[ContentBlock]) -> Option<Value> {
    let [ContentBlock::Text(text)] = content else { return None };
    let text = text.text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The beginning of a text that is too long, with a mark that says so; and whether it was.
pub(super) fn shortened(text: &str, limit: usize) -> (String, bool) {
    if text.len() <= limit {
        return (text.to_owned(), false);
    }
    let end = text.floor_char_boundary(limit);
    let kept = text.get(..end).unwrap_or_default();
    (format!("{kept}\n[cut: the first {end} of {} bytes are shown]", text.len()), true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(value: Value) -> ToolResult {
        read("s.t", serde_json::from_value(value).unwrap())
    }

    fn failure(text: &str) -> ToolErrorKind {
        let content = json!([{ "type": "text", "text": text }]);
        answer(json!({ "isError": true, "content": content })).error.unwrap().kind
    }

    #[test]
    fn texts_are_joined_and_what_is_no_text_is_named() {
        let result = answer(json!({ "content": [
            { "type": "text", "text": "one" },
            { "type": "image", "mimeType": "image/png", "data": "QUJDRA==" },
            { "type": "resource", "resource": { "uri": "demo://a", "text": "inside" } },
            { "type": "resource_link", "uri": "demo://b", "name": "b" },
        ] }));
        let lines: Vec<_> = result.content.lines().collect();
        let expected = ["one", "[image image/png, 4 bytes]", "[resource demo://a]", "inside"];
        assert_eq!(lines[..4], expected);
        assert_eq!(lines[4], "[link to the resource b at demo://b]");
        assert!(result.success && result.data.is_none());
    }

    #[test]
    fn data_is_what_the_server_gave_as_such_or_a_text_that_is_one_document() {
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        let both = answer(json!({ "content": text("{\"a\":1}"), "structuredContent": { "b": 2 } }));
        assert_eq!(both.data, Some(json!({ "b": 2 })));
        assert_eq!(answer(json!({ "content": text(" [1, 2] ") })).data, Some(json!([1, 2])));
        assert_eq!(answer(json!({ "content": text("{ no json") })).data, None);
        assert_eq!(answer(json!({ "content": text("42") })).data, None);
    }

    #[test]
    fn a_failure_says_of_what_kind_it_is() {
        // spec: planning TA-36
        assert_eq!(failure("ModuleNotFoundError: No module named 'x'"), ToolErrorKind::MissingDependency);
        assert_eq!(failure("Error: Cannot find module 'x'"), ToolErrorKind::MissingDependency);
        assert_eq!(failure("MCP error -32602: Input validation error"), ToolErrorKind::InvalidArguments);
        assert_eq!(failure("MCP error -32602: Tool foo not found"), ToolErrorKind::Unavailable);
        assert_eq!(failure("Unknown tool: foo"), ToolErrorKind::Unavailable);
        assert_eq!(failure("Error: file a.txt not found"), ToolErrorKind::Failed);
        assert_eq!(failure(""), ToolErrorKind::Failed);
        let refusal = |code, text: &'static str| {
            refused("s.t", &ErrorData::new(ErrorCode(code), text, None)).error.unwrap().kind
        };
        assert_eq!(refusal(-32602, "wrong"), ToolErrorKind::InvalidArguments);
        assert_eq!(refusal(-32602, "Unknown tool: t"), ToolErrorKind::Unavailable);
        assert_eq!(refusal(-32601, "no"), ToolErrorKind::Unavailable);
        assert_eq!(refusal(-32603, "broken"), ToolErrorKind::Failed);
    }

    #[test]
    fn what_is_too_much_is_cut_and_says_so() {
        let long = limited(ToolResult::done("ä".repeat(100), None), 21);
        assert!(long.cut && long.content.starts_with(&"ä".repeat(10)));
        assert!(long.content.ends_with("[cut: the first 20 of 200 bytes are shown]"), "{}", long.content);
        let data = limited(ToolResult::done("", Some(json!(["x".repeat(100)]))), 50);
        assert!(data.cut && data.data.is_none() && data.content.starts_with("[\"xxx"));
        let small = ToolResult::done("a", Some(json!({ "a": 1 })));
        assert_eq!(limited(small.clone(), 50), small);
    }
}
