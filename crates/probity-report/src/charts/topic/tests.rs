use expect_test::{Expect, expect};

use super::{TableChart, table_charts};
use crate::{
    document::{DisplayVerdict, ReportDocument, TextRun, TextSpan, prose::TableCell},
    fixture::{FixtureDocument as _, research},
};

/// A row begins with its verdict: `+` supported, `"` quoted, `-` contradicted, `?` nobody checked it.
fn charts(lines: &[&str]) -> Vec<TableChart> {
    let document = research().document();
    let mut rows = lines.iter().map(|line| row(&document, line));
    let head = rows.next().unwrap();
    table_charts(&document, &head, &rows.collect::<Vec<_>>(), 9)
}

fn row(document: &ReportDocument, line: &str) -> Vec<TableCell> {
    let (mark, cells) = line.split_at(1);
    let verdict = match mark {
        "+" => Some(DisplayVerdict::Supported),
        "\"" => Some(DisplayVerdict::Quoted),
        "-" => Some(DisplayVerdict::Contradicted),
        _ => None,
    };
    let claim = document.checkable().find(|claim| Some(claim.verdict) == verdict);
    let claims: Vec<String> = claim.map(|claim| claim.id.clone()).into_iter().collect();
    let cell = |words: &str| {
        let words = TextSpan { text: words.trim().to_owned(), ..TextSpan::default() };
        let mark = TextSpan { text: "[3]".to_owned(), cites: vec![3], ..TextSpan::default() };
        TableCell { runs: vec![TextRun { claims: claims.clone(), spans: vec![words, mark] }] }
    };
    cells.split('|').map(cell).collect()
}

#[track_caller]
fn check(lines: &[&str], expected: Expect) {
    let mut out = String::new();
    for chart in charts(lines) {
        out.push_str(&format!("{}\n", chart.title));
        for bar in chart.chart_bars() {
            out.push_str(&format!("  {}: {}, long {}\n", bar.label, bar.shown, bar.value));
        }
        out.push_str(&format!("  {}\n", chart.caption()));
    }
    expected.assert_eq(&out);
}

#[test]
fn confirmed_figures_are_drawn_and_the_others_are_named() {
    check(
        &[
            "?Bridge | Length (m) | Opened",
            "+Orion Bridge | 1244 | 1998",
            "\"Vega Pier | 622 | 2005",
            "-Lyra Viaduct | 9000 | 2011",
            "+Cygnus Span | 311 | 1987",
            "+Draco Arch | not found | 2001",
            "?Corvus Gate | 700 | 2002",
        ],
        expect![[r#"
            Length (m)
              Orion Bridge: 1244 m, long 1000
              Vega Pier: 622 m, long 500
              Cygnus Span: 311 m, long 250
              Figures of the table above that are supported or quoted. 2 rows left out: not confirmed. 1 row left out: no name or no single figure.
        "#]],
    );
}

#[test]
fn what_nobody_checked_and_what_is_little_is_not_drawn() {
    check(&["?Bridge | Length (m)", "?A | 12", "?B | 24", "?C | 36", "?D | 48"], expect![""]);
    check(&["?Bridge | Length (m)", "+A | 12", "+B | 24", "-C | 36"], expect![""]);
    check(&["?Bridge | ", "+A | 12", "+B | 24", "+C | 36"], expect![""]);
}

#[test]
fn figures_of_one_unit_stand_side_by_side() {
    check(
        &["?Source | Share", "+Solar | about 20 %", "+Wind | 40 %", "+Hydro | 10 % (2024)"],
        expect![[r#"
            Share
              Solar: about 20 %, long 500
              Wind: 40 %, long 1000
              Hydro: 10 % (2024), long 250
              Figures of the table above that are supported or quoted.
        "#]],
    );
    check(&["?Source | Output", "+Solar | 20 GW", "+Wind | 40 %", "+Hydro | 10 GW"], expect![""]);
    check(&["?Pump | Noise", "+A | 40 dB", "+B | 50 sone", "+C | 60 dB"], expect![""]);
    check(&["?Pump | Price", "+A | SEK 400", "+B | NOK 500", "+C | SEK 600"], expect![""]);
}

#[test]
fn a_figure_is_one_number_that_is_not_below_zero() {
    check(
        &[
            "?Town | Homes",
            "+A | 4 sites",
            "+B | 2 sites",
            "+C | 1 site",
            "+D | 3–5 sites",
            "+E | more than 9 sites",
            "+ | 8 sites",
        ],
        expect![[r#"
            Homes
              A: 4 sites, long 1000
              B: 2 sites, long 500
              C: 1 site, long 250
              Figures of the table above that are supported or quoted. 3 rows left out: no name or no single figure.
        "#]],
    );
    check(&["?Year | Growth", "+A | 3 %", "+B | −2 %", "+C | 4 %", "+D | 5 %"], expect![""]);
    check(&["?Town | Rank", "+A | 1", "+B | 2", "+C | 3"], expect![""]);
}

#[test]
fn the_column_says_what_a_separator_means() {
    check(
        &["?Stadt | Wert", "+A | 1.204", "+B | 602,0", "+C | 301"],
        expect![[r#"
            Wert
              A: 1.204, long 1000
              B: 602,0, long 500
              C: 301, long 250
              Figures of the table above that are supported or quoted.
        "#]],
    );
    check(
        &["?Town | Homes", "+A | 1,204", "+B | 602", "+C | 301"],
        expect![[r#"
            Homes
              A: 1,204, long 1000
              B: 602, long 500
              C: 301, long 250
              Figures of the table above that are supported or quoted.
        "#]],
    );
    check(&["?Town | Homes", "+A | 1.204", "+B | 602", "+C | 301"], expect![""]);
}

#[test]
fn a_long_column_ends_at_its_bound_and_says_so() {
    let mut lines = vec!["?Town | Homes".to_owned()];
    lines.extend((0..26).map(|place| format!("+Town {place} | {}", 500 - place)));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let drawn = charts(&lines).first().and_then(TableChart::figure).unwrap();
    assert_eq!(drawn.matches("<rect ").count(), 20);
    assert!(drawn.contains(" 6 rows more: in the table."), "{drawn}");
}

#[test]
fn the_picture_is_named_described_and_needs_no_script() {
    let drawn = charts(&["?Source | Share", "+Solar | 40 %", "+Wind | 20 %", "+Hydro | 10 %"]);
    expect![[r##"
        <figure class="chart"><svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 620 122" font-family="Avenir Next, Segoe UI, Noto Sans, Arial, sans-serif"><title>Share</title><desc>Solar: 40 %; Wind: 20 %; Hydro: 10 %</desc>
        <text x="0" y="18" font-size="14" font-weight="600" fill="var(--ink,#22252a)">Share</text>
        <text x="200" y="51" text-anchor="end" fill="var(--ink,#22252a)" font-size="13">Solar</text><rect x="210" y="39" width="290" height="15" rx="2" fill="var(--link,#1c5793)"/><text x="508" y="51" fill="var(--soft,#5a606b)" font-size="12">40 %</text>
        <text x="200" y="77" text-anchor="end" fill="var(--ink,#22252a)" font-size="13">Wind</text><rect x="210" y="65" width="145" height="15" rx="2" fill="var(--link,#1c5793)"/><text x="363" y="77" fill="var(--soft,#5a606b)" font-size="12">20 %</text>
        <text x="200" y="103" text-anchor="end" fill="var(--ink,#22252a)" font-size="13">Hydro</text><rect x="210" y="91" width="72" height="15" rx="2" fill="var(--link,#1c5793)"/><text x="290" y="103" fill="var(--soft,#5a606b)" font-size="12">10 %</text>
        </svg>
        <figcaption>Figures of the table above that are supported or quoted.</figcaption></figure>
    "##]]
    .assert_eq(&drawn.first().and_then(TableChart::figure).unwrap());
}

#[test]
fn foreign_words_stay_text() {
    let drawn = charts(&[
        "?Name | \"><img src=x onerror=alert(1)>",
        "+</text><script>alert(2)</script> | 40 <b>",
        "+</svg><style>x | 20 <b>",
        "+&lt;script&gt; | 10 <b>",
    ]);
    let drawn = drawn.first().and_then(TableChart::figure).unwrap();
    let ours = ["figure", "svg", "title", "desc", "text", "rect", "figcaption", ""];
    for tag in drawn.split('<').skip(1).map(|tag| tag.split([' ', '>', '/']).next().unwrap()) {
        assert!(ours.contains(&tag), "{tag}: {drawn}");
    }
    assert!(!drawn.contains("onerror=\"") && drawn.contains("&amp;lt;script&amp;gt;"), "{drawn}");
}
