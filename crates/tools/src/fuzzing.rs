//! What the fuzz target calls: any bytes as what an MCP server answers. An ordinary test calls the same.

use rmcp::model::{CallToolResult, ErrorData};

/// The result of a call, or its refusal: read and judged, never a panic.
pub fn mcp_result(data: &[u8]) {
    if let Ok(answer) = serde_json::from_slice::<CallToolResult>(data) {
        let _ = crate::mcp::read_result("tool", answer);
    }
    if let Ok(error) = serde_json::from_slice::<ErrorData>(data) {
        let _ = crate::mcp::read_refusal("tool", &error);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_server_answers_is_read() {
        for text in [
            r#"{"content":[{"type":"text","text":"ModuleNotFoundError: \u0000"}],"isError":true}"#,
            r#"{"content":[],"structuredContent":{"a":[1e999]}}"#,
            r#"{"content":[{"type":"resource","resource":{"uri":"x","text":""}}]}"#,
            r#"{"code":-32602,"message":"Unknown tool"}"#,
            "{",
        ] {
            super::mcp_result(text.as_bytes());
        }
    }
}
