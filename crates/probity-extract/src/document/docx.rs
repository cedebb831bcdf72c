//! DOCX as Markdown: paragraphs, headings, lists, tables, links and notes of a word processor's document.

use std::collections::HashMap;

use probity_types::{
    CodedError,
    web::page::{Extract, TEXT_BYTES_MAX},
};
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{unreadable, zip::ZipArchive};
use crate::html::note_marks::{in_raised, is_mark, is_power};

pub fn markdown(bytes: &[u8]) -> Result<Extract, CodedError> {
    let archive = ZipArchive::open(bytes)?;
    let body = archive.text("word/document.xml")?.ok_or_else(|| unreadable("no text is in the archive"))?;
    let numbered = numbered(&archive.text("word/numbering.xml")?.unwrap_or_default());
    let mut text = write(&body, &links(&archive, "document")?, &numbered, "")?;
    for (part, mark) in [("footnotes", ""), ("endnotes", "e")] {
        if let Some(notes) = archive.text(&format!("word/{part}.xml"))? {
            text.push_str(&write(&notes, &links(&archive, part)?, &numbered, mark)?);
        }
    }
    let about = archive.text("docProps/core.xml")?.unwrap_or_default();
    let title = element(&about, b"title");
    let author = element(&about, b"creator");
    Ok(Extract { text, title, author, ..Extract::default() })
}

/// Addresses by the id under which a part calls them.
fn links(archive: &ZipArchive<'_>, part: &str) -> Result<HashMap<String, String>, CodedError> {
    let text = archive.text(&format!("word/_rels/{part}.xml.rels"))?.unwrap_or_default();
    let mut found = HashMap::new();
    let mut reader = Reader::from_str(&text);
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                let (Some(id), Some(target)) = (attribute(&tag, b"Id"), attribute(&tag, b"Target")) else {
                    continue;
                };
                if target.starts_with("http://") || target.starts_with("https://") {
                    found.insert(id, target);
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(found)
}

/// The lists whose first level counts, by their id.
fn numbered(text: &str) -> HashMap<String, bool> {
    let mut counts: HashMap<String, bool> = HashMap::new();
    let mut found = HashMap::new();
    let (mut kind, mut list, mut is_first) = (String::new(), String::new(), false);
    let mut reader = Reader::from_str(text);
    while let Ok(event) = reader.read_event() {
        let tag = match &event {
            Event::Start(tag) | Event::Empty(tag) => tag,
            Event::Eof => break,
            _ => continue,
        };
        match tag.local_name().as_ref() {
            b"abstractNum" => kind = attribute(tag, b"abstractNumId").unwrap_or_default(),
            b"lvl" => is_first = attribute(tag, b"ilvl").as_deref() == Some("0"),
            b"numFmt" if is_first => {
                let counting =
                    attribute(tag, b"val").is_some_and(|format| format != "bullet" && format != "none");
                counts.insert(kind.clone(), counting);
            }
            b"num" => list = attribute(tag, b"numId").unwrap_or_default(),
            b"abstractNumId" => {
                let kind = attribute(tag, b"val").unwrap_or_default();
                found.insert(list.clone(), counts.get(&kind).copied().unwrap_or(false));
            }
            _ => {}
        }
    }
    found
}

fn write(
    text: &str,
    links: &HashMap<String, String>,
    numbered: &HashMap<String, bool>,
    mark: &str,
) -> Result<String, CodedError> {
    let mut writer = DocxMarkdownWriter { mark, ..DocxMarkdownWriter::new(links, numbered) };
    let mut reader = Reader::from_str(text);
    loop {
        let event = reader.read_event().map_err(|_| unreadable("the document is damaged"))?;
        match event {
            Event::Start(tag) => writer.open(&tag),
            Event::Empty(tag) => {
                writer.open(&tag);
                writer.close(tag.local_name().as_ref());
            }
            Event::End(tag) => writer.close(tag.local_name().as_ref()),
            Event::Text(words) if writer.in_text => writer.line.push_str(&words.decode().unwrap_or_default()),
            Event::GeneralRef(name) if writer.in_text => writer.reference(&name.decode().unwrap_or_default()),
            Event::Text(words) if writer.in_instruction => {
                writer.instruction.push_str(&words.decode().unwrap_or_default())
            }
            Event::GeneralRef(name) if writer.in_instruction => {
                if name.decode().unwrap_or_default() == "amp" {
                    writer.instruction.push('&');
                } else {
                    writer.instruction.push('"');
                }
            }
            Event::Eof => break,
            _ => {}
        }
        if writer.out.len() > 2 * TEXT_BYTES_MAX {
            break;
        }
    }
    Ok(writer.out)
}

struct DocxMarkdownWriter<'a> {
    links: &'a HashMap<String, String>,
    numbered: &'a HashMap<String, bool>,
    /// Prefix of the ids of notes of this part.
    mark: &'a str,
    out: String,
    line: String,
    prefix: String,
    /// Numbers given so far, by list.
    counts: HashMap<String, u32>,
    /// Where the text of an open link began, and its target.
    link: Option<(usize, String)>,
    /// A field is code until its separator: `HYPERLINK "…"`.
    instruction: String,
    in_instruction: bool,
    in_text: bool,
    /// The open run is raised; where its text began.
    raised: bool,
    text_start: usize,
    /// The open run is struck through.
    struck: bool,
    /// In text that was moved elsewhere.
    in_moved: bool,
    /// Cells of the row so far; none outside of tables.
    cells: Option<usize>,
    rows: usize,
    /// What the pictures of the open paragraph or table show; said apart from its words.
    pictures: Vec<String>,
}

impl<'a> DocxMarkdownWriter<'a> {
    fn new(links: &'a HashMap<String, String>, numbered: &'a HashMap<String, bool>) -> Self {
        Self {
            links,
            numbered,
            mark: "",
            out: String::new(),
            line: String::new(),
            prefix: String::new(),
            counts: HashMap::new(),
            link: None,
            instruction: String::new(),
            in_instruction: false,
            in_text: false,
            raised: false,
            text_start: 0,
            struck: false,
            in_moved: false,
            cells: None,
            rows: 0,
            pictures: Vec::new(),
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) {
        let value = || attribute(tag, b"val").unwrap_or_default();
        match tag.local_name().as_ref() {
            b"r" => (self.raised, self.struck) = (false, false),
            b"strike" | b"dstrike" => {
                let is_off = |value: &str| matches!(value, "0" | "false" | "off");
                self.struck |= !attribute(tag, b"val").is_some_and(|value| is_off(&value));
            }
            b"moveFrom" => self.in_moved = true,
            b"vertAlign" => self.raised = value() == "superscript",
            b"rStyle" => self.raised |= value().to_ascii_lowercase().ends_with("notereference"),
            b"t" => {
                self.in_text = !self.struck && !self.in_moved;
                self.text_start = self.line.len();
            }
            b"instrText" => self.in_instruction = true,
            b"tab" | b"br" | b"cr" => self.line.push(' '),
            b"pStyle" => self.style(&value()),
            b"numId" => self.item(&value()),
            b"hyperlink" => {
                let url = attribute(tag, b"id").and_then(|id| self.links.get(&id));
                self.link = url.map(|url| (self.line.len(), url.clone()));
            }
            b"fldChar" => match attribute(tag, b"fldCharType").as_deref() {
                Some("separate") => self.field(),
                Some("end") => self.end_link(),
                _ => {}
            },
            b"footnoteReference" => self.reference_mark("", &attribute(tag, b"id").unwrap_or_default()),
            b"endnoteReference" => self.reference_mark("e", &attribute(tag, b"id").unwrap_or_default()),
            b"footnote" | b"endnote" => {
                let id = attribute(tag, b"id").unwrap_or_default();
                // Separators are notes too, with a type and without words.
                self.prefix = format!("[^{}{id}]: ", self.mark);
            }
            b"docPr" => self.pictures.extend(attribute(tag, b"descr")),
            b"tbl" => self.rows = 0,
            b"tr" => self.cells = Some(0),
            b"tc" => {
                self.line.push_str(if self.line.is_empty() { "| " } else { " | " });
                self.cells = self.cells.map(|cells| cells + 1);
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &[u8]) {
        match name {
            b"t" => {
                self.in_text = false;
                self.raise();
            }
            b"moveFrom" => self.in_moved = false,
            b"instrText" => self.in_instruction = false,
            b"hyperlink" => self.end_link(),
            b"p" if self.cells.is_some() => self.line.push(' '),
            b"p" => {
                self.flush("\n\n");
                self.write_pictures();
            }
            b"tr" => {
                let cells = self.cells.take().unwrap_or(0);
                self.line.push('|');
                self.prefix.clear();
                self.flush("\n");
                self.rows += 1;
                if self.rows == 1 {
                    self.out.push_str(&"|---".repeat(cells.max(1)));
                    self.out.push_str("|\n");
                }
            }
            b"tbl" => {
                self.out.push('\n');
                self.write_pictures();
            }
            _ => {}
        }
    }

    fn write_pictures(&mut self) {
        for shown in std::mem::take(&mut self.pictures) {
            let words: Vec<&str> = shown.split_whitespace().collect();
            if !words.is_empty() {
                self.out.push_str(&format!("![{}](#)\n\n", words.join(" ").replace(['[', ']'], "'")));
            }
        }
    }

    fn style(&mut self, style: &str) {
        let lower = style.to_ascii_lowercase();
        let level = lower.strip_prefix("heading").map(|level| level.parse().unwrap_or(1));
        if let Some(level) = level.or((lower == "title").then_some(1_usize)) {
            self.prefix = format!("{} ", "#".repeat(level.clamp(1, 6)));
        } else if lower.contains("quote") {
            self.prefix = "> ".to_owned();
        }
    }

    fn item(&mut self, list: &str) {
        if list == "0" || !self.prefix.is_empty() {
            return;
        }
        self.prefix = "- ".to_owned();
        if self.numbered.get(list).copied().unwrap_or(false) {
            let count = self.counts.entry(list.to_owned()).or_default();
            *count += 1;
            self.prefix = format!("{count}. ");
        }
    }

    /// A raised number behind a word is a power, or the mark of a note that was typed by hand.
    fn raise(&mut self) {
        let (before, number) = self.line.split_at_checked(self.text_start).unwrap_or_default();
        let is_joined = before.ends_with(|last: char| !last.is_whitespace() && last != '|');
        if !self.raised || !is_joined {
            return;
        }
        let written = match number {
            power if is_power(before, power) => in_raised(power),
            mark if is_mark(mark) => format!("<sup>{mark}</sup>"),
            _ => return,
        };
        self.line.truncate(self.text_start);
        self.line.push_str(&written);
    }

    fn reference(&mut self, name: &str) {
        let resolved = match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => return,
        };
        self.line.push(resolved);
    }

    fn reference_mark(&mut self, mark: &str, id: &str) {
        self.line.push_str(&format!("[^{mark}{id}]"));
    }

    /// A field's code is complete: a link begins if it is one.
    fn field(&mut self) {
        let code = std::mem::take(&mut self.instruction);
        let address = code.trim().strip_prefix("HYPERLINK").and_then(|rest| rest.split('"').nth(1));
        if let Some(url) = address.filter(|url| url.starts_with("http://") || url.starts_with("https://")) {
            self.link = Some((self.line.len(), url.to_owned()));
        }
    }

    fn end_link(&mut self) {
        let Some((start, url)) = self.link.take() else { return };
        let words = self.line.get(start..).unwrap_or_default();
        if !words.trim().is_empty() && words.trim() != url {
            let url = url.replace('(', "%28").replace(')', "%29");
            self.line.insert(start, '[');
            self.line.push_str(&format!("]({url})"));
        }
    }

    fn flush(&mut self, end: &str) {
        self.end_link();
        let line = std::mem::take(&mut self.line);
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            if !self.prefix.starts_with("[^") {
                self.prefix.clear();
            }
            return;
        }
        self.out.push_str(&std::mem::take(&mut self.prefix));
        self.out.push_str(&words.join(" "));
        self.out.push_str(end);
    }
}

fn attribute(tag: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    let value = String::from_utf8_lossy(&found.value).into_owned();
    Some(value.replace("&amp;", "&").replace("&quot;", "\""))
}

/// The text of the first element of this name.
fn element(text: &str, name: &[u8]) -> Option<String> {
    let mut reader = Reader::from_str(text);
    let mut is_inside = false;
    let mut found = String::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => is_inside = tag.local_name().as_ref() == name,
            Event::Text(words) if is_inside => found.push_str(&words.decode().ok()?),
            Event::End(tag) if tag.local_name().as_ref() == name => break,
            Event::Eof => return None,
            _ => {}
        }
    }
    (!found.trim().is_empty()).then(|| found.trim().to_owned())
}
