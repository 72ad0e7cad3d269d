//! Where traces go, from the environment: the variables of OpenTelemetry and of Langfuse.

use crate::base64;

/// One place that takes traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The address that spans are posted to.
    pub url: String,
    /// Headers that go with them, such as authorization. Never shown.
    pub headers: Vec<(String, String)>,
    /// Where Langfuse takes scores; absent for others.
    pub scores: Option<String>,
}

/// Everywhere that traces go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Targets {
    /// Backends, of which none fails for another.
    pub endpoints: Vec<Endpoint>,
    /// Whether text of people and models goes with them.
    pub content: bool,
}

/// Default of `LANGFUSE_HOST`.
const LANGFUSE: &str = "https://cloud.langfuse.com";

impl Targets {
    /// What the environment says; nothing if it names no place.
    ///
    /// `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_EXPORTER_OTLP_ENDPOINT` with `OTEL_EXPORTER_OTLP_HEADERS`;
    /// `LANGFUSE_PUBLIC_KEY` and `LANGFUSE_SECRET_KEY` with `LANGFUSE_HOST`; `CANDOR_TRACE_CONTENT=1` for text.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let content = set("CANDOR_TRACE_CONTENT").is_some_and(|value| matches!(value.trim(), "1" | "true"));
        if set("OTEL_SDK_DISABLED").is_some_and(|value| value == "true") {
            return Self { endpoints: Vec::new(), content };
        }
        Self { endpoints: [otlp(&set), langfuse(&set)].into_iter().flatten().collect(), content }
    }
}

fn otlp(set: &impl Fn(&str) -> Option<String>) -> Option<Endpoint> {
    let base =
        || set("OTEL_EXPORTER_OTLP_ENDPOINT").map(|base| format!("{}/v1/traces", base.trim_end_matches('/')));
    let url = set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").or_else(base)?;
    let written = set("OTEL_EXPORTER_OTLP_TRACES_HEADERS").or_else(|| set("OTEL_EXPORTER_OTLP_HEADERS"));
    let written = written.unwrap_or_default();
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((name.trim().to_owned(), unescaped(value.trim())))
    };
    Some(Endpoint { url, headers: written.split(',').filter_map(header).collect(), scores: None })
}

fn langfuse(set: &impl Fn(&str) -> Option<String>) -> Option<Endpoint> {
    let (public, secret) = (set("LANGFUSE_PUBLIC_KEY")?, set("LANGFUSE_SECRET_KEY")?);
    let host =
        set("LANGFUSE_HOST").or_else(|| set("LANGFUSE_BASE_URL")).unwrap_or_else(|| LANGFUSE.to_owned());
    let host = host.trim_end_matches('/');
    let authorization = format!("Basic {}", base64::encoded(format!("{public}:{secret}").as_bytes()));
    Some(Endpoint {
        url: format!("{host}/api/public/otel/v1/traces"),
        headers: vec![("Authorization".to_owned(), authorization)],
        scores: Some(format!("{host}/api/public/scores")),
    })
}

/// A value whose reserved characters are written as `%20`.
fn unescaped(text: &str) -> String {
    let (mut bytes, mut out) = (text.bytes(), Vec::new());
    while let Some(byte) = bytes.next() {
        let code = (byte == b'%').then(|| {
            let digits = [bytes.clone().next()?, bytes.clone().nth(1)?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
        });
        if let Some(code) = code.flatten() {
            bytes.by_ref().take(2).for_each(drop);
            out.push(code);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(set: &[(&str, &str)]) -> Targets {
        let find =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Targets::from_env(find)
    }

    #[test]
    fn the_environment_names_the_places() {
        // spec: orchestrator OB-07 OB-08
        assert_eq!(targets(&[]), Targets::default());
        assert_eq!(targets(&[("LANGFUSE_PUBLIC_KEY", "pk")]), Targets::default(), "half a key is none");
        let both = targets(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-a=1,authorization=Bearer%20t"),
            ("LANGFUSE_PUBLIC_KEY", "pk-lf-1"),
            ("LANGFUSE_SECRET_KEY", "sk-lf-22"),
            ("CANDOR_TRACE_CONTENT", "1"),
        ]);
        assert!(both.content);
        let [otlp, langfuse] = both.endpoints.as_slice() else { panic!("{both:?}") };
        assert_eq!(otlp.url, "http://127.0.0.1:4318/v1/traces");
        assert_eq!(otlp.headers[1], ("authorization".to_owned(), "Bearer t".to_owned()));
        assert_eq!(langfuse.url, "https://cloud.langfuse.com/api/public/otel/v1/traces");
        assert_eq!(langfuse.headers[0].1, "Basic cGstbGYtMTpzay1sZi0yMg==");
    }
}
