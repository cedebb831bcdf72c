use expect_test::{Expect, expect};

use super::{CitationStyle, bibtex, csl_json, styled_lines};
use crate::{
    ReportDocument,
    fixture::{FixtureDocument as _, hostile, research},
};

fn first(document: &ReportDocument, count: usize) -> ReportDocument {
    ReportDocument { sources: document.sources.iter().take(count).cloned().collect(), ..document.clone() }
}

#[track_caller]
fn check(style: CitationStyle, expected: Expect) {
    let document = research().document();
    let lines = styled_lines(&document, style);
    assert_eq!(lines.len(), 12);
    let told: Vec<&str> = [0, 8, 10].map(|place: usize| lines[place].as_str()).into();
    expected.assert_eq(&told.join("\n"));
}

#[test]
fn apa() {
    check(
        CitationStyle::Apa,
        expect![[r#"
        energy-agency.example. (2026, March 18). The Future of Heat Pumps, 2026 edition. https://energy-agency.example/reports/heat-pumps-2026
        old-forum.example. (n.d.). Noise at the neighbour's wall: what the law allows. Retrieved November 14, 2026, from https://old-forum.example/threads/88213
        ministry.example. (n.d.). Subsidies for replacing fossil boilers. https://ministry.example/subsidies/2026"#]],
    );
}

#[test]
fn mla() {
    check(
        CitationStyle::Mla,
        expect![[r#"
        “The Future of Heat Pumps, 2026 edition.” energy-agency.example, 18 Mar. 2026, https://energy-agency.example/reports/heat-pumps-2026. Accessed 14 Nov. 2026.
        “Noise at the neighbour's wall: what the law allows.” old-forum.example, https://old-forum.example/threads/88213. Accessed 14 Nov. 2026.
        “Subsidies for replacing fossil boilers.” ministry.example, https://ministry.example/subsidies/2026."#]],
    );
}

#[test]
fn chicago() {
    check(
        CitationStyle::Chicago,
        expect![[r#"
        energy-agency.example. “The Future of Heat Pumps, 2026 edition.” March 18, 2026. Accessed November 14, 2026. https://energy-agency.example/reports/heat-pumps-2026.
        old-forum.example. “Noise at the neighbour's wall: what the law allows.” Accessed November 14, 2026. https://old-forum.example/threads/88213.
        ministry.example. “Subsidies for replacing fossil boilers.” https://ministry.example/subsidies/2026."#]],
    );
}

#[test]
fn ieee() {
    check(
        CitationStyle::Ieee,
        expect![[r#"
        [1] “The Future of Heat Pumps, 2026 edition,” energy-agency.example. Accessed: Nov. 14, 2026. [Online]. Available: https://energy-agency.example/reports/heat-pumps-2026
        [9] “Noise at the neighbour's wall: what the law allows,” old-forum.example. Accessed: Nov. 14, 2026. [Online]. Available: https://old-forum.example/threads/88213
        [11] “Subsidies for replacing fossil boilers,” ministry.example. [Online]. Available: https://ministry.example/subsidies/2026"#]],
    );
}

#[test]
fn ieee_shortens_months_and_fills_days() {
    let mut document = first(&research().document(), 1);
    let mut accessed = |day: &str| {
        document.sources[0].fetched_at = Some(day.to_owned());
        let line = styled_lines(&document, CitationStyle::Ieee).remove(0);
        line.split_once("Accessed: ").unwrap().1.split_once(". [Online]").unwrap().0.to_owned()
    };
    let days = ["2026-03-08", "2026-05-31", "2026-06-01", "2026-07-01", "2026-09-30", "2026-09", "2026"];
    expect!["Mar. 08, 2026; May 31, 2026; Jun. 01, 2026; Jul. 01, 2026; Sep. 30, 2026; Sep. 2026; 2026"]
        .assert_eq(&days.map(&mut accessed).join("; "));
}

#[test]
fn numbered() {
    check(
        CitationStyle::Numbered,
        expect![[r#"
        1. The Future of Heat Pumps, 2026 edition (energy-agency.example, March 18, 2026): https://energy-agency.example/reports/heat-pumps-2026
        9. Noise at the neighbour's wall: what the law allows (old-forum.example): https://old-forum.example/threads/88213
        11. Subsidies for replacing fossil boilers (ministry.example): https://ministry.example/subsidies/2026"#]],
    );
}

#[test]
fn entries_for_tex() {
    let document = first(&research().document(), 1);
    expect![[r#"
        @online{energyagencyexample2026-1,
          title = {{The Future of Heat Pumps, 2026 edition}},
          organization = {energy-agency.example},
          year = {2026},
          month = {3},
          url = {https://energy-agency.example/reports/heat-pumps-2026},
          urldate = {2026-11-14}
        }
    "#]]
    .assert_eq(&bibtex(&document));
}

/// Braces must match, or one title swallows every entry behind it.
#[test]
fn no_title_breaks_out_of_its_entry() {
    let mut document = hostile().document();
    for (source, title) in
        document.sources.iter_mut().zip(["}}, @evil{", "a\\}b{", "50 % & $x_1^2~#", "\"q\" <t> @comment"])
    {
        source.title = title.to_owned();
        source.host = format!("{title}.example");
    }
    let text = bibtex(&document);
    let mut depth = 0_i32;
    let mut entries = 0;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            '@' if depth == 0 => entries += 1,
            _ => {}
        }
        assert!(depth >= 0, "{text}");
    }
    assert_eq!((depth, entries), (0, 7), "{text}");
    assert!(text.contains(r"{50 \% \& \$x\_1\textasciicircum{}2\textasciitilde{}\#}"), "{text}");
}

#[test]
fn items_for_citation_processors() {
    let document = first(&research().document(), 1);
    expect![[r#"
        [
          {
            "URL": "https://energy-agency.example/reports/heat-pumps-2026",
            "accessed": {
              "date-parts": [
                [
                  2026,
                  11,
                  14
                ]
              ]
            },
            "container-title": "energy-agency.example",
            "id": "source-1",
            "issued": {
              "date-parts": [
                [
                  2026,
                  3,
                  18
                ]
              ]
            },
            "title": "The Future of Heat Pumps, 2026 edition",
            "type": "webpage"
          }
        ]
    "#]]
    .assert_eq(&csl_json(&document));
    let all: Vec<serde_json::Value> = serde_json::from_str(&csl_json(&hostile().document())).unwrap();
    assert_eq!(all.len(), 7);
    assert!(all.iter().all(|item| item.get("issued").is_none()), "a date that is none is left out");
}

#[test]
fn styles_are_read_back_from_their_names() {
    for style in CitationStyle::ALL {
        assert_eq!(style.to_string().parse(), Ok(style));
    }
    assert!("harvard".parse::<CitationStyle>().is_err());
}
