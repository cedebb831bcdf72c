//! Identifiers as types with a visible prefix.
//!
//! Drawing random bits is left to the caller: the rules never touch a source of randomness.

use std::{borrow::Cow, fmt, marker::PhantomData, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Names one run. 128 random bits, so that the id of another user's run cannot be guessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(u128);

/// Names one process that drives runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(u128);

/// Counts the leases of a run. A driver that lost its lease has a smaller number and is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence(pub u64);

/// Place of an event in its run's journal; the first event has 1, an empty journal 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Sequence(pub u64);

/// BLAKE3 digest that names stored bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a research id")]
pub struct ParseIdError(pub String);

impl RunId {
    pub const PREFIX: &'static str = "res_";

    pub fn from_random(bits: u128) -> Self {
        Self(bits)
    }

    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// A number in `0.0..1.0` that depends only on this id and `salt`.
    /// Spreads retries and resumes without a source of randomness, so a failing run replays.
    pub fn spread(self, salt: u64) -> f64 {
        let mut word = (self.0 as u64) ^ ((self.0 >> 64) as u64) ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        (word >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{:032x}", Self::PREFIX, self.0)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for RunId {
    type Err = ParseIdError;

    /// Accepts `res_…`, the bare digits, and the hyphenated form that older clients call `task_id`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.trim().strip_prefix(Self::PREFIX).unwrap_or(text.trim());
        let bare: Cow<'_, str> = match digits.len() {
            36 => digits.split('-').collect(),
            _ => Cow::Borrowed(digits),
        };
        let is_hex = bare.len() == 32 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
        let parsed = if is_hex { u128::from_str_radix(&bare, 16).ok() } else { None };
        parsed.map(Self).ok_or_else(|| ParseIdError(crate::text::short(text, 60)))
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(IdVisitor(PhantomData))
    }
}

impl OwnerId {
    pub fn from_random(bits: u128) -> Self {
        Self(bits)
    }

    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "own_{:032x}", self.0)
    }
}

impl fmt::Debug for OwnerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Sequence {
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Digest {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0_u8; 32];
        let refused = || ParseIdError(crate::text::short(text, 70));
        if text.len() != 64 || !text.is_ascii() {
            return Err(refused());
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| refused())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| refused())?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(IdVisitor(PhantomData))
    }
}

/// Reads an id from text without a copy of it: status rows have several.
struct IdVisitor<T>(PhantomData<T>);

impl<T: FromStr<Err = ParseIdError>> de::Visitor<'_> for IdVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an id")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests;
