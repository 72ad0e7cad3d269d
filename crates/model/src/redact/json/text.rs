//! Texts of JSON: between quotation marks, with escapes where they are needed.

/// How many bytes are looked at together: as many as a register has.
const BLOCK: usize = 8;

/// Writes a text with its quotation marks.
pub(super) fn push_text(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Writes a name that stands in the program, with what separates it from its value. None of them needs an escape, and most of what
/// is written are such names.
pub(super) fn push_name(out: &mut Vec<u8>, name: &'static str) {
    debug_assert!(is_plain(name.as_bytes()), "{name} would be no JSON");
    out.reserve(name.len() + 3);
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

/// Writes what stands between the quotation marks.
pub(super) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    if is_plain(rest) {
        return out.extend_from_slice(rest);
    }
    while let Some(at) = rest.iter().position(|byte| needs_escape(*byte)) {
        let (plain, from) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((byte, behind)) = from.split_first() else { return };
        push_escape(out, *byte);
        rest = behind;
    }
    out.extend_from_slice(rest);
}

/// Whether a text can stand as it is. The last bytes are looked at with some that were looked at before: a text has no rest then.
fn is_plain(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<BLOCK>() else {
        return !text.iter().any(|byte| needs_escape(*byte));
    };
    let blocks = text.as_chunks::<BLOCK>().0;
    blocks.iter().fold(marked(*last), |found, block| found | marked(*block)) & each(0x80) == 0
}

/// Marks bytes that need an escape with their highest bit. Which of them it marks is of no use: a subtraction may borrow from the
/// next.
const fn marked(block: [u8; BLOCK]) -> u64 {
    let bytes = u64::from_le_bytes(block);
    let (quotes, slashes) = (bytes ^ each(b'"'), bytes ^ each(b'\\'));
    quotes.wrapping_sub(each(1)) & !quotes
        | slashes.wrapping_sub(each(1)) & !slashes
        | bytes.wrapping_sub(each(b' ')) & !bytes
}

/// A block of one byte.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; BLOCK])
}

const fn needs_escape(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |value: u8| char::from_digit(u32::from(value), 16).map_or(b'0', |digit| digit as u8);
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 0xf)]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
