use super::*;

#[test]
fn words_know_their_sentence() {
    let page = IndexedPage::new("Dr. Smith rose. He fell in 1999.\nA title\nMore rising 3.5 points.");
    let sentences: Vec<&str> = page.sentences().iter().map(|sentence| page.sentence_text(sentence)).collect();
    assert_eq!(sentences, ["Dr. Smith rose.", "He fell in 1999.", "A title", "More rising 3.5 points."]);
    assert!(page.has_word("smith") && !page.has_word("ris"));
    assert_eq!(page.numbers().collect::<Vec<_>>(), ["1999", "3.5"]);
    for (place, sentence) in page.sentences().iter().enumerate() {
        assert!(page.words_of(sentence).iter().all(|word| word.sentence as usize == place));
    }
}

#[track_caller]
fn splits(text: &str, expected: &[&str]) {
    let found: Vec<&str> =
        sentences::sentences(text).into_iter().filter_map(|(start, end)| text.get(start..end)).collect();
    assert_eq!(found, expected);
}

#[test]
fn sentences_end_where_a_reader_stops() {
    splits(
        "It rose 3.5 %. \"Why?\" he asked. See no. 5 of J. R. Hill et al. 2019.",
        &["It rose 3.5 %.", "\"Why?\" he asked.", "See no. 5 of J. R. Hill et al. 2019."],
    );
    splits("他说：“好。”然后走了！真的？", &["他说：“好。”", "然后走了！", "真的？"]);
    splits(
        "Am 3. Mai kam er z.B. nach Bonn. Dann ging er.",
        &["Am 3. Mai kam er z.B. nach Bonn.", "Dann ging er."],
    );
    splits("One line\n\n  Another.  ", &["One line", "Another."]);
    splits("", &[]);
}

#[test]
fn a_sentence_without_an_end_is_cut_at_a_space() {
    let text = "word ".repeat(500) + "é end";
    assert_eq!(sentences::sentences(&text), [(0, 2_004), (2_005, 2_506)]);
}

#[test]
fn reference_marks_are_not_words() {
    let page = IndexedPage::new("It fell.[12] It rose [a] again in [2019].");
    assert_eq!(page.numbers().collect::<Vec<_>>(), ["2019"]);
    assert!(!page.has_word("a"));
}

proptest::proptest! {
    #[test]
    fn everything_lies_inside_the_text(text in "(\\PC|[a-z .\n\\[\\]0-9。]){0,300}") {
        let page = IndexedPage::new(&text);
        let mut end = 0;
        for sentence in page.sentences() {
            proptest::prop_assert!(sentence.start >= end && text.get(sentence.start..sentence.end).is_some());
            end = sentence.end;
        }
        for (place, word) in page.words().iter().enumerate() {
            proptest::prop_assert!(text.get(word.start..word.end).is_some());
            proptest::prop_assert!(page.occurrences(word.term).contains(&u32::try_from(place).unwrap()));
            proptest::prop_assert!(page.postings(page.stem_of(word.term)).iter().any(|(sentence, _)| *sentence == word.sentence));
        }
    }
}
