//! What the workflows work on, made here: an invoice with a text layer, a table with dirty rows, a raw e-mail.

use std::fmt::Write;

use serde_json::{Value, json};

/// An invoice as PDF: one page whose text can be read.
pub(crate) fn invoice() -> Value {
    let lines = [
        "Invoice 2026-117",
        "Client: Acme Ltd.",
        "Consulting, 8 hours: 1000.00 USD",
        "Travel: 234.56 USD",
        "Total: 1234.56 USD",
    ];
    json!({ "pdf_data_b64": base64(&pdf(&lines)), "client_name": "Acme Ltd." })
}

/// A table in which some rows are not as they should be.
pub(crate) fn sales() -> Value {
    let csv = "date,region,amount\n\
               2026-01-03,north,100.50\n\
               2026-01-04,south,not a number\n\
               2026-01-05,north,\n\
               2026-01-06,south,200\n\
               ,,\n\
               2026-01-07,north,99.50\n\
               2026-01-07,north,99.50\n\
               bad date,south,300\n";
    // Long enough that nobody would call it a short text.
    let more: String = (10..40).map(|day| format!("2026-02-{:02},east,10\n", day % 28 + 1)).collect();
    json!({ "csv_text": format!("{csv}{more}") })
}

/// An e-mail as it is sent, with two attachments and a subject that is not ASCII.
pub(crate) fn email() -> Value {
    let note = base64(b"Please find the figures attached.\n");
    let raw = format!(
        "From: =?utf-8?q?Mar=C3=ADa_G=C3=B3mez?= <maria@example.com>\r\n\
         To: ops@example.org\r\n\
         Date: Tue, 03 Nov 2026 09:15:00 +0100\r\n\
         Subject: =?utf-8?b?{}?=\r\n\
         MIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=\"b1\"\r\n\r\n\
         --b1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello, see below.\r\n\
         --b1\r\nContent-Type: text/csv; name=\"figures.csv\"\r\n\
         Content-Disposition: attachment; filename=\"figures.csv\"\r\n\r\na,b\r\n1,2\r\n\
         --b1\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\
         Content-Disposition: attachment; filename=\"note.txt\"\r\n\r\n{note}\r\n--b1--\r\n",
        base64("Cifras de noviembre ✓".as_bytes()),
    );
    json!({ "raw_email": raw })
}

/// A page of text, as small as a PDF can be.
fn pdf(lines: &[&str]) -> Vec<u8> {
    let mut content = String::from("BT /F1 12 Tf 72 760 Td 16 TL\n");
    for line in lines {
        let line = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        writeln!(content, "({line}) Tj T*").unwrap();
    }
    content.push_str("ET\n");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut text = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (n, object) in (1..).zip(&objects) {
        places.push(text.len());
        writeln!(text, "{n} 0 obj\n{object}\nendobj").unwrap();
    }
    let table = text.len();
    write!(text, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    places.iter().for_each(|place| writeln!(text, "{place:010} 00000 n ").unwrap());
    write!(text, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1)
        .unwrap();
    text.into_bytes()
}

/// Bytes as text, three of them in four letters.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits: u32, n| bits << 8 | u32::from(three.get(n).copied().unwrap_or(0)));
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize];
            text.push(if n <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
