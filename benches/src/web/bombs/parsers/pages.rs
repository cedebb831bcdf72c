//! The bombs themselves: pages that are small to send and terrible to read.

use probity_research::web::page::MediaKind;

use crate::figure::MeasurementSize;

pub struct PageBomb {
    pub name: &'static str,
    pub media: MediaKind,
    pub bytes: Vec<u8>,
}

pub fn bombs(size: MeasurementSize) -> Vec<PageBomb> {
    let many = size.pick(200_000, 1_000_000);
    let mut bombs = Vec::new();
    let mut add = |name, media, bytes: Vec<u8>| bombs.push(PageBomb { name, media, bytes });
    let repeat = |text: &str, count: usize| text.repeat(count).into_bytes();
    add("a million blocks inside each other", MediaKind::Html, repeat("<div>", many));
    add("a million links inside each other", MediaKind::Html, repeat("<a href=x>y", many));
    add("tables inside each other", MediaKind::Html, repeat("<table><tr><td>x", many / 4));
    add("lists inside each other", MediaKind::Html, repeat("<ul><li>x", many / 2));
    add("end tags without a start", MediaKind::Html, repeat("</div></p></b>", many / 2));
    add("bold text that never ends, closed across blocks", MediaKind::Html, repeat("<b><div></b>", many / 4));
    add(
        "a million attributes",
        MediaKind::Html,
        [b"<p ".to_vec(), repeat("a=b ", many), b">x".to_vec()].concat(),
    );
    add(
        "a class of a million words",
        MediaKind::Html,
        [b"<p class='".to_vec(), repeat("nav ", many), b"'>x".to_vec()].concat(),
    );
    add("comments that never end", MediaKind::Html, repeat("<!-- ", many));
    add("brackets", MediaKind::Html, repeat("<", many * 4));
    add("references", MediaKind::Html, repeat("&", many * 4));
    add("a quotation mark that never ends", MediaKind::Html, repeat("<p title='", many / 2));
    add("authors inside each other", MediaKind::Html, repeat("<div itemprop=author>word ", many / 4));
    add(
        "a style sheet of braces",
        MediaKind::Html,
        [b"<style>".to_vec(), repeat("@x{", many), b"</style>x".to_vec()].concat(),
    );
    add("a title of megabytes", MediaKind::Html, [b"<title>".to_vec(), repeat("word ", many * 2)].concat());
    add(
        "deep structured data",
        MediaKind::Html,
        [b"<script type=application/ld+json>".to_vec(), repeat("[", 200_000)].concat(),
    );
    add("one giant line", MediaKind::Text, repeat("word ", many * 3));
    add("bytes that are no text", MediaKind::Html, vec![0xff; many * 8]);
    add("bytes that are no text, as text", MediaKind::Text, vec![0xfe; many * 8]);
    add("blank lines", MediaKind::Text, repeat("x\n\n", many * 2));
    add("links in Markdown", MediaKind::Markdown, repeat("[x](/y", many));
    add("fences in Markdown", MediaKind::Markdown, repeat("```\n", many));
    add("lists inside each other in JSON", MediaKind::Json, repeat("[", many * 2));
    add("keys in JSON", MediaKind::Json, repeat("{\"a\":", many));
    add("a million elements in XML", MediaKind::Xml, repeat("<a>", many));
    add("a million attributes in XML", MediaKind::Xml, attributes(many / 4));
    add("a billion laughs", MediaKind::Xml, laughs());
    add("laughs squared", MediaKind::Xml, squared(many / 10));
    add("feeds of broken pages", MediaKind::Xml, repeat("<d><![CDATA[<table><tr><td><p>", many / 4));
    add(
        "an array of arrays in PDF",
        MediaKind::Pdf,
        pdf(&["<</Type/Catalog/Pages 2 0 R>>", &"[".repeat(200_000)]),
    );
    add(
        "a page that is its own parent",
        MediaKind::Pdf,
        pdf(&["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>"]),
    );
    add(
        "a page tree that loops",
        MediaKind::Pdf,
        pdf(&[
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Pages/Kids[2 0 R]/Count 1/Parent 3 0 R>>",
        ]),
    );
    add("references that loop", MediaKind::Pdf, pdf(&["2 0 R", "3 0 R", "1 0 R"]));
    add("a table of places without width", MediaKind::Pdf, widthless());
    let unpacked = size.pick(100, 300) * 1024 * 1024;
    add("hundreds of megabytes packed in a page", MediaKind::Pdf, packed_page(unpacked));
    add("hundreds of megabytes packed in its table", MediaKind::Pdf, packed_table(unpacked));
    bombs
}

fn attributes(count: usize) -> Vec<u8> {
    let list: String = (0..count).map(|number| format!(" a{number}=''")).collect();
    format!("<x{list}>y</x>").into_bytes()
}

fn laughs() -> Vec<u8> {
    let mut page = String::from("<?xml version='1.0'?><!DOCTYPE l [<!ENTITY l0 'lol'>");
    for level in 1..30 {
        page += &format!("<!ENTITY l{level} '{}'>", format!("&l{};", level - 1).repeat(10));
    }
    (page + "]><l>&l29;</l>").into_bytes()
}

fn squared(count: usize) -> Vec<u8> {
    let (long, many) = ("a".repeat(count), "&x;".repeat(count));
    format!("<?xml version='1.0'?><!DOCTYPE l [<!ENTITY x '{long}'>]><l>{many}</l>").into_bytes()
}

/// A document of these objects with a right table of places.
fn pdf(objects: &[&str]) -> Vec<u8> {
    let bodies: Vec<Vec<u8>> = objects.iter().map(|body| body.as_bytes().to_vec()).collect();
    document(&bodies)
}

fn document(bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        places.push(file.len());
        file.extend_from_slice(format!("{} 0 obj\n", number + 1).as_bytes());
        file.extend_from_slice(body);
        file.extend_from_slice(b"\nendobj\n");
    }
    let table = file.len();
    file.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", bodies.len() + 1).as_bytes());
    for place in places {
        file.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
    }
    let size = bodies.len() + 1;
    file.extend_from_slice(
        format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF").as_bytes(),
    );
    file
}

fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<<{dictionary}/Length {}>>\nstream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

fn packed_page(unpacked: usize) -> Vec<u8> {
    document(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".to_vec(),
        stream("/Filter/FlateDecode", &zeros(unpacked)),
    ])
}

fn with_table(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 1 0 R>>\nendobj\n".to_vec();
    let table = file.len();
    file.extend_from_slice(b"2 0 obj\n");
    file.extend_from_slice(&stream(&format!("/Type/XRef/Root 1 0 R{dictionary}"), data));
    file.extend_from_slice(format!("\nendobj\nstartxref\n{table}\n%%EOF").as_bytes());
    file
}

fn widthless() -> Vec<u8> {
    with_table("/Size 2000000000/W[0 0 0]", b"xx")
}

fn packed_table(unpacked: usize) -> Vec<u8> {
    with_table("/Size 40000000/W[1 4 2]/Filter/FlateDecode", &zeros(unpacked))
}

/// So many zeros, packed by hand as the format allows: one zero, then "the last 258 bytes again" without end.
fn zeros(unpacked: usize) -> Vec<u8> {
    let mut bits = BitWriter { bytes: vec![0x78, 0x9c], used: 8 };
    let repeats = unpacked / 258;
    bits.push(&[1, 1, 0]);
    bits.push(&[0, 0, 1, 1, 0, 0, 0, 0]);
    for _ in 0..repeats {
        bits.push(&[1, 1, 0, 0, 0, 1, 0, 1]);
        bits.push(&[0, 0, 0, 0, 0]);
    }
    bits.push(&[0; 7]);
    let sum = ((1 + repeats * 258) % 65521) << 16 | 1;
    bits.bytes.extend_from_slice(&u32::try_from(sum).unwrap_or(0).to_be_bytes());
    bits.bytes
}

struct BitWriter {
    bytes: Vec<u8>,
    /// Of the last byte.
    used: u8,
}

impl BitWriter {
    fn push(&mut self, bits: &[u8]) {
        for bit in bits {
            if self.used == 8 {
                self.bytes.push(0);
                self.used = 0;
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << self.used;
            }
            self.used += 1;
        }
    }
}
