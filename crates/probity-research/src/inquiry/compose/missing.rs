//! What a report does not tell: each part of the question is told with a source, quoted, or named as missing.

use std::collections::BTreeSet;

use probity_types::inquiry::QuoteId;

use super::InquiryComposer;
use crate::{
    inquiry::{
        asked,
        bank::{BankQuote, normalized},
        figures,
        gaps::{self, ToldThings},
        section::{self, SENTENCE_CHARACTERS_MAX},
        unmet::{self, ToldReport, UnmetPart},
    },
    query::Query,
    report::ReportPhrases,
    web::{markdown::neutralize_markdown, plan::WebPlan, receipt, state::to_index},
};

/// Lines of what is missing: under earlier rules, and where every part is named.
const UNANSWERED_MAX: usize = 12;
const NAMED_MAX: usize = 40;

impl InquiryComposer<'_> {
    /// Parts of the question that nothing above tells: their quotations, else they are named where what is missing stands.
    pub(super) fn unmet_parts(&mut self, query: &Query) {
        if !self.inquiry.plan.names_every_part() {
            return;
        }
        let unmet = unmet::unmet(&self.told_report(query), self.gathering, self.inquiry);
        let mut quotes: Vec<QuoteId> = Vec::new();
        for id in unmet.iter().flat_map(|part| &part.quotes) {
            if !quotes.contains(id) {
                quotes.push(*id);
            }
        }
        if !quotes.is_empty() {
            let phrases = self.phrases();
            self.composed.line(&format!("## {}\n", phrases.also_found));
            self.composed.line(&format!("> {}\n", phrases.quoted));
            self.composed.line("");
            let inquiry = self.inquiry;
            for sentence in quotes.iter().filter_map(|id| section::quotation(&inquiry.bank, *id)) {
                self.item();
                self.cite(&sentence.text, &sentence.quotes);
            }
        }
        for part in unmet.into_iter().filter(|part| part.quotes.is_empty()) {
            let UnmetPart { text, was_searched, .. } = part;
            let list = if was_searched { &mut self.missing } else { &mut self.unsearched };
            list.push(text);
        }
    }

    fn told_report<'s>(&'s self, query: &'s Query) -> ToldReport<'s> {
        let sentences = self.composed.sentences.iter();
        let of_question = ReportPhrases::of_report(None, query.as_str());
        let notes = sentences.clone().flat_map(|sentence| &sentence.notes);
        let mut about = self.cited_things();
        let nodes = self.inquiry.outline.in_order().into_iter();
        let nodes = nodes.filter(|id| self.inquiry.sections.contains_key(id));
        for node in nodes.filter_map(|id| self.inquiry.outline.get(id)) {
            about.add(&node.heading);
        }
        ToldReport {
            question: query.as_str(),
            told: self.cited_things(),
            about,
            cited: notes.map(|note| QuoteId::at(to_index(*note))).collect(),
            foreign: sentences
                .filter(|sentence| !self.rests_on_words_of(&of_question, &sentence.notes))
                .filter_map(|sentence| self.composed.text.get(sentence.start..sentence.end))
                .collect(),
            speaks_as_asked: of_question == self.phrases(),
        }
    }

    /// Whether all of these quotations are in one language.
    fn rests_on_words_of(&self, language: &ReportPhrases, notes: &[u32]) -> bool {
        let quotes = notes.iter().map(|note| self.inquiry.bank.get(QuoteId::at(to_index(*note))));
        let is_of = |quote: Option<&BankQuote>| {
            quote.is_some_and(|quote| ReportPhrases::of_report(None, &quote.text) == *language)
        };
        !notes.is_empty() && quotes.into_iter().all(is_of)
    }

    /// What the sentences say, and what they tell of the quotations that they cite.
    fn cited_things(&self) -> ToldThings {
        let mut told = self.said_things();
        let bank = &self.inquiry.bank;
        for sentence in &self.composed.sentences {
            let text = self.composed.text.get(sentence.start..sentence.end).unwrap_or_default();
            let numbers = figures::number_keys(text);
            let quotes = sentence.notes.iter().filter_map(|note| bank.get(QuoteId::at(to_index(*note))));
            quotes.for_each(|quote| told.add_cited(quote, &numbers));
        }
        // The user's own files are quoted in a place of their own.
        let own = bank.ids().filter(|id| !bank.may_be_shown(*id)).filter_map(|id| bank.get(id));
        own.for_each(|quote| told.add_quote(quote));
        told
    }

    /// The sentences and the cells of tables.
    fn said_things(&self) -> ToldThings {
        let mut told = ToldThings::default();
        for sentence in &self.composed.sentences {
            told.add(self.composed.text.get(sentence.start..sentence.end).unwrap_or_default());
        }
        for table in self.inquiry.sections.values().flat_map(|section| section.tables()) {
            for row in &table.rows {
                // The first column names the rows.
                let cells = row.cells.iter().zip(table.columns.iter().skip(1));
                for (cell, column) in cells.filter(|(cell, _)| !cell.quotes.is_empty()) {
                    let (name, heading) = (&row.name, &column.heading);
                    told.add(&format!("{} {name} {heading} {}", table.caption, cell.text));
                }
            }
        }
        told
    }

    /// Everything that the report and its evidence say.
    fn told_things(&self) -> ToldThings {
        let mut told = self.said_things();
        told.add_bank(&self.inquiry.bank);
        told
    }

    /// Nothing is called missing that was not searched for, or that stands here.
    pub(super) fn unanswered(&mut self, query: &Query, plan: &WebPlan) {
        let names_all = self.inquiry.plan.names_every_part();
        let told = self.told_things();
        let missing = std::mem::take(&mut self.missing);
        let unsearched = std::mem::take(&mut self.unsearched);
        let most = if names_all { NAMED_MAX } else { UNANSWERED_MAX };
        let mut open: Vec<String> = Vec::new();
        // Demands that name nothing are about the report, not about what is to be found.
        let unmet = self.inquiry.open_requirements().filter(|(_, item)| !item.asked_by_name().is_empty());
        // Where every part is named, those of the brief are among what is missing.
        let unmet = unmet.filter(|_| !names_all).map(|(_, item)| item.text.as_str());
        let empty = self.inquiry.unanswered.iter().map(String::as_str);
        let thin = self.inquiry.sections.values().flat_map(|section| section.thin.iter().map(String::as_str));
        let missing = missing.iter().map(String::as_str);
        let receipt = receipt::receipt(plan, self.gathering);
        let looked = !receipt.is_empty();
        let demanded = unmet.chain(empty).chain(thin).filter(|_| looked);
        let mut known: BTreeSet<String> = BTreeSet::new();
        let is_no_part =
            |words: &str| asked::is_about_form(words) || asked::is_announcement(query.as_str(), words);
        for words in missing.chain(demanded).filter(|words| !(names_all && is_no_part(words))) {
            let line = neutralize_markdown(gaps::without_opener(words), SENTENCE_CHARACTERS_MAX);
            for part in told.open_parts(&line) {
                if open.len() < most && known.insert(normalized(&part)) {
                    open.push(part);
                }
            }
        }
        let line = |text: &String| neutralize_markdown(text, SENTENCE_CHARACTERS_MAX);
        let mut unsearched: Vec<String> = unsearched.iter().map(line).collect();
        unsearched.retain(|part| known.insert(normalized(part)));
        self.composed.has_gaps |= !open.is_empty() || !unsearched.is_empty();
        let phrases = self.phrases();
        if !looked {
            open.extend(unsearched);
            self.composed.list(&format!("## {}", phrases.not_looked_up), &open);
            return;
        }
        if !open.is_empty() {
            // Each line says by itself that nothing was found: it may be read alone.
            let open: Vec<String> =
                open.into_iter().map(|line| format!("{}: {line}", phrases.not_found)).collect();
            self.composed.list(&format!("## {}", phrases.unanswered), &open);
            self.composed.line(&receipt.line_in(&phrases));
        }
        self.composed.list(&format!("## {}", phrases.not_looked_up), &unsearched);
    }
}
