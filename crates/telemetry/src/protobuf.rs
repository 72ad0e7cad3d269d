//! The wire format of protocol buffers, as far as traces need it.
//!
//! The nine messages of a trace take a page by hand. `opentelemetry-proto` with `prost` does the same for 52 packages
//! and 35 seconds of compiling.

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            // The low seven bits, and a sign that more follow.
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    /// A field of bytes.
    pub(crate) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A field of text.
    pub(crate) fn text(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    /// A field that is a message itself.
    pub(crate) fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    /// A field with a number that is not negative.
    pub(crate) fn number(&mut self, field: u32, number: u64) {
        self.key(field, 0);
        self.varint(number);
    }

    /// A field with eight bytes.
    pub(crate) fn fixed64(&mut self, field: u32, number: u64) {
        self.key(field, 1);
        self.0.extend_from_slice(&number.to_le_bytes());
    }
}
