use expect_test::{Expect, expect};

use super::{quote_front_matter, sanitize_line, sanitize_report, sanitize_web_address};

#[track_caller]
fn check(report: &str, expected: Expect) {
    expected.assert_eq(&sanitize_report(report));
}

#[test]
fn what_a_report_needs_stays_as_it_was() {
    let report = "# Title\n\nA **bold** claim [1](https://a.example/x?y=1&z=2), see [below](#end) and [^1].\n\n\
        | a | b |\n| --- | --- |\n| 1 < 2 | x&nbsp;y |\n\n```rust\nfn main() {}\n```\n\n\
        > quoted\n\n- [ ] task\n\n[^1]: Words of a note.\n[ref]: https://b.example";
    assert_eq!(sanitize_report(report), report);
}

#[test]
fn images_become_links() {
    check("![chart](https://a.example/b.png)", expect!["image: [chart](https://a.example/b.png)"]);
    check(
        "!![a][b]\n![c]",
        expect![[r#"
        !image: [a][b]
        image: [c]"#]],
    );
    check("!\u{200b}[x](https://a.example)", expect!["image: [x](https://a.example)"]);
    check("`vec![1]`", expect!["`vec! [1]`"]);
}

#[test]
fn tags_become_text_and_addresses_lose_their_brackets() {
    check("<script>alert(1)</script>", expect!["&lt;script>alert(1)&lt;/script>"]);
    check("a<br>b<br/>c<BR />d", expect!["a b c d"]);
    check(
        "<https://a.example/x> and <<https://a.example>>",
        expect!["https://a.example/x and &lt;https://a.example>"],
    );
    check(
        "<!-- a -->\n<?php\n<",
        expect![[r#"
        &lt;!-- a -->
        &lt;?php
        <"#]],
    );
    check(
        "```\nVec<String>\n```\n`a<b>`",
        expect![[r#"
        ```
        Vec< String>
        ```
        `a< b>`"#]],
    );
}

#[test]
fn a_bracket_without_an_end_makes_no_link() {
    for target in
        ["<https://a.example/", "<https://a.example/ \"t>\"", "<mailto:a@b.example>", "<https://a.example/<"]
    {
        let written = sanitize_report(&format!("[x]({target})"));
        assert!(written.starts_with("[x] (&lt;"), "{written}");
    }
    check("[x](<https://a.example/>)", expect!["[x](https://a.example/)"]);
}

#[test]
fn links_lead_to_the_web_only() {
    for target in [
        "javascript:alert(1)",
        "x\u{a0}y:z",
        "JaVaScRiPt:x",
        " \njavascript:x",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "&#106;avascript:x",
        "java&Tab;script:x",
        "javascript&colon;x",
        "java\\script:x",
        "<javascript:x>",
        "< javascript:x>",
        "<java\tscript:x>",
        "<x>",
    ] {
        let inert = sanitize_report(&format!("[x]({target})"));
        assert!(inert.starts_with("[x] ("), "{inert}");
        let inert = sanitize_report(&format!("[x]: {target}"));
        assert!(inert.starts_with("[x] :"), "{inert}");
    }
    for target in ["https://a.example", "HTTP://a.example", "#part", "mailto:a@b.example", "notes.md", ""] {
        let link = format!("[x]({target})");
        assert_eq!(sanitize_report(&link), link);
    }
}

#[test]
fn page_names_are_not_addresses() {
    check("[[1]](https://a.example) [[A page]]", expect!["[[1]](https://a.example) [[A page]]"]);
    check("[[javascript:x]] [[[data:x]]]", expect!["[ [javascript:x]] [ [ [data:x]]]"]);
}

#[test]
fn what_is_not_seen_is_not_there() {
    check("a\u{202e}b\u{1b}[31mc\u{200b}d", expect!["ab[31mcd"]);
    check(
        "&#8238;x &#x202E;y &rlm;z &#39;ok&#39; &#99999999999;",
        expect!["&amp;#8238;x &amp;#x202E;y &amp;rlm;z &#39;ok&#39; &amp;#99999999999;"],
    );
}

#[test]
fn nothing_reaches_beyond_the_report() {
    check(
        "---\nowner: me\n---",
        expect![[r#"
        ***
        owner: me
        ---"#]],
    );
    check(
        "text\n~~~~ rust\nlet a",
        expect![[r#"
        text
        ~~~~ rust
        let a
        ~~~~"#]],
    );
}

#[test]
fn titles_mean_only_themselves() {
    let title = "- *a* [b](javascript:c) <img src=x> ![d](e)\n# `f` & |g|";
    expect![[r#"\- \*a\* \[b\]\(javascript:c) &lt;img src=x&gt; \!\[d\]\(e) \# \`f\` &amp; \|g\|"#]]
        .assert_eq(&sanitize_line(title, 200));
}

#[test]
fn addresses_are_full_and_nothing_else() {
    assert_eq!(
        sanitize_web_address("https://a.example/b_(c)?d=e&f=g").as_deref(),
        Some("https://a.example/b_(c)?d=e&f=g")
    );
    assert_eq!(
        sanitize_web_address("https://a/![x](y) <z>").as_deref(),
        Some("https://a/!%5Bx%5D(y)%20%3Cz%3E")
    );
    for other in ["javascript:x", "data:,x", "ftp://a", "//a.example", "", "https:/a"] {
        assert_eq!(sanitize_web_address(other), None, "{other}");
    }
}

#[test]
fn front_matter_values_cannot_end_early() {
    expect![[r#""a\"\n---\nb: \\x \x3Cimg\x5D""#]].assert_eq(&quote_front_matter("a\"\n---\nb: \\x <img]"));
}
