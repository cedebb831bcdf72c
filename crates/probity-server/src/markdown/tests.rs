use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use probity_research::{
    RunId,
    error::Code,
    report::{Report, SourceLink},
    status::{RunStatus, RunSummary},
    time::Moment,
};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;
use yaml_rust2::YamlLoader;

use super::{
    MarkdownPage, MetadataVisibility, ReportTemplates, SourceListVisibility, TEMPLATE_BYTES_MAX,
    find_active_markup,
};

fn summary(query: &str) -> RunSummary {
    let id = RunId::from_random(7);
    serde_json::from_value(json!({
        "id": id, "status": "completed", "due": false, "query": query, "engine": "gemini-api",
        "agent": "deep-research-preview-04-2026", "asked_at": 1_794_700_000_000_i64,
        "updated_at": 1_794_701_110_000_i64, "ended_at": 1_794_701_110_000_i64, "progress_percent": 100,
        "progress_estimated": false, "current_action": "", "steps": 3, "searches": 2, "pages": 1,
        "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 2, "owner": "local",
    }))
    .unwrap()
}

fn report(text: &str, sources: &[(&str, &str)]) -> Report {
    let link =
        |(url, title): &(&str, &str)| SourceLink { url: (*url).to_owned(), title: (*title).to_owned() };
    Report { text: text.to_owned(), sources: sources.iter().map(link).collect(), ..Report::default() }
}

fn page<'a>(summary: &'a RunSummary, report: &'a Report) -> MarkdownPage<'a> {
    let (metadata, sources) = (MetadataVisibility::Shown, SourceListVisibility::Listed);
    MarkdownPage { summary, report, metadata, sources, written_at: Moment(1_794_701_200_000) }
}

#[track_caller]
fn check(page: &MarkdownPage<'_>, expected: Expect) {
    expected.assert_eq(&ReportTemplates::new(None).unwrap().render(page).unwrap());
}

const SOURCES: &[(&str, &str)] = &[
    ("https://a.example/sky?x=1", "Why | the sky"),
    ("javascript:alert(1)", ""),
    ("https://b.example/", "B"),
];

#[test]
fn a_report_with_everything() {
    let mut told = summary("why is the \"sky\" blue?\n---\nowner: me");
    told.usage = Some(probity_research::cost::Usage {
        input_tokens: 450_000,
        output_tokens: 120_000,
        total_tokens: 570_000,
        ..Default::default()
    });
    told.cost = probity_research::cost::Cost::FromUsage(probity_research::cost::MicroUsd(3_240_000));
    check(
        &page(&told, &report("# The sky\n\nIt scatters.", SOURCES)),
        expect![[r#"
            ---
            task_id: "res_00000000000000000000000000000007"
            query: "why is the \"sky\" blue?\n---\nowner: me"
            status: "completed"
            agent: "deep-research-preview-04-2026"
            asked_at: "2026-11-14T23:46:40.000Z"
            ended_at: "2026-11-15T00:05:10.000Z"
            duration_minutes: 18.5
            tokens_input: 450000
            tokens_output: 120000
            tokens_total: 570000
            cost_usd: 3.24
            cost_basis: "provider usage x price table"
            sources_count: 3
            verified: false
            verification_basis: "its claims were not checked against its sources"
            judge: "none"
            written_at: "2026-11-15T00:06:40.000Z"
            ---

            > completed, 18.5 min, cost $3.24.
            > Not verified: its claims were not checked against its sources.
            # The sky

            It scatters.

            ## Sources

            Attributed by the provider.

            1. Why \| the sky  
               https://a.example/sky?x=1
            2. untitled  
               (not a web address)
            3. B  
               https://b.example/
        "#]],
    );
}

#[test]
fn unknown_is_said_and_a_missing_heading_is_given() {
    let mut told = summary("why?");
    told.ended_at = None;
    check(
        &page(&told, &report("It scatters.", &[])),
        expect![[r#"
            ---
            task_id: "res_00000000000000000000000000000007"
            query: "why?"
            status: "completed"
            agent: "deep-research-preview-04-2026"
            asked_at: "2026-11-14T23:46:40.000Z"
            ended_at: "unknown"
            duration_minutes: "unknown"
            tokens_input: "unknown"
            tokens_output: "unknown"
            tokens_total: "unknown"
            cost_usd: "unknown"
            cost_basis: "unknown"
            sources_count: 0
            verified: false
            verification_basis: "its claims were not checked against its sources"
            judge: "none"
            written_at: "2026-11-15T00:06:40.000Z"
            ---

            > completed, duration unknown, cost unknown.
            > Not verified: its claims were not checked against its sources.
            # why?

            It scatters.
        "#]],
    );
}

#[test]
fn metadata_and_sources_can_be_left_out() {
    let (told, found) = (summary("why?"), report("---\nIt scatters.", SOURCES));
    let bare = MarkdownPage {
        metadata: MetadataVisibility::Hidden,
        sources: SourceListVisibility::Omitted,
        ..page(&told, &found)
    };
    check(
        &bare,
        expect![[r#"
            # why?

            ***
            It scatters.
        "#]],
    );
}

#[test]
fn a_partial_report_says_so_with_and_without_metadata() {
    let told = RunSummary { status: RunStatus::TimedOut, ..summary("why?") };
    let found = report("It scatters.", &[]);
    let whole = ReportTemplates::new(None).unwrap().render(&page(&told, &found)).unwrap();
    assert!(whole.contains("\nstatus: \"timed_out\"\n") && whole.contains("\n> timed out, "), "{whole}");
    assert!(whole.contains("\n> Note: partial: the research has timed out.\n"), "{whole}");
    let bare = MarkdownPage { metadata: MetadataVisibility::Hidden, ..page(&told, &found) };
    check(
        &bare,
        expect![[r#"
            > Note: partial: the research has timed out.

            # why?

            It scatters.
        "#]],
    );
}

#[test]
fn a_template_of_ones_own_is_used() {
    let templates =
        ReportTemplates::new(Some("{{ query }}: {{ report }} ({{ sources|length }})".to_owned())).unwrap();
    let (told, found) = (summary("why *now*?"), report("Because.", SOURCES));
    assert_eq!(templates.render(&page(&told, &found)).unwrap(), "why \\*now\\*?: Because. (3)\n");
}

#[test]
fn a_broken_template_is_told_with_its_line_and_the_way_out() {
    let told = |own: String| {
        let problem = ReportTemplates::new(Some(own)).unwrap_err();
        assert_eq!(problem.code, Code::Settings);
        problem.message
    };
    expect!["the report template fails at line 2: syntax error: unexpected end of block; mend it, or remove it from the settings to use the built-in one"]
    .assert_eq(&told("a\n{% if %}".to_owned()));
    expect!["the report template fails at line 3: undefined value; mend it, or remove it from the settings to use the built-in one"]
    .assert_eq(&told("a\n\n{{ qurey }}".to_owned()));
    expect!["the report template fails at line 1: engine ran out of fuel; mend it, or remove it from the settings to use the built-in one"]
    .assert_eq(&told(
        "{% for a in range(100000) %}{% for b in range(100000) %}{{ b }}{% endfor %}{% endfor %}".to_owned(),
    ));
    expect!["the report template has 65537 bytes; at most 65536 are taken"]
        .assert_eq(&told("x".repeat(TEMPLATE_BYTES_MAX + 1)));
    expect!["the report template fails at line 1: template not found: tried to include non-existing template '/etc/passwd'; mend it, or remove it from the settings to use the built-in one"]
    .assert_eq(&told("{% include '/etc/passwd' %}".to_owned()));
}

#[test]
fn a_large_report_is_written_in_time() {
    let paragraph = "A *claim* about <b>things</b> with a [link](https://a.example/x) and ![image](https://b.example/y.png) &amp; `code<T>`.\n\n";
    let found = report(&paragraph.repeat(200_000 / paragraph.len() + 1), &SOURCES.repeat(300));
    let told = summary("why?");
    let templates = ReportTemplates::new(None).unwrap();
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let began = now();
        templates.render(&page(&told, &found)).unwrap();
        fastest = fastest.min(began.elapsed());
    }
    println!("{} bytes in {fastest:?}", found.text.len());
    // The promise is 100 ms; the figures judge it on an optimised build. This one must not flicker.
    assert!(fastest < Duration::from_millis(500), "{fastest:?}");
}

#[test]
fn texts_made_to_be_slow_are_not() {
    let began = now();
    // Large enough that anything quadratic takes minutes, small enough for an unoptimised build on a busy machine.
    let ticks: String = (1..700).map(|length| "`".repeat(length) + " ").collect();
    for text in
        ["](".repeat(125_000), "<".repeat(250_000), "<http://".repeat(30_000), ticks, "&#".repeat(125_000)]
    {
        super::sanitize_report(&text);
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[expect(clippy::disallowed_methods, reason = "the limit in time is what is tested")]
fn now() -> Instant {
    Instant::now()
}

/// Pieces that mean something to a viewer; uniform text almost never draws them.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "![", "!", "[", "]", "](", "]:", "](<", ")", "<", ">", "</", "<!--", "-->", "<img src=x onerror=y>",
    "<script>", "<svg/onload=x>", "<a href='javascript:x'>", "javascript:", "JAVASCRIPT:",
    "data:text/html,", "vbscript:x", "file:///", "https://a.example/", "<https://a.example>", "<br>",
    "&lt;", "&#106;", "&#x6a;avascript&colon;", "&Tab;", "&rlm;", "&#8238;", "\\", "\\!", "`", "``", "```",
    "~~~", "\n", "\n\n", "\t", "    ", "---", "---\n", "\n---\n", "+++", "# ", "> ", "- ", "1. ", "|",
    "| --- |\n", "[^1]: ", "[x]: ", "\"", "'", "\u{202e}", "\u{200b}", "\u{feff}", "\u{7}", "\u{1b}[31m",
    "\u{0}", "\r", "\r\n", "\u{2028}", "\u{85}", "\u{fffe}", "\u{ffff}", "\u{10ffff}", "é", "漢", "🜁", "a",
    "b ", "{{ 7*7 }}", "{% raw %}", "${x}", "x: y", ": ", "*", "**", "_", "$$", "\\x3C", "\u{a0}",
];

fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES);
    let random = any::<String>();
    prop::collection::vec(prop_oneof![9 => pieces.prop_map(str::to_owned), 1 => random], 0..40)
        .prop_map(|pieces| pieces.concat())
}

/// What a real parser of Markdown finds in the file that a viewer would load or run.
fn found_by_a_parser(markdown: &str) -> Option<String> {
    for options in [Options::empty(), Options::all()] {
        for event in Parser::new_ext(markdown, options) {
            let acts = match &event {
                Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. } | Tag::HtmlBlock) => {
                    true
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let scheme =
                        dest_url.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
                    scheme.contains(':') && !matches!(scheme.as_str(), "http:" | "https:") && !scheme.starts_with("mailto:")
                        // An address such as `a@b.example` between brackets.
                        && !dest_url.starts_with("mailto:")
                }
                _ => false,
            };
            if acts {
                return Some(format!("{event:?}"));
            }
        }
    }
    None
}

fn front_matter(markdown: &str) -> &str {
    let inside = markdown.strip_prefix("---\n").expect("front matter");
    inside.split_once("\n---\n").expect("its end").0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn nothing_foreign_acts(text in hostile(), title in hostile(), url in hostile(), query in hostile()) {
        let told = summary(&query);
        let found = report(&text, &[(&url, &title), (&format!("https://a.example/{url}"), &title)]);
        let written = ReportTemplates::new(None).unwrap().render(&page(&told, &found)).unwrap();
        prop_assert_eq!(find_active_markup(&written), None, "{}", written);
        prop_assert_eq!(found_by_a_parser(&written), None, "{}", written);

        let documents = YamlLoader::load_from_str(front_matter(&written)).unwrap();
        prop_assert_eq!(documents.len(), 1);
        let asked = probity_research::text::block(&query);
        prop_assert_eq!(documents[0]["query"].as_str(), Some(asked.as_str()));
        prop_assert_eq!(documents[0].as_hash().unwrap().len(), 17);

        let bare = MarkdownPage { metadata: MetadataVisibility::Hidden, sources: SourceListVisibility::Omitted, ..page(&told, &found) };
        let written = ReportTemplates::new(None).unwrap().render(&bare).unwrap();
        prop_assert!(!written.starts_with("---") && !written.starts_with("+++"), "{}", written);
        prop_assert_eq!(found_by_a_parser(&written), None, "{}", written);
    }
}

#[test]
fn the_numbered_list_stands_for_the_texts_own_one() {
    let text =
        "# R\n\nRain [cite: 2].\n\n## References\n1. [one](https://r.example/1)\n2. https://r.example/2\n";
    let report = report(text, &[("https://a.example/page", "A"), ("https://r.example/1", "One")]);
    let summary = summary("q");
    let page = MarkdownPage { metadata: MetadataVisibility::Hidden, ..page(&summary, &report) };
    check(
        &page,
        expect![[r#"
            # R

            Rain [cite: 2].

            ## Sources

            Attributed by the provider.

            1. One  
               https://r.example/1
            2. r.example  
               (only the text names it: it was neither found nor checked)
            3. A  
               https://a.example/page
        "#]],
    );
}
