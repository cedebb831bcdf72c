//! The pages' side: every cited page prepared once, with its origin.

use std::{
    collections::BTreeMap,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use probity_types::{
    checking::task::{CitedPage, ExamineRequest, StoredPage},
    id::Digest,
    ledger::{LedgerSource, PassageContext, SourceState, source::BEYOND_LIMIT},
    rounds::links::LINKS_MAX,
    text,
    web::{
        canonical,
        page::{Extract, ExtractBlockKind, Provenance},
    },
};

use crate::{
    citations::list::CitedSource,
    compare::PageFacts,
    locate_loosely::LooseIndex,
    origins::{self, TextFingerprint, origins},
    page::IndexedPage,
};

/// A page that can be read.
pub struct PreparedPage {
    pub page: IndexedPage,
    pub facts: PageFacts,
    pub snapshot: Digest,
    pub published: Option<String>,
    shape: TextFingerprint,
    /// A file of the user's own.
    pub is_local: bool,
    /// Parts of its text that a reader quoted for the report; none where the text is somebody else's.
    pub quoted: Vec<(usize, usize)>,
    layout: PageLayout,
    /// Both found when a claim first needs them.
    body: OnceLock<PageBody>,
    loose: OnceLock<LooseIndex>,
}

/// The sentences of a page that are neither its title nor a heading, which are told beside every passage.
#[derive(Debug, Default)]
pub struct PageBody {
    pub sentences: Vec<(usize, usize)>,
    /// Of all of them together, each on a line of its own.
    pub bytes: usize,
}

/// Longest title, heading or row, and longest sentence that is kept beside a passage, in characters.
const TITLE_CHARACTERS_MAX: usize = 160;
const NEIGHBOUR_CHARACTERS_MAX: usize = 240;
/// What a line of its own adds to a passage that is shown.
const PASSAGE_LINE_BYTES: usize = 11;

/// What a page's text was on the page, as far as passages need it.
struct PageLayout {
    title: String,
    /// Bytes of the headings, in order.
    headings: Vec<(usize, usize)>,
    /// Bytes of the rows of tables, in order, each with those of its table's first row.
    rows: Vec<(usize, usize, (usize, usize))>,
}

impl PageLayout {
    fn of(title: &str, extract: &Extract) -> Self {
        let mut layout =
            Self { title: text::line(title, TITLE_CHARACTERS_MAX), headings: Vec::new(), rows: Vec::new() };
        let mut table = None;
        for block in &extract.blocks {
            let place = (block.start, block.end);
            match block.kind {
                ExtractBlockKind::Heading => layout.headings.push(place),
                ExtractBlockKind::TableRow => {
                    let first = *table.get_or_insert(place);
                    layout.rows.push((place.0, place.1, first));
                    continue;
                }
                ExtractBlockKind::Paragraph
                | ExtractBlockKind::ListItem
                | ExtractBlockKind::Quote
                | ExtractBlockKind::Code => {}
            }
            table = None;
        }
        layout
    }
}

impl PreparedPage {
    pub fn title(&self) -> &str {
        &self.layout.title
    }

    /// How its words begin.
    pub fn loose(&self) -> &LooseIndex {
        self.loose.get_or_init(|| LooseIndex::of(&self.page))
    }

    pub fn body(&self) -> &PageBody {
        self.body.get_or_init(|| {
            let mut body = PageBody::default();
            for sentence in self.page.sentences() {
                if !self.is_heading(sentence.start, sentence.end)
                    && !self.is_title(sentence.start, sentence.end)
                {
                    body.sentences.push((sentence.start, sentence.end));
                    body.bytes += sentence.end - sentence.start + PASSAGE_LINE_BYTES;
                }
            }
            body
        })
    }

    /// Whether these bytes are the page's title: all of it, or the front of it in a heading (`Floods | The Courier`).
    pub fn is_title(&self, start: usize, end: usize) -> bool {
        let words = self.page.text().get(start..end).unwrap_or_default();
        let title = &self.layout.title;
        // A sentence with its full stop says something, whatever the page is called.
        if words.is_empty() || words.len() > 2 * title.len() || words.ends_with(['.', '!', '?', '。']) {
            return false;
        }
        let (said, title) = (letters(words), letters(title));
        said == title || (!said.is_empty() && title.starts_with(&said) && self.is_heading(start, end))
    }

    fn is_heading(&self, start: usize, end: usize) -> bool {
        let headings = &self.layout.headings;
        let place = headings.partition_point(|(_, heading_end)| *heading_end <= start);
        headings.get(place).is_some_and(|(from, to)| *from <= start && end <= *to)
    }

    /// What a reader of the page has beside a passage of it.
    pub fn context(&self, start: usize, end: usize) -> PassageContext {
        let columns = self.columns(start, end);
        let sentences = self.page.sentences();
        let first = sentences.partition_point(|sentence| sentence.end <= start);
        let last = sentences.partition_point(|sentence| sentence.start < end);
        let beside = |place: Option<usize>| {
            let sentence = place.and_then(|place| sentences.get(place))?;
            let place = (sentence.start, sentence.end);
            // Told as the first row, or as the heading of what stands under it.
            let is_columns = columns.is_some_and(|known| known.0 <= place.0 && place.1 <= known.1);
            let is_told = is_columns || self.is_heading(place.0, place.1);
            (!is_told).then(|| self.line(place, NEIGHBOUR_CHARACTERS_MAX))
        };
        PassageContext {
            before: beside(first.checked_sub(1)).unwrap_or_default(),
            after: beside(Some(last)).unwrap_or_default(),
            ..self.context_alone(start, end)
        }
    }

    /// The same without the sentences next to the passage.
    pub fn context_alone(&self, start: usize, end: usize) -> PassageContext {
        let layout = &self.layout;
        let above = layout.headings.partition_point(|(_, heading_end)| *heading_end <= start);
        let heading = above.checked_sub(1).and_then(|place| layout.headings.get(place)).copied();
        let line = |place: Option<(usize, usize)>| {
            place.map(|place| self.line(place, TITLE_CHARACTERS_MAX)).unwrap_or_default()
        };
        PassageContext {
            title: layout.title.clone(),
            published: self.published.clone(),
            heading: line(heading),
            columns: line(self.columns(start, end)),
            before: String::new(),
            after: String::new(),
        }
    }

    /// The first row of the table that a passage is a row of.
    fn columns(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let rows = &self.layout.rows;
        let row = rows.get(rows.partition_point(|(_, row_end, _)| *row_end <= start));
        row.filter(|(from, _, first)| *from < end && first.1 <= start).map(|(_, _, first)| *first)
    }

    fn line(&self, (start, end): (usize, usize), most: usize) -> String {
        text::line(self.page.text().get(start..end).unwrap_or_default(), most)
    }
}

/// The letters and digits of a title, for comparing it with a heading.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The cited pages, in the order of the report's sources.
pub struct PreparedPageSet {
    pub sources: Vec<LedgerSource>,
    /// Pairs of sources that have the same text with other numbers.
    pub altered: Vec<(u32, u32)>,
    books: Vec<Option<PreparedPage>>,
}

impl PreparedPageSet {
    /// None once `stop` is set.
    pub fn of(cited: &[CitedSource], ask: &ExamineRequest, stop: &AtomicBool) -> Option<Self> {
        let mut by_address: BTreeMap<String, &CitedPage> = BTreeMap::new();
        for page in &ask.pages {
            by_address.entry(address(&page.url)).or_insert(page);
            if let Ok(stored) = &page.page {
                by_address.entry(address(&stored.metadata.record.final_url)).or_insert(page);
            }
        }
        let mut sources = Vec::new();
        let mut books = Vec::new();
        for one in cited {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let page = by_address.get(&address(&one.url)).copied();
            let (source, book) = open(one, page, ask.pages.len());
            sources.push(source);
            books.push(book);
        }
        let mut library = Self { sources, altered: Vec::new(), books };
        library.find_origins();
        Some(library)
    }

    pub fn page(&self, place: u32) -> Option<&PreparedPage> {
        self.books.get(usize::try_from(place).ok()?)?.as_ref()
    }

    pub fn origin(&self, place: u32) -> Option<u32> {
        Some(self.sources.get(usize::try_from(place).ok()?)?.origin)
    }

    /// Whether two pages can disagree: they have other texts and other owners. A copy that somebody else altered can.
    pub fn are_two(&self, one: u32, other: u32) -> bool {
        let url = |place: u32| Some(self.sources.get(usize::try_from(place).ok()?)?.url.as_str());
        let text = |place: u32| self.page(place).map(|book| book.page.text());
        let owners = (url(one).and_then(owner), url(other).and_then(owner));
        one != other && text(one) != text(other) && (owners.0.is_none() || owners.0 != owners.1)
    }

    /// One of the two is the other with changed numbers.
    pub fn are_altered(&self, one: u32, other: u32) -> bool {
        self.altered.contains(&(one, other)) || self.altered.contains(&(other, one))
    }

    /// Copies of each other and pages of one owner are one origin; a page that could not be read is its own
    /// origin.
    fn find_origins(&mut self) {
        let unread = TextFingerprint::of("");
        let shapes: Vec<&TextFingerprint> =
            self.books.iter().map(|book| book.as_ref().map_or(&unread, |book| &book.shape)).collect();
        let sites: Vec<Option<String>> = self.sources.iter().map(|source| owner(&source.url)).collect();
        let pages: Vec<(Option<&str>, &TextFingerprint)> =
            sites.iter().map(Option::as_deref).zip(shapes).collect();
        let number = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        for origin in origins(&pages) {
            let name = origin.pages.first().copied().map_or(u32::MAX, number);
            for place in &origin.pages {
                if let Some(source) = self.sources.get_mut(*place) {
                    source.origin = name;
                }
            }
            self.altered.extend(origin.altered.iter().map(|(one, other)| (number(*one), number(*other))));
        }
    }
}

/// Whose page it is. Nobody knows that of a redirect that was not followed: its service owns none of the pages.
fn owner(url: &str) -> Option<String> {
    canonical::site(url).filter(|_| !probity_types::rounds::links::is_redirect(url))
}

/// The same page by another spelling.
fn address(url: &str) -> String {
    probity_types::rounds::links::canonical(url)
}

fn open(cited: &CitedSource, page: Option<&CitedPage>, pages: usize) -> (LedgerSource, Option<PreparedPage>) {
    let source = |url: &str, title: &str, state, quoted| LedgerSource {
        url: url.to_owned(),
        title: title.to_owned(),
        state,
        origin: 0,
        quoted,
    };
    let unreachable = SourceState::unreachable;
    let stored: &StoredPage = match page.map(|page| &page.page) {
        Some(Ok(stored)) => stored,
        Some(Err(why)) => return (source(&cited.url, &cited.title, unreachable(why), Vec::new()), None),
        None if cited.url.is_empty() => {
            return (source("", &cited.title, unreachable("it has no address"), Vec::new()), None);
        }
        None => {
            let why = match pages < LINKS_MAX {
                true => "it is not an address that is fetched".to_owned(),
                false => format!("{BEYOND_LIMIT}{LINKS_MAX} addresses in one text"),
            };
            return (source(&cited.url, &cited.title, unreachable(&why), Vec::new()), None);
        }
    };
    let kept = &stored.metadata;
    let state = SourceState::Kept {
        snapshot: kept.snapshot,
        extract: kept.extract,
        fetched_at: kept.record.fetched_at,
        provenance: kept.record.provenance.clone(),
        published: kept.published.clone(),
    };
    let title = if cited.title.is_empty() { &kept.title } else { &cited.title };
    let extract = Extract::decode(&stored.extract).unwrap_or_default();
    let layout = PageLayout::of(&kept.title, &extract);
    let text = extract.text;
    let mut shape = origins::FingerprintBuilder::of(&text);
    let page = IndexedPage::with_word_observer(&text, |seen| shape.take(seen));
    let book = PreparedPage {
        facts: PageFacts::of(&page),
        page,
        snapshot: kept.snapshot,
        published: kept.published.clone(),
        shape: shape.finish(),
        is_local: kept.record.provenance == Provenance::LocalFile,
        quoted: stored.quoted.clone(),
        layout,
        body: OnceLock::new(),
        loose: OnceLock::new(),
    };
    (source(&cited.url, title, state, stored.quoted.clone()), Some(book))
}
