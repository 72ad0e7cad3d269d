//! What is said between us and a Python: one job, and one answer that only our own part of it can give.
//!
//! The way is a pair of sockets and not its output: programs print what they like. An answer begins with a word
//! that was made for this run, then says how long it is and what it adds up to; before it comes one mark when
//! Python waits and one when it begins, and after it nothing.

use candor_model::JsonMap;
use candor_ports::{CodeJob, CodeResult};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Says that a Python waits for its job.
pub(super) const READY: u8 = b'R';
/// Says that a Python begins with its job.
const BEGAN: u8 = b'B';
const TOKEN_BYTES: usize = 16;
/// How long what precedes an answer is: token, length, sum.
const HEAD_BYTES: usize = TOKEN_BYTES + 8 + 4;

/// What it says when anything is not as it should be.
const TAMPERED: &str = "the program tampered with the result channel";

/// A word that nobody can guess, for one run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Token([u8; TOKEN_BYTES]);

impl Token {
    pub(super) fn new() -> std::io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty())?;
        Ok(Self(bytes))
    }

    fn hex(self) -> String {
        candor_model::hex(self.0.iter())
    }
}

/// A job as it travels.
#[derive(Serialize)]
struct Order<'a> {
    code: &'a str,
    context: &'a JsonMap,
    wanted: &'static str,
    token: String,
    most: usize,
}

/// What a Python says of its program.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Answer {
    Finished { result: JsonMap, warnings: Vec<String> },
    Raised { name: String, text: String, line: Option<u32>, trace: String },
    Left { code: String },
    Unfit { text: String },
    Memory,
    Disk { text: String },
    TooLarge { bytes: u64 },
}

/// How far a conversation came.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// The program was never begun.
    Nothing,
    /// It was begun, and no answer came.
    Begun,
    /// The answer.
    Answer(Answer),
    /// What came is no answer, for this reason.
    Bad(String),
}

/// Whether more was heard than an answer can be, so that nobody listens any more.
pub(super) struct Enough(pub(super) bool);

/// A job in the form in which it is sent.
pub(super) fn order(job: &CodeJob, token: Token, most: usize) -> Result<Vec<u8>, serde_json::Error> {
    let wanted = match job.result {
        CodeResult::Context => "context",
        CodeResult::Insights => "insights",
    };
    let text = serde_json::to_vec(&Order {
        code: &job.code,
        context: &job.context,
        wanted,
        token: token.hex(),
        most,
    })?;
    Ok([&(text.len() as u64).to_be_bytes()[..], &text].concat())
}

/// Sends a job and hears to the end what comes back; stops when it is more than an answer can be.
pub(super) async fn converse(
    channel: &mut (impl AsyncRead + AsyncWrite + Unpin),
    order: &[u8],
    most: usize,
    heard: &mut Vec<u8>,
) -> Enough {
    // One that died meanwhile takes nothing; it is noticed by its silence.
    if channel.write_all(order).await.is_err() {
        return Enough(false);
    }
    let most = most.saturating_add(HEAD_BYTES + 1);
    let mut rest = channel.take((most as u64).saturating_add(1));
    // All that comes, also after an answer: one is enough. An error is an end like any other.
    while let Ok(1..) = rest.read_buf(heard).await {}
    Enough(rest.limit() == 0)
}

/// Whether an answer is complete, so that nobody need wait for the program to end by itself.
pub(super) fn understand(heard: &[u8], token: Token, most: usize) -> Heard {
    let Some((mark, rest)) = heard.split_first() else { return Heard::Nothing };
    let bad = || Heard::Bad(TAMPERED.to_owned());
    if *mark != BEGAN {
        return bad();
    }
    if rest.is_empty() {
        return Heard::Begun;
    }
    let Some((head, data)) = rest.split_at_checked(HEAD_BYTES) else { return bad() };
    let Some((sum, length)) = head_of(head, token) else { return bad() };
    if length > most as u64 || length != data.len() as u64 || crc32fast::hash(data) != sum {
        return bad();
    }
    match serde_json::from_slice(data) {
        Ok(answer) => Heard::Answer(answer),
        Err(error) => Heard::Bad(format!("Invalid JSON in result: {error}")),
    }
}

fn head_of(head: &[u8], token: Token) -> Option<(u32, u64)> {
    let (word, rest) = head.split_at_checked(TOKEN_BYTES)?;
    let (length, sum) = rest.split_at_checked(8)?;
    let length = u64::from_be_bytes(length.try_into().ok()?);
    let sum = u32::from_be_bytes(sum.try_into().ok()?);
    (word == token.0).then_some((sum, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(token: Token, data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u64).to_be_bytes();
        [&[BEGAN][..], &token.0, &length, &crc32fast::hash(data).to_be_bytes(), data].concat()
    }

    #[test]
    fn one_whole_answer_is_understood_and_nothing_else() {
        let token = Token([7; TOKEN_BYTES]);
        let data = br#"{"kind":"unfit","text":"no"}"#;
        let whole = framed(token, data);
        let hear = |heard: &[u8]| understand(heard, token, 1000);
        assert_eq!(hear(&whole), Heard::Answer(Answer::Unfit { text: "no".into() }));
        assert_eq!(hear(b""), Heard::Nothing);
        assert_eq!(hear(b"B"), Heard::Begun);
        let bad = Heard::Bad(TAMPERED.into());
        for cut in 2..whole.len() {
            assert_eq!(hear(&whole[..cut]), bad, "cut at {cut}");
        }
        assert_eq!(hear(&[&whole[..], b"x"].concat()), bad);
        assert_eq!(hear(&[&whole[..], &whole[1..]].concat()), bad);
        assert_eq!(hear(&framed(Token([8; TOKEN_BYTES]), data)), bad);
        assert_eq!(understand(&whole, token, data.len() - 1), bad);
        let mut changed = whole;
        *changed.last_mut().unwrap() = b'!';
        assert_eq!(hear(&changed), bad);
    }

    // spec: code-agent SB-07
    #[test]
    fn an_answer_that_is_no_json_is_told_so() {
        let token = Token([7; TOKEN_BYTES]);
        let Heard::Bad(why) = understand(&framed(token, b"{bad"), token, 1000) else { panic!() };
        assert!(why.starts_with("Invalid JSON in result: "), "{why}");
    }
}
