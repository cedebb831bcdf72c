use std::io::Write as _;

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(bytes: &[u8], format: DocumentFormat, expected: Expect) {
    expected.assert_eq(&document(bytes, format, "https://example.org/d/report").unwrap().text);
}

fn document_text(bytes: &[u8], format: DocumentFormat) -> String {
    document(bytes, format, "").unwrap().text
}

/// An archive of these files; every second one is deflated.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    for (place, (name, text)) in files.iter().enumerate() {
        let is_packed = place % 2 == 0;
        let packed = if is_packed { deflated(text.as_bytes()) } else { text.as_bytes().to_vec() };
        let method = if is_packed { 8_u16 } else { 0 };
        let at = u32::try_from(bytes.len()).unwrap();
        bytes.extend_from_slice(b"PK\x03\x04\x14\0\0\0");
        bytes.extend_from_slice(&method.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&u32::try_from(packed.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(&u16::try_from(name.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(&[0; 2]);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&packed);
        list.extend_from_slice(b"PK\x01\x02\x14\0\x14\0\0\0");
        list.extend_from_slice(&method.to_le_bytes());
        list.extend_from_slice(&[0; 8]);
        list.extend_from_slice(&u32::try_from(packed.len()).unwrap().to_le_bytes());
        list.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes());
        list.extend_from_slice(&u16::try_from(name.len()).unwrap().to_le_bytes());
        list.extend_from_slice(&[0; 12]);
        list.extend_from_slice(&at.to_le_bytes());
        list.extend_from_slice(name.as_bytes());
    }
    let start = u32::try_from(bytes.len()).unwrap();
    let count = u16::try_from(files.len()).unwrap();
    bytes.extend_from_slice(&list);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(list.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_way_back_from_a_note_is_no_part_of_its_address() {
    let page = "<html><p>So.<sup><a href=#n1 id=r1>1</a></sup></p><ol><li id=n1>City, <a href=https://n.org/2>https://n.org/2</a>\
        <a href=#r1>↩︎</a></ol></html>";
    let text = document(page.as_bytes(), DocumentFormat::Html, "https://example.org/d").unwrap().text;
    assert!(text.contains("https://n.org/2") && !text.contains('↩'), "{text}");
}

#[test]
fn html_keeps_links_at_any_depth_and_shows_nothing_hidden() {
    let claim =
        "<p>It opened in 1999 <a href=https://h.org/t>1</a>.</p><script>s()</script><p hidden>gone</p>";
    for (depth, end) in [(300, "</div>"), (400, "</div>"), (5_000, "</div>"), (200_000, "")] {
        let page = format!("<html>{}{claim}{}</html>", "<div>".repeat(depth), end.repeat(depth));
        let found = document(page.as_bytes(), DocumentFormat::Html, "").unwrap();
        assert_eq!(
            (found.text.trim(), found.truncated),
            ("It opened in 1999 [1](https://h.org/t).", false),
            "{depth}"
        );
    }
    let lists = format!("<html><p>Seen.</p>{}{claim}", "<ul><li>".repeat(1_000));
    let found = document(lists.as_bytes(), DocumentFormat::Html, "").unwrap();
    assert_eq!((found.text.trim(), found.truncated), ("Seen.", true));
}

#[test]
fn html_says_what_pictures_show_and_reads_sentences_in_menus() {
    check(
        b"<html><nav><a href=/x>Menu</a> <a href=/y>Contact us.</a></nav><button>Share</button>\
          <p>It is long.<img src=/i.png alt='The bridge [1] after &amp; before'></p><p>It is old.</p>\
          <table><tr><th>Land<th>People<tr><td>Pell<img src=x alt='A map of Pell'><td>40<tr><td>Oss<td>50</table>\
          <nav><p>The bridge collapsed in 1950.</p></nav><button>The bridge was closed in 1951.</button></html>",
        DocumentFormat::Html,
        expect![[r#"
            It is long.

            ![The bridge '1' after & before](https://example.org/i.png)

            It is old.

            | Land | People |
            |---|---|
            | Pell | 40 |
            | Oss | 50 |
            The bridge collapsed in 1950.

            ![A map of Pell](https://example.org/d/x)

            The bridge was closed in 1951.

        "#]],
    );
    let page = b"<html><nav><a href=/x>Menu</a></nav><button>Share</button><p>It is long.</p></html>";
    assert_eq!(document(page, DocumentFormat::Html, "").unwrap().menus, Some(2));
}

#[test]
fn html_keeps_links_notes_lists_and_tables_in_place() {
    check(
        b"<html><title>T</title><nav><a href=/x>Menu</a></nav><h1>Tea &amp; you</h1><p>The <a href='/who?a=1&amp;b=(2)'>WHO</a> says \
          so.<sup><a href=#fn1>1</a></sup> And<sup>2</sup> more: 5 m<br>new line</p><ul><li>one <b>bold</b><li>two</ul>\
          <table><tr><th>Land<th>People<tr><td>France<td>68 <a href=https://f.org/p>million</a></table>\
          <blockquote><p>Quoted.</p></blockquote><pre>x  = 1</pre><p style='display:none'>hidden</p>\
          <h2>References</h2><ol><li>First <a href=https://a.org/1>https://a.org/1</a><li>Second</ol>\
          <div id=fn1>Note with <a href=https://n.org/2>a page</a> <a href=#back>back</a></div></html>",
        DocumentFormat::Html,
        expect![[r#"
            # Tea & you

            The [WHO](https://example.org/who?a=1&b=%282%29) says so.[^fn1] And<sup>2</sup> more: 5 m  
            new line

            - one bold

            - two

            | Land | People |
            |---|---|
            | France | 68 [million](https://f.org/p) |
            > Quoted.

            ```
            x  = 1
            ```

            ## References

            1. First https://a.org/1

            2. Second

            [^fn1]: Note with [a page](https://n.org/2) back

        "#]],
    );
}

const DOCUMENT: &str = r#"<?xml version="1.0"?><w:document xmlns:w="w" xmlns:r="r"><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Tea &amp; you</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">The </w:t></w:r><w:hyperlink r:id="rId5"><w:r><w:t>WHO</w:t></w:r></w:hyperlink>
<w:r><w:t xml:space="preserve"> says 5.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>
<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://f.org/?a=1&amp;b=2" </w:instrText></w:r>
<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>Field</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr><w:r><w:t>second</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr><w:r><w:t>dotted</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Land</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>People</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>France</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>68</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>"#;
const NUMBERING: &str = r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="1"/></w:num></w:numbering>"#;
const RELATIONS: &str = r#"<Relationships><Relationship Id="rId5" Target="https://who.int/a?x=1&amp;y" TargetMode="External"/>
<Relationship Id="rId6" Target="styles.xml"/></Relationships>"#;
const FOOTNOTES: &str = r#"<w:footnotes xmlns:w="w"><w:footnote w:id="-1" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2"><w:p>
<w:r><w:t>See https://n.org/1.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;

#[test]
fn docx_keeps_links_fields_notes_lists_and_tables() {
    let bytes = archive(&[
        ("word/document.xml", DOCUMENT),
        ("word/numbering.xml", NUMBERING),
        ("word/_rels/document.xml.rels", RELATIONS),
        ("word/footnotes.xml", FOOTNOTES),
    ]);
    assert_eq!(DocumentFormat::of("Report.DOCX", &bytes), Some(DocumentFormat::Docx));
    check(
        &bytes,
        DocumentFormat::Docx,
        expect![[r#"
            ## Tea & you

            The [WHO](https://who.int/a?x=1&y) says 5.[^2][Field](https://f.org/?a=1&b=2)

            1. first

            2. second

            - dotted

            | Land | People |
            |---|---|
            | France | 68 |

            [^2]: See https://n.org/1.

        "#]],
    );
}

#[test]
fn docx_keeps_raised_numbers_apart() {
    let raised = |style: &str, number: &str| format!("<w:r><w:rPr>{style}</w:rPr><w:t>{number}</w:t></w:r>");
    let (up, down) = (r#"<w:vertAlign w:val="superscript"/>"#, r#"<w:vertAlign w:val="baseline"/>"#);
    let document = format!(
        r#"<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>It has 14</w:t></w:r>{}<w:r><w:t xml:space="preserve"> rooms, 10</w:t></w:r>{}
        <w:r><w:t xml:space="preserve"> bricks and 14</w:t></w:r>{}<w:r><w:t xml:space="preserve"> doors on the 19</w:t></w:r>{}
        <w:r><w:t>, 14</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p><w:p>{}<w:r><w:t xml:space="preserve"> Yearbook.</w:t></w:r></w:p></w:body></w:document>"#,
        raised(up, "2"),
        raised(up, "6"),
        raised(down, "2"),
        raised(up, "th"),
        raised(up, "2"),
    );
    check(
        &archive(&[("word/document.xml", &document)]),
        DocumentFormat::Docx,
        expect![[r#"
            It has 14<sup>2</sup> rooms, 10⁶ bricks and 142 doors on the 19th, 14[^2]

            2 Yearbook.

        "#]],
    );
}

#[test]
fn html_reads_drawings_fields_and_frames() {
    let page = b"<html><p>It is long.</p><svg><title>Chart</title><text>Cost in 1931:</text><text>86 <tspan>million</tspan></text></svg>\
          <p>Cost: <input value='86 &amp; more'><input type=hidden value=gone><input type=submit value=Send> pounds</p>\
          <textarea>It was opened in 1931.</textarea><textarea>&lt;b>code&lt;/b></textarea><select><option>Pell<option>Oss</select>\
          <iframe srcdoc=\"&lt;p>It was closed in 1950.&lt;/p>&lt;p hidden>gone&lt;/p>&lt;iframe srcdoc='deeper'>&lt;/iframe>\">no</iframe>\
          <p>It is old.</p></html>";
    check(
        page,
        DocumentFormat::Html,
        expect![[r#"
            It is long.

            Cost in 1931:

            86 million

            Cost: 86 & more pounds

            It was opened in 1931.

            ```
            <b>code</b>
            ```

            It was closed in 1950.

            It is old.

        "#]],
    );
    assert_eq!(document(page, DocumentFormat::Html, "").unwrap().menus, Some(2));
}

#[test]
fn what_is_struck_through_is_left_out() {
    let document = r#"<w:document xmlns:w="w"><w:body><w:p><w:r><w:t xml:space="preserve">It cost </w:t></w:r>
        <w:r><w:rPr><w:strike/></w:rPr><w:t xml:space="preserve">80 </w:t></w:r><w:r><w:rPr><w:dstrike w:val="true"/></w:rPr><w:t>81</w:t></w:r>
        <w:moveFrom><w:r><w:t>82</w:t></w:r></w:moveFrom><w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t>86 million</w:t></w:r></w:p>
        </w:body></w:document>"#;
    let docx = document_text(&archive(&[("word/document.xml", document)]), DocumentFormat::Docx);
    let html = document_text(
        b"<html><p>It cost <del>80</del> <s>81</s> 86 million</p></html>",
        DocumentFormat::Html,
    );
    let markdown = document_text(b"It cost ~~80~~ <!-- 81 -->86 million", DocumentFormat::Markdown);
    for text in [docx, html, markdown] {
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), "It cost 86 million");
    }
}

#[test]
fn html_keeps_raised_numbers_apart() {
    check(
        b"<html><p>It has 14<sup>2</sup> rooms, 14<sup><a href=#n3>3</a></sup> doors, 14<a href=#n3>3</a> keys, \
          10<sup>6</sup> bricks, 2<sup>1</sup>/<sub>2</sub> floors on 5 km<sup>2</sup>.<p id=n3>Note.</html>",
        DocumentFormat::Html,
        expect![[r#"
            It has 14<sup>2</sup> rooms, 14[^n3] doors, 14[^n3] keys, 10⁶ bricks, 2 1/2 floors on 5 km².

            [^n3]: Note.

        "#]],
    );
}

#[test]
fn docx_says_what_pictures_show() {
    let document = r#"<w:document xmlns:w="w" xmlns:wp="p"><w:body><w:p><w:r><w:t>It is long.</w:t></w:r>
        <w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="The bridge after it collapsed"/></w:drawing></w:r></w:p>
        <w:p><w:r><w:t>It is old.</w:t></w:r></w:p></w:body></w:document>"#;
    check(
        &archive(&[("word/document.xml", document)]),
        DocumentFormat::Docx,
        expect![[r#"
            It is long.

            ![The bridge after it collapsed](#)

            It is old.

        "#]],
    );
}

#[test]
fn archives_that_unpack_to_too_much_are_refused() {
    let bomb = format!("<w:t>{}</w:t>", " ".repeat(30 * 1024 * 1024));
    let problem = document(&archive(&[("word/document.xml", &bomb)]), DocumentFormat::Docx, "").unwrap_err();
    assert_eq!(problem.code, Code::PageUnreadable);
    assert!(
        problem.to_string().contains("too much") || format!("{problem:?}").contains("too much"),
        "{problem:?}"
    );
}

#[test]
fn damaged_archives_are_problems_of_their_own() {
    let whole = archive(&[("word/document.xml", DOCUMENT), ("word/numbering.xml", NUMBERING)]);
    for cut in [0, 4, 30, 100, whole.len() / 2] {
        let bytes = [whole.get(..cut).unwrap(), whole.get(whole.len() - 22..).unwrap()].concat();
        assert!(document(&bytes, DocumentFormat::Docx, "").is_err(), "cut at {cut}");
    }
    assert!(document(b"PK\x05\x06", DocumentFormat::Docx, "").is_err());
    assert!(document(&archive(&[("other.xml", "")]), DocumentFormat::Docx, "").is_err());
    // Any byte may be any other: nothing panics.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        let _ = document(&bytes, DocumentFormat::Docx, "");
    }
}

#[test]
fn formats_are_told_by_bytes_and_names() {
    assert_eq!(DocumentFormat::of("a.txt", b"%PDF-1.7"), Some(DocumentFormat::Pdf));
    assert_eq!(DocumentFormat::of("a", b"<!DOCTYPE html><p>"), Some(DocumentFormat::Html));
    assert_eq!(DocumentFormat::of("a.md", b"# <html> in Markdown"), Some(DocumentFormat::Markdown));
    assert_eq!(DocumentFormat::of("a.bin", b"\x00\x01"), None);
    assert_eq!(DocumentFormat::of("a.zip", b"PK\x03\x04"), None);
    assert_eq!(DocumentFormat::of("notes", b"plain"), Some(DocumentFormat::Markdown));
}
