use super::{OwnEntry, names_sources};
use crate::report::Report;

fn report(text: &str) -> Report {
    Report { text: text.to_owned(), ..Report::default() }
}

#[track_caller]
fn check(text: &str, rest: &str, expected: &[(u32, &str, &str)]) {
    let report = report(text);
    let entries = report.own_list().map(|list| list.entries).unwrap_or_default();
    let found: Vec<(u32, &str, &str)> =
        entries.iter().map(|OwnEntry { number, url, title }| (*number, *url, *title)).collect();
    assert_eq!(found, expected, "{text}");
    assert_eq!(report.text_without_own_list(), rest, "{text}");
}

#[test]
fn lists_at_the_end_are_read_with_their_numbers() {
    let both = [(1, "https://a.example/x", "One"), (2, "https://b.example", "Two (2019)")];
    check(
        "Rain [1].\n\n---\n\n**Sources:**\n1. [One](https://a.example/x)\n2. Two (2019): <https://b.example>\n",
        "Rain [1].",
        &both,
    );
    check(
        "Rain [1].\n\n## References\n\n[1] One, https://a.example/x\n\n- [2] **Two (2019)**\n  https://b.example\n",
        "Rain [1].",
        &both,
    );
    check(
        "Rain[^1].\n\n[^1]: One https://a.example/x\n[^2]: Two (2019). https://b.example\n",
        "Rain[^1].",
        &both,
    );
    check(
        "Quellen:\n7. Ein Buch\n9. https://a.example/x\n",
        "",
        &[(7, "", "Ein Buch"), (9, "https://a.example/x", "")],
    );
}

#[test]
fn definitions_of_addresses_give_numbers_and_stay_where_they_are() {
    let text = "Rain [1].\n\n[1]: https://a.example/x\n";
    check(text, text, &[(1, "https://a.example/x", "")]);
}

#[test]
fn what_is_no_list_of_numbered_sources_at_the_end_stays() {
    for text in [
        "",
        "Rain.",
        "## Steps\n1. Open https://a.example/x\n",
        "## Sources\n- https://a.example/x\n",
        "## Sources\n1. https://a.example/x\n\nThe end.\n",
        "## Sources\n1. https://a.example/x\n1. https://b.example/x\n",
        "## Sources\n1. A book\n",
        "## Sources\n1. https://a.example/x\n\n# Second\n\n## Sources\n1. https://b.example/x\n",
        "```\n## Sources\n1. https://a.example/x\n```\n",
    ] {
        check(text, text, &[]);
    }
}

#[test]
fn headings_of_sources_are_known_in_many_languages() {
    for heading in ["## Sources", "**Quellen:**", "七、参考文献", "Sources (selected)", "参考文献与数据源"]
    {
        assert!(names_sources(heading), "{heading}");
    }
    assert!(!names_sources("## Sources of error in the model"));
}
