use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

/// One line per claim: its sentence, kind, what it cites, and its words.
fn told(split: &SplitReport) -> String {
    let mut lines = String::new();
    for (number, sentence) in split.sentences.iter().enumerate() {
        for piece in &split.pieces[sentence.claims.clone()] {
            let cites: Vec<&str> = piece.cites.iter().map(|place| split.cited[*place].url.as_str()).collect();
            let mark = if piece.load_bearing { "!" } else { "" };
            lines += &format!("{number} {:?}{mark} {} [{}]\n", piece.kind, piece.words, cites.join(" "));
        }
    }
    for fault in &split.faults {
        lines += &format!("{:?} {}\n", fault.kind, fault.what);
    }
    lines
}

#[track_caller]
fn check(report: &str, expected: Expect) {
    expected.assert_eq(&told(&split(report, &[], &[])));
}

#[track_caller]
fn check_sentences(text: &str, expected: &[&str]) {
    let split = split(text, &[], &[]);
    let found: Vec<&str> =
        split.sentences.iter().map(|sentence| text.get(sentence.start..sentence.end).unwrap()).collect();
    assert_eq!(found, expected);
}

#[test]
fn sentences_end_where_people_end_them() {
    check_sentences("Dr. Smith met J. R. Doe. They left.", &["Dr. Smith met J. R. Doe.", "They left."]);
    check_sentences("It is 3.5 km, e.g. far. Pi is 3.14.", &["It is 3.5 km, e.g. far.", "Pi is 3.14."]);
    check_sentences(
        "The U.S. Army won. In the U.S. The law",
        &["The U.S. Army won.", "In the U.S.", "The law"],
    );
    check_sentences("See https://a.org/b.html?c. Then go!", &["See https://a.org/b.html?c.", "Then go!"]);
    check_sentences("He said “Go. Run.” She left.", &["He said “Go. Run.”", "She left."]);
    check_sentences("\"Stop.\" He went.", &["\"Stop.\"", "He went."]);
    check_sentences("Am 3. Oktober war es. Gut.", &["Am 3. Oktober war es.", "Gut."]);
    check_sentences("收入增长5.2%。支出下降！为什么？", &["收入增长5.2%。", "支出下降！", "为什么？"]);
    check_sentences("كم العدد؟ العدد كبير.", &["كم العدد؟", "العدد كبير."]);
    check_sentences("ประเทศไทยมีประชากร\nกรุงเทพเป็นเมืองหลวง", &["ประเทศไทยมีประชากร", "กรุงเทพเป็นเมืองหลวง"]);
    check_sentences("Yahoo! is old. Really?! Yes...", &["Yahoo! is old.", "Really?!", "Yes..."]);
    check_sentences(
        "Founded by Foo Inc. in 1999. No. 5 is alive.",
        &["Founded by Foo Inc. in 1999.", "No. 5 is alive."],
    );
}

#[test]
fn a_link_alone_behind_a_sentence_names_its_source() {
    let text = "It rained for 40 days. [Weather Office](https://w.org/a), [The Times](https://t.org/)\n\n\
        It stopped. [It was dry for 3 years.](https://w.org/b)";
    let split = split(text, &[], &[]);
    let told: Vec<(&str, usize)> =
        split.pieces.iter().map(|piece| (piece.words.as_str(), piece.cites.len())).collect();
    assert_eq!(told, [("It rained for 40 days.", 2), ("It stopped.", 0), ("It was dry for 3 years.", 1)]);
    assert!(split.sentences.iter().all(|sentence| !sentence.claims.is_empty()));
}

#[test]
fn marks_behind_the_full_stop_belong_to_the_sentence_before() {
    check_sentences("One.[1] Two. [2][3] Three.¹ Four", &["One.[1]", "Two. [2][3]", "Three.¹ Four"]);
    check_sentences("甲。[1] 乙。【2】丙", &["甲。[1]", "乙。【2】", "丙"]);
    check_sentences("One. ([a.org](https://a.org/x)) Two.", &["One. ([a.org](https://a.org/x))", "Two."]);
}

#[test]
fn a_report_with_a_numbered_list() {
    check(
        "# Chips\n\nThis report looks at chips. TSMC made 60% of them in 2023 [1], while Samsung made 12% [2]. \
         Why? Demand rose.[3]\n\n- **Price:** It fell to $5[1][2].\n- It may rise\n\n## Sources\n\n\
         [1] TSMC annual report: https://tsmc.com/ar  \n[2] Samsung\nhttps://samsung.com/x\n\
         [4] https://tsmc.com/ar#top - again\n[5] https://front.example.com/\n",
        expect![[r#"
            0 Structure Chips []
            1 OwnWords This report looks at chips. []
            2 Fact! TSMC made 60% of them in 2023 [https://tsmc.com/ar]
            2 Fact! while Samsung made 12%. [https://samsung.com/x]
            3 Question Why? []
            4 Fact Demand rose. []
            5 Fact! Price: It fell to $5. [https://tsmc.com/ar https://samsung.com/x]
            6 Fact It may rise []
            7 Structure Sources []
            8 Structure [1] TSMC annual report: https://tsmc.com/ar []
            9 Structure [2] Samsung https://samsung.com/x []
            10 Structure [4] https://tsmc.com/ar#top - again []
            11 Structure [5] https://front.example.com/ []
            DanglingLabel 3
            DuplicateAddress https://tsmc.com/ar#top
            RootAddress https://front.example.com/
            NeverCited https://front.example.com/
        "#]],
    );
}

#[test]
fn a_heading_that_is_a_sentence_is_a_claim() {
    check(
        "# The tower opened in 1999 [1](https://h.org/t).\n\n## 塔于1999年正式对外开放。[1](https://h.org/t)\n\n\
         ## Opening of the tower in 1999 [1](https://h.org/t)\n\n## Opened. [1](https://h.org/t)\n\n\
         ## When did it open [1](https://h.org/t)?\n\n## The tower opened in 1999.\n",
        expect![[r#"
            0 Fact! The tower opened in 1999. [https://h.org/t]
            1 Fact! 塔于1999年正式对外开放。 [https://h.org/t]
            2 Structure Opening of the tower in 1999 [https://h.org/t]
            3 Structure Opened. [https://h.org/t]
            4 Structure When did it open? [https://h.org/t]
            5 Fact! The tower opened in 1999. []
        "#]],
    );
}

#[test]
fn links_footnotes_and_definitions() {
    check(
        "The [WHO](https://who.int/a) counts 5 cases. Others[^n] count 6 (see [here][x]).\n\n\
         [^n]: Lancet, <https://lancet.com/1>\n[x]: https://x.org/y \"X\"\n",
        expect![[r#"
            0 Fact! The WHO counts 5 cases. [https://who.int/a]
            1 Fact! Others count 6. [https://lancet.com/1 https://x.org/y]
            2 Structure [^n]: Lancet, []
            3 Structure [x]: https://x.org/y "X" []
        "#]],
    );
}

#[test]
fn chinese_reports() {
    check(
        "## 一、概述\n\n2023年人均收入为39,218元【1】，农村为21,691元【2】。总之，情况良好。\n\n## 七、参考文献\n\n\
         1. 国家统计局: https://stats.gov.cn/a\n2. 报告 https://b.cn/c\n",
        expect![[r#"
            0 Structure 一、概述 []
            1 Fact! 2023年人均收入为39,218元 [https://stats.gov.cn/a]
            1 Fact! 农村为21,691元。 [https://b.cn/c]
            2 OwnWords 总之，情况良好。 []
            3 Structure 七、参考文献 []
            4 Structure 1. 国家统计局: https://stats.gov.cn/a []
            5 Structure 2. 报告 https://b.cn/c []
        "#]],
    );
}

#[test]
fn tables_code_and_quotations() {
    check(
        "| Land | People |\n|---|---|\n| France | 68 m [1] |\n\n```\nx = 5.\n```\n> “We will never stop trying”, she said. [1]\n\n\
         [1]: https://a.org/1\n",
        expect![[r#"
            0 Structure Land; People []
            1 Fact! Land: France; People: 68 m [https://a.org/1]
            2 Structure ```
            x = 5.
            ``` []
            3 Fact! “We will never stop trying”, she said. [https://a.org/1]
            4 Structure [1]: https://a.org/1 []
        "#]],
    );
}

#[test]
fn an_author_is_a_citation_only_if_a_source_has_the_name() {
    check(
        "It works (Smith et al., 2020). It fails (Jones 1999).\n\n# References\n\n- Smith, A., Doe, B. (2020). It works. https://s.org/1\n",
        expect![[r#"
            0 Fact It works. [https://s.org/1]
            1 Fact! It fails (Jones 1999). []
            2 Structure References []
            3 Structure - Smith, A., Doe, B. (2020). It works. https://s.org/1 []
        "#]],
    );
}

#[test]
fn what_the_provider_attributes() {
    let report = "One fact here. Another fact there.";
    let sources =
        [("https://a.org/1".to_owned(), "A".to_owned()), ("https://b.org/2".to_owned(), "B".to_owned())];
    let split = split(report, &[(0, 14, 1), (12, 34, 0)], &sources);
    let cites: Vec<Vec<usize>> = split.pieces.iter().map(|piece| piece.cites.clone()).collect();
    assert_eq!(cites, [vec![1], vec![0]]);
    assert_eq!(split.faults, []);
}

#[test]
fn numbers_of_a_report_without_a_list_mean_the_providers_sources() {
    let sources = [("https://a.org/1".to_owned(), "A".to_owned())];
    let split = split("One fact [1]. Another [2].", &[], &sources);
    assert_eq!(split.pieces.iter().map(|piece| piece.cites.len()).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(
        split.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(),
        [CitationFaultKind::DanglingLabel]
    );
}

#[test]
fn numbers_that_begin_anew_in_each_chapter_mean_the_list_that_follows() {
    let report = "One [1].\n\n#### Sources\n\n[1] https://a.org/1\n\n## Next\n\nTwo [1].\n\n#### Sources\n\n[1] https://b.org/2\n";
    let split = split(report, &[], &[]);
    let cited: Vec<&str> = split
        .pieces
        .iter()
        .flat_map(|piece| &piece.cites)
        .map(|place| split.cited[*place].url.as_str())
        .collect();
    assert_eq!(cited, ["https://a.org/1", "https://b.org/2"]);
}

#[test]
fn every_kind_of_quotation_mark() {
    let report =
        "A “one two three” «deux» „drei vier fünf“ 「四四」 \"five six\" it's 5\" and ‘so it is’ now";
    let split = split(report, &[], &[]);
    let found: Vec<&str> = split
        .pieces
        .iter()
        .flat_map(|piece| &piece.quotations)
        .map(|(start, end)| report.get(*start..*end).unwrap())
        .collect();
    assert_eq!(found, ["one two three", "deux", "drei vier fünf", "四四", "five six", "so it is"]);
}

/// Text with much that could be markup.
fn reports() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zäß]{3,8}".prop_map(|word| word),
        1 => "[。！？.!?,;:\n ]{1,3}".prop_map(|word| word),
        1 => "[人口收入]{3,5}".prop_map(|word| word),
        2 => prop::sample::select(vec![
            " ", " ", "\n", "\n\n", "# ", "- ", "1. ", "> ", "| ", "|---|", "**", "_", "`", "```\n", "[", "]", "(", ")", "[1]", "[1, 2]",
            "【1】", "[^a]", "](https://a.org/x)", "https://b.org/y", "<a href=\"https://c.org\">", "</a>", "“", "”", "\"", "«", "¹", "Dr. ",
            "U.S. ", "---\n", "\n[1]: https://a.org/x\n", "## Sources\n", "![", "<sup>1</sup>", "\\", "\u{e200}", "\u{e201}", "\r\n", "a: b\n",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn sentences_are_in_order_and_hold_every_word(report in reports()) {
        let split = split(&report, &[(0, 5, 0)], &[("https://a.org".to_owned(), String::new())]);
        let mut at = 0;
        for sentence in &split.sentences {
            prop_assert!(at <= sentence.start && sentence.start < sentence.end, "{sentence:?}");
            prop_assert!(report.get(sentence.start..sentence.end).is_some());
            let mut inside = sentence.start;
            prop_assert!(!sentence.claims.is_empty());
            for piece in &split.pieces[sentence.claims.clone()] {
                prop_assert_eq!(piece.start, inside);
                prop_assert!(report.get(piece.start..piece.end).is_some());
                inside = piece.end;
                for (start, end) in &piece.quotations {
                    prop_assert!(report.get(*start..*end).is_some() && piece.start <= *start && *end <= piece.end);
                }
                prop_assert!(piece.cites.iter().all(|place| *place < split.cited.len()));
            }
            prop_assert_eq!(inside, sentence.end);
            at = sentence.end;
        }
        for (start, c) in report.char_indices().filter(|(_, c)| c.is_alphabetic()) {
            let is_inside = split.sentences.iter().any(|sentence| (sentence.start..sentence.end).contains(&start));
            prop_assert!(is_inside, "{c:?} at {start} of {report:?}");
        }
        for fault in &split.faults {
            prop_assert!(report.get(fault.start..fault.end).is_some());
        }
    }

    #[test]
    fn any_text_at_all(report in "\\PC{0,200}") {
        split(&report, &[], &[]);
    }
}

#[test]
fn a_number_without_a_list_means_what_the_provider_attributes_it_to() {
    let text = "Tides were used in 2015 [cite: 1]. Finding 1 is 40 units [cite: 1]. Finding 2 is 50 units [cite: 2].";
    let source = |url: &str| (url.to_owned(), String::new());
    let sources = [
        source("https://vertexaisearch.cloud.google.com/grounding-api-redirect/A"),
        source("https://s.example/0"),
        source("https://s.example/1"),
    ];
    let range = |words: &str, place| {
        let start = text.find(words).unwrap();
        (start, start + words.len(), place)
    };
    let given = [
        range("Tides were used in 2015", 0),
        range("Finding 1 is 40 units", 1),
        range("Finding 2 is 50 units", 2),
    ];
    let read = split(text, &given, &sources);
    let cites: Vec<&[usize]> = read.pieces.iter().map(|piece| piece.cites.as_slice()).collect();
    let expected: [&[usize]; 3] = [&[1, 0], &[1], &[2]];
    assert_eq!(cites, expected);
    let read = split(text, &[], &sources);
    let cites: Vec<&[usize]> = read.pieces.iter().map(|piece| piece.cites.as_slice()).collect();
    let by_place: [&[usize]; 3] = [&[0], &[0], &[1]];
    assert_eq!(cites, by_place, "without a word of the provider the place in its list counts");
}
