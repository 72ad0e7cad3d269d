//! A trace as a request of OTLP, the protocol of OpenTelemetry: `ExportTraceServiceRequest`.

use candor_model::Timestamp;
use candor_projections::trace::{Span, SpanStatus, Trace};
use serde_json::Value;

use crate::attributes;
use crate::protobuf::Message;

/// The kind of span that is neither a client nor a server.
const INTERNAL: u64 = 1;

/// The request that delivers a trace, as protocol buffers.
#[must_use]
pub fn request(trace: &Trace, version: &str) -> Vec<u8> {
    let mut request = Message::default();
    request.message(1, |resource_spans| {
        resource_spans.message(1, |resource| {
            attribute(resource, 1, "service.name", &Value::from("candor"));
            attribute(resource, 1, "service.version", &Value::from(version));
        });
        resource_spans.message(2, |scope_spans| {
            scope_spans.message(1, |scope| {
                scope.text(1, "candor");
                scope.text(2, version);
            });
            for (index, span) in trace.spans.iter().enumerate() {
                scope_spans.message(2, |message| write(message, trace, span, index == 0));
            }
        });
    });
    request.0
}

fn write(message: &mut Message, trace: &Trace, span: &Span, is_root: bool) {
    message.bytes(1, &bytes(&trace.trace_id));
    message.bytes(2, &bytes(&span.id));
    if let Some(parent) = &span.parent {
        message.bytes(4, &bytes(parent));
    }
    message.text(5, &span.name);
    message.number(6, INTERNAL);
    message.fixed64(7, nanos(span.start));
    message.fixed64(8, nanos(span.end));
    for (name, value) in attributes::of(trace, span, is_root) {
        attribute(message, 9, &name, &value);
    }
    let code = match span.status {
        SpanStatus::Complete => 1,
        SpanStatus::Failed => 2,
        SpanStatus::Running => return,
    };
    message.message(15, |status| status.number(3, code));
}

/// A key with its value: text, number, truth or, for anything else, JSON as text.
fn attribute(message: &mut Message, field: u32, name: &str, value: &Value) {
    if value.is_null() {
        return;
    }
    message.message(field, |pair| {
        pair.text(1, name);
        pair.message(2, |any| match value {
            Value::String(text) => any.text(1, text),
            Value::Bool(truth) => any.number(2, u64::from(*truth)),
            Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                (Some(whole), _) => any.number(3, whole),
                (None, float) => any.fixed64(4, float.unwrap_or_default().to_bits()),
            },
            other => any.text(1, &other.to_string()),
        });
    });
}

/// The bytes that hexadecimal digits stand for.
fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).filter_map(byte).collect()
}

fn nanos(at: Timestamp) -> u64 {
    u64::try_from(at.as_millis()).unwrap_or(0).saturating_mul(1_000_000)
}
