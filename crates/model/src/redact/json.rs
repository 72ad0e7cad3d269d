//! Records as JSON, byte for byte as `serde_json` writes them, and whether they may hold a secret.
//!
//! `serde_json` looks at each byte of each text and of each name for one that needs an escape, which was a third of what writing an
//! event took. Here several bytes are looked at together. Numbers are left to `serde_json`. Secrets are looked for in texts and in
//! the names of maps, as [`super::scan`] does, while they are at hand: half of the JSON is names of fields and marks.

mod text;

use std::fmt::{self, Display, Write};

use serde::Serialize;
use serde::ser::{self, Serializer};
use serde_json::{Error, Result};

use self::text::{push_escaped, push_name, push_text};
use super::Redactor;

/// The name under which `serde_json` hands over a text that is JSON already. A test fails should it ever change.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

/// How much room a record gets at first: growing a buffer costs more than writing into it.
const TYPICAL_TEXT: usize = 1024;

/// The JSON of a record.
pub(crate) fn text_of<T: Serialize + ?Sized>(record: &T) -> Result<String> {
    let mut buffer = Vec::with_capacity(TYPICAL_TEXT);
    write(record, None, &mut buffer)?;
    String::from_utf8(buffer).map_err(ser::Error::custom)
}

/// Writes a record behind what the buffer holds; says whether it may hold a secret.
pub(super) fn write<T: Serialize + ?Sized>(
    record: &T,
    redactor: Option<&Redactor>,
    buffer: &mut Vec<u8>,
) -> Result<bool> {
    let mut page = Page { out: buffer, redactor, is_suspicious: false };
    record.serialize(Json { page: &mut page, kind: Kind::Value })?;
    Ok(page.is_suspicious)
}

/// What was written, and what was found in it.
struct Page<'a> {
    out: &'a mut Vec<u8>,
    /// Who knows secrets; nobody if they are looked for later.
    redactor: Option<&'a Redactor>,
    is_suspicious: bool,
}

impl Page<'_> {
    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn text(&mut self, text: &str, kind: Kind) {
        self.is_suspicious = self.is_suspicious || kind.is_suspicious(text, self.redactor);
        match kind {
            Kind::Raw => self.push(text),
            Kind::Value | Kind::Name => push_text(self.out, text),
        }
    }
}

/// What comes next.
#[derive(Clone, Copy)]
enum Kind {
    Value,
    /// The name of a map's field.
    Name,
    /// A text that is JSON already.
    Raw,
}

impl Kind {
    fn is_suspicious(self, text: &str, redactor: Option<&Redactor>) -> bool {
        redactor.is_some_and(|redactor| match self {
            Self::Name => redactor.is_suspicious_name(text),
            Self::Value | Self::Raw => redactor.is_suspicious(text),
        })
    }
}

/// Writes one value.
struct Json<'p, 'a> {
    page: &'p mut Page<'a>,
    kind: Kind,
}

impl<'p, 'a> Json<'p, 'a> {
    fn plain(self, text: &str) -> Result<()> {
        self.page.push(text);
        Ok(())
    }

    fn open(self, begin: &str, end: &'static str) -> Items<'p, 'a> {
        self.page.push(begin);
        Items { page: self.page, is_first: true, is_raw: false, end }
    }

    /// An enum's variant is an object with one field.
    fn variant(self, name: &'static str, begin: &str, end: &'static str) -> Items<'p, 'a> {
        self.page.out.push(b'{');
        push_name(self.page.out, name);
        self.open(begin, end)
    }
}

/// What `serde_json` writes as well as this could.
macro_rules! as_usual {
    ($($method:ident: $kind:ty),*) => {
        $(fn $method(self, value: $kind) -> Result<()> { serde_json::to_writer(&mut *self.page.out, &value) })*
    };
}

impl<'p, 'a> Serializer for Json<'p, 'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'p, 'a>;
    type SerializeTuple = Items<'p, 'a>;
    type SerializeTupleStruct = Items<'p, 'a>;
    type SerializeTupleVariant = Items<'p, 'a>;
    type SerializeMap = Items<'p, 'a>;
    type SerializeStruct = Items<'p, 'a>;
    type SerializeStructVariant = Items<'p, 'a>;

    as_usual!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128, serialize_u8: u8,
        serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128, serialize_f32: f32, serialize_f64: f64,
        serialize_char: char, serialize_bytes: &[u8]);

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.plain(if value { "true" } else { "false" })
    }

    fn serialize_str(self, text: &str) -> Result<()> {
        self.page.text(text, self.kind);
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.plain("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.plain("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.plain("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<()> {
        push_text(self.page.out, name);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        let variant = self.variant(name, "", "}");
        value.serialize(Json { page: variant.page, kind: Kind::Value })?;
        variant.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'p, 'a>> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'p, 'a>> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'p, 'a>> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Items<'p, 'a>> {
        Ok(self.variant(name, "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'p, 'a>> {
        Ok(self.open("{", "}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Items<'p, 'a>> {
        if name == RAW {
            return Ok(Items { page: self.page, is_first: true, is_raw: true, end: "" });
        }
        Ok(self.open("{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Items<'p, 'a>> {
        Ok(self.variant(name, "{", "}}"))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.page.out.push(b'"');
        let from = self.page.out.len();
        write!(Escaped(self.page.out), "{value}").map_err(ser::Error::custom)?;
        // With its escapes, in which nothing that is suspicious is lost.
        let written = self.page.out.get(from..).and_then(|text| str::from_utf8(text).ok());
        self.page.is_suspicious |=
            written.is_none_or(|text| self.kind.is_suspicious(text, self.page.redactor));
        self.page.out.push(b'"');
        Ok(())
    }
}

/// Text that is escaped as it comes.
struct Escaped<'a>(&'a mut Vec<u8>);

impl Write for Escaped<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        push_escaped(self.0, piece);
        Ok(())
    }
}

/// Writes the items of a list or an object, one after the other.
struct Items<'p, 'a> {
    page: &'p mut Page<'a>,
    is_first: bool,
    is_raw: bool,
    end: &'static str,
}

impl Items<'_, '_> {
    fn part(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.page.out.push(b',');
        }
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T, kind: Kind) -> Result<()> {
        value.serialize(Json { page: self.page, kind })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.part();
        self.value(value, Kind::Value)
    }

    /// The names of records' fields are ours, and none says that the value is a secret; the operator may have named one.
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if self.is_raw {
            return self.value(value, Kind::Raw);
        }
        self.part();
        self.page.is_suspicious |= self.page.redactor.is_some_and(|redactor| redactor.is_wanted(name));
        push_name(self.page.out, name);
        self.value(value, Kind::Value)
    }

    fn close(self) -> Result<()> {
        self.page.push(self.end);
        Ok(())
    }
}

macro_rules! elements {
    ($($kind:ident: $method:ident),*) => {
        $(impl ser::$kind for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
}

elements!(SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field);

macro_rules! fields {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Items<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.part();
        let from = self.page.out.len();
        self.value(key, Kind::Name)?;
        // A number or a truth value becomes a text, as in `serde_json`; nothing else is a name.
        match self.page.out.get(from) {
            Some(b'"') => Ok(()),
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => {
                self.page.out.insert(from, b'"');
                self.page.out.push(b'"');
                Ok(())
            }
            _ => Err(ser::Error::custom("key must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.page.out.push(b':');
        self.value(value, Kind::Value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::{RawValue, to_raw_value};
    use serde_json::{Value, json};

    use super::*;

    fn written<T: Serialize>(record: &T) -> String {
        let mut buffer = Vec::new();
        write(record, Some(&Redactor::default()), &mut buffer).unwrap();
        assert_eq!(text_of(record).unwrap().as_bytes(), buffer);
        String::from_utf8(buffer).unwrap()
    }

    #[derive(Serialize)]
    enum Shape {
        Unit,
        New(u8),
        Pair(u8, &'static str),
        Named { one: Option<f64>, two: () },
    }

    #[derive(Serialize)]
    struct Whole {
        kinds: Vec<Shape>,
        raw: Box<RawValue>,
        letter: char,
        numbers: BTreeMap<i32, (f32, u128)>,
        truths: BTreeMap<bool, [u8; 2]>,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    #[test]
    fn every_kind_of_value_is_written_as_serde_json_writes_it() {
        let whole = Whole {
            kinds: vec![
                Shape::Unit,
                Shape::New(3),
                Shape::Pair(4, "a\"b"),
                Shape::Named { one: Some(0.1), two: () },
            ],
            raw: to_raw_value(&json!({"in": ["a\\b", null]})).unwrap(),
            letter: '"',
            numbers: BTreeMap::from([(-7, (1.5, u128::MAX)), (8, (f32::NAN, 0))]),
            truths: BTreeMap::from([(true, [1, 2])]),
            rest: BTreeMap::from([(
                "more".to_owned(),
                json!({"deep": {}, "list": [[]], "é\u{7f}\u{1f}": "\u{8}\u{c}"}),
            )]),
        };
        assert_eq!(written(&whole), serde_json::to_string(&whole).unwrap());
        assert_eq!(written(&format_args!("a{}\n", "\"")), r#""a\"\n""#);
    }

    #[test]
    fn what_is_no_name_is_refused_as_a_key() {
        let record = BTreeMap::from([(vec![1], 2)]);
        assert!(serde_json::to_string(&record).is_err() && text_of(&record).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_serde_json_writes_it(text in "[a-z\"\\\\\u{0}-\u{20}é😀]{0,70}") {
            prop_assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            let named = BTreeMap::from([(text.as_str(), &text)]);
            prop_assert_eq!(written(&named), serde_json::to_string(&named).unwrap());
        }
    }
}
