use probity_types::ledger::{ClaimId, ReportSentence, Verdict};

use super::{SCRIPT, STYLE, fragments, page};
use crate::{
    document::{DisplayVerdict, ReportBlock, ReportDocument},
    fixture::{FixtureDocument as _, hostile, large, research},
};

/// Markup of a page: what lies between `<` and `>`, sheet and script included.
fn own_bytes(page: &str) -> usize {
    let mut inside = false;
    page.chars()
        .filter(|character| {
            let counted = inside || *character == '<';
            inside = *character != '>' && counted;
            counted
        })
        .map(char::len_utf8)
        .sum::<usize>()
        + STYLE.len()
        + SCRIPT.len()
}

#[test]
fn five_hundred_claims_stay_small() {
    let page = page(&large(500).document());
    let own = own_bytes(&page);
    println!("{} bytes, of which {own} are markup, sheet and script", page.len());
    assert_eq!(page.matches("<section class=\"c ").count(), 500);
    assert!(own < 300_000, "{own} bytes of our own");
}

#[test]
fn every_mark_leads_to_a_card_and_back() {
    let whole = page(&research().document());
    let page = whole.split("<script>").next().unwrap();
    let targets = |before: &str| -> Vec<String> {
        page.split(before).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let inside = targets("href=\"#");
    assert!(inside.len() > 80);
    for target in inside {
        assert_eq!(page.matches(&format!(" id=\"{target}\"")).count(), 1, "{target}");
    }
}

#[test]
fn all_eight_verdicts_are_told_by_word_and_shape() {
    let page = page(&research().document());
    for class in 0..8 {
        assert!(page.contains(&format!("<use href=\"#shape{class}\"/>")), "{class}");
        assert!(page.contains(&format!("<symbol id=\"shape{class}\"")), "{class}");
    }
    assert!(page.contains("aria-label=\"C9: contradicted\""), "{page}");
}

#[test]
fn a_supported_sentence_that_another_source_disputes_says_so_at_the_sentence() {
    let mut document = research().document();
    let claim = document.claims.iter_mut().find(|claim| claim.verdict == DisplayVerdict::Supported).unwrap();
    claim.group = Some("contested".to_owned());
    let id = claim.id.clone();
    let disputed = document.claims.iter().filter(|claim| claim.is_contested()).count();
    let page = page(&document);
    assert!(
        page.contains(&format!("aria-label=\"{id}: supported, and another source disagrees\"")),
        "{page}"
    );
    assert_eq!(
        page.matches("<use href=\"#shaped\"/>").count(),
        2 * disputed,
        "at the sentence and at its card"
    );
    assert_eq!(page.matches(" class=\"c v0 d\"").count(), disputed);
}

#[test]
fn nothing_foreign_acts() {
    let page = page(&hostile().document());
    let body = page.split("</style>").nth(1).unwrap().split("<script>").next().unwrap();
    for acting in [
        "<script",
        "<img",
        "<iframe",
        "onerror=\"",
        "onclick=\"",
        "javascript:alert(8)",
        "<svg onload",
        "src=",
    ] {
        let tag = body.split('<').skip(1).map(|tag| tag.split('>').next().unwrap());
        let found: Vec<&str> = tag.filter(|tag| format!("<{tag}").contains(acting)).collect();
        assert!(found.is_empty(), "{acting}: {found:?}");
    }
    let links: Vec<&str> =
        body.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(links.len() > 10);
    for link in links {
        assert!(
            link.starts_with('#')
                || link.starts_with("https://ok.example/")
                || link.starts_with("https://track.example/"),
            "{link}"
        );
    }
    assert!(!page.contains(['\u{202E}', '\u{0}', '\u{7}']));
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("</script>").count(), 1);
}

#[test]
fn the_sheet_and_the_script_cannot_leave_their_element() {
    assert!(
        !STYLE.contains("</")
            && !SCRIPT.contains("</")
            && !STYLE.contains("url(")
            && !STYLE.contains("@import")
    );
    for reaching in ["fetch(", "XMLHttp", "import(", "eval(", "innerHTML", "localStorage", "document.cookie"]
    {
        assert!(!SCRIPT.contains(reaching), "{reaching}");
    }
}

#[test]
fn without_a_ledger_it_is_still_a_report() {
    let mut fixture = research();
    fixture.report.ledger = None;
    fixture.costs.clear();
    let read = fragments(&fixture.document());
    assert!(read.prose.contains("How they perform when it is cold"));
    assert!(read.prose.contains("its claims were not checked"));
    assert!(!read.prose.contains("class=\"filters\""));
    let rests = "Every verdict is computed from stored pages.";
    assert!(!read.prose.contains(rests) && fragments(&research().document()).prose.contains(rests));
    assert!(read.evidence.contains("were not checked"));
    let whole = page(&fixture.document());
    let shown = whole.split("<script>").next().unwrap();
    for target in shown.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(shown.contains(&format!(" id=\"{target}\"")), "{target}");
    }
}

/// A report that is one table, each row a sentence; the row of the viaduct is contradicted, the others are supported.
fn bridges() -> ReportDocument {
    let mut fixture = research();
    let ledger = fixture.report.ledger.as_mut().unwrap();
    let claim = |verdict: Verdict| -> ClaimId {
        ledger.settled.iter().find(|settled| settled.verdict == verdict).unwrap().claim
    };
    let (supported, contradicted) = (claim(Verdict::Supported), claim(Verdict::Contradicted));
    let mut text = "# Bridges\n\n| Bridge | Length (m) |\n| --- | --- |\n".to_owned();
    let mut sentences = Vec::new();
    for (row, claim) in [
        ("| Orion Bridge | 1244 |", supported),
        ("| Vega Pier | 622 |", supported),
        ("| Lyra Viaduct | 9000 |", contradicted),
        ("| Cygnus Span | 311 |", supported),
    ] {
        let start = text.len();
        text.push_str(row);
        sentences.push(ReportSentence { start, end: text.len(), claims: vec![claim] });
        text.push('\n');
    }
    ledger.sentences = sentences;
    fixture.report.text = text;
    fixture.document()
}

#[test]
fn a_checked_table_has_its_chart_below_it() {
    let read = fragments(&bridges());
    assert!(read.prose.contains("</table></div>\n<figure class=\"chart\"><svg "), "{}", read.prose);
    let told = "<desc>Orion Bridge: 1244 m; Vega Pier: 622 m; Cygnus Span: 311 m</desc>";
    assert!(read.prose.contains(told) && read.prose.contains("1 row left out: not confirmed."));
}

#[test]
fn a_report_has_few_charts_about_its_topic() {
    let mut document = bridges();
    let is_table = |block: &&ReportBlock| matches!(block, ReportBlock::Table { .. });
    let table = document.blocks.iter().find(is_table).cloned().unwrap();
    document.blocks.extend(vec![table; 4]);
    assert_eq!(fragments(&document).prose.matches("<figure class=\"chart\">").count(), 3);
}

#[test]
fn charts_about_the_research_itself_are_folded() {
    let read = fragments(&research().document());
    let folded = "<details><summary>About this research</summary>\n<figure><svg ";
    assert!(read.charts.contains(folded), "{}", read.charts);
    // Only one row of the example's table is confirmed.
    assert!(!read.prose.contains("<figure class=\"chart\">"));
}
