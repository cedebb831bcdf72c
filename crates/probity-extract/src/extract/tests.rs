use probity_types::web::page::{Extract, MediaKind, TEXT_BYTES_MAX};

use super::{extract, top_level_domain};

/// What every extract keeps: blocks in order, inside the text, on character boundaries, sources inside the page.
#[track_caller]
fn sound(bytes: &[u8], media: MediaKind) -> Extract {
    let found = extract(bytes, media, "https://example.org/a").unwrap();
    let mut last = 0;
    for block in &found.blocks {
        assert!(block.start >= last && block.start <= block.end, "{block:?}");
        assert!(found.text.get(block.start..block.end).is_some(), "{block:?}");
        last = block.end;
        if let Some((start, end)) = block.source {
            assert!(start <= end && end <= bytes.len(), "{block:?}");
        }
    }
    assert!(found.text.len() <= TEXT_BYTES_MAX);
    found
}

#[test]
fn a_giant_line_is_cut_and_says_so() {
    for media in [MediaKind::Html, MediaKind::Text, MediaKind::Markdown] {
        let found = sound("é".repeat(3 * 1024 * 1024).as_bytes(), media);
        assert!(found.truncated, "{media:?}");
        assert!(found.text.len() > TEXT_BYTES_MAX - 10, "{media:?}");
    }
}

#[test]
fn any_bytes_are_read_without_harm() {
    let mut seed = 1_u32;
    for round in 0..300 {
        let mut bytes = Vec::new();
        for _ in 0..(round * 3) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let words: [&[u8]; 16] = [
                b"<p>",
                b"</p>",
                b"<table><tr><td>",
                b"<a href='",
                b"<!--",
                b"-->",
                b"&#",
                b"&amp;",
                b"\xff",
                b"\xc3\xa9",
                b"word ",
                b"<script>",
                b"</script>",
                b"<li>",
                b"{\"a\":",
                b"\"",
            ];
            bytes.extend_from_slice(words[(seed >> 24) as usize % words.len()]);
        }
        for media in [MediaKind::Html, MediaKind::Text, MediaKind::Markdown, MediaKind::Json, MediaKind::Xml]
        {
            sound(&bytes, media);
        }
    }
}

#[test]
fn the_source_of_a_block_is_where_its_words_stand() {
    let page = "<html><body><div class=menu><a href=/>home</a></div><article><h1>A title</h1>\n<p>The first paragraph is \
        long enough to be read as <b>prose</b> by anybody, and it ends.</p><p>Der zweite Absatz hat Umlaute: äöü, und \
        auch er ist lang genug für einen Absatz.</p></article></body></html>";
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(page);
    for bytes in [page.as_bytes(), &latin] {
        let found = sound(bytes, MediaKind::Html);
        assert_eq!(found.blocks.len(), 3, "{}", found.text);
        let (start, end) = found.blocks[2].source.unwrap();
        let source = encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes[start..end]).0;
        assert!(source.starts_with("Der zweite") && source.ends_with("Absatz."), "{source}");
    }
}

#[test]
fn a_page_that_only_forwards_says_where_it_leads() {
    let read = |page: &str| extract(page.as_bytes(), MediaKind::Html, "https://example.org/a");
    for content in ["0; url=/b?x=1&amp;y", "5;URL='https://example.org/b?x=1&y'", "0, /b?x=1&amp;y"] {
        let page = format!("<html><head><meta http-equiv=Refresh content=\"{content}\"></head><body></body>");
        let problem = read(&page).unwrap_err();
        assert_eq!(problem.message, "the page only forwards to https://example.org/b?x=1&y");
    }
    // One that says something is read, and one that loads itself again leads nowhere.
    let shown =
        "<html><head><meta http-equiv=refresh content='9; url=/b'></head><body><p>It is long.</p></body>";
    assert!(read(shown).unwrap().text.contains("It is long."));
    let again = "<html><head><meta http-equiv=refresh content='9'></head><body></body>";
    assert_eq!(read(again).unwrap().text, "");
}

#[test]
fn the_last_label_helps_to_guess_an_encoding() {
    assert_eq!(top_level_domain("https://example.co.jp/x"), Some("jp"));
    assert_eq!(top_level_domain("http://127.0.0.1:80/"), None);
    assert_eq!(top_level_domain("file"), None);
}
