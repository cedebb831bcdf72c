use expect_test::{Expect, expect};

use probity_research::report::NumberedSource;

use super::{MarkdownRenderer, VerdictMark};
use crate::output::Tone;

#[track_caller]
fn check(text: &str, columns: usize, expected: Expect) {
    expected.assert_eq(&MarkdownRenderer { colour: false, columns: Some(columns) }.render(text));
}

#[test]
fn a_report_fits_the_screen_and_its_addresses_become_numbers() {
    check(
        "# The tower\n\nIt is **330 m** tall, says [the operator](https://example.org/a), and has been so since \
         2022 ([2](https://example.org/b)).\n\n- one\n- two, said [again](https://example.org/a)\n\n> quoted words\n",
        40,
        expect![[r#"
            The tower
            ═════════

            It is 330 m tall, says the operator[1],
            and has been so since 2022 ([2]).

            • one
            • two, said again[1]

            │ quoted words

            Sources
              [1] https://example.org/a
              [2] https://example.org/b"#]],
    );
}

#[test]
fn a_table_stands_side_by_side_or_below_each_other() {
    let table = "| name | height |\n|---|---|\n| Eiffel Tower | 330 m |\n| Chrysler Building | 319 m |\n";
    check(
        table,
        40,
        expect![[r#"
            name               height
            ─────────────────  ──────
            Eiffel Tower       330 m
            Chrysler Building  319 m"#]],
    );
    check(
        table,
        24,
        expect![[r#"
            name: Eiffel Tower
            height: 330 m

            name: Chrysler Building
            height: 319 m"#]],
    );
}

#[test]
fn verdicts_stand_behind_their_sentences() {
    let text = "The tower is tall. It is green [1](https://e.org). Nobody knows.";
    let marks = [
        VerdictMark { at: 18, sign: "✓", tone: Tone::Good },
        VerdictMark { at: text.find(" Nobody").unwrap(), sign: "✗", tone: Tone::Bad },
        VerdictMark { at: text.len(), sign: "·", tone: Tone::Quiet },
    ];
    let shown = MarkdownRenderer { colour: false, columns: Some(80) }.render_report(text, &marks, &[]);
    let first = shown.lines().next().unwrap();
    assert_eq!(first, "The tower is tall.\u{a0}✓ It is green [1].\u{a0}✗ Nobody knows.\u{a0}·");
}

#[test]
fn nothing_in_a_report_acts_on_the_terminal() {
    let hostile =
        "a \u{1b}[2J b \u{202e}c [x](https://e.org/\u{1b}]0;t\u{7}) <script>alert(1)</script> \u{9b}31m";
    for colour in [false, true] {
        let shown = MarkdownRenderer { colour, columns: Some(80) }.render(hostile);
        assert!(
            !shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}') && !shown.contains('\u{7}'),
            "{shown:?}"
        );
        assert!(!shown.contains('\u{9b}') && !shown.contains("\u{1b}]0"), "{shown:?}");
    }
}

#[test]
fn numbers_of_sources_can_be_clicked() {
    let source = NumberedSource { number: 1, url: "https://e.org/a", title: "A" };
    let page = MarkdownRenderer { colour: true, columns: Some(80) };
    let shown = page.render_report("It is so. [1] And [2] is none.", &[], &[source]);
    let first = shown.lines().next().unwrap();
    assert_eq!(first, "It is so. \u{1b}]8;;https://e.org/a\u{1b}\\[1]\u{1b}]8;;\u{1b}\\ And [2] is none.");
}

#[test]
fn elsewhere_it_stays_markdown() {
    let text = "# A\n\n[b](https://e.org)";
    assert_eq!(MarkdownRenderer { colour: false, columns: None }.render(text), text);
}

#[test]
fn links_have_the_numbers_of_the_sources_and_all_are_listed() {
    let numbered = [
        NumberedSource { number: 1, url: "https://e.org/a", title: "A" },
        NumberedSource { number: 2, url: "https://e.org/b", title: "B" },
    ];
    let text = "It is so [1](https://e.org/b/), and [so](https://e.org/c).";
    let shown = MarkdownRenderer { colour: false, columns: Some(80) }.render_report(text, &[], &numbered);
    expect![[r#"
        It is so [2], and so[3].

        Sources
          [1] A https://e.org/a
          [2] B https://e.org/b
          [3] https://e.org/c"#]]
    .assert_eq(&shown);
}
