//! Server-sent events, as they come: bytes in, the data of whole events out.
//!
//! Each byte is looked at once, however it is cut, and no event may grow beyond a limit.

/// An event that is larger than was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Assembles server-sent events from the pieces that arrive.
#[derive(Debug)]
pub(crate) struct Events {
    limit: usize,
    line: Vec<u8>,
    data: String,
}

impl Events {
    /// Takes events of so many bytes at most.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), data: String::new() }
    }

    /// Takes the next bytes, and gives the data of the events that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + self.data.len() + piece.len() > self.limit {
                return Err(TooLong);
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                events.extend(self.end_of_line());
            }
        }
        Ok(events)
    }

    /// The data of an event whose last empty line never came.
    pub(crate) fn finish(mut self) -> Option<String> {
        self.end_of_line().or_else(|| self.end_of_event())
    }

    fn end_of_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() {
            return self.end_of_event();
        }
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }

    fn end_of_event(&mut self) -> Option<String> {
        let data = std::mem::take(&mut self.data);
        (!data.is_empty()).then_some(data)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STREAM: &str = ": hello\r\n\r\nevent: a\ndata: {\"x\":\ndata: 1}\n\ndata:ü\n\n\ndata: last";

    #[test]
    fn an_event_beyond_the_limit_is_refused() {
        let mut events = Events::new(10);
        assert_eq!(events.feed(b"data: 1234"), Ok(vec![]));
        assert_eq!(events.feed(b"5"), Err(TooLong));
    }

    proptest! {
        #[test]
        fn events_are_the_same_however_they_are_cut(cuts in proptest::collection::vec(0..STREAM.len(), 0..8)) {
            let mut cuts = cuts;
            cuts.extend([0, STREAM.len()]);
            cuts.sort_unstable();
            let mut events = Events::new(1_000);
            let mut seen = Vec::new();
            for pair in cuts.windows(2) {
                seen.extend(events.feed(&STREAM.as_bytes()[pair[0]..pair[1]]).unwrap());
            }
            seen.extend(events.finish());
            prop_assert_eq!(seen, ["{\"x\":\n1}", "ü", "last"]);
        }

        #[test]
        fn no_bytes_make_it_panic(chunks in proptest::collection::vec(any::<Vec<u8>>(), 0..8)) {
            let mut events = Events::new(64);
            for chunk in &chunks {
                let _ = events.feed(chunk);
            }
            let _ = events.finish();
        }
    }
}
