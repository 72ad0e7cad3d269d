//! The name of a request: the same for the same question to the same model, whatever the order of its fields.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::chat::{ChatRequest, Provider, TierConfig};

/// The digest of a request to a tier's model.
#[must_use]
pub fn digest(tier: &TierConfig, request: &ChatRequest) -> String {
    of(tier.provider, &tier.model, request)
}

/// The digest of a request to a model.
pub(super) fn of(provider: Provider, model: &str, request: &ChatRequest) -> String {
    let mut text = String::new();
    let named = json!([
        provider.as_str(),
        model,
        request.system,
        request.question,
        request.earlier,
        request.schema,
        request.max_output_tokens,
    ]);
    write_sorted(&named, &mut text);
    candor_model::hex(Sha256::digest(text.as_bytes()).iter())
}

/// JSON with the fields of objects in the order of their names.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, field) in fields {
                out.push_str(&format!("{}:", Value::from(name.as_str())));
                write_sorted(field, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_request_counts() {
        let base = ChatRequest::new("system", "question", 10);
        let tier = TierConfig::new(Provider::OpenAi, "m");
        let others = [
            ChatRequest::new("systemq", "uestion", 10),
            ChatRequest::new("system", "question", 11),
            ChatRequest { earlier: Some((String::new(), String::new())), ..base.clone() },
            ChatRequest { schema: Some(json!({})), ..base.clone() },
        ];
        let known = digest(&tier, &base);
        assert_eq!(known.len(), 64);
        for other in &others {
            assert_ne!(digest(&tier, other), known, "{other:?}");
        }
        assert_ne!(digest(&TierConfig::new(Provider::OpenAi, "n"), &base), known);
        assert_ne!(digest(&TierConfig::new(Provider::Gemini, "m"), &base), known);
    }
}
