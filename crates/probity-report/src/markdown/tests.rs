use std::collections::BTreeMap;

use probity_types::report::{Report, SourceLink};
use pulldown_cmark::{Event, Options, Parser, Tag};
use yaml_rust2::YamlLoader;

use super::render;
use crate::fixture::{FixtureDocument as _, ReportFixture, hostile, research};

/// What a viewer would load, run or follow elsewhere than to the web.
fn acting(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    for event in Parser::new_ext(markdown, Options::all()) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => found.push(format!("html {html}")),
            Event::Start(Tag::Image { dest_url, .. }) => found.push(format!("image {dest_url}")),
            Event::Start(Tag::Link { dest_url, .. }) if !dest_url.starts_with("http") => {
                found.push(format!("link {dest_url}"));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn the_example_reads_well() {
    let markdown = render(&research().document());
    assert!(markdown.contains(
        "In 2025 heat pumps supplied **about 60 %** of space heating in Norwegian detached houses. [^2]"
    ));
    assert!(markdown.contains("Ground-source units in the same test reached 4.6.[^C9] [^4]"));
    assert!(markdown.contains(
        "[^C9]: **contradicted**: the page says 4.1 where the claim says 4.6. “Erdreich-Wärmepumpen kamen im Mittel"
    ));
    assert!(markdown.contains("| +7 °C | 3.6 for the median unit [^3] |"), "{markdown}");
    assert!(markdown.contains("[^9]: Noise at the neighbour's wall: what the law allows (fetched"));
    assert!(!markdown.contains("## Sources"), "the footnotes are the list");
    assert_eq!(acting(&markdown), Vec::<String>::new());
}

#[test]
fn every_footnote_has_its_definition() {
    let markdown = render(&research().document());
    let named: Vec<&str> = markdown.split("[^").skip(1).filter_map(|rest| rest.split(']').next()).collect();
    assert!(named.len() > 40);
    for name in named {
        assert_eq!(markdown.matches(&format!("\n[^{name}]: ")).count(), 1, "{name}");
    }
}

#[test]
fn front_matter_is_yaml_with_the_counts() {
    for fixture in [research(), hostile()] {
        let document = fixture.document();
        let markdown = render(&document);
        let matter = markdown.split("---\n").nth(1).unwrap();
        let read = &YamlLoader::load_from_str(matter).unwrap()[0];
        assert_eq!(read["question"].as_str().unwrap(), document.question);
        assert_eq!(read["verified"].as_bool(), Some(false));
        let supported = document.counts[0].claims;
        assert_eq!(read["claims"]["supported"].as_i64(), Some(i64::from(supported)));
        assert_eq!(read["cost_usd"].as_f64(), Some(0.3208));
    }
}

#[test]
fn nothing_foreign_acts() {
    let markdown = render(&hostile().document());
    let body = markdown.splitn(3, "---\n").nth(2).unwrap();
    assert_eq!(acting(body), Vec::<String>::new(), "{body}");
    // Nor in a viewer that knows neither code nor escapes.
    for behind in markdown.split('<').skip(1) {
        let acts =
            behind.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        assert!(!acts, "<{behind}");
    }
    assert!(!markdown.contains("!["), "{markdown}");
}

#[test]
fn marks_lead_to_the_sources_of_the_texts_own_list() {
    let link = |url: &str, title: &str| SourceLink { url: url.to_owned(), title: title.to_owned() };
    let report = Report {
        text:
            "Rain fell [cite: 1]. Snow fell [cite: 2].\n\n**Sources:**\n1. [a.example](https://r.example/1)\n\
            2. [b.example](https://r.example/2)\n"
                .to_owned(),
        sources: vec![
            link("https://r.example/1", "a.example"),
            link("https://r.example/2", ""),
            link("https://a.example/page", "Page A"),
        ],
        ..Report::default()
    };
    let document = ReportFixture { report, texts: BTreeMap::new(), ..research() }.document();
    let markdown = render(&document);
    assert!(markdown.contains("Rain fell [^1]. Snow fell [^2]."), "{markdown}");
    assert!(markdown.contains("[^2]: b.example. https://r.example/2"), "{markdown}");
    assert!(!markdown.contains("Sources"), "the text's own list gives way: {markdown}");
    let numbers: Vec<(u32, &str)> =
        document.sources.iter().map(|source| (source.number, source.url.as_str())).collect();
    assert_eq!(
        numbers,
        [(1, "https://r.example/1"), (2, "https://r.example/2"), (3, "https://a.example/page")]
    );
}
