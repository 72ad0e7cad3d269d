//! Server-sent events: bytes in, the data of whole events out. Only as much is kept as one event may hold.

/// How large one event may be.
pub(super) const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// A line or an event is larger than it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLarge;

/// What was read of a stream and is not yet an event.
#[derive(Debug, Default)]
pub(super) struct Sse {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// A line ended with a carriage return: a line feed right behind it belongs to it.
    after_return: bool,
}

impl Sse {
    /// Takes what came, and gives the data of every event that is whole now.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLarge> {
        let mut events = Vec::new();
        for &byte in bytes {
            let joined = std::mem::take(&mut self.after_return) && byte == b'\n';
            match byte {
                _ if joined => {}
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    self.end_line(&mut events)?;
                }
                other if self.line.len() < MAX_EVENT_BYTES => self.line.push(other),
                _ => return Err(TooLarge),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self, events: &mut Vec<Vec<u8>>) -> Result<(), TooLarge> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            events.extend(self.data.take());
            return Ok(());
        }
        // Comments, names and ids of events say nothing that is needed here.
        let value = match line.strip_prefix(b"data".as_slice()) {
            Some([]) => [].as_slice(),
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            _ => return Ok(()),
        };
        match &mut self.data {
            None => self.data = Some(value.to_vec()),
            Some(data) if data.len() + value.len() < MAX_EVENT_BYTES => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Some(_) => return Err(TooLarge),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pieces: &[&[u8]]) -> Vec<String> {
        let mut sse = Sse::default();
        let events = pieces.iter().flat_map(|piece| sse.feed(piece).unwrap());
        events.map(|event| String::from_utf8_lossy(&event).into_owned()).collect()
    }

    #[test]
    fn events_are_the_same_however_their_bytes_arrive() {
        let stream =
            b": hello\n\nid: 1\r\nevent: x\r\ndata: {\"a\":\r\ndata:1}\r\n\r\ndata\rdata: b\r\rdata: lost";
        let whole = texts(&[stream]);
        assert_eq!(whole, ["{\"a\":\n1}", "\nb"]);
        for cut in 0..stream.len() {
            let (left, right) = stream.split_at(cut);
            assert_eq!(texts(&[left, right]), whole, "cut at {cut}");
        }
        assert_eq!(texts(&[b"database: no\n\n"]), [] as [&str; 0]);
    }

    #[test]
    fn nothing_grows_without_end() {
        let mut sse = Sse::default();
        let long = vec![b'x'; MAX_EVENT_BYTES];
        assert_eq!(sse.feed(&long), Ok(vec![]));
        assert_eq!(sse.feed(b"x"), Err(TooLarge));
        let mut sse = Sse::default();
        let mut feed = || sse.feed(format!("data: {}\n", "x".repeat(100_000)).as_bytes());
        assert!((0..20).any(|_| feed().is_err()));
    }
}
