use proptest::prelude::*;

use super::*;

const TEXT: &str = "Dr. Anna Schröder of Oslo said on 3 May 2019 that sales had not risen by more than 12.5 % in Norway.[4] \
    The company’s owners, who live in Bergen, were pleased with the result and will hold their shares for now. \
    Critics called the forecast bold. Profits fell by 1,200 crowns, while losses grew, the bank wrote in a letter.";

#[track_caller]
fn check(quote: &str, expected: Option<QuoteFit>) {
    assert_eq!(anchor(quote, &IndexedPage::new(TEXT)).map(|found| found.fit), expected, "{quote}");
}

#[test]
fn what_stands_there_is_found() {
    check("were pleased with the result", Some(QuoteFit::Exact));
    check("“The company's owners,\n who live in  Bergen”", Some(QuoteFit::Normalised));
    check(
        "SALES HAD NOT RISEN BY MORE THAN 12.5% IN NORWAY. The company’s owners",
        Some(QuoteFit::Normalised),
    );
    check("Profits fell by 1200 crowns", Some(QuoteFit::Normalised));
}

#[test]
fn slips_and_small_words_may_differ() {
    check(
        "owners, who live in Bergen, were pleased with result and will hold their shares",
        Some(QuoteFit::Tolerant),
    );
    check("owners, who live in Bergen, were plaesed with the result", Some(QuoteFit::Tolerant));
    check("Anna Schroder of Oslo said on 3 May 2019", Some(QuoteFit::Tolerant));
    check("[Its] owners, who live in Bergen, were pleased with the result", Some(QuoteFit::Tolerant));
    check("[t]he company’s owners, who live in Bergen", Some(QuoteFit::Normalised));
}

#[test]
fn numbers_negations_and_names_never_differ() {
    check("sales had not risen by more than 12.4 % in Norway", None);
    check("sales had not risen by more than 12.5 in Norway", None);
    check("sales had risen by more than 12.5 % in Norway", None);
    check("owners, who live in Bergen, were not pleased with the result", None);
    check("owners, who live in Berlin, were pleased with the result", None);
    check("owners, who live in Bergan, were pleased with the result", None);
    check("Profits fell by -1,200 crowns, while losses grew", None);
    check("The company’s owners, who live in Bergen, [not] were pleased", None);
}

#[test]
fn other_words_are_not_slips() {
    check("The company’s owners, who live in Bergen, were pleased with the insult", None);
    check("will hold their shares for new", None);
    check("Profits fell by 1,200 crowns, while bosses grew, the bank wrote", None);
    check("and will sold their shares for now", None);
}

#[test]
fn parts_are_left_out_only_where_it_says_so() {
    check("The company’s owners […] were pleased with the result", Some(QuoteFit::Tolerant));
    check("Anna Schröder of Oslo said ... that sales had not risen", Some(QuoteFit::Tolerant));
    check("The company’s owners were pleased with the result", None);
    check("sales had … risen by more than 12.5 %", None);
    let page = IndexedPage::new("We saw the flood, we were not ready, but we did not run away.");
    assert!(
        anchor("We saw the flood … but we did not run away", &page).is_some(),
        "a clause with its own not"
    );
    assert!(anchor("we were … ready, but we did not run away", &page).is_none());
    check("were pleased with the result … Anna Schröder of Oslo said", None);
    check("Critics called the forecast bold in a letter", None);
}

#[test]
fn short_quotations_stand_word_for_word() {
    check("forecast bold", Some(QuoteFit::Exact));
    check("forcast bold", None);
    check("", None);
    check("… [12] \u{200B}", None);
}

#[test]
fn other_languages() {
    let find = |quote: &str, text: &str| anchor(quote, &IndexedPage::new(text)).is_some();
    let german = "Der Absatz ist im Jahr 2019 nicht um 12,5 Prozent gestiegen, sagte die Ministerin in Köln.";
    assert!(find("Absatz ist im Jahr 2019 nicht um 12,5 Prozent gestiegen, sagte Ministerin", german));
    assert!(!find("Der Absatz ist im Jahr 2019 um 12,5 Prozent gestiegen", german));
    let chinese = "该公司2019年的销售额没有增长12.5%，部长在北京说。";
    assert!(find("2019年的销售额没有增长12.5％", chinese));
    assert!(!find("2019年的销售额有增长12.5%，部长在北京说", chinese));
    let russian = "Продажи не выросли на 12,5 процента в 2019 году, сказала министр в Москве.";
    assert!(find("продажи не выросли на 12,5 процента", russian));
    assert!(!find("продажи выросли на 12,5 процента в 2019 году", russian));
    let french = "Les ventes n’ont pas augmenté de 12,5 % en 2019, a déclaré la ministre à Lyon.";
    assert!(find("Les ventes n'ont pas augmenté de 12,5 %", french));
    assert!(!find("Les ventes ont augmenté de 12,5 % en 2019", french));
}

#[test]
fn hostile_texts_are_borne() {
    let page = IndexedPage::new(&"word ".repeat(20_000));
    assert!(anchor(&"word ".repeat(500), &page).is_none());
    assert!(anchor(&"[".repeat(10_000), &page).is_none());
    assert!(anchor(&"x".repeat(100_000), &IndexedPage::new(&"x".repeat(100_000))).is_none());
}

/// Words of one sentence changed at random: whatever is found holds every number and negation of the quotation.
fn changed() -> impl Strategy<Value = String> {
    let words: Vec<&str> = TEXT.split(' ').collect();
    let count = words.len();
    let odd = prop::sample::select(vec![
        "not", "12.5", "13", "never", "the", "Oslo", "Paris", "…", "[the]", "is", "hold", "-12.5", "%",
    ]);
    (0..count, 1..30_usize, prop::collection::vec((0..30_usize, 0..3_u8, odd), 0..4)).prop_map(
        move |(from, length, edits)| {
            let mut quote: Vec<&str> = words.iter().copied().skip(from).take(length).collect();
            for (place, how, word) in edits {
                let place = place % (quote.len().max(1));
                match how {
                    0 => quote.insert(place, word),
                    1 if !quote.is_empty() => drop(quote.remove(place)),
                    _ => quote.iter_mut().skip(place).take(1).for_each(|old| *old = word),
                }
            }
            quote.join(" ")
        },
    )
}

proptest! {
    #[test]
    fn hard_words_of_a_quotation_stand_in_its_spans(quote in changed()) {
        let page = IndexedPage::new(TEXT);
        if let Some(found) = anchor(&quote, &page) {
            let spans: String = found.spans.iter().filter_map(|(start, end)| TEXT.get(*start..*end)).collect::<Vec<_>>().join(" ");
            let there: Vec<String> = crate::words::words(&spans).into_iter().map(|word| crate::words::without_marks(&word.folded)).collect();
            let parts = quote::parts(&quote);
            for word in parts.iter().flat_map(|part| &part.words).filter(|word| word.hard) {
                prop_assert!(there.contains(&crate::words::without_marks(&word.folded)), "{} in {spans}", word.folded);
            }
        }
    }

    #[test]
    fn any_text_is_borne(quote in ".{0,200}", text in ".{0,300}") {
        let page = IndexedPage::new(&text);
        for (start, end) in anchor(&quote, &page).map(|found| found.spans).unwrap_or_default() {
            prop_assert!(start < end && text.get(start..end).is_some());
        }
    }

    #[test]
    fn a_text_stands_in_itself(text in "[a-zäß不要 0-9.,'-]{12,80}") {
        let page = IndexedPage::new(&text);
        let enough = page.words().len() >= 2;
        prop_assert!(!enough || anchor(&text, &page).is_some() || text.contains("..."));
    }
}
