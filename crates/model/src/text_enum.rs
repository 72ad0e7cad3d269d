//! One macro for enumerations that are text on the wire.
//!
//! Writers use the spelling given here; readers accept any letter case, because the documents mix them.

/// Declares an enum whose members have a fixed spelling in JSON and for people.
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant),+ }

        impl $name {
            /// Every member, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The spelling used in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ValidationError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|member| member.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
                    let known: Vec<_> = Self::ALL.iter().map(|member| member.as_str()).collect();
                    $crate::ValidationError::new(
                        stringify!($name),
                        format!("`{}` is not one of {}", text.escape_debug(), known.join(", ")),
                    )
                })
            }
        }

        $crate::text_enum::text_serde!($name member);

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($text),+] })
            }
        }
    };
}

/// Gives a type that has `Display` and `FromStr` its JSON form: a string. What has `as_str` is written without formatting,
/// and the members of an enumeration as such: whoever looks for secrets need not read them.
macro_rules! text_serde {
    ($name:ident) => {
        $crate::text_enum::text_serde!($name, |it, serializer| serializer.collect_str(it));
    };
    ($name:ident as_str) => {
        $crate::text_enum::text_serde!($name, |it, serializer| serializer.serialize_str(it.as_str()));
    };
    ($name:ident member) => {
        $crate::text_enum::text_serde!($name, |it, serializer| serializer.serialize_unit_variant(
            stringify!($name),
            *it as u32,
            it.as_str()
        ));
    };
    ($name:ident, |$it:ident, $serializer:ident| $write:expr) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, $serializer: S) -> Result<S::Ok, S::Error> {
                let $it = self;
                $write
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl serde::de::Visitor<'_> for Text {
                    type Value = $name;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        write!(formatter, "text that is a valid {}", stringify!($name))
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(|error: $crate::ValidationError| E::custom(error.problem))
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}

pub(crate) use {text_enum, text_serde};
