use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{CANDIDATES_MAX, PER_SITE_MAX, fuse};
use crate::web::{
    canonical,
    search::{ProviderName, SearchFilters, SearchHit},
};

/// `address | title | date`, best first.
fn hits(lines: &[&str]) -> Vec<SearchHit> {
    let hit = |line: &&str| {
        let mut parts = line.split(" | ");
        let url = format!("https://{}", parts.next().unwrap_or_default());
        let title = parts.next().unwrap_or_default().to_owned();
        SearchHit { title, url, snippet: String::new(), published: parts.next().map(str::to_owned) }
    };
    lines.iter().map(hit).collect()
}

#[track_caller]
fn check(lists: &[(ProviderName, &[&str])], filters: &SearchFilters, expected: Expect) {
    let lists: Vec<(ProviderName, Vec<SearchHit>)> =
        lists.iter().map(|(provider, lines)| (*provider, hits(lines))).collect();
    let borrowed: Vec<(ProviderName, &[SearchHit])> =
        lists.iter().map(|(provider, hits)| (*provider, hits.as_slice())).collect();
    let lines: Vec<String> = fuse(&borrowed, filters)
        .into_iter()
        .map(|candidate| {
            let providers: Vec<&str> = candidate.providers.iter().map(|name| name.as_str()).collect();
            format!("{} {} {}", candidate.score, candidate.url, providers.join("+"))
        })
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn a_page_that_two_name_beats_the_first_of_one() {
    check(
        &[
            (ProviderName::Tavily, &["a.org/x | A", "b.org/y | B", "b.org/y?utm_source=t | B"]),
            (ProviderName::Brave, &["c.org/z | C", "www.b.org/y/ | B again"]),
        ],
        &SearchFilters::default(),
        expect![[r#"
            32258 https://b.org/y tavily+brave
            16393 https://a.org/x tavily
            16393 https://c.org/z brave"#]],
    );
}

#[test]
fn one_site_does_not_flood_the_list() {
    check(
        &[(
            ProviderName::Brave,
            &["a.org/1 | 1", "a.org/2 | 2", "news.a.org/3 | 3", "a.org/4 | 4", "b.org/5 | 5"],
        )],
        &SearchFilters::default(),
        expect![[r#"
            16393 https://a.org/1 brave
            16129 https://a.org/2 brave
            15873 https://news.a.org/3 brave
            15384 https://b.org/5 brave"#]],
    );
}

#[test]
fn a_result_that_reads_like_a_better_one_goes_last() {
    let story = "Council votes to rebuild the old harbour bridge after two years of public debate";
    let copy = format!("b.org/copy | {story}");
    let other = "c.org/other | Ferry timetable for the summer season is out and has two new stops";
    check(
        &[(ProviderName::Exa, &[&format!("a.org/story | {story}"), &copy, other])],
        &SearchFilters::default(),
        expect![[r#"
            16393 https://a.org/story exa
            15873 https://c.org/other exa
            161 https://b.org/copy exa"#]],
    );
}

#[test]
fn results_with_other_numbers_are_not_copies() {
    let release = |number: u32| {
        format!("Announcing version {number} of the compiler with faster builds and smaller binaries for all")
    };
    check(
        &[(
            ProviderName::Exa,
            &[&format!("a.org/1 | {}", release(90)), &format!("b.org/2 | {}", release(91))],
        )],
        &SearchFilters::default(),
        expect![[r#"
            16393 https://a.org/1 exa
            16129 https://b.org/2 exa"#]],
    );
}

#[test]
fn filters_hold_whatever_a_provider_returns() {
    let filters = SearchFilters {
        after: Some("2026-01-01".to_owned()),
        before: Some("2026-06-30".to_owned()),
        domains: vec!["Example.org".to_owned(), "münchen.de".to_owned()],
        domains_excluded: vec!["bad.example.org".to_owned()],
        languages: Vec::new(),
    };
    check(
        &[(
            ProviderName::Searxng,
            &[
                "example.org/in | in | 2026-06-30T23:00:00Z",
                "example.org/undated | undated",
                "example.org/old | old | 2025-12-31",
                "example.org/new | new | 2026-07-01",
                "notexample.org/x | x | 2026-02-02",
                "bad.example.org/x | x | 2026-02-02",
                "www.xn--mnchen-3ya.de/a | a | 2026-01-01",
                "a.example.org/4 | four | around 2026",
            ],
        )],
        &filters,
        expect![[r#"
            16393 https://example.org/in searxng
            16129 https://example.org/undated searxng
            14925 https://www.xn--mnchen-3ya.de/a searxng
            14705 https://a.example.org/4 searxng"#]],
    );
}

#[test]
fn what_is_no_web_address_is_no_candidate() {
    let mut strange = hits(&["a.org/1 | 1", "a.org/2 | 2"]);
    strange[0].url = "javascript:alert(1)".to_owned();
    strange[1].url = format!("https://a.org/{}", "x".repeat(3000));
    assert_eq!(fuse(&[(ProviderName::Brave, &strange)], &SearchFilters::default()), Vec::new());
}

fn some_lists() -> impl Strategy<Value = Vec<(ProviderName, Vec<SearchHit>)>> {
    let hit = (0..6_u32, 0..8_u32, 0..3_u32).prop_map(|(site, page, form)| {
        let query = ["", "?utm_source=a", "#top"][form as usize];
        let title = format!("page {page} of site {site} tells of things that nobody else tells");
        let url = format!("https://site{site}.org/{page}{query}");
        SearchHit { url, title, snippet: String::new(), published: None }
    });
    let provider = prop::sample::select(ProviderName::ALL.to_vec());
    prop::collection::vec((provider, prop::collection::vec(hit, 0..20)), 0..6)
}

proptest! {
    #[test]
    fn lists_in_any_order_give_one_ranked_list_without_repeats(lists in some_lists()) {
        let borrowed: Vec<(ProviderName, &[SearchHit])> = lists.iter().map(|(name, hits)| (*name, hits.as_slice())).collect();
        let fused = fuse(&borrowed, &SearchFilters::default());
        let reversed: Vec<_> = borrowed.iter().rev().copied().collect();
        prop_assert_eq!(&fused, &fuse(&reversed, &SearchFilters::default()));
        prop_assert!(fused.len() <= CANDIDATES_MAX);
        prop_assert!(fused.is_sorted_by(|left, right| left.score >= right.score));
        let mut keys: Vec<_> = fused.iter().map(|candidate| canonical::canonical(&candidate.url)).collect();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), fused.len());
        for candidate in &fused {
            let site = canonical::site(&candidate.url);
            let of_site = fused.iter().filter(|other| canonical::site(&other.url) == site).count();
            prop_assert!(of_site <= PER_SITE_MAX);
        }
    }
}
