//! The text of an inquiry's report. Code writes it: titles, sections, tables and citations are made of typed blocks, and
//! a model's words are inserted as text.

mod missing;

use std::collections::BTreeSet;

use probity_types::inquiry::{Block, FacetId, NodeId, QuoteId, Sentence, SentenceKind, Table};

use super::{
    asked,
    bank::normalized,
    belonging::PartWords,
    claims::{self, CitedSentence, WrittenFront},
    gaps, named,
    outline::OutlineNode,
    section::{self, SENTENCE_CHARACTERS_MAX},
    state::InquiryState,
    written::WrittenSection,
};
use crate::{
    query::Query,
    report::{Citation, ReportPhrases},
    web::{
        compose::ReportComposer,
        markdown::{heading, neutralize_markdown},
        plan::WebPlan,
        record::{RecordedSentence, WebStop},
        state::{WebState, to_index},
        task::WebTask,
    },
};

const HEADING_CHARACTERS_MAX: usize = 160;

pub fn compose(
    query: &Query,
    plan: &WebPlan,
    gathering: &WebState,
    inquiry: &InquiryState,
    stop: WebStop,
    remarks: &[String],
) -> ReportComposer {
    let origins = gathering.origins();
    let phrases = ReportPhrases::of_report(inquiry.language.as_deref(), query.as_str());
    let mut writer = InquiryComposer {
        composed: ReportComposer::new(phrases),
        gathering,
        inquiry,
        origins: &origins,
        told: BTreeSet::new(),
        missing: Vec::new(),
        unsearched: Vec::new(),
    };
    if inquiry.is_written() {
        writer.report(query, plan);
        writer.composed.own_files(plan, gathering, &origins);
    } else {
        writer.quotations(query, plan, stop);
    }
    let mut composed = writer.composed;
    composed.about(remarks);
    composed.list_sources(gathering);
    composed
}

/// What a reader must know of how this report came about.
pub fn remarks(gathering: &WebState, inquiry: &InquiryState, phrases: &ReportPhrases) -> Vec<String> {
    let words = phrases.remarks;
    let mut remarks = Vec::new();
    let quoted = inquiry.sections.values().filter(|section| section.is_quoted).count();
    if quoted > 0 && inquiry.is_written() {
        remarks.push(match (words, quoted) {
            (Some(words), quoted) => counted(words.parts_quoted, quoted),
            (None, 1) => "1 part could not be written by the model and is quoted instead.".to_owned(),
            (None, quoted) => {
                format!("{quoted} parts could not be written by the model and are quoted instead.")
            }
        });
    }
    remarks.extend(looked_up(inquiry, phrases));
    remarks.extend(match words {
        Some(words) => inquiry.patched.remark_in(words.changed),
        None => inquiry.patched.remark(),
    });
    let failed = |wanted: WebTask| gathering.troubles.iter().any(|(task, _)| *task == wanted);
    if failed(WebTask::Synthesis) {
        let english = "The part that draws conclusions could not be written.";
        remarks.push(words.map_or(english, |words| words.no_conclusions).to_owned());
    }
    if failed(WebTask::Brief) {
        let english = "The question was divided by rule, not by the model.";
        remarks.push(words.map_or(english, |words| words.divided_by_rule).to_owned());
    }
    if inquiry.distrusted > 0 {
        let pages = match inquiry.distrusted {
            1 => "1 page".to_owned(),
            pages => format!("{pages} pages"),
        };
        remarks.push(match words {
            Some(words) => counted(words.read_by_rule, inquiry.distrusted),
            None => format!(
                "On {pages} the reading model returned mostly words that are not there; read by rule instead."
            ),
        });
    }
    for asked in &inquiry.clarifications {
        let words = format!("Assumed: {} {}", asked.question, asked.default_answer);
        remarks.push(neutralize_markdown(&words, 300));
    }
    remarks
}

/// A sentence of another language than English with its number.
fn counted(words: &str, count: impl std::fmt::Display) -> String {
    words.replace("{n}", &count.to_string())
}

/// How many sentences their own quotations did not bear out.
fn looked_up(inquiry: &InquiryState, phrases: &ReportPhrases) -> Vec<String> {
    let sum = |of: fn(&WrittenSection) -> u32| inquiry.sections.values().map(of).fold(0, u32::saturating_add);
    let (replaced, left_out) = (sum(|section| section.replaced), sum(|section| section.left_out));
    if let Some(words) = phrases.remarks {
        let told = [(words.left_out, left_out), (words.replaced, replaced)].into_iter();
        return told.filter(|(_, count)| *count > 0).map(|(words, count)| counted(words, count)).collect();
    }
    let sentences =
        |count: u32| if count == 1 { "1 sentence".to_owned() } else { format!("{count} sentences") };
    let why = "whose figures or names stand in no quotation";
    let told = match (left_out, replaced) {
        (0, 0) => None,
        (count, 0) => Some(format!("Left out while writing: {} {why}.", sentences(count))),
        (0, count) => Some(format!("Replaced by a quotation while writing: {} {why}.", sentences(count))),
        (left_out, replaced) => Some(format!(
            "While writing, {} {why} were left out and {} replaced by a quotation.",
            sentences(left_out),
            sentences(replaced)
        )),
    };
    told.into_iter().collect()
}

struct InquiryComposer<'a> {
    composed: ReportComposer,
    gathering: &'a WebState,
    inquiry: &'a InquiryState,
    origins: &'a [usize],
    /// Sentences of the sections that stand already.
    told: BTreeSet<String>,
    /// Sentences that only say that nothing was found, and questions for which nothing was.
    missing: Vec<String>,
    /// Parts of the question that nobody searched for: the plan did not carry them.
    unsearched: Vec<String>,
}

impl InquiryComposer<'_> {
    fn report(&mut self, query: &Query, plan: &WebPlan) {
        let by_rule = || claims::front_by_rule(self.inquiry.context());
        let front = self.inquiry.front.clone().unwrap_or_else(by_rule);
        let mut front = claims::with_citations_of_sections(self.inquiry.context(), front);
        self.take_missing(&mut front.answer, |said| &said.text);
        self.take_missing(&mut front.key_points, |said| &said.text);
        self.front(query, &front);
        for id in self.inquiry.outline.in_order() {
            self.node(id);
        }
        self.untold_parts();
        self.unmet_parts(query);
        self.synthesis();
        self.unanswered(query, plan);
    }

    /// What only says that nothing was found stands once, where what is missing is listed.
    fn take_missing<T>(&mut self, sentences: &mut Vec<T>, text: fn(&T) -> &str) {
        sentences.retain(|sentence| {
            let text = text(sentence);
            let is_nothing = gaps::says_only_nothing(text);
            if is_nothing {
                self.missing.push(text.to_owned());
            }
            !is_nothing
        });
    }

    /// The blocks of a section without such sentences.
    fn stated(&mut self, blocks: &[Block]) -> Vec<Block> {
        let mut kept = blocks.to_vec();
        for block in &mut kept {
            if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
                self.take_missing(sentences, |sentence| &sentence.text);
            }
        }
        kept.retain(|block| match block {
            Block::Paragraph { sentences } | Block::List { items: sentences } => !sentences.is_empty(),
            Block::Heading { .. } | Block::Table(_) => true,
        });
        section::without_bare_headings(kept)
    }

    /// Parts that the user named and no sentence tells anything of: their quotations, else a line that nothing was found.
    fn untold_parts(&mut self) {
        let notes = self.composed.sentences.iter().flat_map(|sentence| &sentence.notes);
        let used: BTreeSet<QuoteId> = notes.map(|note| QuoteId::at(to_index(*note))).collect();
        let inquiry = self.inquiry;
        for part in named::untold(inquiry, &used) {
            if part.quotes.is_empty() {
                self.missing.push(part.question);
                continue;
            }
            self.composed.line(&format!("## {}\n", self.topic_heading(&part.question)));
            self.composed.line(&format!("> {}\n", self.phrases().quoted));
            self.composed.line("");
            for sentence in part.quotes.iter().filter_map(|id| section::quotation(&inquiry.bank, *id)) {
                self.item();
                self.cite(&sentence.text, &sentence.quotes);
            }
        }
    }

    fn front(&mut self, query: &Query, front: &WrittenFront) {
        let title = asked::title(&front.title, query.as_str());
        let title = neutralize_markdown(&title, HEADING_CHARACTERS_MAX);
        self.composed.line(&format!("# {title}\n"));
        if !front.answer.is_empty() {
            self.composed.line("");
            front.answer.iter().for_each(|sentence| self.cited(sentence));
        }
        if !front.key_points.is_empty() {
            let heading = heading(&front.points_heading, HEADING_CHARACTERS_MAX);
            let heading = if heading.is_empty() { self.phrases().key_points } else { &heading };
            self.composed.line(&format!("## {heading}\n"));
            for point in &front.key_points {
                self.item();
                self.cited(point);
            }
        }
    }

    fn node(&mut self, id: NodeId) {
        let Some(node) = self.inquiry.outline.get(id) else { return };
        let is_part = node.parent.is_some();
        let heading = self.heading_of(node);
        let section = self.inquiry.sections.get(&id);
        let mut blocks = section.map(|section| self.stated(&section.blocks)).unwrap_or_default();
        let has_text = !blocks.is_empty();
        let is_quoted = section.is_some_and(|section| section.is_quoted);
        let has_children = !self.inquiry.outline.children(Some(id)).is_empty();
        if !heading.is_empty() && (has_text || has_children) {
            self.composed.line(&format!("{} {heading}\n", if is_part { "###" } else { "##" }));
        }
        if has_text && is_quoted {
            self.keep_own(node, &mut blocks);
            let phrases = self.phrases();
            let is_bare = blocks.is_empty();
            self.composed.has_gaps |= is_bare;
            let remark = if is_bare { phrases.nothing_found } else { phrases.quoted };
            self.composed.line(&format!("> {remark}\n"));
        }
        for block in &blocks {
            self.block(block, is_part);
        }
    }

    /// A heading that is the question of its node is one with its question mark.
    fn heading_of(&self, node: &OutlineNode) -> String {
        let is_question =
            node.question.trim_end_matches(['?', '？']) == node.heading && !node.heading.is_empty();
        self.topic_heading(if is_question { &node.question } else { &node.heading })
    }

    /// A heading names a topic: what only told the writer what to do is none.
    fn topic_heading(&self, words: &str) -> String {
        match self.inquiry.plan.names_every_part() {
            true if asked::is_about_form(words) => self.phrases().also_found.to_owned(),
            true => heading(&asked::topic(words), HEADING_CHARACTERS_MAX),
            false => heading(words, HEADING_CHARACTERS_MAX),
        }
    }

    /// Leaves out of the quotations of a part those that tell of other parts alone.
    fn keep_own(&self, node: &OutlineNode, blocks: &mut Vec<Block>) {
        let Some(part) = self.inquiry.facet_asking(&node.question) else { return };
        let parts = PartWords::of(&self.inquiry.facets);
        let is_own = |sentence: &Sentence| {
            let mut quotes = sentence.quotes.iter().filter_map(|id| self.inquiry.bank.get(*id));
            quotes.all(|quote| parts.another(part, &quote.text).is_none())
        };
        for block in blocks.iter_mut() {
            if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
                sentences.retain(&is_own);
            }
        }
        blocks.retain(|block| match block {
            Block::Paragraph { sentences } | Block::List { items: sentences } => !sentences.is_empty(),
            Block::Heading { .. } | Block::Table(_) => true,
        });
    }

    fn block(&mut self, block: &Block, is_part: bool) {
        match block {
            Block::Heading { text } => {
                let heading = heading(text, HEADING_CHARACTERS_MAX);
                self.composed.line(&format!("{} {heading}\n", if is_part { "####" } else { "###" }));
            }
            Block::Paragraph { sentences } => {
                let new: Vec<&Sentence> = sentences.iter().filter(|sentence| self.is_new(sentence)).collect();
                // Words that only lead over have nowhere to lead.
                if new.iter().all(|sentence| sentence.kind == SentenceKind::Link) {
                    return;
                }
                self.composed.line("");
                for sentence in new {
                    self.sentence(sentence);
                }
            }
            Block::List { items } => {
                let new: Vec<&Sentence> = items.iter().filter(|sentence| self.is_new(sentence)).collect();
                if new.is_empty() {
                    return;
                }
                self.composed.line("");
                for sentence in new {
                    self.item();
                    self.sentence(sentence);
                }
            }
            Block::Table(table) => self.table(table),
        }
    }

    fn is_new(&self, sentence: &Sentence) -> bool {
        !self.told.contains(&normalized(&sentence.text))
    }

    /// The next item of a list on a line of its own.
    fn item(&mut self) {
        let text = &mut self.composed.text;
        text.truncate(text.trim_end_matches(' ').len());
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str("- ");
    }

    fn sentence(&mut self, sentence: &Sentence) {
        if !self.told.insert(normalized(&sentence.text)) {
            return;
        }
        match sentence.kind {
            SentenceKind::Fact => self.cite(&sentence.text, &sentence.quotes),
            SentenceKind::Inference => {
                self.conclude(&sentence.text, &sentence.quotes);
            }
            SentenceKind::Link => {
                let words = neutralize_markdown(&sentence.text, SENTENCE_CHARACTERS_MAX);
                self.composed.text.push_str(&words);
                self.composed.text.push(' ');
            }
        }
    }

    fn cited(&mut self, sentence: &CitedSentence) {
        self.cite(&sentence.text, &sentence.quotes);
    }

    fn cite(&mut self, words: &str, quotes: &[QuoteId]) {
        let notes: Vec<u32> = quotes.iter().filter_map(|id| place(*id)).collect();
        // Every page that was searched for this run stands behind it: an uncited fact is marked.
        self.composed.sentence(words, notes, self.gathering, self.origins, WebStop::Limit);
    }

    /// A conclusion with what it rests on: marked for readers, and recorded as one for whoever checks it.
    fn conclude(&mut self, words: &str, quotes: &[QuoteId]) {
        let text = self.marked(words);
        let before = self.composed.sentences.len();
        self.cite(&text, quotes);
        for sentence in self.composed.sentences.iter_mut().skip(before) {
            sentence.inference = self.inquiry.plan.records_inferences();
        }
    }

    fn phrases(&self) -> ReportPhrases {
        self.composed.phrases
    }

    /// A conclusion says that it is one.
    fn marked(&self, text: &str) -> String {
        let phrases = self.phrases();
        let lower = text.to_lowercase();
        if phrases.conclusion_starts.iter().any(|start| lower.starts_with(start)) {
            text.to_owned()
        } else {
            format!("{}{text}", phrases.together)
        }
    }

    /// Each cell is a claim of its own, with its sources in it.
    fn table(&mut self, table: &Table) {
        let words = |text: &str| neutralize_markdown(text, HEADING_CHARACTERS_MAX).replace('|', "/");
        let caption = words(&table.caption);
        if !caption.is_empty() {
            self.composed.line(&format!("**{caption}**\n"));
        }
        self.composed.line("");
        let headings: Vec<String> = table
            .columns
            .iter()
            .map(|column| match column.unit.is_empty() {
                true => words(&column.heading),
                false => format!("{} ({})", words(&column.heading), words(&column.unit)),
            })
            .collect();
        let text = &mut self.composed.text;
        text.push_str(&format!("| {} |\n|{}\n", headings.join(" | "), " --- |".repeat(headings.len())));
        for row in &table.rows {
            self.composed.text.push_str(&format!("| {} |", words(&row.name)));
            for cell in &row.cells {
                self.composed.text.push(' ');
                match cell.quotes.is_empty() {
                    true => self.composed.text.push_str(self.composed.phrases.cell_not_found),
                    false => self.cite(&words(&cell.text), &cell.quotes),
                }
                let text = &mut self.composed.text;
                text.truncate(text.trim_end_matches(' ').len());
                text.push_str(" |");
            }
            self.composed.text.push('\n');
        }
    }

    fn synthesis(&mut self) {
        let mut points = self.inquiry.synthesis.clone();
        self.take_missing(&mut points, |point| &point.text);
        if points.is_empty() {
            return;
        }
        let heading = heading(&self.inquiry.synthesis_heading, HEADING_CHARACTERS_MAX);
        let heading = if heading.is_empty() { self.phrases().conclusions } else { &heading };
        self.composed.line(&format!("## {heading}\n"));
        for point in &points {
            self.item();
            self.conclude(&point.text, &point.quotes);
        }
    }

    /// Without a writer: the quotations themselves by facet, those of one origin together, the newest first.
    fn quotations(&mut self, query: &Query, plan: &WebPlan, stop: WebStop) {
        let title = neutralize_markdown(&asked::title("", query.as_str()), HEADING_CHARACTERS_MAX);
        self.composed.line(&format!("# {title}\n"));
        if stop == WebStop::NotNeeded {
            return;
        }
        let phrases = self.phrases();
        self.composed.line(&format!("> {}\n", phrases.made_of_quotations));
        let bank = &self.inquiry.bank;
        let parts = PartWords::of(&self.inquiry.facets);
        // What was found for a part and tells of another alone stands there.
        let mut homes: Vec<(usize, Option<FacetId>)> = Vec::new();
        let mut searched_for: BTreeSet<FacetId> = BTreeSet::new();
        for (place, quote) in bank.quotes.iter().enumerate().filter(|(_, quote)| quote.copy_of.is_none()) {
            let found_for = quote.facets.first().copied();
            searched_for.extend(found_for);
            homes.push((place, found_for.and_then(|part| parts.another(part, &quote.text)).or(found_for)));
        }
        let facets = (0..self.inquiry.facets.len()).map(|place| Some(FacetId::at(place)));
        for facet in facets.chain([None]) {
            let here = homes.iter().filter(|(_, home)| *home == facet);
            let mut places: Vec<usize> = here.map(|(place, _)| *place).collect();
            let is_bare = places.is_empty();
            if is_bare && !facet.is_some_and(|facet| searched_for.contains(&facet)) {
                continue;
            }
            places.sort_by_key(|place| self.order_of(*place));
            let asked =
                facet.and_then(|facet| self.inquiry.facet(facet)).map(|facet| facet.question.as_str());
            match asked {
                Some(asked) if asked == query.as_str() && is_bare => continue,
                Some(asked) if asked == query.as_str() => {}
                Some(asked) => {
                    let heading = self.topic_heading(asked);
                    self.composed.line(&format!("## {heading}\n"));
                }
                None => self.composed.line(&format!("## {}\n", phrases.also_found)),
            }
            if is_bare {
                self.composed.has_gaps = true;
                self.composed.line(&format!("> {}\n", phrases.nothing_found));
            }
            self.composed.line("");
            for place in places {
                self.quotation(place);
            }
        }
        if self.inquiry.plan.names_every_part() {
            self.unmet_parts(query);
            self.unanswered(query, plan);
        }
    }

    /// Pages that talk to machines last, then the first origin first, then the newest.
    fn order_of(&self, place: usize) -> (bool, usize, std::cmp::Reverse<String>, usize) {
        let page = self.inquiry.bank.quotes.get(place).map_or(0, |quote| to_index(quote.page));
        let kept = self.gathering.pages.get(page).map(|page| &page.metadata);
        let signs = kept.is_some_and(|kept| !kept.signs.is_empty());
        let date = kept.and_then(|kept| kept.published.clone()).unwrap_or_default();
        (signs, self.origins.get(page).copied().unwrap_or(page), std::cmp::Reverse(date), place)
    }

    fn quotation(&mut self, place: usize) {
        let Some(quote) = self.inquiry.bank.quotes.get(place) else { return };
        let source = self.composed.source(quote.page, self.gathering);
        self.composed.text.push_str("- “");
        let start = self.composed.text.len();
        self.composed.text.push_str(&neutralize_markdown(&quote.text, SENTENCE_CHARACTERS_MAX));
        let end = self.composed.text.len();
        self.composed.text.push_str(&format!("” [{}]\n", source + 1));
        self.composed.citations.push(Citation { start, end, source });
        let note = u32::try_from(place).unwrap_or(u32::MAX);
        let notes = vec![note];
        self.composed.sentences.push(RecordedSentence { start, end, notes, origins: 1, inference: false });
    }
}

/// The place of a quotation among the notes of the run.
fn place(id: QuoteId) -> Option<u32> {
    id.0.checked_sub(1)
}
