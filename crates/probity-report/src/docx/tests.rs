use std::io::Read;

use flate2::read::DeflateDecoder;

use super::render;
use crate::fixture::{FixtureDocument as _, hostile, large, research};

/// The files of an archive, read by its directory as others read it.
fn files(archive: &[u8]) -> Vec<(String, String)> {
    let word = |at: usize| u32::from_le_bytes(archive[at..at + 4].try_into().unwrap()) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes(archive[at..at + 2].try_into().unwrap()));
    let end = archive.len() - 22;
    assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
    let mut at = word(end + 16);
    let mut found = Vec::new();
    for _ in 0..half(end + 10) {
        assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
        let (packed, size, name_length, local) = (word(at + 20), word(at + 24), half(at + 28), word(at + 42));
        let name = String::from_utf8(archive[at + 46..at + 46 + name_length].to_vec()).unwrap();
        assert_eq!(&archive[local..local + 4], b"PK\x03\x04");
        let start = local + 30 + half(local + 26) + half(local + 28);
        let mut text = String::new();
        DeflateDecoder::new(&archive[start..start + packed]).read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), size);
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        assert_eq!(crc.sum() as usize, word(at + 16));
        found.push((name, text));
        at += 46 + name_length;
    }
    assert_eq!(at, end);
    found
}

/// Tags open and close in order, attributes are quoted, nothing but known references.
#[track_caller]
fn well_formed(name: &str, xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in xml.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("{name}: {piece}"));
        assert!(!text.contains('>'), "{name}: {text}");
        for reference in text.split('&').skip(1) {
            assert!(
                ["amp;", "lt;", "gt;", "quot;"].iter().any(|known| reference.starts_with(known)),
                "{name}: {reference}"
            );
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{name}: {tag}");
        if tag.starts_with('?') || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(closing) => assert_eq!(open.pop(), Some(closing), "{name}"),
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty(), "{name}: {open:?}");
}

#[test]
fn every_part_is_there_and_well_formed() {
    for fixture in [research(), hostile(), large(50)] {
        let found = files(&render(&fixture.document()).unwrap());
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "[Content_Types].xml",
                "_rels/.rels",
                "docProps/core.xml",
                "word/document.xml",
                "word/_rels/document.xml.rels",
                "word/styles.xml",
                "word/numbering.xml",
                "word/footnotes.xml",
            ]
        );
        for (name, text) in &found {
            well_formed(name, text);
        }
    }
}

#[test]
fn sources_are_footnotes_and_verdicts_a_table() {
    let found = files(&render(&research().document()).unwrap());
    let part = |wanted: &str| found.iter().find(|(name, _)| name == wanted).unwrap().1.as_str();
    let body = part("word/document.xml");
    assert_eq!(
        body.matches("<w:footnoteReference ").count(),
        part("word/footnotes.xml").matches("<w:footnoteRef/>").count()
    );
    assert!(body.matches("<w:footnoteReference ").count() > 20);
    assert!(body.contains("C9 contradicted"));
    assert!(body.contains("<w:pStyle w:val=\"Heading1\"/>"));
    for id in body.split("r:id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(part("word/_rels/document.xml.rels").contains(&format!("Id=\"{id}\"")), "{id}");
    }
}

#[test]
fn only_web_addresses_are_links() {
    let found = files(&render(&hostile().document()).unwrap());
    let (_, links) = found.iter().find(|(name, _)| name == "word/_rels/document.xml.rels").unwrap();
    let outside: Vec<&str> = links
        .lines()
        .filter(|line| line.contains("TargetMode"))
        .map(|line| line.split("Target=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert!(!outside.is_empty());
    assert!(outside.iter().all(|to| to.starts_with("https://")), "{outside:?}");
}

#[test]
fn a_partial_report_says_so_at_the_top() {
    let mut document = research().document();
    document.answer.note = Some("partial: the research is cancelled.".to_owned());
    let files = files(&render(&document).unwrap());
    let (_, body) = files.iter().find(|(name, _)| name == "word/document.xml").unwrap();
    let at = body.find("Note: partial: the research is cancelled.").unwrap();
    assert!(at < body.find("Heading").unwrap(), "above the text");
}
