//! The same answers as plain lines, for models that cannot write JSON: `S fact | text | Q3,Q7`.
//!
//! Each line becomes the item that JSON would have had; from there on both are read by the same rules. Tables, splits and
//! moves have no line: a model that cannot write JSON is not asked for them.

use probity_research::web::task::WebRequest;
use serde_json::{Map, Value, json};

use super::schema::InquiryCallKind;

/// Lines of one answer that are read.
const LINES_MAX: usize = 200;
/// Between the fields of a line.
const BETWEEN: &str = " | ";

/// The forms of the lines, as the prompt shows them.
pub(super) fn forms(kind: InquiryCallKind) -> &'static str {
    match kind {
        InquiryCallKind::Brief => {
            "W | what the reader wants\nL | code of the language\nR content | something the question demands\nF | question of \
             a facet | its query"
        }
        InquiryCallKind::Line => "Q | query | gap that it fills\nD | reason, only if nothing is left to ask",
        InquiryCallKind::Survey => {
            "Q finding | words of the page, exactly | F1,F2\nV | entity | attribute | value | unit | period, for the quotation \
             above\nL | number of a link\nT | a new term"
        }
        InquiryCallKind::Outline => {
            "A prose | heading of a new section | question that it answers | Q1,Q4\nB N2 | Q3,Q7\nW N2 | evidence that is \
             missing\nD N3\nM | R1"
        }
        InquiryCallKind::Section => {
            "S fact | a sentence | Q3,Q7\nS inference | a sentence | Q3,Q7\nS link | a sentence |\nI fact | an item of a list | \
             Q2\nP (alone on its line, before a new paragraph)"
        }
        InquiryCallKind::Synthesis => "H | heading\nS compare | a point | C1,C4",
        InquiryCallKind::Front => "T | title\nA | a sentence of the answer | C1,C4\nK | a key point | C2",
    }
}

/// The object that the lines stand for; none if no line has one of the forms.
pub(super) fn read_lines(ask: &WebRequest, said: &str) -> Option<Value> {
    let kind = InquiryCallKind::of(ask)?;
    let mut object = LineObject::default();
    for line in said.lines().filter_map(TaggedLine::read).take(LINES_MAX) {
        match kind {
            InquiryCallKind::Brief => brief(&mut object, &line),
            InquiryCallKind::Line => line_of_inquiry(&mut object, &line),
            InquiryCallKind::Survey => survey(&mut object, &line),
            InquiryCallKind::Outline => outline(&mut object, &line),
            InquiryCallKind::Section => section(&mut object, &line),
            InquiryCallKind::Synthesis => synthesis(&mut object, &line),
            InquiryCallKind::Front => front(&mut object, &line),
        }
    }
    (!object.0.is_empty()).then_some(Value::Object(object.0))
}

/// `S fact | text | Q3,Q7`: a letter, perhaps a word, then fields.
struct TaggedLine<'l> {
    letter: char,
    word: &'l str,
    fields: Vec<&'l str>,
}

impl<'l> TaggedLine<'l> {
    fn read(line: &'l str) -> Option<Self> {
        let line = line.trim().trim_start_matches(['-', '*', '`', ' ']).trim_end_matches('`');
        let (head, rest) = line.split_once('|').map_or((line, None), |(head, rest)| (head, Some(rest)));
        let mut words = head.split_whitespace();
        let tag = words.next()?;
        let letter = tag.chars().next().filter(|letter| letter.is_ascii_uppercase() && tag.len() == 1)?;
        let word = words.next().unwrap_or_default();
        // Prose that begins with "A" or "I" has more words before its first bar, or none.
        if words.next().is_some() || (rest.is_none() && !matches!(letter, 'P' | 'D')) {
            return None;
        }
        let fields = rest.map(|rest| rest.split(BETWEEN).map(str::trim).collect()).unwrap_or_default();
        Some(Self { letter, word, fields })
    }

    fn field(&self, place: usize) -> &'l str {
        self.fields.get(place).copied().unwrap_or_default().trim_end_matches('|').trim()
    }

    /// All fields but the last as one, and the last: words of a page may have bars of their own.
    fn words_and_ids(&self) -> (String, &'l str) {
        match self.fields.split_last() {
            Some((last, before)) if !before.is_empty() => {
                (before.join(BETWEEN), last.trim_end_matches('|').trim())
            }
            _ => (self.field(0).to_owned(), ""),
        }
    }
}

/// The object under construction.
#[derive(Default)]
struct LineObject(Map<String, Value>);

impl LineObject {
    fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    fn list(&mut self, name: &str) -> Option<&mut Vec<Value>> {
        self.0.entry(name).or_insert_with(|| json!([])).as_array_mut()
    }

    fn push(&mut self, name: &str, item: Value) {
        if let Some(list) = self.list(name) {
            list.push(item);
        }
    }
}

fn brief(object: &mut LineObject, line: &TaggedLine<'_>) {
    match line.letter {
        'W' => object.set("reader_wants", json!(line.field(0))),
        'L' => object.set("language", json!(line.field(0))),
        'R' => object.push("requirements", json!({"kind": line.word, "text": line.field(0)})),
        'F' => object.push("facets", json!({"question": line.field(0), "query": line.field(1)})),
        _ => {}
    }
}

fn line_of_inquiry(object: &mut LineObject, line: &TaggedLine<'_>) {
    match line.letter {
        'Q' => object.push("queries", json!({"query": line.field(0), "gap": line.field(1)})),
        'D' => {
            object.set("done", json!(true));
            object.set("reason", json!(line.field(0)));
        }
        _ => {}
    }
}

fn survey(object: &mut LineObject, line: &TaggedLine<'_>) {
    match line.letter {
        'Q' => {
            let (words, facets) = line.words_and_ids();
            object.push("quotes", json!({"role": line.word, "text": words, "facets": [facets], "facts": []}));
        }
        'V' => {
            let fact = json!({
                "entity": line.field(0), "attribute": line.field(1), "value": line.field(2), "unit": line.field(3),
                "period": line.field(4),
            });
            let quote = object.list("quotes").and_then(|quotes| quotes.last_mut());
            if let Some(facts) = quote.and_then(|quote| quote.get_mut("facts")).and_then(Value::as_array_mut)
            {
                facts.push(fact);
            }
        }
        'L' => object.push("links", json!(line.field(0))),
        'T' => object.push("new_terms", json!(line.field(0))),
        _ => {}
    }
    // Lines without a quotation still say that there is none.
    object.list("quotes");
}

fn outline(object: &mut LineObject, line: &TaggedLine<'_>) {
    let operation = match line.letter {
        'A' => {
            json!({"operation": "add", "block": line.word, "heading": line.field(0), "question": line.field(1),
            "quotes": [line.field(2)]})
        }
        'B' => json!({"operation": "bind", "node": line.word, "quotes": [line.field(0)]}),
        'W' => json!({"operation": "want", "node": line.word, "wants": [line.field(0)]}),
        'D' => json!({"operation": "drop", "node": line.word}),
        'M' => return object.push("met", json!(line.field(0))),
        _ => return,
    };
    object.push("operations", operation);
}

fn section(object: &mut LineObject, line: &TaggedLine<'_>) {
    let kind = match line.letter {
        'S' => "paragraph",
        'I' => "list",
        'P' => return object.push("blocks", json!({"kind": "paragraph", "sentences": []})),
        'H' => return object.push("blocks", json!({"kind": "heading", "text": line.field(0)})),
        _ => return,
    };
    let (words, quotes) = line.words_and_ids();
    let sentence = json!({"text": words, "kind": line.word, "quotes": [quotes]});
    let Some(blocks) = object.list("blocks") else { return };
    let is_same = |block: &&mut Value| block.get("kind").is_some_and(|found| found == kind);
    match blocks.last_mut().filter(is_same).and_then(|block| block.get_mut("sentences")?.as_array_mut()) {
        Some(sentences) => sentences.push(sentence),
        None => blocks.push(json!({"kind": kind, "sentences": [sentence]})),
    }
}

fn synthesis(object: &mut LineObject, line: &TaggedLine<'_>) {
    match line.letter {
        'H' => object.set("heading", json!(line.field(0))),
        'S' => {
            let (words, claims) = line.words_and_ids();
            object.push("points", json!({"text": words, "rests_on": [claims], "move": line.word}));
        }
        _ => {}
    }
}

fn front(object: &mut LineObject, line: &TaggedLine<'_>) {
    let (words, claims) = line.words_and_ids();
    match line.letter {
        'T' => object.set("title", json!(line.field(0))),
        'A' => object.push("answer", json!({"text": words, "claims": [claims]})),
        'K' => object.push("key_points", json!({"text": words, "claims": [claims]})),
        _ => {}
    }
}
