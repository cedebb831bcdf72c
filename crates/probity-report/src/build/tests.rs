use std::{collections::BTreeMap, fmt::Write as _};

use expect_test::{Expect, expect};
use probity_types::{
    Code, CodedError,
    ledger::{ClaimId, Ledger, LedgerSource, ReportSentence, SourceState},
    report::{Report, SourceLink},
    status::RunStatus,
};
use proptest::prelude::*;

use super::sources::web_address;
use crate::{
    document::{
        DisplayVerdict, PassageRole, ReportBlock, ReportDocument, ReportSourceState, TextRun, TextSpan,
        prose::plain,
    },
    fixture::{FixtureDocument as _, ReportFixture, hostile, large, research},
};

fn with_report(report: Report) -> ReportDocument {
    ReportFixture { report, texts: BTreeMap::new(), ..research() }.document()
}

/// Blocks in short: `{…}` is a sentence, `*` strong, `_` emphasis, `→` a link, `^` a mark.
fn shown(blocks: &[ReportBlock], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for block in blocks {
        match block {
            ReportBlock::Heading { level, runs, .. } => {
                writeln!(out, "{pad}h{level} {}", runs_shown(runs)).unwrap()
            }
            ReportBlock::Paragraph { runs } => writeln!(out, "{pad}p {}", runs_shown(runs)).unwrap(),
            ReportBlock::List { first, items } => {
                for item in items {
                    writeln!(out, "{pad}li {first:?}").unwrap();
                    shown(&item.blocks, depth + 1, out);
                }
            }
            ReportBlock::Quote { blocks } => {
                writeln!(out, "{pad}quote").unwrap();
                shown(blocks, depth + 1, out);
            }
            ReportBlock::Code { language, text } => writeln!(out, "{pad}code {language} {text:?}").unwrap(),
            ReportBlock::Table { head, rows } => {
                for row in std::iter::once(head).chain(rows) {
                    let cells: Vec<String> = row.iter().map(|cell| runs_shown(&cell.runs)).collect();
                    writeln!(out, "{pad}tr {}", cells.join(" | ")).unwrap();
                }
            }
            ReportBlock::Rule => writeln!(out, "{pad}rule").unwrap(),
        }
    }
}

fn runs_shown(runs: &[TextRun]) -> String {
    let span = |span: &TextSpan| {
        let mut text = span.text.clone();
        if span.strong {
            text = format!("*{text}*");
        }
        if span.emphasis {
            text = format!("_{text}_");
        }
        if span.image {
            text = format!("image({text})");
        }
        if let Some(link) = &span.link {
            text = format!("{text}→{link}");
        }
        if !span.cites.is_empty() {
            text = format!("^{:?}", span.cites);
        }
        text
    };
    runs.iter()
        .map(|run| {
            let text: String = run.spans.iter().map(span).collect();
            if run.claims.is_empty() { text } else { format!("{{{}: {text}}}", run.claims.join(",")) }
        })
        .collect()
}

/// Sentences stand between `«` and `»`, which are taken out.
#[track_caller]
fn check(marked: &str, expected: Expect) {
    let mut text = String::new();
    let mut ledger = Ledger::default();
    let mut start = 0;
    for character in marked.chars() {
        match character {
            '«' => start = text.len(),
            '»' => {
                let claims = vec![ClaimId::at(ledger.sentences.len())];
                ledger.sentences.push(ReportSentence { start, end: text.len(), claims });
            }
            _ => text.push(character),
        }
    }
    let source = |url: &str| SourceLink { url: url.to_owned(), title: String::new() };
    let sources = vec![source("https://a.example/1"), source("https://b.example/2"), source("")];
    let document = with_report(Report { text, sources, ledger: Some(Box::new(ledger)), ..Report::default() });
    let mut out = String::new();
    shown(&document.blocks, 0, &mut out);
    expected.assert_eq(&out);
}

#[test]
fn sentences_are_cut_where_they_begin_and_end() {
    check(
        "# A *title*\n\n«One **bold. »«Two** ends.» [1] «Three &amp; [b](https://b.example/x).»\n",
        expect![[r#"
            h1 A _title_
            p {C1: One *bold. *}{C2: *Two* ends.} ^[1] {C3: Three & b→https://b.example/x.}
        "#]],
    );
}

#[test]
fn lists_tables_quotations_and_code() {
    check(
        "- «First [1, 2].»\n- Second\n  1. deep\n\n> «Said.»\n\n| a | b |\n|---|---|\n| «x» | y |\n\n```rust\nfn «main»() {}\n```\n\n---\n",
        expect![[r#"
            li None
              p {C1: First ^[1, 2].}
            li None
              p Second
              li Some(1)
                p deep
            quote
              p {C2: Said.}
            tr a | b
            tr {C3: x} | y
            code rust "fn main() {}\n"
            rule
        "#]],
    );
}

#[test]
fn marks_of_citation() {
    check(
        "a [1] b [9] c [cite: 1, 2] d [1-2] e [x] f [1](https://a.example/1) g [2](https://z.example/) h `[1]` i [0]",
        expect![[r#"
            p a ^[1] b [9] c ^[1, 2] d ^[1, 2] e [x] f ^[1] g 2→https://z.example/ h [1] i [0]
        "#]],
    );
}

#[test]
fn what_would_act_is_text() {
    check(
        "<b>bold</b> <script>x</script> ![pixel](https://t.example/p) [go](javascript:x) a<br>b\n\n<div onclick=x>\n",
        expect![[r#"
            p bold <script>x</script> image(pixel)→https://t.example/p go ab
            p <div onclick=x>

        "#]],
    );
}

#[test]
fn the_example_has_everything() {
    let document = research().document();
    assert_eq!(document.title, "Do heat pumps pay off in cold climates?");
    assert_eq!(document.sources.len(), 12);
    assert_eq!(document.conflicts.len(), 2);
    let verdicts: Vec<DisplayVerdict> = document.counts.iter().map(|count| count.verdict).collect();
    let of_sources = |verdict: &DisplayVerdict| !verdict.is_of_inferences();
    assert_eq!(verdicts, DisplayVerdict::ALL.into_iter().filter(of_sources).collect::<Vec<_>>());
    assert_eq!(document.list_of_sources_at, Some(document.blocks.len() - 2));
    assert_eq!(document.altered, [(5, 6)]);
    assert!(document.outline.iter().any(|heading| heading.text == "What it costs"));
    let lost = document.source(11).unwrap();
    assert_eq!(
        (lost.state, lost.why_unread.as_deref()),
        (ReportSourceState::Unreachable, Some("the server answered 403 three times"))
    );
    assert_eq!((document.source(5).unwrap().origin, document.source(6).unwrap().origin), (Some(5), Some(5)));
    let why: Vec<&str> = document.not_checked.iter().map(|row| row.why.as_str()).collect();
    assert!(
        why.contains(&"its page could not be fetched or read") && why.contains(&"it cites nothing"),
        "{why:?}"
    );
}

#[test]
fn a_passage_stands_in_its_context() {
    let document = research().document();
    let claim = document.claims.iter().find(|claim| claim.words.starts_with("Ground-source")).unwrap();
    let found = &claim.evidence[0];
    assert_eq!((found.part, found.source), (PassageRole::Decided, 4));
    assert_eq!(found.passage, "Erdreich-Wärmepumpen kamen im Mittel auf eine Jahresarbeitszahl von 4,1.");
    assert!(
        found.before.starts_with("… ") && found.before.ends_with("heat distribution. "),
        "{}",
        found.before
    );
    assert!(
        found.after.starts_with(" Values for single months") && found.after.ends_with(" …"),
        "{}",
        found.after
    );
    assert!((250..=310).contains(&found.before.chars().count()));
}

#[test]
fn without_the_page_the_ledger_still_has_the_passage() {
    let mut fixture = research();
    fixture.texts.clear();
    let document = fixture.document();
    let claim = document.claims.iter().find(|claim| claim.words.starts_with("Ground-source")).unwrap();
    assert_eq!(
        claim.evidence[0].passage,
        "Erdreich-Wärmepumpen kamen im Mittel auf eine Jahresarbeitszahl von 4,1."
    );
    assert_eq!((claim.evidence[0].before.as_str(), claim.evidence[0].after.as_str()), ("", ""));
}

#[test]
fn without_a_ledger_there_are_sources_and_a_text() {
    let mut fixture = research();
    fixture.report.ledger = None;
    let document = fixture.document();
    assert!(document.claims.is_empty() && document.counts.is_empty() && !document.verified.verified);
    assert_eq!(document.sources.len(), 12);
    assert!(document.remarks.iter().any(|remark| remark.contains("not checked")));
}

#[test]
fn only_addresses_of_the_web_are_links() {
    for (url, taken) in [
        ("https://a.example/x", true),
        ("http://a.example", true),
        ("HTTPS://A.example/", true),
        ("javascript:alert(1)", false),
        ("java\nscript:alert(1)", false),
        ("data:text/html,x", false),
        ("https://user@bank.example/", false),
        ("//a.example/", false),
        ("file:///etc/passwd", false),
        ("", false),
    ] {
        assert_eq!(web_address(url).is_some(), taken, "{url}");
    }
}

#[test]
fn a_text_of_nothing_but_nesting_ends() {
    let deep = format!("{}x\n\n{}", "> ".repeat(5_000), "- ".repeat(5_000));
    let document = with_report(Report { text: deep, ..Report::default() });
    fn depth(blocks: &[ReportBlock]) -> usize {
        let inner = |block: &ReportBlock| match block {
            ReportBlock::Quote { blocks } => 1 + depth(blocks),
            ReportBlock::List { items, .. } => {
                1 + items.iter().map(|item| depth(&item.blocks)).max().unwrap_or(0)
            }
            _ => 0,
        };
        blocks.iter().map(inner).max().unwrap_or(0)
    }
    assert!(depth(&document.blocks) <= 10);
}

#[test]
fn a_text_of_nothing_but_marks_is_cut_and_says_so() {
    let document = with_report(Report { text: "*a* ".repeat(300_000), ..Report::default() });
    assert!(document.remarks.iter().any(|remark| remark.contains("longer than is shown")));
}

#[test]
fn every_claim_of_a_large_report_is_found_by_its_name() {
    let document = large(300).document();
    assert_eq!(document.claims.len(), 300);
    assert!(document.claims.iter().all(|claim| document.claim(&claim.id) == Some(claim)));
    assert!(document.claim("C301").is_none() && document.claim("x").is_none());
}

proptest! {
    /// Whatever the text and the sentences: nothing panics, and no visible letter of plain text is lost or doubled.
    #[test]
    fn letters_are_neither_lost_nor_doubled(text in "[a-zé \n.*_\\[\\]()`#>|0-9-]{0,200}", cuts in proptest::collection::vec((0_usize..220, 0_usize..40), 0..6)) {
        let sentences = cuts.iter().enumerate().map(|(place, (start, length))| ReportSentence {
            start: *start, end: start + length, claims: vec![ClaimId::at(place)],
        });
        let with = Ledger { sentences: sentences.collect(), ..Ledger::default() };
        let words = |document: &ReportDocument| {
            let mut out = String::new();
            fn all(blocks: &[ReportBlock], out: &mut String) {
                for block in blocks {
                    match block {
                        ReportBlock::Heading { runs, .. } | ReportBlock::Paragraph { runs } => out.push_str(&plain(runs)),
                        ReportBlock::List { items, .. } => items.iter().for_each(|item| all(&item.blocks, out)),
                        ReportBlock::Quote { blocks } => all(blocks, out),
                        ReportBlock::Code { text, .. } => out.push_str(text),
                        ReportBlock::Table { head, rows } => {
                            std::iter::once(head).chain(rows).flatten().for_each(|cell| out.push_str(&plain(&cell.runs)));
                        }
                        ReportBlock::Rule => {}
                    }
                }
            }
            all(&document.blocks, &mut out);
            out
        };
        let cut = with_report(Report { text: text.clone(), ledger: Some(Box::new(with)), ..Report::default() });
        let whole = with_report(Report { text, ..Report::default() });
        prop_assert_eq!(words(&cut), words(&whole));
    }
}

#[test]
fn hostile_text_is_only_text() {
    let document = hostile().document();
    let acts = |text: &str| text.chars().any(|c| c.is_control() || matches!(c, '\u{202E}' | '\u{202C}'));
    assert!(!acts(&document.question) && !acts(&document.title));
    assert!(
        document
            .sources
            .iter()
            .all(|source| source.url.is_empty() || source.url.starts_with("https://ok.example/"))
    );
    assert!(
        document
            .claims
            .iter()
            .all(|claim| !acts(&claim.words) && claim.evidence.iter().all(|found| !acts(&found.passage)))
    );
}

#[test]
fn a_redirect_service_is_no_origin() {
    let known = research().report.ledger.unwrap().sources;
    let read = known.into_iter().map(|source| source.state).find(|state| state.extract().is_some()).unwrap();
    let source = |url: &str, origin| LedgerSource {
        url: url.to_owned(),
        title: String::new(),
        state: read.clone(),
        origin,
        quoted: Vec::new(),
    };
    let ledger = Ledger {
        sources: vec![
            source("https://vertexaisearch.cloud.google.com/grounding-api-redirect/A", 0),
            source("https://a.example/page", 1),
        ],
        ..Ledger::default()
    };
    let document = with_report(Report { ledger: Some(Box::new(ledger)), ..Report::default() });
    let origins: Vec<Option<u32>> = document.sources.iter().map(|source| source.origin).collect();
    assert_eq!(origins, [None, Some(2)]);
}

#[test]
fn a_partial_report_says_so_at_the_top_of_every_form() {
    let mut fixture = research();
    fixture.summary.status = RunStatus::OverBudget;
    fixture.summary.problem = Some(CodedError::new(Code::Budget, "the budget of $2.00 is spent"));
    let document = fixture.document();
    let said = "partial: the research was stopped at its budget: the budget of $2.00 is spent.";
    assert_eq!(document.answer.note.as_deref(), Some(said));
    assert!(!document.remarks.iter().any(|remark| remark.contains("partial")), "once");
    let markdown = crate::markdown::render(&document).replace('\\', "");
    let beginning = markdown.split("\n## ").next().unwrap();
    assert!(beginning.contains(&format!("> **Note**: {said}")), "{beginning}");
    assert!(crate::html::page(&document).contains(&format!("<p class=\"problem\"><bdi>{said}</bdi></p>")));
}

#[test]
fn pages_read_are_those_of_the_research_and_not_of_its_check() {
    let source = |url: &str, origin: u32| LedgerSource {
        url: url.to_owned(),
        title: String::new(),
        state: SourceState::unreachable("no answer"),
        origin,
        quoted: Vec::new(),
    };
    let ledger = Ledger {
        sources: vec![source("https://a.example/", 0), source("https://b.example/", 0)],
        ..Ledger::default()
    };
    let mut fixture = research();
    fixture.summary.pages = 2;
    fixture.report = Report {
        text: "Rain fell [1](https://a.example/).".to_owned(),
        ledger: Some(Box::new(ledger)),
        ..Report::default()
    };
    let document = fixture.document();
    assert_eq!(document.answer.pages, 2, "those of the research, however many were opened for checking");
    assert_eq!(document.sources.iter().filter_map(|source| source.origin).count(), 0);
    let page = crate::html::page(&document);
    assert!(!page.contains(" named, ") && page.contains("2 pages read"), "{page}");
    let markdown = crate::markdown::render(&document);
    assert!(
        markdown.contains("*1 of 2 sources are cited by a mark in the text; the others:*\n\n- source 2: [b"),
        "{markdown}"
    );
}
