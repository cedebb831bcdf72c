//! The texts models write: reports, plans, answers, with citations at byte offsets.
//!
//! Offsets are computed from the finished text, so a reader that counts letters instead of bytes is caught
//! by the first umlaut.

use serde_json::{Value, json};

use super::{
    interaction::{Interaction, SimulatedTurnKind},
    redirect,
    round::{answer, facts},
};
use crate::scenario::Name;

/// Findings, then the passage that is not ASCII, then the sources and a picture.
const BLOCKS: u32 = 3;
/// One block of a `huge` report.
const HUGE_BLOCK_BYTES: u32 = 65_536;
/// The smallest bytes that begin like a PNG file.
const PICTURE: &str = "iVBORw0KGgo=";

pub(crate) fn page_url(round: u32) -> String {
    format!("https://source-{round}.example.com/page")
}

pub(crate) fn paywall_url(round: u32) -> String {
    format!("https://paywall-{round}.example.org/article")
}

/// The service cites through redirects of its own.
fn redirect_url(round: u32) -> String {
    format!("https://vertexaisearch.cloud.google.com/grounding-api-redirect/AAA{round}")
}

pub(crate) fn block_count(interaction: &Interaction) -> u32 {
    if interaction.given.is_some() {
        return 1;
    }
    match interaction.scenario.name {
        Name::Huge => interaction.scenario.bytes.div_ceil(HUGE_BLOCK_BYTES).max(1),
        _ => BLOCKS,
    }
}

/// The content of one `model_output` step of the report.
pub(crate) fn block(interaction: &Interaction, block: u32) -> Vec<Value> {
    if let Some(given) = &interaction.given {
        return vec![json!({"type": "text", "text": given.text})];
    }
    if interaction.scenario.name == Name::Huge {
        return vec![huge(block)];
    }
    match block {
        0 => vec![findings(interaction)],
        1 => vec![comparison(interaction)],
        _ => sources(interaction),
    }
}

pub(crate) fn plan(interaction: &Interaction) -> Value {
    let subject = &interaction.subject;
    let revision = match interaction.turn {
        SimulatedTurnKind::Plan { revision } if revision > 0 => format!(" (revision {revision})"),
        _ => String::new(),
    };
    json!({
        "type": "text",
        "text": format!("## Research plan{revision}\n1. Survey {subject}\n2. Compare the sources\n3. Write the report\n"),
    })
}

pub(crate) fn answer(interaction: &Interaction) -> Value {
    let mut text = AnnotatedText::default();
    if interaction.tools.search || interaction.tools.url {
        text.cite(
            &format!("{} is covered by one source", interaction.subject),
            &page_url(0),
            "source-0.example.com",
        );
    } else {
        text.plain(&format!("follow-up answer about {}", interaction.subject));
    }
    text.content()
}

/// The content of a scripted turn. Citations lead through redirects at the address the caller used; a
/// turn that may not search has none.
pub(crate) fn round(interaction: &Interaction) -> Vec<Value> {
    let Some(scripted) = &interaction.round else { return Vec::new() };
    let answered = answer::round_answer(&scripted.round, interaction.given.as_deref());
    let mut content = json!({"type": "text", "text": answered.text});
    let annotations: Vec<Value> = answered
        .citations
        .iter()
        .filter(|_| interaction.tools.search)
        .map(|citation| {
            let topic = &scripted.round.topic;
            json!({
                "type": "url_citation",
                "url": redirect::url(&scripted.base, scripted.round.pages, topic, citation.page),
                "title": facts::page_title(topic, citation.page),
                "start_index": citation.start,
                "end_index": citation.end,
            })
        })
        .collect();
    if let Some(fields) = content.as_object_mut().filter(|_| !annotations.is_empty()) {
        fields.insert("annotations".to_owned(), Value::from(annotations));
    }
    vec![content]
}

fn findings(interaction: &Interaction) -> Value {
    let mut text = AnnotatedText::default();
    text.plain(&format!("# {}\n\n", interaction.subject));
    if interaction.turn == SimulatedTurnKind::Execution {
        text.plain("As planned, the sources were compared. ");
    }
    text.cite("The first deployment was in 2015", &redirect_url(0), "source-0.example.com");
    text.plain(" [cite: 1]. ");
    for round in 0..interaction.scenario.steps {
        let number = round + 1;
        text.cite(
            &format!("Finding {number} is stated by source {number}"),
            &page_url(round),
            &format!("Source {number}"),
        );
        text.plain(&format!(" [cite: {number}]. "));
    }
    text.plain("\n\n");
    text.content()
}

fn comparison(interaction: &Interaction) -> Value {
    let mut text = AnnotatedText::default();
    text.cite("Später folgte die zweite Generation – 4096 Einheiten", &page_url(0), "Größenvergleich");
    text.plain(" [cite: 1]. ");
    text.cite("日本語の資料も同じ数を示す", &page_url(1), "資料");
    text.plain(" [cite: 2]. 🙂\n\n");
    if interaction.tools.file {
        text.annotations.push(json!({
            "type": "file_citation", "document_uri": "files/abc", "file_name": "a.pdf", "source": "a.pdf",
            "page_number": 3, "start_index": 0, "end_index": "Später".len(), "custom_metadata": {"k": "v"},
        }));
    }
    if interaction.tools.maps {
        text.annotations.push(json!({
            "type": "place_citation", "place_id": "places/x", "name": "Place", "url": "https://maps.example.com/x",
        }));
    }
    text.content()
}

fn sources(interaction: &Interaction) -> Vec<Value> {
    let mut text = AnnotatedText::default();
    text.plain("**Sources:**\n");
    for round in 0..interaction.scenario.steps {
        text.plain(&format!("{}. [source-{round}.example.com]({})\n", round + 1, redirect_url(round)));
    }
    let mut content = vec![text.content()];
    if interaction.images {
        content.push(json!({"type": "image", "mime_type": "image/png", "data": PICTURE}));
    }
    content
}

fn huge(block: u32) -> Value {
    const PARAGRAPH: &str =
        "Ein sehr langer Bericht – mit Umlauten, Zahlen und Wiederholungen – füllt die Seiten. ";
    let mut text = AnnotatedText::default();
    text.cite(&format!("Block {block} beginnt"), &page_url(block), &format!("Source {block}"));
    text.plain(" [cite: 1]. ");
    text.plain(&PARAGRAPH.repeat(usize::try_from(HUGE_BLOCK_BYTES).unwrap_or(0) / PARAGRAPH.len()));
    text.content()
}

/// A text block that grows together with the citations pointing into it.
#[derive(Default)]
struct AnnotatedText {
    text: String,
    annotations: Vec<Value>,
}

impl AnnotatedText {
    fn plain(&mut self, words: &str) {
        self.text.push_str(words);
    }

    fn cite(&mut self, words: &str, url: &str, title: &str) {
        let start = self.text.len();
        self.text.push_str(words);
        self.annotations.push(json!({
            "type": "url_citation", "url": url, "title": title, "start_index": start, "end_index": self.text.len(),
        }));
    }

    fn content(self) -> Value {
        if self.annotations.is_empty() {
            json!({"type": "text", "text": self.text})
        } else {
            json!({"type": "text", "text": self.text, "annotations": self.annotations})
        }
    }
}
