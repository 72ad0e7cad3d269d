//! Base64 (RFC 4648, with padding): for keys and signatures in headers.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let at = |nth: usize| u32::from(chunk.get(nth).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for nth in 0..4 {
            let letter = LETTERS.get((word >> (18 - 6 * nth) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if nth <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// The bytes of a text; nothing if it has other letters.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut word, mut bits) = (Vec::new(), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|letter| *letter == byte)?;
        word = (word << 6 | u32::try_from(value).ok()?) & 0x00ff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(word >> bits & 0xff).ok()?);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_as_the_bytes_they_were_made_of() {
        assert_eq!(encoded(b"ab"), "YWI=");
        assert_eq!(encoded(b"abc"), "YWJj");
        for length in 0..9_u8 {
            let bytes: Vec<u8> = (0..length).map(|nth| nth.wrapping_mul(97).wrapping_add(200)).collect();
            assert_eq!(decoded(&encoded(&bytes)), Some(bytes));
        }
        assert_eq!(decoded("a b"), None);
    }
}
