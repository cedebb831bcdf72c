use super::*;

fn folded(text: &str) -> String {
    words(text).iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn letters_have_one_form() {
    assert_eq!(folded("The ﬁrst Ｗｏｒｄ isn’t “Straße”"), "the first word isn't strasse");
    assert_eq!(folded("cafe\u{301} café"), "café café");
    assert_eq!(folded("infor\u{AD}mation zero\u{200B}width"), "information zerowidth");
}

#[test]
fn numbers_are_one_word() {
    assert_eq!(
        folded("1,234.5 １２ 1.234.567 3,5 1\u{A0}200 12th 1990s 41.3%"),
        "1234.5 12 1234567 3,5 1200 12 th 1990 s 41.3 %"
    );
    assert_eq!(folded("٣٤ and ½"), "34 and 1/2");
}
