//! The text of a report on the web engine. Code writes it: a model's sentences are inserted as text, never as
//! markup, and every address in it is one that was fetched.

use std::collections::BTreeSet;

use super::{
    canonical,
    markdown::{heading, neutralize_markdown},
    page::Provenance,
    plan::WebPlan,
    receipt,
    record::{RecordedSentence, WebStop},
    state::{WebState, to_index},
    task::ReportDraft,
};
use crate::{
    inquiry::{
        asked,
        bank::normalized,
        gaps::{self, ToldThings},
    },
    query::Query,
    report::{Citation, ReportPhrases, SourceLink},
};

/// Longest sentence taken from a writer, in characters.
const SENTENCE_CHARACTERS_MAX: usize = 1_500;
const HEADING_CHARACTERS_MAX: usize = 160;
/// Sections and sentences of one report; a writer that goes on without end is cut.
const SECTIONS_MAX: usize = 30;
const SENTENCES_MAX: usize = 60;
const UNANSWERED_MAX: usize = 12;

/// A report while it is written: the text, and the evidence of its sentences.
pub struct ReportComposer {
    pub text: String,
    pub citations: Vec<Citation>,
    pub sources: Vec<SourceLink>,
    pub sentences: Vec<RecordedSentence>,
    /// It says of something that it was not found.
    pub has_gaps: bool,
    /// The program's own words in the language of the report.
    pub(crate) phrases: ReportPhrases,
    /// Position in `WebState::pages` of each source.
    pages: Vec<u32>,
}

pub fn compose(
    query: &Query,
    plan: &WebPlan,
    gathering: &WebState,
    stop: WebStop,
    remarks: &[String],
) -> ReportComposer {
    let phrases = ReportPhrases::of_report(plan.hints.language.as_deref(), query.as_str());
    let mut composed = ReportComposer::new(phrases);
    let origins = gathering.origins();
    match &gathering.draft {
        Some(draft) => {
            if !draft.title.trim().is_empty() {
                let title = asked::title(&draft.title, query.as_str());
                composed.line(&format!("# {}\n", neutralize_markdown(&title, HEADING_CHARACTERS_MAX)));
            }
            composed.draft(draft, plan, gathering, &origins, stop);
            composed.own_files(plan, gathering, &origins);
        }
        None => composed.brief(query, plan, gathering, &origins, stop),
    }
    composed.about(remarks);
    composed.list_sources(gathering);
    composed
}

impl ReportComposer {
    pub(crate) fn new(phrases: ReportPhrases) -> Self {
        Self {
            text: String::new(),
            citations: Vec::new(),
            sources: Vec::new(),
            sentences: Vec::new(),
            has_gaps: false,
            phrases,
            pages: Vec::new(),
        }
    }

    fn draft(
        &mut self,
        draft: &ReportDraft,
        plan: &WebPlan,
        gathering: &WebState,
        origins: &[usize],
        stop: WebStop,
    ) {
        if stop == WebStop::NotNeeded {
            self.line(&format!(
                "> No search was made: {}. What follows is the model's own knowledge; nothing was checked.\n",
                why_none(plan)
            ));
        }
        let searched = stop != WebStop::NotNeeded;
        let mut missing: Vec<&str> = Vec::new();
        for section in draft.sections.iter().take(SECTIONS_MAX) {
            let heading = heading(&section.heading, HEADING_CHARACTERS_MAX);
            let said = section.sentences.iter().take(SENTENCES_MAX);
            // What only says that nothing was found stands once, where what is missing is listed.
            let (nothing, stated): (Vec<_>, Vec<_>) =
                said.partition(|sentence| searched && gaps::says_only_nothing(&sentence.text));
            missing.extend(nothing.iter().map(|sentence| sentence.text.as_str()));
            if !heading.is_empty() && (nothing.is_empty() || !stated.is_empty()) {
                self.line(&format!("## {heading}\n"));
            }
            for sentence in stated {
                let known = |note: &&u32| {
                    gathering
                        .notes
                        .get(to_index(**note))
                        .is_some_and(|of| !gathering.stays_here(plan, of.page))
                };
                let notes: Vec<u32> = sentence.notes.iter().filter(known).copied().collect();
                self.sentence(&sentence.text, notes, gathering, origins, stop);
            }
            self.line("\n");
        }
        let told = self.told_things(gathering);
        missing.extend(draft.unanswered.iter().map(String::as_str));
        let mut known: BTreeSet<String> = BTreeSet::new();
        let unanswered: Vec<String> = missing
            .into_iter()
            .map(|open| neutralize_markdown(gaps::without_opener(open), SENTENCE_CHARACTERS_MAX))
            .flat_map(|open| told.open_parts(&open))
            .filter(|open| known.insert(normalized(open)))
            .take(UNANSWERED_MAX)
            .collect();
        let receipt = receipt::receipt(plan, gathering);
        if unanswered.is_empty() {
            return;
        }
        self.has_gaps = true;
        // Nothing is called missing that was not searched for.
        match receipt.is_empty() {
            true => self.list(&format!("## {}", self.phrases.not_looked_up), &unanswered),
            false => {
                self.list(&format!("## {}", self.phrases.unanswered), &unanswered);
                self.line(&receipt.line_in(&self.phrases));
            }
        }
    }

    /// What the sentences so far and the quotations behind the report say.
    fn told_things(&self, gathering: &WebState) -> ToldThings {
        let mut told = ToldThings::default();
        for sentence in &self.sentences {
            told.add(self.text.get(sentence.start..sentence.end).unwrap_or_default());
        }
        // A report that states nothing at all leaves everything open.
        let quotes = gathering.notes.iter().flat_map(|note| &note.note.quotes);
        for quote in quotes.filter(|_| !self.sentences.is_empty()) {
            told.add(&quote.text);
        }
        told
    }

    /// One sentence and the numbers of its sources.
    pub(crate) fn sentence(
        &mut self,
        words: &str,
        mut notes: Vec<u32>,
        gathering: &WebState,
        origins: &[usize],
        stop: WebStop,
    ) {
        let words = neutralize_markdown(words, SENTENCE_CHARACTERS_MAX);
        if words.is_empty() {
            return;
        }
        notes.sort_unstable();
        notes.dedup();
        let start = self.text.len();
        self.text.push_str(&words);
        let end = self.text.len();
        let pages = pages_of(&notes, gathering);
        for page in &pages {
            let source = self.source(*page, gathering);
            self.citations.push(Citation { start, end, source });
            self.text.push_str(&format!(" [{}]", source + 1));
        }
        if pages.is_empty() && stop != WebStop::NotNeeded {
            self.text.push_str(&format!(" *({})*", self.phrases.no_source));
        }
        self.text.push(' ');
        let mut known: Vec<usize> =
            pages.iter().filter_map(|page| origins.get(to_index(*page)).copied()).collect();
        known.sort_unstable();
        known.dedup();
        let origins = u32::try_from(known.len()).unwrap_or(u32::MAX);
        self.sentences.push(RecordedSentence { start, end, notes, origins, inference: false });
    }

    /// Without a writer: the quotations themselves, by question.
    fn brief(
        &mut self,
        query: &Query,
        plan: &WebPlan,
        gathering: &WebState,
        origins: &[usize],
        stop: WebStop,
    ) {
        let title = asked::title("", query.as_str());
        self.line(&format!("# {}\n", neutralize_markdown(&title, HEADING_CHARACTERS_MAX)));
        if stop == WebStop::NotNeeded {
            let silent = match plan.model {
                Some(_) => "The language model did not answer, so there is nothing to add.",
                None => "No language model is configured, so there is nothing to add.",
            };
            self.line(&format!("> No search was made: {}. {silent}\n", why_none(plan)));
            return;
        }
        self.line(&format!("> {}\n", self.phrases.made_of_quotations));
        let mut questions: Vec<&str> = Vec::new();
        for note in &gathering.notes {
            if !note.note.quotes.is_empty() && !questions.contains(&note.question.as_str()) {
                questions.push(&note.question);
            }
        }
        for question in questions {
            if question != query.as_str() {
                self.line(&format!("## {}\n", heading(question, HEADING_CHARACTERS_MAX)));
            }
            // Pages that address machines come last.
            let mut notes: Vec<(bool, usize, u32)> = gathering
                .notes
                .iter()
                .enumerate()
                .filter(|(_, of)| of.question == question)
                .map(|(note, of)| {
                    let page = gathering.pages.get(to_index(of.page));
                    (page.is_some_and(|page| !page.metadata.signs.is_empty()), note, of.page)
                })
                .collect();
            notes.sort_unstable();
            for (_, note, page) in notes {
                self.quotes(super::state::to_count(note), page, gathering, origins);
            }
        }
    }

    fn quotes(&mut self, note: u32, page: u32, gathering: &WebState, origins: &[usize]) {
        let Some(of) = gathering.notes.get(to_index(note)) else { return };
        let source = self.source(page, gathering);
        for quote in &of.note.quotes {
            self.text.push_str("- “");
            let start = self.text.len();
            self.text.push_str(&neutralize_markdown(&quote.text, SENTENCE_CHARACTERS_MAX));
            let end = self.text.len();
            self.text.push_str(&format!("” [{}]\n", source + 1));
            self.citations.push(Citation { start, end, source });
            let origins = u32::from(origins.get(to_index(page)).is_some());
            let notes = vec![note];
            self.sentences.push(RecordedSentence { start, end, notes, origins, inference: false });
        }
        self.text.push('\n');
    }

    /// Files that must not be shown to a remote model are quoted here by rule.
    pub(crate) fn own_files(&mut self, plan: &WebPlan, gathering: &WebState, origins: &[usize]) {
        let own: Vec<(usize, u32)> = gathering
            .notes
            .iter()
            .enumerate()
            .filter(|(_, of)| !of.note.quotes.is_empty() && gathering.stays_here(plan, of.page))
            .map(|(note, of)| (note, of.page))
            .collect();
        if own.is_empty() {
            return;
        }
        self.line(&format!("## {}\n", self.phrases.own_files));
        self.line(&format!("> {}\n", self.phrases.own_files_quoted));
        for (note, page) in own {
            self.quotes(super::state::to_count(note), page, gathering, origins);
        }
    }

    pub(crate) fn about(&mut self, remarks: &[String]) {
        self.list(&format!("## {}", self.phrases.about), remarks);
    }

    /// The numbered list of sources.
    pub(crate) fn list_sources(&mut self, gathering: &WebState) {
        let pages = self.pages.clone();
        let source = |page: &u32| {
            let kept = gathering.pages.get(to_index(*page)).map(|page| &page.metadata)?;
            let date = kept.published.as_deref().map(|date| format!(", {date}")).unwrap_or_default();
            let title = neutralize_markdown(&kept.title, HEADING_CHARACTERS_MAX);
            Some(match kept.record.provenance {
                Provenance::LocalFile => format!("{title}{date} ({})", self.phrases.own_file),
                _ => format!("{title}{date}: {}", canonical::display(&kept.record.final_url)),
            })
        };
        let listed: Vec<String> = pages.iter().filter_map(source).collect();
        if listed.is_empty() {
            return;
        }
        self.line(&format!("## {}\n", self.phrases.sources));
        for (number, source) in listed.iter().enumerate() {
            self.text.push_str(&format!("{}. {source}\n", number + 1));
        }
    }

    pub(crate) fn list(&mut self, heading: &str, items: &[String]) {
        let items: Vec<&String> = items.iter().filter(|item| !item.is_empty()).collect();
        if items.is_empty() {
            return;
        }
        self.line(&format!("{heading}\n"));
        for item in items {
            self.text.push_str(&format!("- {item}\n"));
        }
        self.text.push('\n');
    }

    /// A paragraph of its own.
    pub(crate) fn line(&mut self, words: &str) {
        while self.text.ends_with([' ', '\n']) {
            self.text.pop();
        }
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(words);
        if words.trim().is_empty() {
            return;
        }
        self.text.push('\n');
    }

    /// The number of a page among the sources; new ones at the end.
    pub(crate) fn source(&mut self, page: u32, gathering: &WebState) -> usize {
        if let Some(known) = self.pages.iter().position(|known| *known == page) {
            return known;
        }
        self.pages.push(page);
        let kept = gathering.pages.get(to_index(page)).map(|page| &page.metadata);
        self.sources.push(SourceLink {
            url: kept.map(|kept| kept.record.final_url.clone()).unwrap_or_default(),
            title: kept.map(|kept| kept.title.clone()).unwrap_or_default(),
        });
        self.sources.len() - 1
    }
}

fn why_none(plan: &WebPlan) -> &str {
    plan.strategy.reason.trim_start_matches("no search: ")
}

/// Pages behind these notes, each once, in the order of the notes.
fn pages_of(notes: &[u32], gathering: &WebState) -> Vec<u32> {
    let mut pages = Vec::new();
    for note in notes.iter().filter_map(|note| gathering.notes.get(to_index(*note))) {
        if !pages.contains(&note.page) && !note.note.quotes.is_empty() {
            pages.push(note.page);
        }
    }
    pages
}
