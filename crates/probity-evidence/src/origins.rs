//! Which pages are independent: copies, derivatives and pages of one owner are one origin.
//!
//! Whole texts are compared, by the sequences of words they share. Numbers are left out of the sequences and kept
//! beside them: a copy in which only a number was changed is still seen as a copy, and as an altered one.

mod candidate_pairs;

use std::borrow::Cow;

use crate::{
    hash::{QuickMap, QuickSet},
    words::{self, WordKind, WordRef},
};
use candidate_pairs::{CandidatePair, candidate_pairs};

/// Words in a sequence that identifies copies: fewer are shared by chance.
const COPY_WORDS: usize = 5;
/// Words in a sequence that identifies excerpts: two authors do not write the same eight words by chance.
const EXCERPT_WORDS: usize = 8;
/// Share of the shorter text that is in the longer one from which it is a copy.
const COPY_SHARE: f64 = 0.5;
/// From here it is derived from the other: rewritten, or quoted at length.
const DERIVED_SHARE: f64 = 0.2;
/// Sequences that follow each other in both texts, from which one has an excerpt of the other: about twenty words.
const EXCERPT_RUN: usize = 14;
/// Sequences in runs, taken together, that do the same.
const EXCERPT_TOTAL: usize = 22;
/// A run shorter than this is a phrase, a name with its title or a menu.
const RUN_MIN: usize = 6;
/// A text with fewer sequences says too little to be called a copy, unless all of them are shared.
const SEQUENCES_MIN: usize = 8;
/// Pages of one site that share a sequence, from which it belongs to the site and not to the page.
const CHROME_PAGES: usize = 3;
/// Words before a number that say what it counts.
const NUMBER_CONTEXT: usize = 3;
/// Words of a line from which it is prose; menus, captions and dates are shorter.
const PROSE_WORDS: usize = 4;
/// Words of a page that are compared; a longer page is compared by its beginning.
const WORDS_MAX: usize = 60_000;

/// What of a page is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextFingerprint {
    /// Hashes of the sequences of five words, each once, ascending.
    copies: Vec<u64>,
    /// Hashes of the sequences of eight words in the order of the text; zero for a gap.
    excerpts: Vec<u64>,
    /// The same, each once, ascending.
    excerpts_sorted: Vec<u64>,
    /// Hash of the words before a number; how many numbers follow them on the page (a table's column has many), and
    /// their hashes together. Ascending.
    numbers: Vec<(u64, (u32, u64))>,
}

/// How two texts are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRelation {
    Unrelated,
    Copy,
    /// A part of one is in the other, or was rewritten from it.
    Derivative,
    /// A copy with other numbers: one of the two is wrong, or was made to be.
    Altered,
}

/// The source of what pages say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOrigin {
    /// Places of its pages, ascending.
    pub pages: Vec<usize>,
    /// Pairs of its pages on different sites that are the same with other numbers.
    pub altered: Vec<(usize, usize)>,
}

impl TextFingerprint {
    pub fn of(text: &str) -> Self {
        let mut reader = FingerprintBuilder::of(text);
        words::each_word(text, |seen| reader.take(seen));
        reader.finish()
    }

    fn read(read: FingerprintState) -> Self {
        let mut copies: Vec<u64> = read.runs.iter().flat_map(|run| sequences(run, COPY_WORDS)).collect();
        if copies.len() < SEQUENCES_MIN {
            // No prose: a list or a table is compared as it is.
            copies = sequences(&read.all, COPY_WORDS);
        }
        sort_once(&mut copies);
        let gapped = |run: &Vec<u64>| sequences(run, EXCERPT_WORDS).into_iter().chain([0]);
        let excerpts: Vec<u64> = read.runs.iter().flat_map(gapped).collect();
        let mut excerpts_sorted = excerpts.clone();
        sort_once(&mut excerpts_sorted);
        let mut numbers: Vec<(u64, (u32, u64))> = read.numbers.into_iter().collect();
        numbers.sort_unstable();
        Self { copies, excerpts, excerpts_sorted, numbers }
    }

    /// The shape without sequences that belong to its site.
    fn without(&self, chrome: &QuickSet<u64>) -> Self {
        let kept = |list: &[u64]| list.iter().copied().filter(|hash| !chrome.contains(hash)).collect();
        // In the order of the text a gap stays a gap, so that its neighbours do not become adjacent.
        let gapped = self.excerpts.iter().map(|hash| if chrome.contains(hash) { 0 } else { *hash }).collect();
        Self {
            copies: kept(&self.copies),
            excerpts: gapped,
            excerpts_sorted: kept(&self.excerpts_sorted),
            numbers: self.numbers.clone(),
        }
    }

    /// The longest run of sequences that follow each other in both, and all runs together. `common` are those that both
    /// have: most pairs share a handful, and looking those up is far cheaper than searching the whole of the other.
    fn runs(&self, other: &Self, common: &[u64]) -> (usize, usize) {
        let small = if self.excerpts.len() <= other.excerpts.len() { self } else { other };
        let (mut longest, mut total, mut run) = (0, 0, 0);
        for hash in small.excerpts.iter().chain(&[0]) {
            if *hash != 0 && common.binary_search(hash).is_ok() {
                run += 1;
                continue;
            }
            longest = longest.max(run);
            total += if run >= RUN_MIN { run } else { 0 };
            run = 0;
        }
        (longest, total)
    }

    /// Whether other numbers follow the same words. Where one text has more of them, none need have been changed.
    fn numbers_differ(&self, other: &Self) -> bool {
        let there = |context: &u64| {
            let place = other.numbers.binary_search_by_key(context, |(context, _)| *context).ok()?;
            other.numbers.get(place).map(|(_, values)| *values)
        };
        let differ = |(count, sum): (u32, u64), there: (u32, u64)| count == there.0 && sum != there.1;
        self.numbers.iter().any(|(context, here)| there(context).is_some_and(|there| differ(*here, there)))
    }
}

/// Makes the shape of a text from its words, which another caller reads too.
#[derive(Debug)]
pub struct FingerprintBuilder<'a> {
    text: &'a str,
    read: FingerprintState,
    last_end: usize,
}

impl<'a> FingerprintBuilder<'a> {
    pub fn of(text: &'a str) -> Self {
        Self { text, read: FingerprintState::default(), last_end: 0 }
    }

    /// The next word of the text.
    pub fn take(&mut self, seen: WordRef<'_>) {
        let between = self.text.as_bytes().get(self.last_end..seen.start).unwrap_or_default();
        if between.contains(&b'\n') {
            self.read.end_line();
        }
        self.last_end = seen.end;
        if self.read.all.len() < WORDS_MAX {
            self.read.word(seen.folded, seen.kind);
        }
    }

    pub fn finish(mut self) -> TextFingerprint {
        self.read.end_line();
        TextFingerprint::read(self.read)
    }
}

/// A text while it is read.
#[derive(Debug, Default)]
struct FingerprintState {
    /// Hashes of all words.
    all: Vec<u64>,
    /// Of those in prose: lines that follow each other without a short one between. Menus and captions are short.
    runs: Vec<Vec<u64>>,
    after_prose: bool,
    /// Where the line that is read begins in `all`.
    line: usize,
    numbers: QuickMap<u64, (u32, u64)>,
}

impl FingerprintState {
    fn end_line(&mut self) {
        let from = std::mem::replace(&mut self.line, self.all.len());
        let read = self.all.get(from..).unwrap_or_default();
        if read.is_empty() {
            return;
        }
        let prose = read.len() >= PROSE_WORDS;
        match self.runs.last_mut().filter(|_| prose && self.after_prose) {
            Some(run) => run.extend_from_slice(read),
            None if prose => self.runs.push(read.to_vec()),
            None => {}
        }
        self.after_prose = prose;
    }

    fn word(&mut self, folded: &str, kind: WordKind) {
        match kind {
            WordKind::Plain | WordKind::Dense => self.all.push(hash_of(folded.as_bytes())),
            WordKind::Number => {
                let from = self.all.len().saturating_sub(NUMBER_CONTEXT);
                let context = joined(self.all.get(from..).unwrap_or_default());
                let values = self.numbers.entry(context).or_insert((0, 0));
                values.0 = values.0.saturating_add(1);
                values.1 = values.1.wrapping_add(spread(hash_of(folded.as_bytes())));
                self.all.push(hash_of(b"#"));
            }
            WordKind::Symbol => {}
        }
    }
}

pub fn text_relation(one: &TextFingerprint, other: &TextFingerprint) -> TextRelation {
    let excerpts = || common(&one.excerpts_sorted, &other.excerpts_sorted);
    relation(one, other, shared(&one.copies, &other.copies), excerpts)
}

/// The same where it is known how many sequences that identify copies both have. `common_excerpts` finds the others that
/// both have, ascending.
fn relation(
    one: &TextFingerprint,
    other: &TextFingerprint,
    shared_copies: usize,
    common_excerpts: impl FnOnce() -> Vec<u64>,
) -> TextRelation {
    let shorter = one.copies.len().min(other.copies.len());
    if shorter == 0 {
        return TextRelation::Unrelated;
    }
    let share = shared_copies as f64 / shorter as f64;
    if shorter < SEQUENCES_MIN {
        // A line or two: a copy only as a whole, and of a text of its own length.
        let same = share >= 1.0 && one.copies.len().max(other.copies.len()) < SEQUENCES_MIN * 2;
        return if same { copy(one, other) } else { TextRelation::Unrelated };
    }
    if share >= COPY_SHARE {
        return copy(one, other);
    }
    let (longest, total) = one.runs(other, &common_excerpts());
    if share >= DERIVED_SHARE || longest >= EXCERPT_RUN || total >= EXCERPT_TOTAL {
        return TextRelation::Derivative;
    }
    TextRelation::Unrelated
}

fn copy(one: &TextFingerprint, other: &TextFingerprint) -> TextRelation {
    if one.numbers_differ(other) { TextRelation::Altered } else { TextRelation::Copy }
}

/// The pages by origin, in the order of their first page. Each page has the site of its owner; a page without
/// one (a file of the user's own) is grouped with others only by its text.
pub fn origins(pages: &[(Option<&str>, &TextFingerprint)]) -> Vec<PageOrigin> {
    let chrome = chrome(pages);
    let bare: Vec<Cow<'_, TextFingerprint>> = pages
        .iter()
        .map(|(site, shape)| {
            match site.and_then(|site| chrome.get(site)).filter(|chrome| !chrome.is_empty()) {
                Some(chrome) => Cow::Owned(shape.without(chrome)),
                None => Cow::Borrowed(*shape),
            }
        })
        .collect();
    let mut origin_of: Vec<usize> = (0..pages.len()).collect();
    let mut first_of: QuickMap<&str, usize> = QuickMap::default();
    for (page, (site, _)) in pages.iter().enumerate() {
        if let Some(site) = site {
            join(&mut origin_of, *first_of.entry(site).or_insert(page), page);
        }
    }
    let mut altered = Vec::new();
    let candidates = candidate_pairs(&bare);
    let excerpts = |page: usize| candidates.excerpts.get(page).map(Vec::as_slice).unwrap_or_default();
    for CandidatePair { left, right, shared_copies } in candidates.pairs.iter().copied() {
        let site = |page: usize| pages.get(page).and_then(|(site, _)| *site);
        let kin = match (bare.get(left), bare.get(right)) {
            (Some(one), Some(other)) if site(left).is_none() || site(left) != site(right) => {
                relation(one, other, shared_copies, || common(excerpts(left), excerpts(right)))
            }
            _ => TextRelation::Unrelated,
        };
        if kin == TextRelation::Altered {
            altered.push((left, right));
        }
        if kin != TextRelation::Unrelated {
            join(&mut origin_of, left, right);
        }
    }
    let mut found: Vec<(usize, PageOrigin)> = Vec::new();
    for (page, origin) in origin_of.iter().enumerate() {
        match found.iter_mut().find(|(known, _)| known == origin) {
            Some((_, known)) => known.pages.push(page),
            None => found.push((*origin, PageOrigin { pages: vec![page], altered: Vec::new() })),
        }
    }
    for (left, right) in altered {
        let both = found.iter_mut().find(|(_, origin)| origin.pages.contains(&left));
        both.into_iter().for_each(|(_, origin)| origin.altered.push((left, right)));
    }
    found.into_iter().map(|(_, origin)| origin).collect()
}

/// Makes the origins of two pages one.
fn join(origin_of: &mut [usize], left: usize, right: usize) {
    let (Some(one), Some(other)) = (origin_of.get(left).copied(), origin_of.get(right).copied()) else {
        return;
    };
    let (kept, gone) = (one.min(other), one.max(other));
    if kept == gone {
        return;
    }
    origin_of.iter_mut().filter(|origin| **origin == gone).for_each(|origin| *origin = kept);
}

/// For each site, the sequences that several of its pages share: menus, notices, text on every page.
fn chrome<'a>(pages: &[(Option<&'a str>, &TextFingerprint)]) -> QuickMap<&'a str, QuickSet<u64>> {
    let mut sites: QuickMap<&str, Vec<&TextFingerprint>> = QuickMap::default();
    for (site, shape) in pages {
        if let Some(site) = site {
            sites.entry(site).or_default().push(shape);
        }
    }
    sites.retain(|_, shapes| shapes.len() >= CHROME_PAGES);
    let often = |shapes: Vec<&TextFingerprint>| {
        let mut counts: QuickMap<u64, usize> = QuickMap::default();
        for hash in shapes.iter().flat_map(|shape| shape.copies.iter().chain(&shape.excerpts_sorted)) {
            *counts.entry(*hash).or_default() += 1;
        }
        counts.into_iter().filter(|(_, count)| *count >= CHROME_PAGES).map(|(hash, _)| hash).collect()
    };
    sites.into_iter().map(|(site, shapes)| (site, often(shapes))).collect()
}

fn sequences(hashes: &[u64], words: usize) -> Vec<u64> {
    if !hashes.is_empty() && hashes.len() < words {
        return vec![joined(hashes)];
    }
    hashes.windows(words).map(joined).collect()
}

fn sort_once(list: &mut Vec<u64>) {
    list.sort_unstable();
    list.dedup();
}

/// How many members two ascending lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right, mut count) = (0, 0, 0);
    while let (Some(here), Some(there)) = (one.get(left), other.get(right)) {
        left += usize::from(here <= there);
        right += usize::from(there <= here);
        count += usize::from(here == there);
    }
    count
}

/// The members that two ascending lists share, ascending.
fn common(one: &[u64], other: &[u64]) -> Vec<u64> {
    let (mut left, mut right) = (0, 0);
    let mut found = Vec::new();
    while let (Some(here), Some(there)) = (one.get(left), other.get(right)) {
        if here == there {
            found.push(*here);
        }
        left += usize::from(here <= there);
        right += usize::from(there <= here);
    }
    found
}

/// FNV-1a: the words of two pages must hash alike in every process.
fn hash_of(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Hashes in their order as one; never zero, which means a gap.
fn joined(hashes: &[u64]) -> u64 {
    let all = hashes.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |sum, hash| {
        (sum.rotate_left(23) ^ hash).wrapping_mul(0xff51_afd7_ed55_8ccd)
    });
    spread(all).max(1)
}

fn spread(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests;
