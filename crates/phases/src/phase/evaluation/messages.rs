//! What the four agents of the evaluation tell each other.

use candor_language::evaluate::Judged;
use candor_model::{Broadcast, JsonMap, MessagePriority, MessageType, Phase};
use serde_json::{Value, json};

/// Sender of the message with the keywords.
const DETECTOR: &str = "keyword-detector";
/// Sender of the message with the complexity.
const COMPLEXITY: &str = "complexity-scorer";
/// Who scores the wording.
const QUALITY: &str = "prompt-quality-scorer";
/// Who puts the three together.
const ASSESSOR: &str = "confidence-assessor";

/// The messages, in the order in which they are sent.
pub(super) fn of(judged: &Judged) -> Vec<Broadcast> {
    let evaluation = &judged.evaluation;
    let quality = &evaluation.prompt_quality;
    let mut sent = vec![discovery(judged)];
    let total = evaluation.complexity.total;
    let figures = json!({ "complexity": evaluation.complexity, "fileCount": evaluation.file_count });
    sent.push(done(COMPLEXITY, format!("complexity is {total} of 100"), figures));
    for contradiction in &quality.contradictions {
        let content =
            format!("the request contradicts itself: {contradiction}; a person must say which holds");
        sent.push(Broadcast {
            message_type: MessageType::Warning,
            priority: MessagePriority::Critical,
            ..done(QUALITY, content, json!({ "contradiction": contradiction }))
        });
    }
    let content = match quality.issues.as_slice() {
        [] => format!("the request scores {} of 100", quality.score),
        issues => format!("the request scores {} of 100: {}", quality.score, issues.join(", ")),
    };
    sent.push(done(QUALITY, content, json!({ "promptQuality": quality })));
    let content = format!("all three are in; confidence {} %", evaluation.confidence);
    let basis = json!({ "confidence": evaluation.confidence, "missing": judged.missing });
    sent.push(done(ASSESSOR, content, basis));
    sent
}

/// What the detector found, with what follows from it for the others.
fn discovery(judged: &Judged) -> Broadcast {
    let keywords = &judged.evaluation.keywords;
    let quality = &judged.evaluation.prompt_quality;
    let content = match keywords.as_slice() {
        [] => "No keyword found".to_owned(),
        keywords => {
            format!("Keywords: {}", keywords.iter().take(6).cloned().collect::<Vec<_>>().join(", "))
        }
    };
    let implication = if !quality.contradictions.is_empty() {
        "instructions exclude each other and must be clarified"
    } else if keywords.is_empty() {
        "there is little to go by; score with care"
    } else if judged.evaluation.file_count > 0 {
        "files are named; they count for the complexity and are read in phase 2"
    } else {
        "score by these words"
    };
    let mut data = json!({ "keywords": keywords, "implication": implication });
    if let (Value::Object(data), Ok(Value::Object(kinds))) = (&mut data, serde_json::to_value(&judged.found))
    {
        data.extend(kinds);
    }
    Broadcast {
        message_type: MessageType::Discovery,
        priority: MessagePriority::High,
        ..done(DETECTOR, content, data)
    }
}

fn done(agent: &str, content: String, data: Value) -> Broadcast {
    let data = match data {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    };
    Broadcast { data, ..Broadcast::completion(Phase::Evaluation, agent, content) }
}
