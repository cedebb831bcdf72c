//! Scalars and lists that never fail on an unexpected shape: what is no text is empty, what is no list has
//! no members.

use std::{borrow::Cow, fmt, ops::Deref};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// Text borrowed from the answer where it has no escapes; empty when the value was no text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LenientText<'a>(pub Cow<'a, str>);

impl LenientText<'_> {
    /// `None` for the empty text.
    pub fn non_empty(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

impl Deref for LenientText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for LenientText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LenientTextVisitor;
        impl<'de> Visitor<'de> for LenientTextVisitor {
            type Value = LenientText<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(LenientText(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(LenientText(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(LenientText(Cow::Owned(text)))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(LenientText(Cow::Owned(number.to_string())))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(LenientText(Cow::Owned(number.to_string())))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(LenientText::default())
            }
            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(LenientText::default())
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(LenientText::default())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                while members.next_element::<IgnoredAny>()?.is_some() {}
                Ok(LenientText::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(LenientText::default())
            }
        }
        deserializer.deserialize_any(LenientTextVisitor)
    }
}

/// A count; `None` when the value was missing or no count. 64-bit numbers also come as text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LenientNumber(pub Option<u64>);

impl LenientNumber {
    pub fn or_zero(self) -> u64 {
        self.0.unwrap_or(0)
    }
}

impl<'de> Deserialize<'de> for LenientNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = LenientText::deserialize(deserializer)?;
        Ok(Self(text.parse().ok()))
    }
}

/// An answer in a form that can be parsed: bytes that are no UTF-8, and halves of characters that JSON can escape and
/// no text can hold, become U+FFFD. Everything else stays as it is; so does the answer itself.
pub fn readable(answer: &[u8]) -> Cow<'_, [u8]> {
    let mut text = match String::from_utf8_lossy(answer) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let mut position = 0;
    while let Some(found) = next_backslash(&text, position) {
        position += found;
        match (escaped_unit(&text, position), escaped_unit(&text, position + UNIT_BYTES)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => position += 2 * UNIT_BYTES,
            (Some(0xD800..=0xDFFF), _) => {
                let digits = position + 2..position + UNIT_BYTES;
                if let Some(digits) = text.to_mut().get_mut(digits) {
                    digits.copy_from_slice(b"fffd");
                }
                position += UNIT_BYTES;
            }
            // Any other escape: the sign after the backslash begins none of its own.
            _ => position += 2,
        }
    }
    text
}

fn next_backslash(text: &[u8], position: usize) -> Option<usize> {
    text.get(position..)?.iter().position(|byte| *byte == b'\\')
}

/// Bytes of an escape such as `\ud83c`.
const UNIT_BYTES: usize = 6;

/// The number in the escape that begins here, if one does.
fn escaped_unit(text: &[u8], position: usize) -> Option<u16> {
    let digits = text.get(position..position + UNIT_BYTES)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    // A sign is no digit here.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The members that can be read; a single object counts as a list of one.
pub fn read_list<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Vec<T> {
    let Some(raw) = raw else { return Vec::new() };
    if is_object(raw.get().as_bytes()) {
        return serde_json::from_str(raw.get()).into_iter().collect();
    }
    serde_json::from_str::<Vec<T>>(raw.get()).unwrap_or_else(|_| {
        let members: Vec<&'a RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
        members.into_iter().filter_map(|one| serde_json::from_str(one.get()).ok()).collect()
    })
}

/// The object, or the empty one.
pub fn read_object<'a, T: Deserialize<'a> + Default>(raw: Option<&'a RawValue>) -> T {
    let object = raw.filter(|raw| is_object(raw.get().as_bytes()));
    object.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Derived deserializers also take a list for an object, field by field; the service never means that.
pub(super) fn is_object(json: &[u8]) -> bool {
    json.trim_ascii_start().first() == Some(&b'{')
}
