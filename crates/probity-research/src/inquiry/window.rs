//! How much a model can be shown and asked for at once. Every request is cut to its window by these numbers.

use crate::web::task::WebTask;

/// The smallest window that can be worked with.
pub const WINDOW_MIN: u32 = 4_096;
/// A window up to this size gets one facet a page and short sections.
const SMALL_WINDOW: u32 = 12_000;
/// The most of a page that is worth showing, in tokens: the best passages of a long one are within it.
const PAGE_TOKENS_MAX: u32 = 8_000;
const PAGE_TOKENS_MAX_SMALL: u32 = 3_000;
/// A section is asked for at most this long: models deliver less the more they are asked for.
const SECTION_WORDS_MAX: u32 = 700;
const SECTION_WORDS_MAX_SMALL: u32 = 250;
const SECTION_QUOTES_MAX: usize = 40;
const SECTION_QUOTES_MAX_SMALL: usize = 10;
/// What instructions and lists around the material take.
const OVERHEAD_TOKENS: u32 = 900;

/// Tokens of material that fit one prompt: six tenths of the window, without the instructions. `share_percent` is less
/// than 100 after an endpoint refused a prompt as too long.
pub fn material_tokens(window: u32, share_percent: u32) -> u32 {
    let part = u64::from(window) * 6 * u64::from(share_percent) / 1_000;
    u32::try_from(part).unwrap_or(u32::MAX).saturating_sub(OVERHEAD_TOKENS).max(800)
}

/// A quarter of the window is left for the answer.
pub fn answer_tokens(window: u32) -> u32 {
    window / 4
}

pub fn is_small(window: u32) -> bool {
    window <= SMALL_WINDOW
}

/// Tokens of a text, too many rather than too few: four bytes each in Latin script, three elsewhere.
pub fn tokens(text: &str) -> u32 {
    let latin = text.bytes().filter(u8::is_ascii).count() * 10 >= text.len() * 8;
    u32::try_from(text.len().div_ceil(if latin { 4 } else { 3 })).unwrap_or(u32::MAX)
}

/// Bytes of a page that a reader is shown.
pub fn page_bytes(window: u32, share_percent: u32) -> usize {
    let most = if is_small(window) { PAGE_TOKENS_MAX_SMALL } else { PAGE_TOKENS_MAX };
    let tokens = material_tokens(window, share_percent).min(most);
    usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4)
}

pub fn facets_per_page(window: u32) -> usize {
    if is_small(window) { 1 } else { probity_types::inquiry::answer::SURVEY_FACETS_MAX }
}

pub fn quotes_per_page(window: u32) -> usize {
    if is_small(window) { 4 } else { probity_types::inquiry::answer::SURVEY_QUOTES_MAX }
}

pub fn section_words_max(window: u32) -> u32 {
    if is_small(window) { SECTION_WORDS_MAX_SMALL } else { SECTION_WORDS_MAX }
}

pub fn section_quotes_max(window: u32) -> usize {
    if is_small(window) { SECTION_QUOTES_MAX_SMALL } else { SECTION_QUOTES_MAX }
}

/// Words of a text; two characters count as one word where none are spaced.
pub fn word_count(text: &str) -> usize {
    let dense = text
        .chars()
        .filter(|c| matches!(u32::from(*c), 0x0E00..=0x0EFF | 0x3040..=0x30FF | 0x3400..=0x9FFF))
        .count();
    let spaced = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    if dense * 2 > text.chars().count() { dense / 2 } else { spaced }
}

/// Prompt and answer of one call, as far as a plan can tell.
pub fn expected_tokens(window: u32, task: &WebTask) -> (u64, u64) {
    let (input, output): (u32, u32) = match task {
        WebTask::Brief => (1_500, 1_000),
        WebTask::Line { .. } => (2_500, 300),
        WebTask::Survey { .. } | WebTask::Read { .. } => (5_000, 800),
        WebTask::Outline { .. } => (6_000, 1_200),
        WebTask::Section { .. } => (7_000, section_words_max(window) * 3),
        WebTask::Synthesis => (8_000, 1_500),
        WebTask::Front => (6_000, 900),
        WebTask::Plan { .. } | WebTask::Choose { .. } | WebTask::Write => (3_000, 500),
        WebTask::Search { .. } | WebTask::Folder { .. } | WebTask::Page { .. } => (0, 0),
    };
    let most_in = material_tokens(window, 100).saturating_add(OVERHEAD_TOKENS);
    (u64::from(input.min(most_in)), u64::from(output.min(answer_tokens(window))))
}
