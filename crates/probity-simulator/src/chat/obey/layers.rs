//! Every text that is hidden in a text: comments, encodings, invisible letters, letters turned round.
//!
//! A model that can read all of these is the worst case for a program that passes pages to one.

use std::collections::BTreeSet;

use crate::named_set::named;

/// Shorter runs are words, not blobs.
const BLOB_BYTES_MIN: usize = 16;
/// An encoding inside an encoding is read too, and so on for this many times.
const DEPTH_MAX: u32 = 3;

named! {
    /// How a text was hidden.
    pub enum Layer {
        Plain = "plain",
        Comment = "comment",
        Base64 = "base64",
        Hex = "hex",
        Percent = "percent",
        Entities = "entities",
        Rot13 = "rot13",
        Reversed = "reversed",
        ZeroWidth = "zero-width",
        Tags = "tags",
        /// Look-alikes: full-width letters, small capitals of other alphabets, letters apart.
        LookAlike = "look-alike",
    }
}

/// The text itself and what can be decoded from it, each with the outermost way it was hidden.
pub fn layers(text: &str) -> Vec<(Layer, String)> {
    let mut found = vec![(Layer::Plain, text.to_owned())];
    let mut seen = BTreeSet::from([text.to_owned()]);
    let mut newest = found.clone();
    for _ in 0..DEPTH_MAX {
        let mut next = Vec::new();
        for (outer, text) in &newest {
            for (layer, inner) in decoded(text) {
                if inner.trim().len() > 3 && seen.insert(inner.clone()) {
                    let layer = if *outer == Layer::Plain { layer } else { *outer };
                    next.push((layer, inner));
                }
            }
        }
        found.extend(next.iter().cloned());
        // Turning the whole text again and again finds nothing that one turn does not.
        newest =
            next.into_iter().filter(|(layer, _)| !matches!(layer, Layer::Rot13 | Layer::Reversed)).collect();
    }
    found
}

fn decoded(text: &str) -> Vec<(Layer, String)> {
    let mut found: Vec<(Layer, String)> =
        comments(text).into_iter().map(|text| (Layer::Comment, text)).collect();
    found.extend(blobs(text, is_base64).filter_map(|blob| Some((Layer::Base64, readable(base64(blob)?)?))));
    found.extend(
        blobs(text, |byte| byte.is_ascii_hexdigit())
            .filter_map(|blob| Some((Layer::Hex, readable(hex(blob)?)?))),
    );
    found.push((Layer::Percent, percent(text)));
    found.push((Layer::Entities, entities(text)));
    found.push((Layer::Rot13, text.chars().map(rot13).collect()));
    found.push((
        Layer::Reversed,
        text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n"),
    ));
    found.extend(zero_width(text).map(|text| (Layer::ZeroWidth, text)));
    found.extend(tags(text).map(|text| (Layer::Tags, text)));
    found.push((Layer::LookAlike, look_alike(text)));
    found.retain(|(_, inner)| inner != text);
    found
}

fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [("<!--", "-->"), ("/*", "*/"), ("[//]: # (", ")")] {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once(open) {
            let (inside, after) = behind.split_once(close).unwrap_or((behind, ""));
            found.push(inside.trim().to_owned());
            rest = after;
        }
    }
    found
}

fn blobs(text: &str, is_part: fn(u8) -> bool) -> impl Iterator<Item = &str> {
    let runs = text.split(move |letter: char| !u8::try_from(letter).is_ok_and(is_part));
    runs.filter(|run| run.len() >= BLOB_BYTES_MIN)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

pub(super) fn base64(blob: &str) -> Option<Vec<u8>> {
    let mut bits: u32 = 0;
    let mut count = 0;
    let mut bytes = Vec::new();
    for byte in blob.trim_end_matches('=').bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}

fn hex(blob: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = blob.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect();
    Some(digits?.chunks_exact(2).filter_map(|pair| Some(pair.first()? << 4 | pair.last()?)).collect())
}

/// Bytes that are plausible text.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = text.chars().filter(|letter| letter.is_control() && !letter.is_whitespace()).count();
    (odd == 0 && text.chars().any(char::is_alphabetic)).then_some(text)
}

fn percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn entities(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let named = behind.split_once(';').filter(|(name, _)| name.len() <= 8);
        let letter = named.and_then(|(name, after)| {
            let letter = match name {
                "lt" => '<',
                "gt" => '>',
                "amp" => '&',
                "quot" => '"',
                "apos" => '\'',
                _ => {
                    let digits = name.strip_prefix('#')?;
                    let code = match digits.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                        None => digits.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
            };
            Some((letter, after))
        });
        match letter {
            Some((letter, after)) => {
                out.push(letter);
                rest = after;
            }
            None => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

fn rot13(letter: char) -> char {
    let turned = |base: u8| char::from((letter as u8 - base + 13) % 26 + base);
    match letter {
        'a'..='z' => turned(b'a'),
        'A'..='Z' => turned(b'A'),
        _ => letter,
    }
}

/// Invisible letters as bits, eight to a byte; both ways round.
fn zero_width(text: &str) -> Option<String> {
    let bit = |letter: char| match letter {
        '\u{200b}' | '\u{2062}' => Some(0_u8),
        '\u{200c}' | '\u{200d}' | '\u{2063}' => Some(1),
        _ => None,
    };
    let bits: Vec<u8> = text.chars().filter_map(bit).collect();
    let bytes = |flip: u8| -> Vec<u8> {
        bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | (bit ^ flip))).collect()
    };
    readable(bytes(0)).or_else(|| readable(bytes(1)))
}

/// The block of tag characters repeats ASCII invisibly.
fn tags(text: &str) -> Option<String> {
    let ascii =
        |letter: char| char::from_u32(u32::from(letter).checked_sub(0xe_0000)?).filter(char::is_ascii);
    let hidden: String = text.chars().filter_map(ascii).collect();
    (!hidden.is_empty()).then_some(hidden)
}

/// Full-width forms and the most common look-alikes as ASCII, invisible letters left out.
fn look_alike(text: &str) -> String {
    let plain = |letter: char| match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0),
        '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' => None,
        'а' => Some('a'),
        'е' => Some('e'),
        'о' => Some('o'),
        'р' => Some('p'),
        'с' => Some('c'),
        'х' => Some('x'),
        'у' => Some('y'),
        'і' => Some('i'),
        'ѕ' => Some('s'),
        _ => Some(letter),
    };
    text.chars().filter_map(plain).collect()
}

#[cfg(test)]
mod tests;
