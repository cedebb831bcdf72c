use super::*;

#[test]
fn words_know_their_sentence() {
    let page = Page::new("Dr. Smith rose. He fell in 1999.\nA title\nMore rising 3.5 points.");
    let sentences: Vec<&str> = page.sentences().iter().map(|sentence| page.sentence_text(sentence)).collect();
    assert_eq!(sentences, ["Dr. Smith rose.", "He fell in 1999.", "A title", "More rising 3.5 points."]);
    assert!(page.has_word("smith") && !page.has_word("ris"));
    assert_eq!(page.numbers().collect::<Vec<_>>(), ["1999", "3.5"]);
    for (place, sentence) in page.sentences().iter().enumerate() {
        assert!(page.words_of(sentence).iter().all(|word| word.sentence as usize == place));
    }
}
