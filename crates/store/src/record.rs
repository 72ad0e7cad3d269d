//! One event as a row: its text, its checksum, and the large part that is kept elsewhere.
//!
//! A row holds the event's JSON. Of a large one it holds only the beginning (`{"v":1,"at":"…",`); the rest,
//! which has no time in it and is therefore the same for the same payload, is in `blobs` by its hash.

use candor_model::{Event, EventError, Position, Recorded, RunId};
use candor_ports::LogError;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

/// What selects rows that [`Row::read`] understands; a condition follows.
pub(crate) const SELECT: &str = "SELECT e.seq, e.run, e.position, e.prev, e.crc, e.body, e.blob IS NOT NULL, b.body \
     FROM events e LEFT JOIN blobs b ON b.hash = e.blob";

/// The hash of a large text.
pub(crate) type Hash = [u8; 32];

/// An event that is ready to be written.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// The JSON, or its beginning.
    pub(crate) text: String,
    /// The rest of a large JSON, with its hash.
    pub(crate) large: Option<(Hash, String)>,
    /// Over run, position and the whole JSON.
    pub(crate) crc: u32,
}

impl Encoded {
    /// Takes an event's JSON, and splits it if its body has more than `large_body` bytes.
    pub(crate) fn new(run: &RunId, position: Position, mut text: String, large_body: usize) -> Self {
        let crc = checksum(run.as_str(), position.0, &[text.as_bytes()]);
        let large = if text.len() > large_body { split(&mut text) } else { None };
        Self { text, large, crc }
    }
}

/// Cuts the text before its body; the version and the time in front of it contain no such key.
fn split(text: &mut String) -> Option<(Hash, String)> {
    let at = text.find("\"event\":")?;
    let rest = text.split_off(at);
    Some((Sha256::digest(rest.as_bytes()).into(), rest))
}

fn checksum(run: &str, position: u64, parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(run.as_bytes());
    hasher.update(&position.to_le_bytes());
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// A row as it is on the disk. Reading it never fails: what has the wrong type cannot match the checksum.
#[derive(Debug)]
pub(crate) struct Row {
    /// Its place among all events.
    pub(crate) seq: i64,
    /// The run it says it belongs to.
    pub(crate) run: String,
    /// The place in the run that it says it has.
    pub(crate) position: u64,
    /// The row of the event before it in the same run; 0 for the first.
    pub(crate) prev: i64,
    /// The JSON, or its beginning.
    pub(crate) text: Vec<u8>,
    /// The rest of a large JSON.
    pub(crate) large: Large,
    crc: i64,
}

/// The rest of a large JSON.
#[derive(Debug)]
pub(crate) enum Large {
    /// There is none: the row has everything.
    None,
    /// The row refers to it, and it is gone.
    Missing,
    /// The bytes of the record.
    Found(Vec<u8>),
}

/// Why a row is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is not what was written.
    Damaged(String),
    /// It was written by a newer program.
    Newer(u64),
}

impl Row {
    /// Takes a row of [`SELECT`].
    pub(crate) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let large = match (integer(row.get_ref(6)?), row.get_ref(7)?) {
            (0, _) => Large::None,
            (_, ValueRef::Null) => Large::Missing,
            (_, value) => Large::Found(bytes(value)),
        };
        Ok(Self {
            seq: integer(row.get_ref(0)?),
            run: String::from_utf8_lossy(&bytes(row.get_ref(1)?)).into_owned(),
            position: u64::try_from(integer(row.get_ref(2)?)).unwrap_or(0),
            prev: integer(row.get_ref(3)?),
            crc: integer(row.get_ref(4)?),
            text: bytes(row.get_ref(5)?),
            large,
        })
    }

    /// A row that was found without SQLite; its numbers are position, previous row and checksum.
    pub(crate) fn found(seq: i64, run: String, [position, prev, crc]: [i64; 3], text: Vec<u8>) -> Self {
        let position = u64::try_from(position).unwrap_or(0);
        Self { seq, run, position, prev, text, large: Large::None, crc }
    }

    /// Whether the row is what was written, by this program or a newer one.
    pub(crate) fn is_sound(&self) -> bool {
        self.position > 0
            && RunId::new(&self.run).is_ok()
            && !matches!(self.event(), Err(Unreadable::Damaged(_)))
    }

    /// The event as JSON, if the row is what was written.
    pub(crate) fn text(&self) -> Result<String, Unreadable> {
        let rest: &[u8] = match &self.large {
            Large::None => &[],
            Large::Missing => return Err(Unreadable::Damaged("its large payload is missing".to_owned())),
            Large::Found(rest) => rest,
        };
        if i64::from(checksum(&self.run, self.position, &[&self.text, rest])) != self.crc {
            return Err(Unreadable::Damaged("its checksum does not match".to_owned()));
        }
        let whole = [self.text.as_slice(), rest].concat();
        String::from_utf8(whole).map_err(|_| Unreadable::Damaged("it is not text".to_owned()))
    }

    /// The event, if the row is what was written.
    pub(crate) fn event(&self) -> Result<Event, Unreadable> {
        Event::from_json(&self.text()?).map_err(|error| match error {
            EventError::Newer { found } => Unreadable::Newer(found),
            EventError::Malformed(error) => Unreadable::Damaged(error.to_string()),
        })
    }

    /// The same event, ready to be written to another file; nothing is read anew, so that events of a newer
    /// version survive.
    pub(crate) fn encoded(self) -> Result<Encoded, Unreadable> {
        let not_text = |_| Unreadable::Damaged("it is not text".to_owned());
        let text = String::from_utf8(self.text).map_err(not_text)?;
        let large = match self.large {
            Large::None => None,
            Large::Missing => return Err(Unreadable::Damaged("its large payload is missing".to_owned())),
            Large::Found(rest) => Some(String::from_utf8(rest).map_err(not_text)?),
        };
        let large = large.map(|rest| (Sha256::digest(rest.as_bytes()).into(), rest));
        let crc = u32::try_from(self.crc)
            .map_err(|_| Unreadable::Damaged("its checksum is no checksum".to_owned()))?;
        Ok(Encoded { text, large, crc })
    }

    /// The event with its place, or an error that names the place.
    pub(crate) fn recorded(&self, run: &RunId) -> Result<Recorded, LogError> {
        let position = Position(self.position);
        match self.event() {
            Ok(event) => Ok(Recorded { position, event }),
            Err(unreadable) => Err(unreadable.into_error(run.clone(), position)),
        }
    }
}

impl Unreadable {
    /// Says it with the place.
    pub(crate) fn into_error(self, run: RunId, position: Position) -> LogError {
        match self {
            Self::Damaged(reason) => LogError::Damaged { run, position, reason },
            Self::Newer(found) => LogError::NewerEvent { run, position, found },
        }
    }
}

fn integer(value: ValueRef<'_>) -> i64 {
    value.as_i64().unwrap_or(-1)
}

fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
        _ => Vec::new(),
    }
}
