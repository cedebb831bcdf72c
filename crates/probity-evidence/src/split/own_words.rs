//! Which sentences without a citation state nothing. How a sentence begins never exempts it: behind "in short" or "this
//! section" may stand anything. What does not count says nothing of its own: it speaks of the report in words that its
//! headings or one cited sentence have, advises without naming anything, or asks.
//!
//! Words alone decide here, so what is doubtful counts. It is then shown to the judge beside the pages of the cited
//! sentences that it shares most words with.

mod labels;
mod phrases;

use probity_types::ledger::{ClaimId, InheritedCitation, restatement::SupportedSentences};

use self::phrases::QuestionStart;
use super::{BlockKind, ReportPiece, ReportPieceKind, SplitReport, has_statement_length, kind, surroundings};
use crate::{
    hash::{QuickMap, QuickSet},
    words::{TextWord, WordKind, is_negation, is_stop_word, stem, words},
};

/// Openers that one sentence has: "Overall, we believe that …".
const OPENERS_MAX: usize = 3;
/// Advice with more to say says more than that.
const ADVICE_WORDS_MAX: usize = 12;
/// A line with a colon of so few words is a label.
const LABEL_WORDS_MAX: usize = 2;
/// Sentences with the rarest word that are compared with one.
const CANDIDATES_MAX: usize = 64;
/// Words of a sentence by which the sentences that it draws from are looked for.
const LOOKED_UP_MAX: usize = 32;
/// Pages that a sentence without a citation is judged by.
const PAGES_MAX: usize = 4;

/// How a sentence is framed that may state nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentenceFrame {
    /// Draws together what was said.
    Summary,
    Opinion,
    /// Speaks of the report, or of what its author does next.
    Document,
    Advice,
    /// Ends with a colon.
    Announcement,
    /// Names what follows or who wrote it: "Caveat.", "Prepared by the research desk."
    Label,
    /// "Table 1: …"
    Caption,
}

/// Settles which uncited sentences state something and which questions do. What begins like a summary, an opinion or a
/// remark about the report, and counts all the same, comes back as places in `SplitReport::pieces`.
pub fn settle(split: &mut SplitReport, markdown: &str) -> Vec<usize> {
    let read: &SplitReport = split;
    let framed: Vec<FramedSentence> = text_pieces(read)
        .filter(|(_, piece)| is_open(piece, markdown))
        .filter_map(|(place, piece)| FramedSentence::of(place, piece))
        .collect();
    let asked: Vec<Presupposition> = text_pieces(read)
        .filter(|(_, piece)| piece.kind == ReportPieceKind::Question)
        .filter_map(|(place, piece)| Presupposition::of(place, piece))
        .collect();
    if framed.is_empty() && asked.is_empty() {
        return Vec::new();
    }
    let known = KnownStatements::of(read);
    let (own, stated): (Vec<FramedSentence>, Vec<FramedSentence>) =
        framed.into_iter().partition(|sentence| sentence.states_nothing(read, &known));
    let asserted: Vec<usize> =
        asked.iter().filter(|asked| !asked.is_said(read, &known)).map(|asked| asked.place).collect();
    for sentence in &own {
        if let Some(piece) = split.pieces.get_mut(sentence.place) {
            piece.kind = ReportPieceKind::OwnWords;
        }
    }
    for place in &asserted {
        if let Some(piece) = split.pieces.get_mut(*place) {
            piece.kind = ReportPieceKind::Fact;
        }
    }
    stated.iter().map(|sentence| sentence.place).chain(asserted).collect()
}

/// Gives the sentences at `places` that take over nothing else the pages of those that they share most words with.
pub fn inherit(split: &mut SplitReport, places: &[usize]) {
    let is_without = |place: &usize| {
        split
            .pieces
            .get(*place)
            .is_some_and(|piece| piece.cites.is_empty() && piece.inherits.is_empty() && !piece.lost_citation)
    };
    let without: Vec<usize> = places.iter().copied().filter(is_without).collect();
    if without.is_empty() {
        return;
    }
    let cited = CitedWords::of(split);
    for place in without {
        let pages = cited.pages_for(split, place);
        if let Some(piece) = split.pieces.get_mut(place).filter(|_| !pages.is_empty()) {
            piece.inherits = pages;
            piece.inherited = Some(InheritedCitation::Section);
        }
    }
}

/// Pieces of running text with their places.
fn text_pieces(split: &SplitReport) -> impl Iterator<Item = (usize, &ReportPiece)> {
    let is_text =
        |kind: BlockKind| matches!(kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation);
    let sentences = split.sentences.iter().filter(move |sentence| is_text(sentence.kind));
    let places = sentences.flat_map(|sentence| sentence.claims.clone());
    places.filter_map(move |place| Some((place, split.pieces.get(place)?)))
}

/// Whether a piece cites nothing, never did, and quotes nobody.
fn is_open(piece: &ReportPiece, markdown: &str) -> bool {
    let quotes =
        |(start, end): &(usize, usize)| has_statement_length(markdown.get(*start..*end).unwrap_or_default());
    piece.kind == ReportPieceKind::Fact
        && piece.cites.is_empty()
        && !piece.lost_citation
        && !piece.quotations.iter().any(quotes)
}

/// A sentence that begins or ends like one that states nothing.
struct FramedSentence {
    place: usize,
    frame: SentenceFrame,
    words: Vec<TextWord>,
    /// Where the words behind its openers begin.
    from: usize,
}

impl FramedSentence {
    fn of(place: usize, piece: &ReportPiece) -> Option<Self> {
        let words = words(&piece.words);
        if labels::names_only(&words) {
            return Some(Self { place, frame: SentenceFrame::Label, words, from: 0 });
        }
        if let Some(from) = labels::caption(&words) {
            return Some(Self { place, frame: SentenceFrame::Caption, words, from });
        }
        let mut from = 0;
        let mut frame = None;
        for _ in 0..OPENERS_MAX {
            let Some((length, found)) = phrases::opener(words.get(from..).unwrap_or_default()) else { break };
            from += length;
            // "We believe that …", but not "In our view, that is …".
            let rest = words.get(from..).unwrap_or_default();
            if rest.first().is_some_and(phrases::is_complement) && !phrases::points_back(rest) {
                from += 1;
            }
            frame = Some(found);
            if matches!(found, SentenceFrame::Document | SentenceFrame::Advice) {
                break;
            }
        }
        let rest = words.get(from..).unwrap_or_default();
        let frame = match frame {
            Some(SentenceFrame::Document) => frame,
            _ if phrases::advises(rest) => Some(SentenceFrame::Advice),
            None if surroundings::announces(piece) => Some(SentenceFrame::Announcement),
            _ => frame,
        };
        Some(Self { place, frame: frame?, words, from })
    }

    fn rest(&self) -> &[TextWord] {
        self.words.get(self.from..).unwrap_or_default()
    }

    fn states_nothing(&self, split: &SplitReport, known: &KnownStatements) -> bool {
        let rest = self.rest();
        let content = content(rest, GeneralWords::LeftOut);
        if content.is_empty() {
            return true;
        }
        let text = split.pieces.get(self.place).map(|piece| piece.words.as_str()).unwrap_or_default();
        let behind = rest.first().and_then(|first| text.get(first.start..)).unwrap_or_default();
        let names_nothing = || !kind::has_number(text) && !kind::has_name(behind);
        match self.frame {
            // What it draws together is said elsewhere, or it is news.
            SentenceFrame::Summary => false,
            SentenceFrame::Opinion => {
                phrases::points_back(rest) && names_nothing() && !rest.iter().skip(2).any(phrases::asserts)
            }
            SentenceFrame::Document => self.is_about_report(&content, known),
            SentenceFrame::Label => true,
            SentenceFrame::Caption => {
                !has_negation(rest)
                    && !rest.iter().any(phrases::asserts)
                    && !kind::has_number(behind)
                    && !kind::has_name(behind)
                    && known.knows_all(&content)
            }
            SentenceFrame::Advice => {
                names_nothing()
                    && content.len() <= ADVICE_WORDS_MAX
                    && !rest.first().is_some_and(phrases::may_be_name)
                    && !rest.iter().any(phrases::asserts)
                    && !behind.contains([';', '；', ':', '：', '—', '–'])
            }
            SentenceFrame::Announcement => {
                let is_label = content.len() <= LABEL_WORDS_MAX && names_nothing();
                is_label || known.headings_have(&content) || known.sentences.that_say(behind).is_some()
            }
        }
    }

    /// Speaks of the report alone: what it names stands in headings or in one cited sentence, and nothing is said of it.
    fn is_about_report(&self, content: &[String], known: &KnownStatements) -> bool {
        let rest = self.rest();
        // The first word says what the report does: "This section is about …".
        if rest.iter().skip(1).any(phrases::asserts) {
            return false;
        }
        match rest.iter().any(phrases::asks) {
            true => known.one_has(content, has_negation(rest), UnitChoice::HeadingsToo),
            false => known.has(content),
        }
    }
}

/// What a question takes for granted.
struct Presupposition {
    place: usize,
    kind: PresuppositionKind,
    /// The statement, as bytes of the piece's words.
    start: usize,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PresuppositionKind {
    /// "Did you know that …?", "Isn't it … that …?", "…, right?"
    Statement,
    /// "Why did …?"
    Reason,
}

impl Presupposition {
    /// None for a question that only asks.
    fn of(place: usize, piece: &ReportPiece) -> Option<Self> {
        let text = piece.words.as_str();
        let words = words(text);
        let first = words.first()?;
        let start_of = |at: usize| words.get(at).map_or(text.len(), |word| word.start);
        let whole = |kind, start, end| Self { place, kind, start, end };
        let found = match phrases::question_start(&words) {
            Some((length, QuestionStart::Why)) => {
                whole(PresuppositionKind::Reason, start_of(length), text.len())
            }
            Some((length, QuestionStart::KnownToAll)) => {
                whole(PresuppositionKind::Statement, start_of(stated_from(&words, length)), text.len())
            }
            // "Isn't it shocking that …?"
            None if first.folded.ends_with("n't") => {
                whole(PresuppositionKind::Statement, start_of(stated_from(&words, 1)), text.len())
            }
            None => whole(PresuppositionKind::Statement, 0, tag_start(text, &words)?),
        };
        let said = content(&self::words(found.text(piece)), GeneralWords::LeftOut);
        (said.len() > 1).then_some(found)
    }

    fn text<'p>(&self, piece: &'p ReportPiece) -> &'p str {
        piece.words.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether a cited sentence says it: then it stands or falls with that one.
    fn is_said(&self, split: &SplitReport, known: &KnownStatements) -> bool {
        let Some(piece) = split.pieces.get(self.place) else { return true };
        if !piece.cites.is_empty() {
            return false;
        }
        let text = self.text(piece);
        match self.kind {
            PresuppositionKind::Statement => known.sentences.that_say(text).is_some(),
            PresuppositionKind::Reason => {
                let words = words(text);
                let content = content(&words, GeneralWords::LeftOut);
                known.one_has(&content, has_negation(&words), UnitChoice::CitedSentences)
            }
        }
    }
}

/// Where the statement begins: behind the word that joins it to what is before, if there is one.
fn stated_from(words: &[TextWord], from: usize) -> usize {
    let joint = words.iter().skip(from).position(phrases::is_complement);
    joint.map_or(from, |joint| from + joint + 1)
}

/// Where the tag at the end of a question begins, behind a comma.
fn tag_start(text: &str, words: &[TextWord]) -> Option<usize> {
    let length = phrases::tag(words)?;
    let first = words.get(words.len().checked_sub(length)?)?;
    let before = text.get(..first.start)?.trim_end();
    let is_parted = before.ends_with([',', '，', '、', '—', '–', '¿']) || first.kind == WordKind::Dense;
    is_parted.then_some(before.len())
}

fn has_negation(words: &[TextWord]) -> bool {
    words.iter().any(|word| is_negation(&word.folded))
}

/// Whether words that say nothing about the world are among the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GeneralWords {
    Kept,
    LeftOut,
}

/// What words say beyond small words and negations: stems, numbers, and neighbours of scripts without spaces.
fn content(words: &[TextWord], general: GeneralWords) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    // Whether the character before is one with this.
    let mut is_paired = false;
    while let Some(word) = words.get(at) {
        let rest = words.get(at..).unwrap_or_default();
        if let (GeneralWords::LeftOut, Some(length)) = (general, phrases::general(rest)) {
            at += length.max(1);
            is_paired = false;
            continue;
        }
        at += 1;
        let says = !is_stop_word(&word.folded) && !is_negation(&word.folded);
        match word.kind {
            WordKind::Number => found.push(word.folded.clone()),
            WordKind::Plain if says => found.push(stem(&word.folded).to_owned()),
            WordKind::Dense if says => {
                let behind = words.get(at..).unwrap_or_default();
                let left_out = general == GeneralWords::LeftOut && phrases::general(behind).is_some();
                let next = behind.first().filter(|next| {
                    next.kind == WordKind::Dense
                        && next.start == word.end
                        && !is_stop_word(&next.folded)
                        && !is_negation(&next.folded)
                        && !left_out
                });
                match next {
                    Some(next) => found.push(format!("{}{}", word.folded, next.folded)),
                    None if !is_paired => found.push(word.folded.clone()),
                    None => {}
                }
                is_paired = next.is_some();
                continue;
            }
            WordKind::Plain | WordKind::Dense | WordKind::Symbol => {}
        }
        is_paired = false;
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitChoice {
    CitedSentences,
    HeadingsToo,
}

struct KnownUnit {
    content: QuickSet<String>,
    has_negation: bool,
    is_heading: bool,
}

/// What the headings and the cited sentences of a report say.
struct KnownStatements {
    headings: QuickSet<String>,
    units: Vec<KnownUnit>,
    /// Places in `units` by their words.
    by_word: QuickMap<String, Vec<usize>>,
    /// The words of tables.
    rows: QuickSet<String>,
    /// The cited sentences, to be compared as wholes.
    sentences: SupportedSentences,
}

impl KnownStatements {
    fn of(split: &SplitReport) -> Self {
        let mut known = Self {
            headings: QuickSet::default(),
            units: Vec::new(),
            by_word: QuickMap::default(),
            rows: QuickSet::default(),
            sentences: SupportedSentences::of(
                cited(split).map(|(place, piece)| (ClaimId::at(place), piece.words.as_str())),
            ),
        };
        let headings = split.sentences.iter().filter(|sentence| sentence.kind == BlockKind::Heading);
        for place in headings.flat_map(|sentence| sentence.claims.clone()) {
            if let Some(piece) = split.pieces.get(place) {
                let words = known.add(piece, true);
                known.headings.extend(words);
            }
        }
        for (_, piece) in cited(split) {
            known.add(piece, false);
        }
        let rows = split.sentences.iter().filter(|sentence| sentence.kind == BlockKind::Row);
        for piece in rows.flat_map(|sentence| sentence.claims.clone()).filter_map(|at| split.pieces.get(at)) {
            known.rows.extend(content(&words(&piece.words), GeneralWords::Kept));
        }
        known
    }

    fn add(&mut self, piece: &ReportPiece, is_heading: bool) -> Vec<String> {
        let words = words(&piece.words);
        let all = content(&words, GeneralWords::Kept);
        let place = self.units.len();
        let unit: QuickSet<String> = all.iter().cloned().collect();
        for word in &unit {
            self.by_word.entry(word.clone()).or_default().push(place);
        }
        self.units.push(KnownUnit { content: unit, has_negation: has_negation(&words), is_heading });
        all
    }

    /// Whether each of these words stands in a table, a heading or a cited sentence.
    fn knows_all(&self, content: &[String]) -> bool {
        content.iter().all(|word| self.rows.contains(word) || self.by_word.contains_key(word))
    }

    fn headings_have(&self, content: &[String]) -> bool {
        content.iter().all(|word| self.headings.contains(word))
    }

    /// Whether the headings, and for the rest one cited sentence, have all of these words.
    fn has(&self, content: &[String]) -> bool {
        let rest: Vec<&String> = content.iter().filter(|word| !self.headings.contains(*word)).collect();
        rest.is_empty() || self.candidates(&rest).any(|unit| !unit.is_heading && unit.has_all(&rest))
    }

    /// Whether one sentence alone has all of these words, negated or not like them.
    fn one_has(&self, content: &[String], has_negation: bool, choice: UnitChoice) -> bool {
        let all: Vec<&String> = content.iter().collect();
        let is_chosen = |unit: &&KnownUnit| !unit.is_heading || choice == UnitChoice::HeadingsToo;
        let mut units = self.candidates(&all).filter(is_chosen);
        units.any(|unit| unit.has_negation == has_negation && unit.has_all(&all))
    }

    /// Those that have the rarest of these words.
    fn candidates(&self, content: &[&String]) -> impl Iterator<Item = &KnownUnit> {
        let lists = content.iter().map(|word| self.by_word.get(*word).map(Vec::as_slice).unwrap_or_default());
        let rarest = lists.min_by_key(|places| places.len()).unwrap_or_default();
        rarest.iter().take(CANDIDATES_MAX).filter_map(move |place| self.units.get(*place))
    }
}

impl KnownUnit {
    fn has_all(&self, words: &[&String]) -> bool {
        words.iter().all(|word| self.content.contains(*word))
    }
}

/// Sentences with citations of their own.
fn cited(split: &SplitReport) -> impl Iterator<Item = (usize, &ReportPiece)> {
    let is_cited = |piece: &ReportPiece| {
        !piece.cites.is_empty() && matches!(piece.kind, ReportPieceKind::Fact | ReportPieceKind::Derived)
    };
    split.pieces.iter().enumerate().filter(move |(_, piece)| is_cited(piece))
}

/// The cited sentences by their words.
struct CitedWords {
    by_word: QuickMap<String, Vec<usize>>,
    /// Places of all of them.
    places: Vec<usize>,
}

impl CitedWords {
    fn of(split: &SplitReport) -> Self {
        let mut cited_words = Self { by_word: QuickMap::default(), places: Vec::new() };
        for (place, piece) in cited(split) {
            cited_words.places.push(place);
            for word in content(&words(&piece.words), GeneralWords::LeftOut) {
                let places = cited_words.by_word.entry(word).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        cited_words
    }

    /// The pages of the cited sentences that share most words with the piece, the nearest of equals first.
    fn pages_for(&self, split: &SplitReport, place: usize) -> Vec<usize> {
        let Some(piece) = split.pieces.get(place) else { return Vec::new() };
        let mut hits: QuickMap<usize, usize> = QuickMap::default();
        for word in content(&words(&piece.words), GeneralWords::LeftOut).iter().take(LOOKED_UP_MAX) {
            for near in self.by_word.get(word).map(|places| nearest(places, place)).unwrap_or_default() {
                *hits.entry(near).or_default() += 1;
            }
        }
        if hits.is_empty() {
            hits = nearest(&self.places, place).into_iter().map(|near| (near, 0)).collect();
        }
        let mut ranked: Vec<(usize, usize)> = hits.into_iter().collect();
        ranked.sort_unstable_by_key(|(near, hits)| (std::cmp::Reverse(*hits), near.abs_diff(place), *near));
        let mut pages = Vec::new();
        for page in
            ranked.iter().filter_map(|(near, _)| split.pieces.get(*near)).flat_map(|piece| &piece.cites)
        {
            if pages.len() < PAGES_MAX && !pages.contains(page) {
                pages.push(*page);
            }
        }
        pages
    }
}

/// The places around one, at most `CANDIDATES_MAX` before it and behind it.
fn nearest(places: &[usize], place: usize) -> Vec<usize> {
    let border = places.partition_point(|other| *other < place);
    let first = border.saturating_sub(CANDIDATES_MAX);
    let end = places.len().min(border + CANDIDATES_MAX);
    places.get(first..end).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests;
