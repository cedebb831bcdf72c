//! A model's answer on its way into the journal: bounded, one line where a line is meant, without characters that act.

use probity_types::inquiry::{
    Block, BriefAnswer, BriefFacet, Clarification, FrontAnswer, FrontSentence, LineAnswer, LineQuery,
    OutlineAnswer, OutlineOperation, Requirement, SectionAnswer, Sentence, SynthesisAnswer, SynthesisPoint,
    answer::{
        BLOCKS_MAX, CLARIFICATIONS_MAX, LINE_QUERIES_MAX, OPERATIONS_MAX, POINTS_MAX, REQUIREMENTS_MAX,
    },
};

use super::{facet::LINE_CHARACTERS_MAX, section::SENTENCE_CHARACTERS_MAX};
use crate::{text, web::search::QUERY_CHARACTERS_MAX};

/// Facets of one brief: the most that any depth has lines for.
const FACETS_MAX: usize = 14;
const SENTENCES_PER_BLOCK_MAX: usize = 60;

pub fn brief(answer: BriefAnswer) -> BriefAnswer {
    BriefAnswer {
        reader_wants: line(&answer.reader_wants),
        language: answer.language.map(|code| text::line(&code, 20)),
        requirements: answer
            .requirements
            .into_iter()
            .take(REQUIREMENTS_MAX)
            .map(|wanted| Requirement { text: line(&wanted.text), kind: wanted.kind })
            .collect(),
        facets: answer
            .facets
            .into_iter()
            .take(FACETS_MAX)
            .map(|facet| BriefFacet {
                question: line(&facet.question),
                why: line(&facet.why),
                query: text::line(&facet.query, QUERY_CHARACTERS_MAX),
            })
            .collect(),
        clarifications: answer
            .clarifications
            .into_iter()
            .take(CLARIFICATIONS_MAX)
            .map(|asked| Clarification {
                question: line(&asked.question),
                default_answer: line(&asked.default_answer),
            })
            .collect(),
    }
}

pub fn line_answer(answer: LineAnswer) -> LineAnswer {
    LineAnswer {
        queries: answer
            .queries
            .into_iter()
            .take(LINE_QUERIES_MAX)
            .map(|asked| LineQuery {
                query: text::line(&asked.query, QUERY_CHARACTERS_MAX),
                gap: line(&asked.gap),
            })
            .collect(),
        done: answer.done,
        reason: line(&answer.reason),
    }
}

/// Headings and wants are bounded where an operation is carried out.
pub fn outline(mut answer: OutlineAnswer) -> OutlineAnswer {
    answer.operations.truncate(OPERATIONS_MAX);
    for operation in &mut answer.operations {
        match operation {
            OutlineOperation::Add { new, .. } => bound_node(new),
            OutlineOperation::Split { into, .. } => {
                into.truncate(6);
                into.iter_mut().for_each(bound_node);
            }
            OutlineOperation::Retitle { heading, .. } => *heading = line(heading),
            OutlineOperation::Want { wants, .. } => bound_lines(wants),
            OutlineOperation::Merge { .. }
            | OutlineOperation::Move { .. }
            | OutlineOperation::Drop { .. }
            | OutlineOperation::Bind { .. }
            | OutlineOperation::Form { .. } => {}
        }
    }
    answer.met.truncate(REQUIREMENTS_MAX);
    answer
}

fn bound_node(new: &mut probity_types::inquiry::NewNode) {
    new.heading = line(&new.heading);
    new.question = line(&new.question);
    bound_lines(&mut new.wants);
}

fn bound_lines(lines: &mut Vec<String>) {
    lines.truncate(8);
    for words in lines {
        *words = line(words);
    }
}

pub fn section(mut answer: SectionAnswer) -> SectionAnswer {
    answer.blocks.truncate(BLOCKS_MAX);
    for block in &mut answer.blocks {
        match block {
            Block::Heading { text } => *text = line(text),
            Block::Paragraph { sentences } => bound_sentences(sentences),
            Block::List { items } => bound_sentences(items),
            Block::Table(table) => {
                table.caption = line(&table.caption);
                table.columns.truncate(12);
                table.rows.truncate(60);
                for column in &mut table.columns {
                    column.heading = line(&column.heading);
                    column.unit = line(&column.unit);
                }
                for row in &mut table.rows {
                    row.name = line(&row.name);
                    row.cells.truncate(12);
                    for cell in &mut row.cells {
                        cell.text = line(&cell.text);
                        cell.quotes.truncate(8);
                    }
                }
            }
        }
    }
    bound_lines(&mut answer.thin);
    answer
}

fn bound_sentences(sentences: &mut Vec<Sentence>) {
    sentences.truncate(SENTENCES_PER_BLOCK_MAX);
    for sentence in sentences {
        sentence.text = text::line(&sentence.text, SENTENCE_CHARACTERS_MAX);
        sentence.quotes.truncate(8);
    }
}

pub fn synthesis(answer: SynthesisAnswer) -> SynthesisAnswer {
    SynthesisAnswer {
        heading: line(&answer.heading),
        points: answer
            .points
            .into_iter()
            .take(POINTS_MAX)
            .map(|mut point| {
                point.rests_on.truncate(12);
                SynthesisPoint { text: text::line(&point.text, SENTENCE_CHARACTERS_MAX), ..point }
            })
            .collect(),
    }
}

pub fn front(answer: FrontAnswer) -> FrontAnswer {
    let bounded = |sentences: Vec<FrontSentence>| -> Vec<FrontSentence> {
        let kept = sentences.into_iter().take(12).map(|mut said| {
            said.claims.truncate(12);
            FrontSentence { text: text::line(&said.text, SENTENCE_CHARACTERS_MAX), ..said }
        });
        kept.collect()
    };
    FrontAnswer {
        title: line(&answer.title),
        answer: bounded(answer.answer),
        key_points: bounded(answer.key_points),
        points_heading: line(&answer.points_heading),
    }
}

fn line(words: &str) -> String {
    text::line(words, LINE_CHARACTERS_MAX)
}
