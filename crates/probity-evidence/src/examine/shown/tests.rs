use probity_types::{
    checking::task::{CitedPage, JudgeLocation},
    ledger::Ledger,
    web::page::{Extract, ExtractBlock, ExtractBlockKind},
};

use super::super::tests::{ledger, page};

const URL: &str = "https://a.example/r";

/// What a judge would be shown with this claim, best first.
fn shown(claim: &str, cited: CitedPage) -> Vec<String> {
    let ledger = ledger(&format!("{claim} [1]({URL})"), vec![cited], JudgeLocation::Remote);
    passages(&ledger)
}

fn passages(ledger: &Ledger) -> Vec<String> {
    let question = ledger.questions.first().unwrap();
    let text = |place: &u32| ledger.passages[usize::try_from(*place).unwrap()].text.clone();
    question.passages.iter().map(text).collect()
}

/// The page with this heading, which is its title too.
fn titled(title: &str, text: &str) -> CitedPage {
    let whole = format!("{title}\n{text}");
    let mut cited = page(URL, &whole);
    let (kind, end) = (ExtractBlockKind::Heading, title.len());
    let blocks = vec![ExtractBlock { kind, start: 0, end, source: None, page: None }];
    if let Ok(stored) = &mut cited.page {
        stored.metadata.title = format!("{title} | The Courier");
        stored.extract = Extract { text: whole, blocks, ..Extract::default() }.encode().into();
    }
    cited
}

const MILL: &str = "The old mill of Tarn stands on the left bank. A gale took its sails in 1911. \
    Volunteers put on new ones eight years ago. School classes grind their own flour there on weekdays. \
    Nobody was harmed when the roof came down in May. The miller lives next door with two dogs. \
    The council pays for the upkeep and asks for no rent. Bread from its oven is sold on market days. \
    Cyclists on the river path stop for cake and cider. A small museum on the first floor shows tools and sacks. \
    Its wheel turned for the last time before the war. A plaque beside the door names the founders. \
    The stones came down the river on rafts. In winter the lane is closed to carts. \
    Swallows nest under the eaves every spring. The cellar floods when the snow melts. \
    Children may climb the stairs with a guide. The bell rings at noon and at dusk. \
    A path leads from the gate to the weir. Old photographs hang in the hall. \
    The garden has plums, quinces and a bench under a lime tree.";

const SHORT: &str =
    "The old mill of Tarn stands on the left bank. A gale took its sails in 1911. Its keeper has two dogs.";

#[test]
fn a_short_page_is_shown_whole_to_whoever_judges_other_words() {
    let found =
        shown("All visitors survived the collapse of a ceiling unhurt.", titled("The mill of Tarn", MILL));
    assert!(found.iter().any(|passage| passage.starts_with("Nobody was harmed")), "{found:#?}");
    assert_eq!(found.len(), 21, "every sentence once: {found:#?}");
    let closer = shown("The old mill of Tarn stands on the left bank.", page(URL, SHORT));
    assert_eq!(closer.len(), 3, "{closer:#?}");
}

#[test]
fn the_title_takes_no_passages_place() {
    let found = shown("The mill of Tarn stands on the left bank.", titled("The mill of Tarn", MILL));
    assert!(found.first().is_some_and(|best| best.contains("left bank")), "{found:#?}");
    assert!(!found.iter().any(|passage| passage == "The mill of Tarn"), "{found:#?}");
    assert!(found.len() < 12, "what the page says in the same words needs no more: {found:#?}");
    // A page that has nothing but its title is shown all the same.
    let only = shown("The mill of Tarn is for sale.", page(URL, "Acme"));
    assert_eq!(only, ["Acme"]);
}

/// Sentences about something else, so that the page is long.
fn filler(sentences: usize) -> String {
    let line = |number: usize| {
        let thing = ["meadow", "quarry", "orchard", "chapel", "harbour"][number % 5];
        format!("Behind the {thing} lies another field with hedges and a gate of wood. ")
    };
    (0..sentences).map(line).collect()
}

#[test]
fn what_stands_beside_the_best_passage_may_be_quoted() {
    let text = format!(
        "{}The ferry Ilsa was launched in Brandal in 1974. It carries forty cars. Its captain is Ruth Moe. {}",
        filler(20),
        filler(20)
    );
    let found = shown("The ferry Ilsa was launched in Brandal in 1974.", page(URL, &text));
    assert!(found.first().is_some_and(|best| best.contains("launched")), "{found:#?}");
    assert!(found.iter().any(|passage| passage == "It carries forty cars."), "{found:#?}");
}

#[test]
fn on_a_long_page_other_signs_than_words_bring_more_sentences() {
    let text = format!(
        "{}Die Quote der Leerstände sank von 8,9 auf 6,7 Prozent. {}Das Gutachten schrieb Agnes Holm. {}",
        filler(15),
        filler(15),
        filler(15)
    );
    let found = shown("Vacancy went down to 6.7 per cent.", page(URL, &text));
    assert!(found.iter().any(|passage| passage.contains("6,7")), "{found:#?}");
    let bytes: usize = found.iter().map(String::len).sum();
    assert!(bytes <= super::LONG_BYTES_MAX, "{bytes}: {found:#?}");
}

#[test]
fn a_share_is_shown_with_its_whole() {
    let text = format!(
        "{}The survey was answered by 640 households. {}Of the households, 160 heat with wood. {}",
        filler(12),
        filler(12),
        filler(12)
    );
    let found = shown("A quarter of the households heat with wood.", page(URL, &text));
    assert!(found.iter().any(|passage| passage.contains("640")), "{found:#?}");
    assert!(found.iter().any(|passage| passage.contains("160")), "{found:#?}");
}

/// The page, with what a reader quoted of it for the report.
fn quoted(text: &str, quotations: &[&str]) -> CitedPage {
    let mut cited = page(URL, text);
    let place = |words: &&str| {
        let start = text.find(words).unwrap();
        (start, start + words.len())
    };
    if let Ok(stored) = &mut cited.page {
        stored.quoted = quotations.iter().map(place).collect();
    }
    cited
}

#[test]
fn a_sentence_of_our_own_report_is_shown_with_the_quotation_it_was_written_from() {
    let quotation = "A gale took its sails in 1911.";
    let own =
        ledger(&format!("{quotation} [1]({URL})"), vec![quoted(SHORT, &[quotation])], JudgeLocation::Remote);
    assert_eq!(passages(&own), [quotation]);
    // Who "its" is stands beside it, and what follows may restrict it.
    let context = &own.passages[usize::try_from(own.questions[0].passages[0]).unwrap()].context;
    assert!(context.before.contains("left bank") && context.after.contains("two dogs"), "{context:?}");
}

#[test]
fn what_nobody_quoted_or_does_not_say_it_all_is_shown_with_its_page() {
    let claim = "A gale took its sails in 1911.";
    for (claim, cited) in [
        (claim, page(URL, SHORT)),
        (claim, quoted(SHORT, &["Its keeper has two dogs."])),
        ("A gale took its sails in 1912.", quoted(SHORT, &[claim])),
    ] {
        assert_eq!(shown(claim, cited.clone()).len(), 3, "{claim}: {cited:?}");
    }
}
