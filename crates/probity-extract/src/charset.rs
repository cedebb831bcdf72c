//! Bytes to text, remembering which byte each piece of text came from.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// How far into a page its declared encoding is looked for; browsers look at 1024 bytes.
const PROLOGUE_BYTES: usize = 4096;
/// Bytes inspected to guess an encoding; more says nothing new.
const GUESS_BYTES_MAX: usize = 256 * 1024;
/// One wrong byte in so many: then it is UTF-8 with damage, not another encoding.
const DAMAGE_SHARE: usize = 200;

#[derive(Debug)]
pub struct DecodedText<'a> {
    pub text: Cow<'a, str>,
    /// Offsets in the text and in the bytes from which on both advance alike.
    steps: Vec<(u32, u32)>,
}

impl DecodedText<'_> {
    /// The byte that the text at `place` came from.
    pub fn source(&self, place: usize) -> usize {
        let after = self.steps.partition_point(|(text, _)| *text as usize <= place);
        let step = after.checked_sub(1).and_then(|step| self.steps.get(step));
        step.map_or(place, |(text, byte)| *byte as usize + (place - *text as usize))
    }
}

/// `top_level_domain` helps to guess; `None` where the bytes are no page of the web.
pub fn decode<'a>(bytes: &'a [u8], top_level_domain: Option<&str>) -> DecodedText<'a> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(mark..).unwrap_or_default();
        return if encoding == UTF_8 { utf_8(rest, mark) } else { legacy(rest, mark, encoding) };
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return DecodedText { text: Cow::Borrowed(text), steps: Vec::new() };
    }
    let wrong: usize = bytes.utf8_chunks().map(|chunk| usize::from(!chunk.invalid().is_empty())).sum();
    let says = declared_encoding(bytes)
        .filter(|encoding| *encoding != UTF_8 || wrong <= bytes.len() / DAMAGE_SHARE + 1);
    let encoding = says.unwrap_or_else(|| guess(bytes, top_level_domain));
    if encoding == UTF_8 { utf_8(bytes, 0) } else { legacy(bytes, 0, encoding) }
}

fn utf_8(bytes: &[u8], skipped: usize) -> DecodedText<'_> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return DecodedText { text: Cow::Borrowed(text), steps: vec![(0, small(skipped))] };
    }
    let mut text = String::with_capacity(bytes.len());
    let mut steps = vec![(0, small(skipped))];
    let mut at = skipped;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            at += chunk.invalid().len();
            steps.push((small(text.len()), small(at)));
        }
    }
    DecodedText { text: Cow::Owned(text), steps }
}

/// Byte by byte, so that every character's origin is known.
fn legacy(bytes: &[u8], skipped: usize, encoding: &'static Encoding) -> DecodedText<'static> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    let mut steps: Vec<(u32, u32)> = vec![(0, small(skipped))];
    let mut begun = skipped;
    for (place, byte) in bytes.iter().enumerate() {
        let mut room = [0_u8; 16];
        let last = place + 1 == bytes.len();
        let (_, _, written, _) = decoder.decode_to_utf8(std::slice::from_ref(byte), &mut room, last);
        if written == 0 {
            continue;
        }
        let (from, to) = steps.last().copied().unwrap_or_default();
        if text.len().wrapping_sub(from as usize) != begun.wrapping_sub(to as usize) {
            steps.push((small(text.len()), small(begun)));
        }
        text.push_str(std::str::from_utf8(room.get(..written).unwrap_or_default()).unwrap_or_default());
        begun = skipped + place + 1;
    }
    steps.push((small(text.len()), small(skipped + bytes.len())));
    DecodedText { text: Cow::Owned(text), steps }
}

fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The declared encoding: `<meta charset=…>`, `<?xml encoding=…?>`.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..PROLOGUE_BYTES).unwrap_or(bytes).to_ascii_lowercase();
    let text = String::from_utf8_lossy(&start);
    let after =
        ["charset=", "encoding="].iter().find_map(|key| text.split_once(key).map(|(_, after)| after))?;
    let label = after.trim_start_matches(['"', '\'', ' ']);
    let label = label.split(['"', '\'', ' ', ';', '>', '/', '?']).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // A page that declares its encoding in ASCII is not UTF-16.
    if encoding.is_ascii_compatible() { Some(encoding) } else { Some(UTF_8) }
}

fn guess(bytes: &[u8], top_level_domain: Option<&str>) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes.get(..GUESS_BYTES_MAX).unwrap_or(bytes), true);
    detector.guess(top_level_domain.map(str::as_bytes), chardetng::Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// Each character's byte is where the encoding has it.
    #[track_caller]
    fn check(bytes: &[u8], text: &str, word: &str, place: usize) {
        let decoded = decode(bytes, None);
        assert_eq!(decoded.text, text);
        assert_eq!(decoded.source(decoded.text.find(word).unwrap()), place);
    }

    #[test]
    fn places_survive_every_encoding() {
        check("é word".as_bytes(), "é word", "word", 3);
        check(b"\xef\xbb\xbf\xc3\xa9 word", "é word", "word", 6);
        check(b"<meta charset=latin1>\xe9\xe9 word", "<meta charset=latin1>éé word", "word", 24);
        check(b"<meta charset=utf-8>a\xffb word", "<meta charset=utf-8>a\u{fffd}b word", "word", 24);
        check(b"\xff\xfea\0 \0w\0o\0r\0d\0", "a word", "word", 6);
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("<meta charset=shift_jis>日本語 word");
        check(&sjis, "<meta charset=shift_jis>日本語 word", "word", 31);
    }

    #[test]
    fn an_encoding_nobody_names_is_guessed() {
        let text = "Съешь ещё этих мягких французских булок, да выпей же чаю. ".repeat(5);
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&text);
        assert_eq!(decode(&bytes, Some("ru")).text, text);
    }

    #[test]
    fn a_page_that_lies_about_utf_8_is_read_all_the_same() {
        let text = "Größe, Maß, Fuß und Übermut: äöüß. ".repeat(9);
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(&text);
        let page = [b"<meta charset=utf-8>".as_slice(), &bytes].concat();
        assert_eq!(decode(&page, Some("de")).text, format!("<meta charset=utf-8>{text}"));
    }
}
