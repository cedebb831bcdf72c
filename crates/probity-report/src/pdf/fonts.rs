//! Which fonts draw a text: the one inside the program for Latin, Greek, Cyrillic, Hebrew and Arabic, so that such a
//! PDF is the same on every machine; for every other letter, the plainest font of the machine that has it.
//!
//! The one place of this crate that reads files: fonts, in the folders that the caller names, and only where a letter
//! needs them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use parley::{
    FontContext,
    fontique::{Blob, Collection, CollectionOptions, FontInfo, FontInfoOverride, SourceCache},
};

/// The name of the font inside the program; no font of a machine is called so.
pub const OWN_FAMILY: &str = "Probity Sans";
/// Fonts of the machine beside it: one for each script of any report.
const FAMILIES_MAX: usize = 16;
/// Names that are drawn for titles, for screens or for one look alone, or that hold pictures of letters.
const ORNAMENTAL: [&str; 22] = [
    "nastaliq",
    "kufi",
    "rashi",
    "hand",
    "brush",
    "script",
    "comic",
    "display",
    "mono",
    "black",
    "thin",
    "light",
    "symbol",
    "emoji",
    "math",
    "unifont",
    "lastresort",
    "fallback",
    "condensed",
    "kai",
    "musical",
    "looped",
];
const PLAIN: [&str; 12] = [
    "noto sans",
    "sans",
    "gothic",
    "heiti",
    "yahei",
    "pingfang",
    "hiragino",
    "arial",
    "segoe",
    "tahoma",
    "nirmala",
    "leelawadee",
];

/// Where fonts of the machine lie.
#[derive(Debug, Clone, Default)]
pub struct PdfFonts {
    folders: Vec<PathBuf>,
}

/// Letters of one script that no font has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLetters {
    pub script: &'static str,
    pub letters: String,
}

/// The fonts of one document, the best first.
pub struct ChosenFonts {
    pub context: FontContext,
    pub families: Vec<String>,
    pub missing: BTreeSet<char>,
}

impl PdfFonts {
    /// The font inside the program alone.
    pub fn own() -> Self {
        Self::default()
    }

    /// Beside it, what lies in these folders and below.
    pub fn beside(folders: Vec<PathBuf>) -> Self {
        Self { folders }
    }

    pub fn choose(&self, letters: &BTreeSet<char>, language: &str) -> ChosenFonts {
        let collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
        let mut chosen = ChosenFonts {
            context: FontContext { collection, source_cache: SourceCache::default() },
            families: Vec::new(),
            missing: letters.iter().copied().filter(|letter| is_drawn(*letter)).collect(),
        };
        let own = Blob::new(Arc::new(dejavu::sans_condensed::regular()));
        let name = FontInfoOverride { family_name: Some(OWN_FAMILY), ..FontInfoOverride::default() };
        for (_, fonts) in chosen.context.collection.register_fonts(own, Some(name)) {
            let covered = covered(fonts.first(), &mut chosen.context.source_cache, letters);
            chosen.add(OWN_FAMILY, &covered);
        }
        if !chosen.missing.is_empty() && !self.folders.is_empty() {
            chosen.context.collection.load_fonts_from_paths(&self.folders);
            chosen.choose_others(han_style(language, letters));
        }
        chosen
    }
}

impl ChosenFonts {
    fn add(&mut self, family: &str, letters: &BTreeSet<char>) {
        self.families.push(family.to_owned());
        self.missing.retain(|letter| !letters.contains(letter));
    }

    /// Plain fonts before ornamental ones, then those that have the most of what is still missing, then the plainest.
    fn choose_others(&mut self, han: &str) {
        let FontContext { collection, source_cache } = &mut self.context;
        let mut names: Vec<String> = collection.family_names().map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        let mut found: Vec<(String, BTreeSet<char>)> = Vec::new();
        for name in names.into_iter().filter(|name| name != OWN_FAMILY) {
            let Some(family) = collection.family_by_name(&name) else { continue };
            let letters = covered(family.default_font(), source_cache, &self.missing);
            if !letters.is_empty() && family.fonts().iter().all(|font| may_be_embedded(font, source_cache)) {
                found.push((name, letters));
            }
        }
        for _ in 0..FAMILIES_MAX {
            let best = found.iter().max_by_key(|(name, letters)| {
                let plain = plainness(name, han);
                let count = letters.intersection(&self.missing).count();
                (count > 0, plain > 0, count, plain, std::cmp::Reverse(name.as_str()))
            });
            let Some((name, letters)) = best.filter(|(_, letters)| !letters.is_disjoint(&self.missing))
            else {
                break;
            };
            let (name, letters) = (name.clone(), letters.clone());
            self.add(&name, &letters);
        }
    }
}

/// The letters that a font has.
fn covered(font: Option<&FontInfo>, cache: &mut SourceCache, letters: &BTreeSet<char>) -> BTreeSet<char> {
    let Some(font) = font else { return BTreeSet::new() };
    let Some(blob) = font.load(Some(cache)) else { return BTreeSet::new() };
    let Some(map) = font.charmap_index().charmap(blob.as_ref()) else { return BTreeSet::new() };
    letters.iter().copied().filter(|letter| map.map(*letter).is_some_and(|glyph| glyph != 0)).collect()
}

/// It has outlines, not pictures alone, and its licence lets documents contain it.
fn may_be_embedded(font: &FontInfo, cache: &mut SourceCache) -> bool {
    /// `fsType`: nobody but the owner of the licence may put it into a document.
    const RESTRICTED: u16 = 2;
    let Some(blob) = font.load(Some(cache)) else { return false };
    let data = blob.as_ref();
    let outlines =
        [b"glyf", b"CFF ", b"CFF2"].into_iter().any(|tag| table(data, font.index(), tag).is_some());
    let pictures = [b"sbix", b"CBDT"].into_iter().any(|tag| table(data, font.index(), tag).is_some());
    let allowed = table(data, font.index(), b"OS/2").and_then(|at| half(data, at + 8)).unwrap_or_default();
    outlines && !pictures && allowed & 0xF != RESTRICTED
}

/// Where a table of a font begins; `index` counts the fonts of a collection.
fn table(data: &[u8], index: u32, tag: &[u8; 4]) -> Option<usize> {
    let start = match data.get(..4)? {
        b"ttcf" => word(data, 12 + 4 * usize::try_from(index).ok()?)?,
        _ => 0,
    };
    let count = usize::from(half(data, start + 4)?);
    let records = data.get(start + 12..)?.chunks_exact(16).take(count);
    let record = records.into_iter().find(|record| record.starts_with(tag))?;
    word(record, 8)
}

fn half(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(data.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn word(data: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_be_bytes(data.get(at..at.checked_add(4)?)?.try_into().ok()?)).ok()
}

/// Higher is plainer; nothing for ornamental ones.
fn plainness(family: &str, han: &str) -> u8 {
    let name = family.to_lowercase();
    if ORNAMENTAL.iter().any(|part| name.contains(part)) {
        return 0;
    }
    let place = PLAIN.iter().position(|part| name.contains(part)).unwrap_or(PLAIN.len());
    let plain = u8::try_from(PLAIN.len() - place).unwrap_or_default();
    1 + 2 * plain + u8::from(name.ends_with(han))
}

/// Chinese, Japanese and Korean share letters that they draw differently.
fn han_style(language: &str, letters: &BTreeSet<char>) -> &'static str {
    let has = |from: char, to: char| letters.range(from..=to).next().is_some();
    match language {
        "ja" => " jp",
        "ko" => " kr",
        "zh" => " sc",
        _ if has('\u{3041}', '\u{30FF}') => " jp",
        _ if has('\u{AC00}', '\u{D7A3}') => " kr",
        _ => " sc",
    }
}

/// Spaces, joiners and marks of direction draw nothing.
pub fn is_drawn(letter: char) -> bool {
    let invisible = matches!(letter, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E0FFF}');
    !invisible && !letter.is_whitespace() && !letter.is_control()
}

/// Scripts by where their letters stand; what is not listed is told as other scripts.
const SCRIPTS: [(char, char, &str); 24] = [
    ('\u{0370}', '\u{03FF}', "Greek"),
    ('\u{0400}', '\u{052F}', "Cyrillic"),
    ('\u{0530}', '\u{058F}', "Armenian"),
    ('\u{0590}', '\u{05FF}', "Hebrew"),
    ('\u{0600}', '\u{06FF}', "Arabic"),
    ('\u{0700}', '\u{074F}', "Syriac"),
    ('\u{0900}', '\u{097F}', "Devanagari"),
    ('\u{0980}', '\u{09FF}', "Bengali"),
    ('\u{0A00}', '\u{0A7F}', "Gurmukhi"),
    ('\u{0A80}', '\u{0AFF}', "Gujarati"),
    ('\u{0B80}', '\u{0BFF}', "Tamil"),
    ('\u{0C00}', '\u{0C7F}', "Telugu"),
    ('\u{0C80}', '\u{0CFF}', "Kannada"),
    ('\u{0D00}', '\u{0D7F}', "Malayalam"),
    ('\u{0D80}', '\u{0DFF}', "Sinhala"),
    ('\u{0E00}', '\u{0E7F}', "Thai"),
    ('\u{0E80}', '\u{0EFF}', "Lao"),
    ('\u{1000}', '\u{109F}', "Burmese"),
    ('\u{10A0}', '\u{10FF}', "Georgian"),
    ('\u{1200}', '\u{139F}', "Ethiopic"),
    ('\u{1780}', '\u{17FF}', "Khmer"),
    ('\u{3000}', '\u{9FFF}', "Chinese and Japanese"),
    ('\u{AC00}', '\u{D7AF}', "Korean"),
    ('\u{1F000}', '\u{1FAFF}', "emoji"),
];

/// The missing letters by their script, without those that draw nothing.
pub fn by_script(missing: &BTreeSet<char>) -> Vec<MissingLetters> {
    let mut scripts: BTreeMap<&'static str, String> = BTreeMap::new();
    for letter in missing.iter().filter(|letter| is_drawn(**letter)) {
        let known = SCRIPTS.iter().find(|(first, last, _)| (first..=last).contains(&letter));
        scripts.entry(known.map_or("other scripts", |(_, _, name)| name)).or_default().push(*letter);
    }
    scripts.into_iter().map(|(script, letters)| MissingLetters { script, letters }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{han_style, plainness};

    #[test]
    fn plain_fonts_come_before_ornamental_ones_and_han_follows_the_language() {
        let order = ["Noto Sans CJK JP", "Noto Sans CJK SC", "Amiri", "Noto Nastaliq Urdu"];
        let plain: Vec<u8> = order.into_iter().map(|name| plainness(name, " jp")).collect();
        assert!(plain.is_sorted_by(|one, next| one > next), "{plain:?}");
        let letters = |text: &str| text.chars().collect::<BTreeSet<char>>();
        assert_eq!(han_style("zh", &letters("ひらがな")), " sc");
        assert_eq!(han_style("en", &letters("ひらがな")), " jp");
        assert_eq!(han_style("en", &letters("한국어")), " kr");
    }
}
