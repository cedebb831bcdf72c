//! Pages made to kill whoever reads them, through the real `probity parse`: each costs itself, and the next is read.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "a process without bounds is the control; time is what is measured"
)]

use std::{
    ffi::OsString,
    fs,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use probity_extract::{PAGE_TIME_MAX, ParserPool, ParserSettings};
use probity_research::{Code, web::page::MediaKind};

use crate::harness::{figure, sized};

/// What one parsing process may hold at its peak.
const WORKER_BYTES_MAX: u64 = 256 * 1024 * 1024;
const MEBIBYTE: u64 = 1024 * 1024;
/// Beyond the limit of a page: killing it, and a busy machine.
const SLACK: Duration = Duration::from_secs(5);

const GOOD: &str = "<html><body><article><p>The kettle boils at one hundred degrees at the level of the sea, and \
    earlier on a mountain.</p></article></body></html>";

#[tokio::test]
async fn a_bomb_costs_no_more_than_its_own_page() {
    let program: Vec<OsString> = vec![env!("CARGO_BIN_EXE_probity").into(), "parse".into()];
    let parser = ParserPool::new(ParserSettings::new(program));
    let watch = ChildMemoryWatch::start("parse");
    let (mut harmed, mut late, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    let (mut slowest, mut count) = ((Duration::ZERO, ""), 0);
    for (name, media, bytes) in bombs() {
        let began = Instant::now();
        let read = parser.extract(media, "https://bomb.example/", Bytes::from(bytes)).await;
        let took = began.elapsed();
        let next = parser.extract(MediaKind::Html, "https://good.example/", Bytes::from(GOOD)).await;
        let next_is_read = next.is_ok_and(|page| page.text.starts_with("The kettle boils"));
        if !next_is_read || read.as_ref().is_err_and(|problem| problem.code != Code::PageUnreadable) {
            harmed.push(name);
        }
        if took > PAGE_TIME_MAX + SLACK {
            late.push(name);
        }
        refused.extend(read.err().map(|problem| format!("{name}: {}", problem.message)));
        slowest = slowest.max((took, name));
        count += 1;
    }
    let peak = watch.end();
    figure("bombs.harmed", &format!("{} of {count}", harmed.len()));
    let read = count - refused.len();
    let note = refused.join("; ");
    figure("bombs.harmed.note", &format!("{read} were read as far as they go; not read: {note}"));
    let (took, name) = (slowest.0.as_secs_f64(), slowest.1);
    figure("bombs.late", &format!("{}; slowest {took:.1} s ({name})", late.len()));
    figure("bombs.memory", &format!("{} MiB", peak / MEBIBYTE));
    assert_eq!((harmed, late), (Vec::new(), Vec::new()));
    assert!(count >= 36 && peak > 0 && peak <= WORKER_BYTES_MAX, "{count} bombs, {peak} bytes");
}

/// A program that grows without bounds in place of ours: the same watch must see it, and the clock must end it.
#[tokio::test]
async fn a_process_without_bounds_is_seen_and_ended() {
    // The program itself: a wrapper would look for it in an environment that a parser does not have.
    let itself = ["-c", "import sys; print(sys.executable)"];
    let python = String::from_utf8(Command::new("python3").args(itself).output().unwrap().stdout).unwrap();
    let hog = "import time; held = b'x' * 600000000; time.sleep(60)";
    let program: Vec<OsString> = [python.trim(), "-c", hog].map(OsString::from).to_vec();
    let settings = ParserSettings { page_time_max: Duration::from_secs(8), ..ParserSettings::new(program) };
    let watch = ChildMemoryWatch::start(hog);
    let ended = ParserPool::new(settings).extract(MediaKind::Html, "", Bytes::from(GOOD)).await;
    let peak = watch.end();
    let is_ended = ended.is_err_and(|problem| problem.message.contains("not read within"));
    let told = if is_ended { "killed at its time" } else { "not killed" };
    figure("bombs.control", &format!("{} MiB, {told}", peak / MEBIBYTE));
    assert!(peak > WORKER_BYTES_MAX && is_ended, "{peak} bytes, {told}");
}

/// Watches the memory of this process's children that carry a word among their arguments.
struct ChildMemoryWatch {
    over: Arc<AtomicBool>,
    peak: Arc<AtomicU64>,
    thread: thread::JoinHandle<()>,
}

impl ChildMemoryWatch {
    fn start(word: &'static str) -> Self {
        let (over, peak) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (ending, highest) = (Arc::clone(&over), Arc::clone(&peak));
        let thread = thread::spawn(move || {
            while !ending.load(Ordering::Relaxed) {
                children(word).into_iter().for_each(|bytes| {
                    highest.fetch_max(bytes, Ordering::Relaxed);
                });
                // Often enough to meet a process that fills its memory within a tenth of a second.
                thread::sleep(Duration::from_millis(5));
            }
        });
        Self { over, peak, thread }
    }

    /// The most that one child held, in bytes.
    fn end(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
        self.peak.load(Ordering::Relaxed)
    }
}

/// Peak memory of each child that has become the other program: before that its memory is ours.
fn children(word: &str) -> Vec<u64> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let peak = |place: std::path::PathBuf| {
        let status = fs::read_to_string(place.join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let is_own = field("PPid:")?.parse::<u32>().ok()? == std::process::id();
        let arguments = fs::read_to_string(place.join("cmdline")).ok()?;
        let is_wanted = is_own && arguments.split('\0').any(|argument| argument == word);
        let kib: u64 = field("VmHWM:")?.split_whitespace().next()?.parse().ok()?;
        is_wanted.then_some(kib * 1024)
    };
    entries.filter_map(|entry| peak(entry.path())).collect()
}

type PageBomb = (&'static str, MediaKind, Vec<u8>);

/// Pages that are small to send and terrible to read.
fn bombs() -> Vec<PageBomb> {
    let (many, unpacked) = sized((200_000, 100), (1_000_000, 300));
    let unpacked = unpacked * 1024 * 1024;
    let mut bombs = Vec::new();
    let mut add = |name, media, bytes: Vec<u8>| bombs.push((name, media, bytes));
    let around = |open: &str, text: &str, count: usize, close: &str| {
        format!("{open}{}{close}", text.repeat(count)).into_bytes()
    };
    let repeat = |text: &str, count: usize| text.repeat(count).into_bytes();
    add("a million blocks inside each other", MediaKind::Html, repeat("<div>", many));
    add("a million links inside each other", MediaKind::Html, repeat("<a href=x>y", many));
    add("tables inside each other", MediaKind::Html, repeat("<table><tr><td>x", many / 4));
    add("lists inside each other", MediaKind::Html, repeat("<ul><li>x", many / 2));
    add("end tags without a start", MediaKind::Html, repeat("</div></p></b>", many / 2));
    add("bold text that never ends, closed across blocks", MediaKind::Html, repeat("<b><div></b>", many / 4));
    add("a million attributes", MediaKind::Html, around("<p ", "a=b ", many, ">x"));
    add("a class of a million words", MediaKind::Html, around("<p class='", "nav ", many, "'>x"));
    add("comments that never end", MediaKind::Html, repeat("<!-- ", many));
    add("brackets", MediaKind::Html, repeat("<", many * 4));
    add("references", MediaKind::Html, repeat("&", many * 4));
    add("a quotation mark that never ends", MediaKind::Html, repeat("<p title='", many / 2));
    add("authors inside each other", MediaKind::Html, repeat("<div itemprop=author>word ", many / 4));
    add("a style sheet of braces", MediaKind::Html, around("<style>", "@x{", many, "</style>x"));
    add("a title of megabytes", MediaKind::Html, around("<title>", "word ", many * 2, ""));
    add(
        "deep structured data",
        MediaKind::Html,
        around("<script type=application/ld+json>", "[", 200_000, ""),
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
    bits.bytes.extend_from_slice(&u32::try_from(sum).unwrap().to_be_bytes());
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
            *self.bytes.last_mut().unwrap() |= bit << self.used;
            self.used += 1;
        }
    }
}
