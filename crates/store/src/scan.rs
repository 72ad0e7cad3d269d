//! Finding records in bytes, wherever they lie.
//!
//! A page whose header or pointers are damaged still holds most of its cells. So every offset is tried as the
//! beginning of a record; its shape rejects nearly all of them, and the event's own checksum decides.

use std::collections::BTreeMap;

use candor_model::RunId;
use sha2::{Digest, Sha256};

use crate::pages::{Images, number, page_sizes};
use crate::record::{Hash, Large, Row};

/// What was found in the bytes of a log.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The events whose checksums match, by run and position.
    pub(crate) events: BTreeMap<(String, u64), Row>,
    /// Where each run ended, as far as the list of runs can be read. It has no checksums.
    pub(crate) ends: BTreeMap<String, u64>,
}

/// Finds all intact events.
pub(crate) fn scan(file: &[u8], wal: &[u8]) -> Found {
    let mut pieces = Pieces::default();
    for page_size in page_sizes(file, wal) {
        let images = Images::new(file, wal, page_size);
        for image in images.all() {
            for record in records(image) {
                pieces.take_record(&images, image, record);
            }
        }
    }
    pieces.found()
}

/// Where records may begin: with the length of their header, and a key column that is stored as nothing because its
/// value is the row's number.
fn records(image: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let begins = |bytes: &&[u8]| matches!(bytes, [4..=40, 0, kind] if *kind >= 13);
    image.windows(3).enumerate().filter(move |(_, bytes)| begins(bytes)).map(|(at, _)| at)
}

/// What cells can hold that matters here.
#[derive(Default)]
struct Pieces {
    rows: Vec<(Row, Option<Hash>)>,
    payloads: BTreeMap<Hash, Vec<u8>>,
    ends: BTreeMap<String, u64>,
}

impl Pieces {
    /// Two numbers of one to nine bytes stand before a record: its length and the row's number.
    fn take_record(&mut self, images: &Images<'_>, image: &[u8], record: usize) {
        for before in 2..=18 {
            let cell = record.checked_sub(before).and_then(|at| Cell::at(image, at, record, images));
            if cell.is_some_and(|cell| self.take_cell(images, &cell)) {
                return;
            }
        }
    }

    fn take_cell(&mut self, images: &Images<'_>, cell: &Cell<'_>) -> bool {
        let kind = cell.kind();
        if matches!(kind, Kind::Other) {
            return false;
        }
        let mut payloads = cell.payloads(images).into_iter();
        payloads.any(|payload| match cell.columns(&payload) {
            Some(columns) => self.take(kind, cell.rowid, &columns),
            None => false,
        })
    }

    /// Takes a record if it proves to be one.
    fn take(&mut self, kind: Kind, rowid: i64, columns: &[&[u8]]) -> bool {
        match (kind, columns) {
            (Kind::Event, [_, run, position, prev, crc, text, hash]) => {
                let hash: Option<Hash> = (*hash).try_into().ok();
                let Ok(run) = String::from_utf8(run.to_vec()) else { return false };
                let row =
                    Row::found(rowid, run, [integer(position), integer(prev), integer(crc)], text.to_vec());
                // The checksum of a large event covers its payload, which may be found later.
                let sound = hash.is_some() || row.is_sound();
                if sound {
                    self.rows.push((row, hash));
                }
                sound
            }
            (Kind::Payload, [_, hash, body]) => {
                let digest: Hash = Sha256::digest(body).into();
                let sound = digest.as_slice() == *hash;
                if sound {
                    self.payloads.insert(digest, body.to_vec());
                }
                sound
            }
            (Kind::Run, [_, id, position, ..]) => self.take_end(id, integer(position)),
            _ => false,
        }
    }

    fn take_end(&mut self, id: &[u8], position: i64) -> bool {
        let id = std::str::from_utf8(id).ok().filter(|id| RunId::new(*id).is_ok());
        let (Some(id), Ok(position)) = (id, u64::try_from(position)) else { return false };
        let end = self.ends.entry(id.to_owned()).or_default();
        *end = position.max(*end);
        true
    }

    fn found(self) -> Found {
        let mut events: BTreeMap<(String, u64), Row> = BTreeMap::new();
        for (mut row, hash) in self.rows {
            if let Some(hash) = hash {
                row.large =
                    self.payloads.get(&hash).map_or(Large::Missing, |rest| Large::Found(rest.clone()));
                if !row.is_sound() {
                    continue;
                }
            }
            // A copy that the tree left behind when it moved the record is the same record.
            let key = (row.run.clone(), row.position);
            if events.get(&key).is_none_or(|other| other.seq < row.seq) {
                events.insert(key, row);
            }
        }
        Found { events, ends: self.ends }
    }
}

/// What a record is, by the types of its columns.
#[derive(Clone, Copy)]
enum Kind {
    Event,
    Payload,
    Run,
    Other,
}

/// What may be a cell of a table.
struct Cell<'a> {
    rowid: i64,
    /// The length of the payload, of the record's header in it, and the types in that header.
    length: usize,
    header: usize,
    types: Vec<u64>,
    local: &'a [u8],
    overflow: Option<u32>,
}

/// The most columns that a table here has.
const MOST_COLUMNS: usize = 9;

impl<'a> Cell<'a> {
    /// The cell at a place, if its record begins at another.
    fn at(image: &'a [u8], at: usize, record: usize, images: &Images<'_>) -> Option<Self> {
        let mut here = at;
        let length = usize::try_from(varint(image, &mut here)?).ok()?;
        // The smallest record of interest has more than this.
        if length < 8 || length > images.total() {
            return None;
        }
        let rowid = i64::try_from(varint(image, &mut here)?).ok()?;
        if rowid < 1 || here != record {
            return None;
        }
        let start = here;
        let header = usize::try_from(varint(image, &mut here)?).ok()?;
        let mut types = Vec::new();
        while here < start + header {
            types.push(varint(image, &mut here)?);
            if types.len() > MOST_COLUMNS {
                return None;
            }
        }
        let (local, overflow) = local_part(image, start, length, images.page_size)?;
        Some(Self { rowid, length, header, types, local, overflow })
    }

    fn kind(&self) -> Kind {
        let text = |kind: &u64| *kind >= 13 && kind % 2 == 1;
        let whole = |kind: &u64| matches!(kind, 1..=6 | 8 | 9);
        // 76 is the type of 32 bytes.
        match self.types.as_slice() {
            [0, run, position, prev, crc, body, 0 | 76]
                if text(run) && text(body) && [position, prev, crc].into_iter().all(whole) =>
            {
                Kind::Event
            }
            [0, 76, body] if text(body) => Kind::Payload,
            [0, id, position, seq, 8 | 9, rest @ ..]
                if text(id) && whole(position) && whole(seq) && matches!(rest.len(), 2 | 4) =>
            {
                Kind::Run
            }
            _ => Kind::Other,
        }
    }

    /// The whole payload, in every way in which it may go on.
    fn payloads(&self, images: &Images<'_>) -> Vec<Vec<u8>> {
        match self.overflow {
            None => vec![self.local.to_vec()],
            Some(first) => images.payloads(self.local, first, self.length).collect(),
        }
    }

    fn columns<'p>(&self, payload: &'p [u8]) -> Option<Vec<&'p [u8]>> {
        let mut here = self.header;
        let mut columns = Vec::with_capacity(self.types.len());
        for kind in &self.types {
            let size = match kind {
                0 | 8 | 9 => 0,
                1..=4 => usize::try_from(*kind).ok()?,
                5 => 6,
                6 | 7 => 8,
                10 | 11 => return None,
                _ => usize::try_from((kind - 12) / 2).ok()?,
            };
            let end = here.checked_add(size)?;
            // The two types that are numbers by themselves.
            columns.push(match kind {
                8 => &[0],
                9 => &[1],
                _ => payload.get(here..end)?,
            });
            here = end;
        }
        (here == payload.len()).then_some(columns)
    }
}

/// The part of a payload that lies in the cell itself, and the page where it goes on.
fn local_part(image: &[u8], start: usize, length: usize, page_size: usize) -> Option<(&[u8], Option<u32>)> {
    let most = page_size - 35;
    if length <= most {
        return Some((image.get(start..start + length)?, None));
    }
    let least = (page_size - 12) * 32 / 255 - 23;
    let fitting = least + (length - least) % (page_size - 4);
    let end = start + if fitting <= most { fitting } else { least };
    Some((image.get(start..end)?, Some(u32::try_from(number(image, end, 4)?).ok()?)))
}

/// A number as SQLite writes it: seven bits a byte, and eight in the ninth.
fn varint(bytes: &[u8], here: &mut usize) -> Option<u64> {
    let mut value = 0;
    for n in 0..9 {
        let byte = *bytes.get(*here)?;
        *here += 1;
        if n == 8 {
            return Some((value << 8) | u64::from(byte));
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A signed number of up to eight bytes.
fn integer(bytes: &[u8]) -> i64 {
    let first = bytes.first().copied().unwrap_or_default();
    let sign: i64 = if first >= 0x80 { -1 } else { 0 };
    bytes.iter().take(8).fold(sign, |number, byte| (number << 8) | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use candor_model::{Event, EventBody, Position, RunId, Timestamp};
    use candor_ports::EventLog;

    use super::*;
    use crate::files::Files;
    use crate::{OpenOptions, SqliteLog};

    /// A log of which half is in its write-ahead log, with events of all sizes.
    async fn small_log(folder: &std::path::Path) -> Files {
        let path = folder.join("log.db");
        let open =
            || SqliteLog::open(&path, OpenOptions { large_body: 5_000, ..OpenOptions::default() }).unwrap().0;
        for half in [0u64, 4] {
            let log = open();
            for position in half..half + 4 {
                for n in 0..2 {
                    // Up to a dozen bytes, within a page, over several pages, and by content hash.
                    let size = [3, 300, 4_200, 6_000][usize::try_from((position + n) % 4).unwrap()];
                    let reason = format!("{n} {position} {}", "x".repeat(size));
                    let at = Timestamp::from_millis(i64::try_from(position).unwrap());
                    let event = Event::new(at, EventBody::RunPaused { reason });
                    let run = RunId::new(format!("run_{n}")).unwrap();
                    log.append(&run, Position(position), &[event]).await.unwrap();
                }
            }
            if half > 0 {
                return Files::read(&path).unwrap();
            }
        }
        unreachable!()
    }

    fn texts(found: &Found) -> BTreeMap<(String, u64), Vec<u8>> {
        let text = |row: &Row| match &row.large {
            Large::Found(rest) => [row.text.as_slice(), rest].concat(),
            _ => row.text.clone(),
        };
        found.events.iter().map(|(key, row)| (key.clone(), text(row))).collect()
    }

    /// An event by run and position, and where its bytes are.
    type Placed = ((String, u64), Vec<(usize, usize)>);

    /// Where the bytes of each event that lies in one piece are: in the file, or behind it in the write-ahead log.
    fn places(whole: &[u8], all: &BTreeMap<(String, u64), Vec<u8>>) -> Vec<Placed> {
        let short = all.iter().filter(|(_, text)| text.len() < 3_000);
        short
            .map(|(key, text)| {
                let mut found = Vec::new();
                let mut from = 0;
                while let Some(at) = whole[from..].windows(text.len()).position(|part| part == text) {
                    // The cell begins at most so many bytes before its text.
                    found.push(((from + at).saturating_sub(64), from + at + text.len()));
                    from += at + 1;
                }
                (key.clone(), found)
            })
            .collect()
    }

    fn damage(whole: &mut [u8], random: &mut fastrand::Rng) -> (usize, usize) {
        let at = random.usize(..whole.len());
        let end = whole.len().min(at + [1, 1, 8, 600, 4_096][random.usize(..5)]);
        let mode = random.u8(..3);
        for byte in &mut whole[at..end] {
            *byte = match mode {
                0 => 0,
                1 => random.u8(..),
                _ => *byte ^ (1 << random.u8(..8)),
            };
        }
        (at, end)
    }

    #[tokio::test]
    async fn no_damage_makes_an_event_up_or_hides_one_that_is_intact() {
        // spec: findings DU-02
        let folder = tempfile::tempdir().unwrap();
        let files = small_log(folder.path()).await;
        let (length, whole) = (files.file.len(), [files.file.as_slice(), &files.wal].concat());
        let all = texts(&scan(&files.file, &files.wal));
        assert_eq!(all.len(), 16);
        let places = places(&whole, &all);
        assert!(places.len() >= 8, "{}", places.len());
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..2_000 {
            let mut damaged = whole.clone();
            let (first, end) = damage(&mut damaged, &mut random);
            let cut = if round % 10 == 0 { random.usize(..damaged.len()) } else { damaged.len() };
            damaged.truncate(cut);
            let (file, wal) = damaged.split_at(length.min(damaged.len()));
            let found = texts(&scan(file, wal));
            assert!(
                found.iter().all(|(key, text)| all.get(key) == Some(text)),
                "made up, seed {seed} {round}"
            );
            for (key, copies) in &places {
                let intact = copies.iter().any(|(from, to)| *to <= cut && (*to <= first || *from >= end));
                assert!(!intact || found.contains_key(key), "{key:?} is hidden, seed {seed}, round {round}");
            }
            let files = Files { file: file.to_vec(), wal: wal.to_vec(), shm: Vec::new() };
            let _ = files.problems();
        }
    }
}
