//! Whether a record may hold a secret: its texts and names are looked at where they are, without writing it as JSON. Most
//! records have none, and are serialised once, when they are appended.

use std::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{self, Serializer};

use super::Redactor;

/// Looks at every text of a record; ends with [`Found`] at the first that may hold a secret.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    redactor: &'a Redactor,
    /// Whether what comes next is the name of a field.
    is_name: bool,
}

/// There may be a secret, or the record cannot be serialised, which whoever writes it will say.
#[derive(Debug)]
pub(super) struct Found;

impl Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("there may be a secret")
    }
}

impl std::error::Error for Found {}

impl ser::Error for Found {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl<'a> Scan<'a> {
    pub(super) const fn new(redactor: &'a Redactor) -> Self {
        Self { redactor, is_name: false }
    }
}

/// Numbers and the like are no secrets by themselves; those in fields of certain names are found by the name.
macro_rules! harmless {
    ($($method:ident: $kind:ty),*) => {
        $(fn $method(self, _: $kind) -> Result<(), Found> { Ok(()) })*
    };
}

impl Serializer for Scan<'_> {
    type Ok = ();
    type Error = Found;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    harmless!(serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8], serialize_unit_struct: &'static str);

    fn serialize_str(self, text: &str) -> Result<(), Found> {
        let suspicious = if self.is_name {
            self.redactor.is_suspicious_name(text)
        } else {
            self.redactor.is_suspicious(text)
        };
        if suspicious { Err(Found) } else { Ok(()) }
    }

    fn serialize_none(self) -> Result<(), Found> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Found> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Found> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Found> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Found> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Found> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Found> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Found> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Found> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Found> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Found> {
        Ok(self)
    }
}

/// Lists and tuples are their elements.
macro_rules! elements {
    ($($kind:ident: $method:ident),*) => {
        $(impl ser::$kind for Scan<'_> {
            type Ok = ();
            type Error = Found;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Found> {
                value.serialize(*self)
            }

            fn end(self) -> Result<(), Found> {
                Ok(())
            }
        })*
    };
}

elements!(SerializeSeq: serialize_element, SerializeTuple: serialize_element, SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field);

/// Records are their fields. Their names are ours, and none says that the value is a secret; the operator may have named one.
macro_rules! fields {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Scan<'_> {
            type Ok = ();
            type Error = Found;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Found> {
                if self.redactor.is_wanted(name) {
                    return Err(Found);
                }
                value.serialize(*self)
            }

            fn end(self) -> Result<(), Found> {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Scan<'_> {
    type Ok = ();
    type Error = Found;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Found> {
        key.serialize(Self { is_name: true, ..*self })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Found> {
        value.serialize(*self)
    }

    fn end(self) -> Result<(), Found> {
        Ok(())
    }
}
