//! Reads requests of OTLP as a backend does: protocol buffers, field by field, without any code of the project.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A span as it arrived.
#[derive(Debug, Clone)]
pub struct Span {
    pub trace: String,
    pub id: String,
    pub parent: Option<String>,
    pub name: String,
    pub start: u64,
    pub end: u64,
    pub attributes: BTreeMap<String, Value>,
    /// 1 for well, 2 for an error; absent while it runs.
    pub status: Option<u64>,
}

impl Span {
    #[track_caller]
    pub fn text(&self, name: &str) -> &str {
        self.attributes.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{name}: {self:?}"))
    }

    /// What Langfuse shows as metadata of the observation.
    #[track_caller]
    pub fn metadata(&self, name: &str) -> Value {
        let name = format!("langfuse.observation.metadata.{name}");
        let value = self.attributes.get(&name).unwrap_or_else(|| panic!("{name}: {self:?}"));
        value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
    }

    pub fn kind(&self) -> &str {
        self.text("langfuse.observation.type")
    }
}

/// The value of a field.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Every span of a request.
pub fn spans(request: &[u8]) -> Vec<Span> {
    let within = |message: &[u8], number: u64| -> Vec<Vec<u8>> {
        fields(message)
            .into_iter()
            .filter(|(it, _)| *it == number)
            .map(|(_, field)| bytes(&field).to_vec())
            .collect()
    };
    let mut all = Vec::new();
    for resource in within(request, 1) {
        for scope in within(&resource, 2) {
            all.extend(within(&scope, 2).iter().map(|message| span(message)));
        }
    }
    all
}

fn span(message: &[u8]) -> Span {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut span = Span {
        trace: String::new(),
        id: String::new(),
        parent: None,
        name: String::new(),
        start: 0,
        end: 0,
        attributes: BTreeMap::new(),
        status: None,
    };
    for (number, field) in fields(message) {
        match number {
            1 => span.trace = hex(bytes(&field)),
            2 => span.id = hex(bytes(&field)),
            4 => span.parent = Some(hex(bytes(&field))),
            5 => span.name = text(&field),
            7 => span.start = whole(&field),
            8 => span.end = whole(&field),
            9 => {
                let (name, value) = attribute(bytes(&field));
                assert!(span.attributes.insert(name.clone(), value).is_none(), "{name} twice");
            }
            15 => {
                span.status = fields(bytes(&field)).iter().find(|(it, _)| *it == 3).map(|(_, it)| whole(it));
            }
            _ => {}
        }
    }
    span
}

fn attribute(message: &[u8]) -> (String, Value) {
    let (mut name, mut value) = (String::new(), Value::Null);
    for (number, field) in fields(message) {
        if number == 1 {
            name = text(&field);
            continue;
        }
        for (kind, field) in fields(bytes(&field)) {
            value = match kind {
                1 => json!(text(&field)),
                2 => json!(whole(&field) == 1),
                3 => json!(whole(&field)),
                4 => json!(f64::from_bits(whole(&field))),
                other => panic!("{name} has a value of kind {other}"),
            };
        }
    }
    (name, value)
}

fn fields(mut message: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut all = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut message)),
            1 => {
                let (eight, rest) = message.split_at(8);
                message = rest;
                Field::Number(u64::from_le_bytes(eight.try_into().unwrap()))
            }
            2 => {
                let length = usize::try_from(varint(&mut message)).unwrap();
                let (part, rest) = message.split_at(length);
                message = rest;
                Field::Bytes(part)
            }
            other => panic!("wire type {other}"),
        };
        all.push((key >> 3, field));
    }
    all
}

fn varint(message: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = message[0];
        *message = &message[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
        shift += 7;
    }
}

fn bytes<'a>(field: &Field<'a>) -> &'a [u8] {
    match field {
        Field::Bytes(bytes) => bytes,
        Field::Number(number) => panic!("{number} is no bytes"),
    }
}

fn text(field: &Field<'_>) -> String {
    String::from_utf8(bytes(field).to_vec()).unwrap()
}

fn whole(field: &Field<'_>) -> u64 {
    match field {
        Field::Number(number) => *number,
        Field::Bytes(_) => panic!("no number"),
    }
}
