//! Base64, the way in: letters, digits, `+`, `/` and `=`, which mean nothing in a Python literal.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes in base64, with the padding that Python asks for.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, n| bits << 8 | u32::from(group.get(n).copied().unwrap_or(0)));
        for n in 0..4_usize {
            // Three bytes make four letters, two make three, one makes two.
            text.push(if n <= group.len() { letter(bits >> (18 - 6 * n)) } else { '=' });
        }
    }
    text
}

fn letter(bits: u32) -> char {
    LETTERS.get((bits & 63) as usize).copied().map_or('=', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_come_out() {
        let examples = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in examples {
            assert_eq!(encode(plain.as_bytes()), encoded);
        }
        assert_eq!(encode(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
