use super::{PdfFile, PdfFonts, render, sample};
use crate::{
    Error, ReportDocument,
    document::{ReportBlock, TextRun, TextSpan, prose::TableCell},
    fixture::{FixtureDocument as _, hostile, large, research},
};

fn made(document: &ReportDocument) -> PdfFile {
    render(document, &PdfFonts::own()).unwrap()
}

/// How often `wanted` stands in the file outside its packed streams.
fn count(pdf: &PdfFile, wanted: &str) -> usize {
    String::from_utf8_lossy(&pdf.bytes).matches(wanted).count()
}

fn runs(text: &str) -> Vec<TextRun> {
    let span = TextSpan { text: text.to_owned(), ..TextSpan::default() };
    vec![TextRun { spans: vec![span], ..TextRun::default() }]
}

/// The research with these blocks as its text.
fn with_blocks(blocks: Vec<ReportBlock>) -> ReportDocument {
    ReportDocument {
        blocks,
        list_of_sources_at: None,
        sources: Vec::new(),
        claims: Vec::new(),
        conflicts: Vec::new(),
        ..research().document()
    }
}

fn with_text(text: &str) -> ReportDocument {
    with_blocks(vec![ReportBlock::Paragraph { runs: runs(text) }])
}

#[test]
fn twenty_five_claims_take_at_most_four_pages() {
    let document = research().document();
    assert!(document.checkable().count() >= 25, "{}", document.checkable().count());
    let pdf = made(&document);
    assert!(pdf.bytes.starts_with(b"%PDF-1.7"));
    assert!(pdf.pages <= 4, "{} pages", pdf.pages);
    assert_eq!(count(&pdf, "/Type/Page/"), pdf.pages);
}

#[test]
fn screen_readers_find_headings_lists_tables_links_title_and_language() {
    let document = research().document();
    let pdf = made(&document);
    for wanted in ["/StructTreeRoot", "/Marked true", "/Outlines", "/Lang", "/DisplayDocTitle true"] {
        assert!(count(&pdf, wanted) > 0, "{wanted}");
    }
    for role in ["H1", "H2", "P", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TD", "Link"] {
        let found = count(&pdf, &format!("/S/{role}/P "));
        assert!(found > 0, "{role}");
    }
    let rows = document.claims_by_attention().len();
    assert!(count(&pdf, "/S/TR/P ") > rows, "each claim is a row");
    assert!(count(&pdf, "/URI(https://") >= document.sources.len() / 2, "sources are links");
}

#[test]
fn the_same_document_is_the_same_file() {
    for fixture in [research(), hostile()] {
        let document = fixture.document();
        assert_eq!(made(&document), made(&document));
    }
}

#[test]
fn nothing_but_web_addresses_is_a_link_and_nothing_acts() {
    let pdf = made(&hostile().document());
    for acting in
        ["/JavaScript", "/JS", "/Launch", "/EmbeddedFile", "/OpenAction", "/AA", "javascript:", "file:"]
    {
        assert_eq!(count(&pdf, &format!("{acting} ")), 0, "{acting}");
    }
    assert_eq!(count(&pdf, "/URI("), count(&pdf, "/URI(https://") + count(&pdf, "/URI(http://"));
}

#[test]
fn letters_that_no_font_has_are_named_in_the_result_and_below_the_title() {
    let pdf = made(&with_text("Die Höhe ist 9 m. ภาษาไทย and 富士山 and \u{E000} and नमस्ते"));
    let scripts: Vec<&str> = pdf.missing.iter().map(|of| of.script).collect();
    assert_eq!(scripts, ["Chinese and Japanese", "Devanagari", "Thai", "other scripts"]);
    let told = pdf.missing_letters().unwrap();
    assert!(told.starts_with("Chinese and Japanese (士富山), Devanagari (तनमसे्)"), "{told}");
    let plain = made(&with_text("Die Höhe ist 9 m."));
    assert_eq!(plain.missing_letters(), None);
}

#[test]
fn a_sample_names_the_scripts_that_need_a_font_of_the_machine() {
    for fonts in [PdfFonts::own(), PdfFonts::beside(vec!["/nonexistent".into()])] {
        let file = sample(&fonts).unwrap();
        let scripts: Vec<&str> = file.missing.iter().map(|of| of.script).collect();
        assert_eq!(scripts, ["Bengali", "Chinese and Japanese", "Devanagari", "Korean", "Tamil", "Thai"]);
        assert_eq!(file.pages, 1);
    }
}

#[test]
fn latin_greek_cyrillic_hebrew_and_arabic_need_no_font_of_the_machine() {
    let pdf = made(&with_text(
        "Größe Łódź ñandú Ελλάδα Україна Հայաստան საქართველო \u{5E9}\u{5DC}\u{5D5}\u{5DD} \u{645}\u{631}\u{62D}\u{628}\u{627} \u{200F}12 ✓ ✗ ≤ →",
    ));
    assert_eq!(pdf.missing, []);
}

#[test]
fn text_in_every_direction_with_every_mark_ends() {
    let strange = "\u{202E}abc\u{202C} e\u{301}\u{301}\u{301}\u{301} \u{5D0}\u{5D1} 12 (\u{627}\u{644}\u{639}\u{631}\u{628}\u{64A}\u{629}) 한국어 ไทย 👩\u{200D}👩\u{200D}👧 ⚠\u{FE0F} a\u{AD}b \
        \u{200B}\u{2009}\u{3000}\u{FEFF}\0\u{7}\t";
    assert!(made(&with_text(strange)).pages > 0);
    assert!(made(&with_text("")).pages > 0);
    let heading = |text: &str| ReportBlock::Heading { level: 6, anchor: String::new(), runs: runs(text) };
    let nothing =
        ReportDocument { title: String::new(), ..with_blocks(vec![heading(""), heading("\u{200B}")]) };
    assert!(made(&nothing).pages > 0);
}

#[test]
fn a_word_or_a_table_without_measure_ends() {
    assert!(made(&with_text(&"W".repeat(200_000))).pages > 10);
    let cell = |text: &str| TableCell { runs: runs(text) };
    let wide = ReportBlock::Table {
        head: (0..300).map(|_| cell("head")).collect(),
        rows: vec![(0..300).map(|_| cell("a cell")).collect(), vec![cell(&"x".repeat(20_000))], Vec::new()],
    };
    assert!(made(&with_blocks(vec![wide])).pages > 1);
}

#[test]
fn a_report_beyond_all_measure_is_refused() {
    let document = with_text(&"A line.\n".repeat(60_000));
    let error = render(&document, &PdfFonts::own()).unwrap_err();
    assert!(matches!(error, Error::TooManyPages { .. }), "{error}");
}

#[test]
fn a_long_report_is_written() {
    let pdf = made(&large(300).document());
    assert!(pdf.pages > 10, "{} pages", pdf.pages);
}
