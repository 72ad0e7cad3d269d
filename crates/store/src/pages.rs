//! A log's file and its write-ahead log as page images, read without SQLite.
//!
//! Only what repair needs of the file format is here: where pages lie, and how a payload goes on in overflow
//! pages. Every number comes from bytes that may be damaged, so nothing is indexed without a check.

use std::collections::BTreeMap;

/// The size of the pages that this program writes.
pub(crate) const OUR_PAGE: usize = 4096;
/// The bytes before the first frame of a write-ahead log, and those before the page in each frame.
pub(crate) const WAL_HEADER: usize = 32;
pub(crate) const FRAME_HEADER: usize = 24;

/// All images of all pages.
pub(crate) struct Images<'a> {
    pub(crate) page_size: usize,
    file: &'a [u8],
    /// Where the frames of the write-ahead log have each page, in the order of the frames.
    frames: Vec<Frame<'a>>,
    views: [BTreeMap<u32, &'a [u8]>; 2],
}

struct Frame<'a> {
    page: u32,
    salts: &'a [u8],
    image: &'a [u8],
}

/// The page sizes that the bytes suggest. A damaged header may name a wrong one, so ours is always among them.
pub(crate) fn page_sizes(file: &[u8], wal: &[u8]) -> Vec<usize> {
    let in_file = number(file, 16, 2).map(|size| if size == 1 { 65_536 } else { size });
    let in_wal = number(wal, 8, 4);
    let valid = |size: &usize| size.is_power_of_two() && (512..=65_536).contains(size);
    let mut sizes: Vec<usize> = in_file.into_iter().chain(in_wal).filter(valid).chain([OUR_PAGE]).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// A big-endian number of up to eight bytes.
pub(crate) fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().fold(0, |number, byte| (number << 8) | usize::from(*byte)))
}

impl<'a> Images<'a> {
    pub(crate) fn new(file: &'a [u8], wal: &'a [u8], page_size: usize) -> Self {
        let frames: Vec<Frame<'a>> = wal
            .get(WAL_HEADER..)
            .unwrap_or_default()
            .chunks(FRAME_HEADER + page_size)
            .filter_map(|frame| {
                let page = u32::try_from(number(frame, 0, 4)?).ok()?;
                Some(Frame { page, salts: frame.get(8..16)?, image: frame.get(FRAME_HEADER..)? })
            })
            .collect();
        // The frames of an earlier round lie behind those of the current one and are older than the file.
        let current = |frame: &&Frame<'a>| {
            Some(frame.salts) == wal.get(16..24)
                || frames.first().is_some_and(|first| first.salts == frame.salts)
        };
        let view = |frames: &mut dyn Iterator<Item = &Frame<'a>>| {
            frames.map(|frame| (frame.page, frame.image)).collect::<BTreeMap<_, _>>()
        };
        let views = [view(&mut frames.iter().filter(current)), view(&mut frames.iter())];
        Self { page_size, file, frames, views }
    }

    /// Every image that may hold records; the last one of a file that was cut is shorter than the others.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        self.file.chunks(self.page_size).chain(self.frames.iter().map(|frame| frame.image))
    }

    /// The payload of `length` bytes that begins with `local` and goes on at `first`, once for each view of the pages:
    /// as the write-ahead log has them now, as the file has them, and as the log had them in any round.
    pub(crate) fn payloads(
        &self,
        local: &[u8],
        first: u32,
        length: usize,
    ) -> impl Iterator<Item = Vec<u8>> + use<'_, 'a> {
        let none = BTreeMap::new();
        let local = local.to_vec();
        [Some(0), None, Some(1)].into_iter().filter_map(move |view| {
            let over = view.and_then(|view| self.views.get::<usize>(view)).unwrap_or(&none);
            self.chain(over, local.clone(), first, length)
        })
    }

    fn chain(
        &self,
        over: &BTreeMap<u32, &'a [u8]>,
        mut payload: Vec<u8>,
        mut next: u32,
        length: usize,
    ) -> Option<Vec<u8>> {
        while payload.len() < length {
            let image = match over.get(&next) {
                Some(image) => image,
                None => self.in_file(next)?,
            };
            let rest = (length - payload.len()).min(self.page_size - 4);
            payload.extend_from_slice(image.get(4..4 + rest)?);
            next = u32::try_from(number(image, 0, 4)?).ok()?;
        }
        Some(payload)
    }

    fn in_file(&self, page: u32) -> Option<&'a [u8]> {
        let start = usize::try_from(page).ok()?.checked_sub(1)?.checked_mul(self.page_size)?;
        self.file.get(start..self.file.len().min(start.checked_add(self.page_size)?))
    }

    /// How many bytes there are in all: no payload is longer.
    pub(crate) fn total(&self) -> usize {
        self.file.len() + self.frames.len() * self.page_size
    }
}
